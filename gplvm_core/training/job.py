"""One job: trains a model in whatever thread it is given, and tells about it in snapshots."""

import inspect
import os
import threading
import time
import traceback
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, Literal

from sklearn.base import BaseEstimator, clone

from gplvm_core.optimise import Progress
from gplvm_core.readers import DataError, Dataset
from gplvm_core.readers.rows.table import TableDataset
from gplvm_core.store import Library, StoreError
from gplvm_core.training.checkpoint import JobFiles
from gplvm_core.training.progress import Pace, Snapshot, extended_trace, follows

Outcome = Literal["ended", "paused", "interrupted"]


class JobError(ValueError):
    """Something that cannot be done with a job; says why, and what can."""


class _PauseError(Exception):
    """Leaves fit from within its callback; the run that was last told goes on later."""


@dataclass(frozen=True)
class _Observer:
    """The callback of a job's training: told of iterations, and asked before evaluations."""

    job: "Job"

    def __call__(self, progress: Progress) -> None:
        self.job.observe(progress)

    def between(self) -> None:
        self.job.obey()


@dataclass(eq=False)
class Job:
    """A model, its data set and where their training stands.

    `snapshot` is replaced, never changed: any thread may read it at any time. `model` is not
    fitted (None when its file was damaged); the fitted one goes to the library.
    """

    snapshot: Snapshot
    model: BaseEstimator | None
    files: JobFiles
    library: Library
    checkpoint_seconds: float
    hold: Path  # while there is such a file, nothing trains
    claim: IO[bytes] | None = None
    # Set while the job neither trains nor waits to.
    idle: threading.Event = field(default_factory=threading.Event)
    _publishing: threading.Lock = field(default_factory=threading.Lock)
    _writing: threading.Lock = field(default_factory=threading.Lock)
    _written: float = 0.0
    _stopped: bool = False
    _pace: Pace = field(default_factory=Pace)

    @property
    def id(self) -> str:
        return self.snapshot.id

    def publish(self, **changes: Any) -> None:
        """Replace the snapshot by one with these fields changed."""
        with self._publishing:
            self.snapshot = replace(self.snapshot, **changes)
            if self.snapshot.active:
                self.idle.clear()
            else:
                self.idle.set()

    def settle(self, **changes: Any) -> None:
        """Publish a change, but only once it is on disk as well."""
        with self._writing:
            changes |= self._write(replace(self.snapshot, **changes))
            self.publish(**changes)

    def checkpoint(self) -> None:
        """Write the snapshot of this moment to disk."""
        with self._writing:
            self.publish(**self._write(self.snapshot))

    def _write(self, snapshot: Snapshot) -> dict[str, Any]:
        if self.model is None:
            return {}
        self._written = time.monotonic()
        try:
            self.files.write_state(snapshot, self.model)
        except StoreError as error:
            # Training matters more than its safety net, but the user must know that it is gone.
            return {"warning": f"The last checkpoint was not written. {error}"}
        return {"warning": None}

    def train(self) -> Outcome:
        """Train until the end, a request or a failure, and keep the model in the library.

        Never raises: a failure is published, with everything that was reached before it.
        """
        self._written, self._stopped, self._pace = time.monotonic(), False, Pace()
        try:
            dataset = self.files.read_data(self.snapshot.data)
            fitted = self._fit(dataset)
        except _PauseError:
            return "paused"
        except Exception as error:
            # Python stops the threads of fit's own pool before this one when it exits: that is
            # no failure of the job, which goes on from its checkpoint.
            if isinstance(error, RuntimeError) and "interpreter shutdown" in str(error):
                self.checkpoint()
                return "interrupted"
            self._fail(str(error) or type(error).__name__)
            return "ended"
        try:
            entry = self._keep(fitted, dataset)
        except Exception as error:
            self._fail(f"Trained, but not kept in the library: {error} Resume to try again.")
            return "ended"
        result = getattr(fitted, "result_", None)
        self.settle(
            status="cancelled" if self._stopped else "finished",
            request=None,
            entry=entry,
            reason=getattr(result, "reason", None),
            notes=tuple(getattr(fitted, "notes_", ())),
        )
        return "ended"

    def _fit(self, dataset: Dataset) -> Any:
        model: Any = clone(self.model)
        accepted = inspect.signature(model.fit).parameters
        known = {"times": dataset.times, "sequences": dataset.sequences}
        further: dict[str, Any] = {
            name: given for name, given in known.items() if name in accepted and given is not None
        }
        # Models in closed form have nothing to tell on the way.
        if "callback" in accepted:
            progress = self.snapshot.progress
            further["callback"] = _Observer(self)
            further["resume"] = None if progress is None else progress.run
        if "views" in accepted:
            if not dataset.views:
                raise DataError(
                    f"A {type(model).__name__} learns several views of the same things, and the "
                    f"data set {dataset.title!r} has none. Join tables with Dataset.of_views."
                )
            return model.fit(dataset.view_values, **further)
        outputs = dataset.rows() if isinstance(dataset, TableDataset) else dataset.values
        return model.fit(outputs, **further)

    def observe(self, progress: Progress) -> None:
        """Publish an iteration, then do what was asked."""
        before, trace = self.snapshot.progress, self.snapshot.trace
        rows = follows(progress, before)
        if not rows:
            trace = extended_trace(trace, progress)
        progress = replace(
            progress,
            seconds_left=self._pace.seconds_left(progress, rows),
            # They are told now and then: what was said stands until the next time.
            verdicts=progress.verdicts or (() if before is None else before.verdicts),
        )
        self.publish(progress=progress, trace=trace)
        if time.monotonic() - self._written >= self.checkpoint_seconds:
            self.checkpoint()
        if self.snapshot.request is None and os.path.exists(self.hold):
            self.publish(request="pause")
        self.obey()

    def obey(self) -> None:
        """Leave training if that was asked for; what was published last stays as it was."""
        request = self.snapshot.request
        # Without any iteration there is no model to keep.
        if request == "cancel" and self.snapshot.progress is not None:
            self._stopped = True
            raise StopIteration
        if request == "pause":
            raise _PauseError

    def _keep(self, fitted: BaseEstimator, dataset: Dataset) -> str:
        """Save the model: in the place of the one this job saved before, if that is still there.

        The library knows it by the job; its id may be another model's by now. Of a table the rows
        are kept that the model keeps.
        """
        if isinstance(dataset, TableDataset):
            rows = getattr(fitted, "rows_", None)
            dataset = dataset.kept(rows and rows.kept)
        return self.library.add(fitted, dataset, self.snapshot.name, job=self.id)

    def _fail(self, message: str) -> None:
        self.settle(
            status="failed",
            request=None,
            error=message,
            details=traceback.format_exc(),
        )
