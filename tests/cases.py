"""The cases of a test: those that `make test` tries, the name of one that fails, and short work."""

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


def few_held_out(patch: pytest.MonkeyPatch) -> None:
    """Reduce the cost of the second stage: it tries few settings on a few held-out rows."""
    # Imported here, because the shapes of modules that are imported from now on are checked.
    from gplvm_core.models.estimators import with_density
    from gplvm_core.prediction import fills, held_out, hidden_values, intervals

    patch.setattr(with_density, "SIZES", (2,))
    patch.setattr(with_density, "STRENGTHS", (10.0,))
    patch.setattr(fills, "MOST_ROWS", 4)
    patch.setattr(hidden_values, "N_TREES", 3)
    patch.setattr(intervals, "PARTS", 2)
    patch.setattr(intervals, "MOST_FRAMES", 6)
    patch.setattr(held_out, "GAPS", 1)
    patch.setattr(held_out, "ORIGINS", (0.75,))
