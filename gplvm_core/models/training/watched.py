"""Wrap a callback for training and for the later steps that place or stream rows."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gplvm_core.optimise import Progress


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

    def rows(self, message: str, done: int) -> bool:
        """Report how many rows have been processed after training; returns whether to continue."""
        if self._last is not None and not self.stopped:
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
