"""The jobs of this process, as plain functions.

`_QUEUES` is the project's one global: pages come and go with every refresh and every browser, the
jobs behind them must not. It holds one queue per workspace folder.
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
    """The workspace's queue, made at first use: then it finds what was interrupted."""
    home = workspace()
    with _LOCK:
        if home not in _QUEUES:
            _QUEUES[home] = Queue(home, limits=Limits.from_environment(os.environ))
        return _QUEUES[home]


def held() -> bool:
    """Whether whoever runs this server lets nothing train now (`Queue`)."""
    return current_queue().held


def limits() -> Limits:
    """What whoever runs this server allows."""
    return current_queue().limits


def submit(model: BaseEstimator, data: Dataset, name: str) -> str:
    """Queue the training of a model on a data set; returns the job's id (`Queue.submit`)."""
    return current_queue().submit(model, data, name)


def recover() -> tuple[Snapshot, ...]:
    """Find jobs that processes now gone left unfinished (`Queue.recover`)."""
    return current_queue().recover()


def elsewhere(id: str) -> bool:
    """Whether another process that uses the same workspace has a job of that id."""
    queue = current_queue()
    stored = {files.id for files in stored_jobs(queue.home / "jobs")}
    return id in stored - {job.id for job in queue.jobs()}


def jobs() -> tuple[Snapshot, ...]:
    """All jobs as they are now, oldest first."""
    return current_queue().jobs()


def snapshot(id: str) -> Snapshot:
    """One job as it is now; JobError when there is none of that id."""
    return current_queue().snapshot(id)


def dataset(id: str) -> Dataset:
    """What a job trains on."""
    return current_queue().dataset(id)


def wait(id: str, timeout: float | None = None) -> Snapshot:
    """Block until a job neither trains nor waits to, or for ``timeout`` seconds."""
    return current_queue().wait(id, timeout)


def pause(id: str) -> None:
    """Stop a job after its present iteration, to go on later."""
    current_queue().pause(id)


def resume(id: str) -> None:
    """Go on with a paused, interrupted, cancelled or failed job, when its turn comes."""
    current_queue().resume(id)


def cancel(id: str) -> None:
    """End a job now; the model it has reached goes to the library."""
    current_queue().cancel(id)


def extend(id: str, max_iter: int) -> None:
    """Go on with a job that has stopped, up to ``max_iter`` iterations in all."""
    current_queue().extend(id, max_iter)


def rerun(id: str) -> str:
    """Queue a new job with the same settings, data and name; returns its id."""
    return current_queue().rerun(id)


def forget(id: str) -> None:
    """Remove a job and its checkpoint; a model that it has saved stays in the library."""
    current_queue().forget(id)
