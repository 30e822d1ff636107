"""Wrap a callback for training, for the later steps that place or stream rows, and for tests that
train several models.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from gplvm_core.optimise import Progress

Trained = TypeVar("Trained")


class HaltedError(Exception):
    """The callback stopped training; the last accepted iteration is the result."""


def question(callback: Any) -> Callable[[], None] | None:
    """The callback's method ``between``, to call before every evaluation; or None.

    If ``between`` raises StopIteration, training ends as if the callback had raised it, but in the
    middle of an iteration. `fit` raises any other exception.
    """
    between = getattr(callback, "between", None)
    if between is None:
        return None

    def ask() -> None:
        try:
            between()
        except StopIteration as stop:
            raise HaltedError from stop

    return ask


class Watched:
    """A wrapped callback, whose StopIteration also cancels all later steps.

    share: training's fraction of the total work. ahead: the number of rows to process after
    training.
    """

    def __init__(self, callback: Callable[[Progress], None] | None) -> None:
        self.callback = callback
        self.stopped = False
        self.share, self.ahead = 1.0, 0
        self._last: Progress | None = None
        self._reported = 0.0

    def __call__(self, progress: Progress) -> None:
        """Report progress of training. Its share never falls, also if a further start is added."""
        if self._last is not None and progress.share < self._last.share:
            progress = replace(progress, share=self._last.share)
        self._last, self._reported = progress, time.perf_counter()
        self._ask(progress)
        if self.stopped:
            raise StopIteration

    def between(self) -> None:
        """Call the callback's ``between`` before an evaluation."""
        ask = getattr(self.callback, "between", None)
        if ask is None:
            return
        try:
            ask()
        except StopIteration:
            self.stopped = True
            raise

    def rows(self, message: str, done: int, streamed: tuple[str, Any] | None = None) -> bool:
        """Report how many rows have been processed after training; returns whether to continue.

        streamed: the sums of these rows, which a resumed run need not compute again.
        """
        if self._last is not None and not self.stopped:
            run: Any = self._last.run
            if streamed is not None and run is not None:
                self._last = replace(self._last, run=replace(run, streamed=streamed))
            share = self.share + (1.0 - self.share) * min(1.0, done / max(self.ahead, 1))
            seconds = self._last.seconds + time.perf_counter() - self._reported
            left = seconds * (1.0 - share) / share
            self._ask(
                replace(
                    self._last, message=message, share=share, seconds=seconds, seconds_left=left
                )
            )
        return not self.stopped

    def stage(self, name: str, done: float) -> None:
        """Report a later stage of the work, with the fraction of it that is done; StopIteration
        ends it.
        """
        if self._last is not None:
            seconds = self._last.seconds + time.perf_counter() - self._reported
            self._ask(
                replace(
                    self._last,
                    phase=name,
                    message="",
                    share=done,
                    seconds=seconds,
                    seconds_left=None,
                )
            )
        if self.stopped:
            raise StopIteration

    def _ask(self, progress: Progress) -> None:
        try:
            if self.callback:
                self.callback(progress)
        except StopIteration:
            self.stopped = True


@dataclass(frozen=True)
class Step:
    """Progress of a comparison: the model in training and the split (from 1).

    share: the completed fraction of all fits. seconds: the time since the start.
    """

    name: str
    split: int
    n_splits: int
    share: float
    seconds: float

    @property
    def message(self) -> str:
        return (
            f"Split {self.split} of {self.n_splits}: {self.name}"
            if self.n_splits > 1
            else self.name
        )


class Watch:
    """Reports progress to the callback, and records whether the callback raised StopIteration."""

    def __init__(
        self, callback: Callable[[Step], None] | None, n_splits: int, n_contenders: int
    ) -> None:
        self.callback, self.n_splits, self.n_contenders = callback, n_splits, n_contenders
        self.begin, self.stopped = time.perf_counter(), False
        self.name, self.split, self.place = "", 0, 0

    def enter(self, name: str, split: int, place: int) -> None:
        self.name, self.split, self.place = name, split, place
        self.report(0.0)

    def report(self, part: float) -> None:
        """Call the callback; part: the completed fraction of the current fit."""
        if self.callback is None:
            return
        done = self.split * self.n_contenders + self.place + part
        share = done / (self.n_splits * self.n_contenders)
        seconds = time.perf_counter() - self.begin
        try:
            self.callback(Step(self.name, self.split + 1, self.n_splits, share, seconds))
        except StopIteration:
            self.stopped = True

    def __call__(self, progress: Progress) -> None:
        """Report the progress of a model's training; raises StopIteration to end it."""
        self.report(progress.share)
        if self.stopped:
            raise StopIteration

    def after(self, _: float) -> None:
        """Report a step after the training, which counts as all of the work; see `__call__`."""
        self.report(1.0)
        if self.stopped:
            raise StopIteration


def trainings(
    names: Sequence[Sequence[str]],
    train: Callable[[int, int, Watch], Trained],
    callback: Callable[[Step], None] | None,
) -> Iterator[tuple[int, int, Trained]]:
    """Train on every part of the data that is not hidden; yield what `train` returns, to be judged.

    This is the one loop of all tests on held-out data. names: for each split (or other way to hide
    data), the names of its trainings. train(split, place, watch) trains the model number `place`;
    its own callback is `watch`. Also yields both numbers. callback: called with a `Step` before and
    during every training. If it raises StopIteration, the training ends and nothing more is
    yielded.
    """
    watch = Watch(callback, len(names), len(names[0]))
    for split, each in enumerate(names):
        for place, name in enumerate(each):
            watch.enter(name, split, place)
            if watch.stopped:
                return
            trained = train(split, place, watch)
            if watch.stopped:
                return
            yield split, place, trained
