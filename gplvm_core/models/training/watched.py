"""A callback that is asked during training and after it, while rows are placed or pass by."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gplvm_core.optimise import Progress


class HaltedError(Exception):
    """No further evaluation is wanted: the last accepted iteration is the result."""


def question(callback: Any) -> Callable[[], None] | None:
    """The callback's own method ``between``, which is called before every evaluation; or None.

    StopIteration raised in it ends training as in the callback, without waiting for the end of the
    iteration. Any other exception leaves `fit`.
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
    """A callback whose StopIteration counts for all that follows: nothing more is begun then.

    share: of all work, that training is; ahead: rows that follow it.
    """

    def __init__(self, callback: Callable[[Progress], None] | None) -> None:
        self.callback = callback
        self.stopped = False
        self.share, self.ahead = 1.0, 0
        self._last: Progress | None = None
        self._told = 0.0

    def __call__(self, progress: Progress) -> None:
        """Of training."""
        self._last, self._told = progress, time.perf_counter()
        self._ask(progress)
        if self.stopped:
            raise StopIteration

    def between(self) -> None:
        """Before an evaluation."""
        ask = getattr(self.callback, "between", None)
        if ask is None:
            return
        try:
            ask()
        except StopIteration:
            self.stopped = True
            raise

    def rows(self, message: str, done: int) -> bool:
        """Whether to go on, when so many of the rows ahead are done; the message says with what."""
        if self._last is not None and not self.stopped:
            share = self.share + (1.0 - self.share) * min(1.0, done / max(self.ahead, 1))
            seconds = self._last.seconds + time.perf_counter() - self._told
            left = seconds * (1.0 - share) / share
            self._ask(
                replace(
                    self._last, message=message, share=share, seconds=seconds, seconds_left=left
                )
            )
        return not self.stopped

    def _ask(self, progress: Progress) -> None:
        try:
            if self.callback:
                self.callback(progress)
        except StopIteration:
            self.stopped = True
