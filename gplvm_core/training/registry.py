"""The jobs of this process, as plain functions.

`_QUEUES` holds one queue per workspace folder. The variable is global, so that jobs survive when
pages are refreshed or closed.
"""

import os
import threading
from pathlib import Path

from sklearn.base import BaseEstimator

from gplvm_core.readers import Dataset
from gplvm_core.store import workspace
from gplvm_core.training.checkpoint import stored_jobs
from gplvm_core.training.limits import Limits
from gplvm_core.training.progress import Snapshot
from gplvm_core.training.queue import Queue

_QUEUES: dict[Path, Queue] = {}
_LOCK = threading.Lock()


def current_queue() -> Queue:
    """Return the queue of the workspace; its first use finds interrupted jobs."""
    home = workspace()
    with _LOCK:
        if home not in _QUEUES:
            _QUEUES[home] = Queue(home, limits=Limits.from_environment(os.environ))
        return _QUEUES[home]


def held() -> bool:
    """Whether the operator of this server has stopped all training (`Queue`)."""
    return current_queue().held


def limits() -> Limits:
    """Return the limits that the operator of this server has set."""
    return current_queue().limits


def submit(model: BaseEstimator, data: Dataset, name: str) -> str:
    """Queue the training of a model on a data set; returns the job's id (`Queue.submit`)."""
    return current_queue().submit(model, data, name)


def recover() -> tuple[Snapshot, ...]:
    """Find the unfinished jobs of processes that no longer run (`Queue.recover`)."""
    return current_queue().recover()


def elsewhere(id: str) -> bool:
    """Whether another process with the same workspace has a job with this id."""
    queue = current_queue()
    stored = {files.id for files in stored_jobs(queue.home / "jobs")}
    return id in stored - {job.id for job in queue.jobs()}


def jobs() -> tuple[Snapshot, ...]:
    """Return snapshots of all jobs, oldest first."""
    return current_queue().jobs()


def snapshot(id: str) -> Snapshot:
    """Return the snapshot of a job; JobError for an unknown id."""
    return current_queue().snapshot(id)


def dataset(id: str) -> Dataset:
    """Return the data set of a job."""
    return current_queue().dataset(id)


def wait(id: str, timeout: float | None = None) -> Snapshot:
    """Block until a job neither runs nor waits, or for ``timeout`` seconds."""
    return current_queue().wait(id, timeout)


def pause(id: str) -> None:
    """Pause a job after the current iteration."""
    current_queue().pause(id)


def resume(id: str) -> None:
    """Queue a paused, interrupted, cancelled or failed job again, to continue it."""
    current_queue().resume(id)


def cancel(id: str) -> None:
    """End a job and add its model to the library."""
    current_queue().cancel(id)


def extend(id: str, max_iter: int) -> None:
    """Continue a job that has stopped, up to ``max_iter`` iterations in total."""
    current_queue().extend(id, max_iter)


def rerun(id: str) -> str:
    """Queue a new job with the same settings, data and name; returns its id."""
    return current_queue().rerun(id)


def forget(id: str) -> None:
    """Remove a job and its checkpoint; its saved model stays in the library."""
    current_queue().forget(id)
