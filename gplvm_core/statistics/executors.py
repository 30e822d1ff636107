"""How the chunks of a sum are worked on: in turn, or on threads."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")


class Executor(Protocol):
    """Applies a function to every item and returns the outcomes in the items' order."""

    def __call__(
        self, function: Callable[[Item], Outcome], items: Iterable[Item]
    ) -> list[Outcome]: ...


def serial(function: Callable[[Item], Outcome], items: Iterable[Item]) -> list[Outcome]:
    """One item after the other."""
    return [function(item) for item in items]


@contextmanager
def executor(n_jobs: int | None = None) -> Iterator[Executor]:
    """An executor of n_jobs threads (None or 1: serial); chunks do not depend on their number."""
    if n_jobs is None or n_jobs == 1:
        yield serial
        return
    with ThreadPoolExecutor(n_jobs) as pool:
        yield lambda function, items: list(pool.map(function, items))
