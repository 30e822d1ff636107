"""Tests of the factors that make the intervals of filled values hold."""

import numpy as np
import pytest

from gplvm_core.prediction.fills import _Trial as Trial
from gplvm_core.prediction.intervals import NORMAL

WIDTHS = np.array([0.5, 1.0, 1.0, 3.0])  # how much too narrow each column's deviations are


def errors(rows: int, widths: np.ndarray, generator: np.random.Generator) -> Trial:
    """Return errors of every value of some rows, predicted with the deviation 1."""
    error = (widths * generator.standard_normal((rows, 4))).ravel()
    numbers, columns = np.divmod(np.arange(4 * rows), 4)
    return Trial(error, np.ones(4 * rows), numbers, columns, 4)


def test_intervals_hold_in_every_column() -> None:
    generator = np.random.default_rng(0)
    known, new = errors(2000, WIDTHS, generator), errors(4000, WIDTHS, generator)
    assert known.factors == pytest.approx(WIDTHS, rel=0.1)
    inside = (new.away <= NORMAL * known.factors[new.columns]).reshape(-1, 4).mean(axis=0)
    assert inside == pytest.approx(0.95, abs=0.015)


def test_factors_of_few_rows_are_not_too_small() -> None:
    """The average coverage of split conformal intervals is at least the promised one."""
    generator, inside = np.random.default_rng(1), list[float]()
    for _ in range(60):
        known, new = (errors(count, np.ones(4), generator) for count in (24, 50))
        inside.append(float(np.mean(new.away <= NORMAL * known.factors[new.columns])))
    assert 0.95 <= np.mean(inside) <= 0.99
