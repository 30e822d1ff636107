"""Executors: functions that compute the chunks of a sum one after the other or on threads."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol, TypeVar

from gplvm_core.arrays import Place

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")


class Executor(Protocol):
    """An executor applies a function to every item and yields the outcomes in the order of the
    items.
    """

    def __call__(
        self, function: Callable[[Item], Outcome], items: Iterable[Item]
    ) -> Iterable[Outcome]: ...


def serial(function: Callable[[Item], Outcome], items: Iterable[Item]) -> Iterator[Outcome]:
    """Process one item after the other."""
    return map(function, items)


@dataclass(frozen=True)
class There:
    """Process one item after the other, with the targets in an array library other than NumPy."""

    place: Place

    def __call__(
        self, function: Callable[[Item], Outcome], items: Iterable[Item]
    ) -> Iterator[Outcome]:
        return map(function, items)


def place_of(executor: Executor) -> Place | None:
    """Return the array library that an executor needs for the targets; None for NumPy."""
    return executor.place if isinstance(executor, There) else None


@contextmanager
def executor_for(n_jobs: int | None = None, place: Place | None = None) -> Iterator[Executor]:
    """Yield an executor with n_jobs threads (None or 1: serial; −1: all cores, −2: all but one, …).

    The chunks do not depend on the number of threads. place: the array library of the data, if it
    is not NumPy; such a library manages threads itself.
    """
    if place is not None:
        yield There(place)
        return
    n_threads = 1 if n_jobs is None else n_jobs
    if n_threads < 0:
        n_threads += 1 + (os.cpu_count() or 1)
    if n_threads <= 1:
        yield serial
        return
    with ThreadPoolExecutor(n_threads) as pool:
        yield lambda function, items: pool.map(function, items)
