"""Executors: functions that compute the chunks of a sum one after the other or on threads."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Protocol, TypeVar

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


@contextmanager
def executor_for(n_jobs: int | None = None) -> Iterator[Executor]:
    """Yield an executor with n_jobs threads (None or 1: serial; −1: all cores, −2: all but one, …).

    The chunks do not depend on the number of threads.
    """
    n_threads = 1 if n_jobs is None else n_jobs
    if n_threads < 0:
        n_threads += 1 + (os.cpu_count() or 1)
    if n_threads <= 1:
        yield serial
        return
    with ThreadPoolExecutor(n_threads) as pool:
        yield lambda function, items: pool.map(function, items)
