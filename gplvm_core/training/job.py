"""A job: trains a model in the calling thread and reports progress in snapshots."""

import contextlib
import os
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, Literal

from sklearn.base import BaseEstimator, clone

from gplvm_core.models.estimators.second_stage import ENDED, LaterStep
from gplvm_core.optimise import Progress
from gplvm_core.readers import Dataset
from gplvm_core.readers.errors import told
from gplvm_core.store import Library, StoreError
from gplvm_core.training.checkpoint import JobFiles
from gplvm_core.training.fitting import fitted_map, later_steps, on_the_map
from gplvm_core.training.progress import Pace, Snapshot, extended_trace, follows

Outcome = Literal["ended", "paused", "interrupted"]


class JobError(ValueError):
    """A request that a job cannot fulfil; the message says why, and what is possible."""


class _PauseError(BaseException):
    """Raised in the callback to leave `fit`; the last published run can be continued."""


@dataclass(eq=False)
class Job:
    """A model, its data set and the state of their training.

    `snapshot` is replaced, never modified, so any thread can read it. `model` is not fitted (None
    if its file was damaged); the fitted model is added to the library.
    """

    snapshot: Snapshot
    model: BaseEstimator | None
    files: JobFiles
    library: Library
    checkpoint_seconds: float
    hold: Path  # while this file exists, nothing trains
    claim: IO[bytes] | None = None
    # This event is set while the job neither runs nor waits.
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
        """Replace the snapshot by a copy with these fields changed."""
        with self._publishing:
            self.snapshot = replace(self.snapshot, **changes)
            if self.snapshot.active:
                self.idle.clear()
            else:
                self.idle.set()

    def settle(self, **changes: Any) -> None:
        """Write a change, or the present state, to disk, then publish it."""
        with self._writing:
            changes |= self._write(replace(self.snapshot, **changes))
            self.publish(**changes)

    def _write(self, snapshot: Snapshot) -> dict[str, Any]:
        if self.model is None:
            return {}
        self._written = time.monotonic()
        try:
            self.files.write_state(snapshot, self.model)
        except StoreError as error:
            # Training continues without a checkpoint, but the user must know.
            return {"warning": f"The last checkpoint was not written. {error}"}
        return {"warning": None}

    def train(self) -> Outcome:
        """Train until the end, a request or a failure, and add the model to the library.

        The map is added before the second stage, and replaced after it. Never raises: a failure is
        published, with the progress before it.
        """
        self._written, self._stopped, self._pace = time.monotonic(), False, Pace()
        try:
            dataset = self.files.read_data(self.snapshot.data)
            run = self.snapshot.progress and self.snapshot.progress.run
            fitted = fitted_map(clone(self.model), dataset, self, run)
            self._end(fitted)
            self.settle()  # a process that is killed from here on need not train again
            dataset = on_the_map(fitted, dataset)
            if steps := later_steps(fitted, dataset):
                # Without an entry, the end of the job says why.
                with contextlib.suppress(StoreError):
                    self.settle(entry=self._keep(fitted, dataset), notes=_notes(fitted))
                self._take(steps, fitted)
        except _PauseError:
            return "paused"
        except Exception as error:
            # At exit, Python stops the threads of fit's pool before it stops this thread. This does
            # not count as a failure: the job can continue from its checkpoint.
            if isinstance(error, RuntimeError) and "interpreter shutdown" in str(error):
                self.settle()
                return "interrupted"
            self._fail(told(error))
            return "ended"
        try:
            entry = self._keep(fitted, dataset)
        except Exception as error:
            self._fail(f"Trained, but not added to the library: {error} Resume to try again.")
            return "ended"
        result = getattr(fitted, "result_", None)
        self.settle(
            status="cancelled" if self._stopped else "finished",
            request=None,
            entry=entry,
            reason=getattr(result, "reason", None),
            notes=_notes(fitted),
        )
        return "ended"

    def __call__(self, progress: Progress) -> None:
        """Publish an iteration, then act on a request: a job is the callback of its training."""
        before, trace = self.snapshot.progress, self.snapshot.trace
        rows = follows(progress, before)
        if not rows:
            trace = extended_trace(trace, progress)
        progress = replace(
            progress,
            seconds_left=self._pace.seconds_left(progress, rows),
            # Most reports contain no new verdicts, so the last ones are kept until new ones arrive.
            verdicts=progress.verdicts or (() if before is None else before.verdicts),
        )
        self.publish(progress=progress, trace=trace)
        if time.monotonic() - self._written >= self.checkpoint_seconds:
            self.settle()
        self._hold_on()
        self.between()

    def _end(self, fitted: Any) -> None:
        """Publish the model's bound: the last step of many rows is about a sample of them."""
        progress, bound = self.snapshot.progress, getattr(fitted, "bound_", None)
        if progress is not None and bound is not None:
            self.publish(progress=replace(progress, bound=float(bound)))

    def _hold_on(self) -> None:
        """Request a pause if the operator of this server has stopped all training."""
        if self.snapshot.request is None and os.path.exists(self.hold):
            self.publish(request="pause")

    def between(self) -> None:
        """Leave training if a pause or an end was requested; does not change the snapshot.

        Training calls this before evaluations, too.
        """
        request = self.snapshot.request
        # Before the first iteration there is no model to save.
        if request == "cancel" and self.snapshot.progress is not None:
            self._stopped = True
            raise StopIteration
        if request == "pause":
            raise _PauseError

    def _take(self, steps: Sequence[LaterStep], fitted: Any) -> None:
        """Take the steps of the second stage. A failure becomes a note."""
        for step in steps:
            note = step.not_learnt(ENDED) if self._stopped else step.take(self._reporting(step))
            if note is not None:
                fitted.notes_ = (*getattr(fitted, "notes_", ()), note)

    def _reporting(self, step: LaterStep) -> Callable[[float], None]:
        """Return a function that publishes the fraction of a step that is done, and acts on a
        request.
        """
        began = time.monotonic()

        def report(share: float) -> None:
            progress, spent = self.snapshot.progress, time.monotonic() - began
            if progress is not None:
                left = spent * (1.0 - share) / max(share, 1e-3)
                now = replace(progress, phase=step.name, message="", share=share, seconds_left=left)
                self.publish(progress=now)
            self._hold_on()
            self.between()

        return report

    def _keep(self, fitted: BaseEstimator, dataset: Dataset) -> str:
        """Add the model to the library, or replace the one that this job added before.

        The library looks for that model by its job, because the model's id may meanwhile belong to
        another model.
        """
        return self.library.add(fitted, dataset, self.snapshot.name, job=self.id)

    def _fail(self, message: str) -> None:
        self.settle(
            status="failed",
            request=None,
            error=message,
            details=traceback.format_exc(),
        )


def _notes(fitted: Any) -> tuple[str, ...]:
    """The model's notes, and a sentence on the bound with twice as many inducing inputs."""
    found = getattr(fitted, "more_inducing_", None)
    return (*getattr(fitted, "notes_", ()), *(() if found is None else (found.sentence(),)))
