"""The cases of a test: those that `make test` tries, and the name of one that fails."""

from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest


def quickly(cases: Iterable[Any], quick: Container[Any]) -> list[Any]:
    """Return parameters of a test, of which all but the quick ones are slow."""
    return [each if each in quick else pytest.param(each, marks=pytest.mark.slow) for each in cases]


@contextmanager
def named(case: str) -> Iterator[None]:
    """Add the name of a case to the report of its failure."""
    try:
        yield
    except BaseException as error:
        error.add_note(case)
        raise
