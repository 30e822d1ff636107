"""A training in legs: a fitted model after every few iterations, as one that ran without pause."""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

from gplvm_core.optimise import Progress


class Leg:
    """Ends a training after some iterations, from where it can go on."""

    def __init__(self, most: int) -> None:
        self.left = most
        self.last: Progress | None = None

    def __call__(self, progress: Progress) -> None:
        self.last = progress
        self.left -= 1
        if self.left <= 0:
            raise StopIteration


def legs(
    make: Callable[[], Any], data: Any, length: int, outputs: Any = None, **given: Any
) -> Iterator[Any]:
    """Models fitted to data, each a leg of so many iterations further; the last one is trained.

    outputs, given: what else `fit` takes.
    """
    run: Any = None
    while True:
        model, leg = make(), Leg(length)
        with warnings.catch_warnings(action="ignore"):  # of what can be seen in the figure
            model.fit(data, outputs, callback=leg, resume=run, **given)
        yield model
        if model.result_.status != "stopped" or leg.last is None:
            return
        run = leg.last.run
