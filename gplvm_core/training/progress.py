"""What can be seen of a job: immutable snapshots, with a trace that stays small."""

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
# More points than this no chart shows; the trace is thinned to between half of it and all.
TRACE_POINTS = 2000
# The pace is that of the later half of the work so far, and of this many iterations at least:
# phases differ in pace, and other work on the machine slows a few seconds at a time.
RECENT = 50
LATER_HALF = 0.5


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A job at one moment; nothing in it changes any more.

    ``trace``: arrays bound, seconds, noise_variance, iteration and evaluations, one number per
    kept iteration, the newest last. ``request`` is what a running job was asked to do and has not
    done yet. ``error`` says in words why a job failed, ``details`` is the traceback. ``reason``
    says why training ended, ``notes`` what the model decided for the user, ``warning`` what went
    wrong beside it. ``entry`` is the saved model's id in the library, ``data`` the digest of the
    data set's file (None for jobs of before there were digests).
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
        """Whether it trains, or waits for its turn."""
        return self.status in ("queued", "running")


def empty_trace() -> Trace:
    """The trace of a job that has not begun."""
    names = ("bound", "seconds", "noise_variance", "iteration", "evaluations")
    return {name: _frozen(np.empty(0)) for name in names}


def extended_trace(trace: Trace, progress: Progress, limit: int = TRACE_POINTS) -> Trace:
    """The trace with one more iteration; a new one, of at most ``limit`` + 1 points.

    Kept are every iteration, or every second, fourth, … once there are too many, and always the
    newest. ``iteration`` counts through restarts.
    """
    count = trace["iteration"][-1] + 1 if len(trace["iteration"]) else 1.0
    keep = _on_grid(trace["iteration"], _stride(trace["iteration"]))
    if np.count_nonzero(keep) >= limit:
        keep = _on_grid(trace["iteration"], 2 * _stride(trace["iteration"]))
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
    """How long the rest takes at most, at the pace of the later half of what was done."""

    _recent: deque[tuple[float, float]] = field(default_factory=deque)
    _first: float = 0.0
    _rows: bool = False

    def seconds_left(self, progress: Progress, rows: bool = False) -> float | None:
        """Seconds until the end, if all steps that are allowed are taken; None when unknown.

        rows: they follow training.
        """
        if rows != self._rows:  # they have a pace of their own
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
    """Whether training stands where it stood: rows are placed, or pass by."""
    return before is not None and progress.run is not None and progress.run is before.run


def _stride(iteration: Float[np.ndarray, " T"]) -> int:
    # The newest point may lie between grid points, so that two points say nothing yet.
    return int(iteration[1] - iteration[0]) if len(iteration) > 2 else 1


def _on_grid(iteration: Float[np.ndarray, " T"], stride: int) -> np.ndarray:
    return (iteration - 1) % stride == 0


def _frozen(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array
