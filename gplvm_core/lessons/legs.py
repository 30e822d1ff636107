"""Train in legs: yield a fitted model after every few iterations.

The last model equals the model of an uninterrupted training.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gplvm_core.lessons.quiet import fitted
from gplvm_core.optimise import Progress


class Leg:
    """A callback that stops training after `most` iterations; the training can be resumed."""

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
    """Yield models fitted to data, each after `length` more iterations.

    The last model is fully trained. outputs, given: further arguments of `fit`.
    """
    run: Any = None
    while True:
        leg = Leg(length)
        model = fitted(make(), data, outputs, callback=leg, resume=run, **given)
        yield model
        if model.result_.status != "stopped" or leg.last is None:
            return
        run = leg.last.run


def in_turn(
    trainings: Mapping[str, Iterator[Any]], length: int, most: int
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Train several models in turn, each by another leg of `length` iterations.

    Yield the step, at most `most`, and the models of the trainings that have not ended.
    """
    left, step = dict(trainings), 0
    while left:
        step = min(step + length, most)
        found = {name: next(each, None) for name, each in left.items()}
        models = {name: model for name, model in found.items() if model is not None}
        left = {name: left[name] for name in models}
        if models:
            yield step, models
