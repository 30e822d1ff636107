"""The jobs of one workspace: a limited number train at the same time, other jobs wait."""

import atexit
import os
import secrets
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator, clone

from gplvm_core.readers import Dataset
from gplvm_core.store import Library, StoreError, workspace
from gplvm_core.store.atomic import private_folder
from gplvm_core.store.entry import clean_title, slug
from gplvm_core.store.errors import changing
from gplvm_core.store.holding import writing
from gplvm_core.training.checkpoint import JobFiles, stored_jobs, tidy_jobs
from gplvm_core.training.job import Job, JobError, Outcome
from gplvm_core.training.limits import Limits, give_way
from gplvm_core.training.progress import ENDED, Snapshot

CHECKPOINT_SECONDS = 5.0
NO_LIMITS = Limits()
HOLD = "hold"  # the name of the file in the workspace that stops all training
HELD = "The operator of this server has stopped all training for now. Try again later."


_QUEUES: dict[Path, "Queue"] = {}  # one for each workspace; jobs survive when pages are closed
_LOCK = threading.Lock()


class Queue:
    """Jobs with checkpoints in one folder, trained in daemon threads.

    One lock guards the lists of running and waiting jobs; snapshots of jobs are read without a
    lock. A paused job has no thread, so the next job can start.
    """

    def __init__(
        self,
        home: str | Path,
        *,
        limits: Limits = NO_LIMITS,
        checkpoint_seconds: float = CHECKPOINT_SECONDS,
    ) -> None:
        """Make a queue for the workspace ``home``, and find the jobs of earlier processes there.

        While the folder contains a file "hold", nothing trains: running jobs pause after their
        current iteration. The operator of a server can use this file as a switch.
        """
        self.home = Path(home)
        self.limits = limits
        self.checkpoint_seconds = checkpoint_seconds
        self._lock = threading.RLock()
        self._jobs: dict[str, Job] = {}
        self._waiting: list[Job] = []
        self._running: dict[threading.Thread, Job] = {}
        tidy_jobs(self.home / "jobs")
        Library(self.home / "library").tidy()
        self.recover()
        atexit.register(self._at_exit)

    def submit(self, model: BaseEstimator, data: Dataset, name: str) -> str:
        """Queue the training of a model on a data set; returns the job's id.

        The model is cloned, without its fitted state. Raises JobError unless it is given a model
        and a Dataset, and StoreError if the job cannot be written to disk.
        """
        if not isinstance(model, BaseEstimator) or not hasattr(model, "fit"):
            raise JobError(f"A job trains a model; got a {type(model).__name__}.")
        if not isinstance(data, Dataset):
            raise JobError(
                f"A job trains on a Dataset; got a {type(data).__name__}. Make a Dataset, for "
                "example with load_dataset or read_table."
            )
        self._allow(data.values.size)
        title = clean_title(name)
        fresh: BaseEstimator = clone(model)
        snapshot = Snapshot(
            id=f"{slug(title)}-{secrets.token_hex(4)}",
            name=title,
            status="queued",
            model_class=type(fresh).__name__,
            dataset_name=data.name,
            created=datetime.now(UTC).isoformat(timespec="milliseconds"),
            parameters=fresh.get_params(deep=False),
        )
        files = JobFiles(self.home / "jobs", snapshot.id)
        job = self._job(snapshot, fresh, files)
        try:
            with changing(f"Cannot write to {files.folder}"):
                private_folder(files.folder)
                with writing(files.folder):  # so that nobody removes the files of an incomplete job
                    job.claim = files.claim()
                    job.publish(data=files.write_data(data))
                    files.write_state(job.snapshot, fresh)
        except StoreError as error:
            self._let_go(job)
            files.remove()
            raise StoreError(f"{title} was not queued: {error}") from error
        with self._lock:
            self._jobs[job.id] = job
            self._enqueue(job)
        return job.id

    @property
    def held(self) -> bool:
        """Whether the operator of this server has stopped all training."""
        return os.path.exists(self.home / HOLD)  # False if the file cannot be accessed

    def _allow(self, values: int = 0) -> None:
        """Raise a JobError if the operator of this server does not allow another training."""
        if self.held:
            raise JobError(HELD)
        active = sum(job.snapshot.active for job in [*self._jobs.values()])
        self.limits.allow(active, values)

    def recover(self) -> tuple[Snapshot, ...]:
        """Find the jobs of processes that no longer run, and return the unfinished ones.

        Jobs that were queued or running are now "interrupted"; `resume` continues them with exactly
        the same results. Jobs of running processes are unchanged.
        """
        found = []
        with self._lock:
            for files in stored_jobs(self.home / "jobs"):
                if files.id in self._jobs:
                    continue
                try:
                    claim = files.claim()
                except OSError:
                    continue  # a folder that cannot be written: its jobs cannot continue
                if claim is None:
                    continue
                if not files.state.exists():  # another process removed the job meanwhile
                    files.remove()
                    claim.close()
                    continue
                job = self._stored(files)
                job.claim = claim
                self._jobs[job.id] = job
                if job.snapshot.status not in ENDED:
                    found.append(job.snapshot)
        return tuple(found)

    def jobs(self) -> tuple[Snapshot, ...]:
        """Return snapshots of all jobs, oldest first."""
        snapshots = [job.snapshot for job in list(self._jobs.values())]
        return tuple(sorted(snapshots, key=lambda each: (each.created, each.id)))

    def elsewhere(self, id: str) -> bool:
        """Whether another process with the same workspace has a job with this id."""
        return id not in self._jobs and id in {each.id for each in stored_jobs(self.home / "jobs")}

    def snapshot(self, id: str) -> Snapshot:
        """Return the snapshot of a job; JobError for an unknown id."""
        return self._get(id).snapshot

    def dataset(self, id: str) -> Dataset:
        """Return the data set of a job."""
        job = self._get(id)
        return job.files.read_data(job.snapshot.data)

    def wait(self, id: str, timeout: float | None = None) -> Snapshot:
        """Block until a job neither runs nor waits, or for ``timeout`` seconds."""
        job = self._get(id)
        job.idle.wait(timeout)
        return job.snapshot

    def pause(self, id: str) -> None:
        """Pause a job after the current iteration. Jobs that have ended do not change."""
        job = self._get(id)
        with self._lock:
            if job in self._waiting:
                self._waiting.remove(job)
                job.settle(status="paused")
            elif job.snapshot.status == "running" and job.snapshot.request is None:
                job.publish(request="pause")

    def resume(self, id: str) -> None:
        """Queue a paused, interrupted, cancelled or failed job again, to continue it."""
        job = self._get(id)
        with self._lock:
            status = job.snapshot.status
            if status == "running" and job.snapshot.request == "pause":
                job.publish(request=None)
            elif status == "finished":
                raise JobError(f"{job.snapshot.name} is finished. Extend it to train for longer.")
            elif not job.snapshot.active:
                self._model(job)
                self._allow()
                self._enqueue(job)
                job.settle()

    def cancel(self, id: str) -> None:
        """End a job and add its model to the library. Jobs that have ended do not change."""
        job = self._get(id)
        with self._lock:
            status = job.snapshot.status
            if status == "running":
                job.publish(request="cancel")
                return
            if status in ENDED:
                return
            if job in self._waiting:
                self._waiting.remove(job)
            if job.snapshot.progress is None or job.model is None:
                job.settle(status="cancelled", reason="cancelled before it started")
            else:
                # Making a model of the present state is quick, so the job need not wait in the
                # queue.
                job.publish(request="cancel")
                self._start(job)

    def extend(self, id: str, max_iter: int) -> None:
        """Continue a job that has stopped, up to ``max_iter`` iterations in total."""
        job = self._get(id)
        with self._lock:
            model = self._model(job)
            if job.snapshot.active:
                raise JobError(
                    f"{job.snapshot.name} is not finished. Wait for it or pause it, then extend it."
                )
            if "max_iter" not in model.get_params(deep=False):
                raise JobError(f"A {type(model).__name__} has no iterations to extend.")
            reached = 0 if job.snapshot.progress is None else job.snapshot.progress.iteration
            if not isinstance(max_iter, int) or max_iter <= reached:
                raise JobError(
                    f"{job.snapshot.name} has made {reached} iterations; extend it to more than "
                    f"that, got {max_iter!r}."
                )
            self._allow()
            job.model = clone(model).set_params(max_iter=max_iter)
            job.publish(parameters=job.model.get_params(deep=False))
            self._enqueue(job)
            job.settle()

    def rerun(self, id: str) -> str:
        """Queue a new job with the same settings, data and name; returns its id."""
        job = self._get(id)
        return self.submit(self._model(job), self.dataset(id), job.snapshot.name)

    def forget(self, id: str) -> None:
        """Remove a job and its checkpoint. Its saved model stays in the library."""
        job = self._get(id)
        with self._lock:
            if job.snapshot.status == "running":
                raise JobError(f"{job.snapshot.name} is running. Cancel it first.")
            if job in self._waiting:
                self._waiting.remove(job)
            del self._jobs[id]
        with writing(job.files.folder):
            job.files.remove()
            self._let_go(job)

    def close(self, timeout: float = 10.0) -> None:
        """Pause and save running jobs, and release all jobs for the next process."""
        with self._lock:
            self._waiting.clear()
            threads = list(self._running)
            for job in self._running.values():
                job.publish(request=job.snapshot.request or "pause")
        for thread in threads:
            thread.join(timeout)
        for job in self._jobs.values():
            self._let_go(job)
        atexit.unregister(self._at_exit)

    def _at_exit(self) -> None:
        for job in list(self._running.values()):
            job.settle()

    def _job(self, snapshot: Snapshot, model: BaseEstimator | None, files: JobFiles) -> Job:
        library = Library(self.home / "library")
        job = Job(snapshot, model, files, library, self.checkpoint_seconds, self.home / HOLD)
        job.publish()
        return job

    def _stored(self, files: JobFiles) -> Job:
        try:
            snapshot, model = files.read_state()
        except StoreError as error:
            words = f"The checkpoint of this training cannot be read. {error}"
            broken = Snapshot(files.id, files.id, "failed", "", "", "", {}, error=words)
            return self._job(broken, None, files)
        job = self._job(snapshot, model, files)
        if snapshot.active:
            job.publish(status="interrupted", request=None)
        return job

    def _let_go(self, job: Job) -> None:
        if job.claim is not None:
            job.claim.close()

    def _get(self, id: str) -> Job:
        job = self._jobs.get(id)
        if job is None:
            raise JobError(f"There is no job {id!r}. jobs() lists the jobs.")
        return job

    def _model(self, job: Job) -> Any:
        if job.model is None:
            raise JobError(f"{job.snapshot.name} cannot be used: {job.snapshot.error} Remove it.")
        return job.model

    def _enqueue(self, job: Job, place: int | None = None) -> None:
        self._waiting.insert(len(self._waiting) if place is None else place, job)
        job.publish(status="queued", error=None, details=None, reason=None)
        self._schedule()

    def _schedule(self) -> None:
        while self._waiting and len(self._running) < self.limits.at_once:
            self._start(self._waiting.pop(0))

    def _start(self, job: Job) -> None:
        job.publish(status="running")
        thread = threading.Thread(target=self._work, args=(job,), name=job.id, daemon=True)
        self._running[thread] = job
        thread.start()

    def _work(self, job: Job) -> None:
        outcome: Outcome = "ended"
        give_way()
        try:
            outcome = job.train()
        finally:
            with self._lock:
                del self._running[threading.current_thread()]
                if outcome == "paused" and job.snapshot.request == "pause":
                    job.settle(status="paused", request=None)
                elif outcome == "paused":
                    # The job was resumed while it was pausing, so it is first in the queue.
                    self._enqueue(job, place=0)
                # The outcome "interrupted" means that Python is exiting and cannot start threads.
                if outcome != "interrupted":
                    self._schedule()


def here() -> Queue:
    """Return the queue of the workspace; its first use finds interrupted jobs."""
    home = workspace()
    with _LOCK:
        if home not in _QUEUES:
            _QUEUES[home] = Queue(home, limits=Limits.from_environment(os.environ))
        return _QUEUES[home]
