"""Immutable snapshots of a job, with a trace of limited length."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from jaxtyping import Float

from gplvm_core.optimise import Progress

Status = Literal["queued", "running", "paused", "finished", "cancelled", "failed", "interrupted"]
Request = Literal["pause", "cancel"]
Trace = Mapping[str, Float[np.ndarray, " _T"]]

ENDED: tuple[Status, ...] = ("finished", "cancelled", "failed")
# Charts show at most this many points. A longer trace is thinned to at least half of this number.
TRACE_POINTS = 2000
# The pace is measured over the later half of the work so far, and over at least this many
# iterations. Phases differ in pace, and other work on the machine causes short delays.
RECENT = 50
LATER_HALF = 0.5


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A job at one moment; immutable.

    ``trace``: arrays bound, seconds, noise_variance, iteration and evaluations, with one number per
    stored iteration, the newest last. ``request`` is a pending request to a running job. ``error``
    says why a job failed, ``details`` is the traceback. ``reason`` says why training ended,
    ``notes`` what the model decided for the user, and ``warning`` names problems that did not stop
    the job. ``entry`` is the saved model's id in the library, also
    while its second stage follows; ``data`` the digest of the data set's
    file (None for jobs older than digests).
    """

    id: str
    name: str
    status: Status
    model_class: str
    dataset_name: str
    created: str
    parameters: Mapping[str, Any]
    progress: Progress | None = None
    trace: Trace = field(default_factory=lambda: empty_trace())
    request: Request | None = None
    reason: str | None = None
    notes: tuple[str, ...] = ()
    entry: str | None = None
    error: str | None = None
    details: str | None = None
    warning: str | None = None
    data: str | None = None

    @property
    def active(self) -> bool:
        """Whether the job is running or waiting."""
        return self.status in ("queued", "running")


def empty_trace() -> Trace:
    """Return the trace of a job that has not started."""
    names = ("bound", "seconds", "noise_variance", "iteration", "evaluations")
    return {name: _frozen(np.empty(0)) for name in names}


def extended_trace(trace: Trace, progress: Progress, limit: int = TRACE_POINTS) -> Trace:
    """Return a copy of the trace with one more iteration; it has at most ``limit`` + 1 points.

    The trace has every iteration, or every second, fourth, … if there are too many, and always the
    newest one. ``iteration`` does not start again at restarts.
    """
    known = trace["iteration"]
    count = known[-1] + 1 if len(known) else 1.0
    # The newest point may lie between grid points, so two points are not enough to find the stride.
    stride = int(known[1] - known[0]) if len(known) > 2 else 1
    keep = (known - 1) % stride == 0
    if np.count_nonzero(keep) >= limit:
        keep = (known - 1) % (2 * stride) == 0
    newest = {
        "bound": progress.bound,
        "seconds": progress.seconds,
        "noise_variance": progress.noise_variance,
        "iteration": count,
        "evaluations": progress.evaluations,
    }
    return {name: _frozen(np.append(trace[name][keep], newest[name])) for name in trace}


@dataclass
class Pace:
    """Estimates the remaining time from the pace in the second half of the work done so far."""

    _recent: deque[tuple[float, float]] = field(default_factory=deque)
    _first: float = 0.0
    _rows: bool = False

    def seconds_left(self, progress: Progress, rows: bool = False) -> float | None:
        """Return the seconds until the end, if all allowed steps are needed; None if unknown.

        rows: whether training has ended and rows are being placed.
        """
        if rows != self._rows:  # the pace of placing rows is different
            self._recent.clear()
            self._rows = rows
        if not self._recent:
            self._first = progress.share
        self._recent.append((progress.share, progress.seconds))
        later = self._first + LATER_HALF * (progress.share - self._first)
        while len(self._recent) > RECENT + 1 and self._recent[1][0] <= later:
            self._recent.popleft()
        share, seconds = (progress.share, progress.seconds) - np.array(self._recent[0])
        if progress.seconds_left is None or share <= 0.0 or seconds <= 0.0:
            return progress.seconds_left
        return float((1.0 - progress.share) * seconds / share)


def follows(progress: Progress, before: Progress | None) -> bool:
    """Whether there was no training step between the reports: rows are placed or streamed."""
    return before is not None and progress.run is not None and progress.run is before.run


def _frozen(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array
