"""Propose which columns of a table are fractions of one whole, from the sums of its rows."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array

WHOLES = (1.0, 100.0)  # the sums of fractions and of percentages
# The sum of a row of rounded values may differ by 1 % of the whole, and by the error of floating
# point.
TOLERANCE = 0.01 * (1.0 + 1e-9)
LEAST, MOST = 3, 100  # fractions of one whole
FEWEST_ROWS = 10  # complete rows; also at least half of all rows
TRIED = 200  # rows, on which all runs of columns are tried first


def whole_of(rows: Float[Array, "N D"]) -> float | None:
    """Return the sum 1 or 100 of columns that look like fractions; None if they do not.

    No value is negative, and one-hot columns are no fractions. NaN is missing.
    """
    sums = rows.sum(axis=1)
    seen = sums[~np.isnan(sums)]
    few = len(seen) < max(FEWEST_ROWS, 0.5 * len(rows))
    if few or not LEAST <= rows.shape[1] <= MOST or np.nanmin(rows) < 0.0:
        return None
    for whole in WHOLES:
        alike = np.all(np.abs(seen - whole) <= TOLERANCE * whole)
        if alike and (rows % whole > 0.0).any():
            return whole
    return None


def run_of_fractions(columns: Sequence[Float[Array, " N"]]) -> range:
    """Return the longest run of neighbouring columns that look like fractions; may be empty."""
    best, rows = range(0), np.column_stack(columns) if columns else np.zeros((0, 0))
    for start in range(len(columns)):
        for stop in range(len(columns), start + max(LEAST - 1, len(best)), -1):
            run = rows[:, start:stop]
            if stop - start <= MOST and whole_of(run[:TRIED]) and whole_of(run):
                best = range(start, stop)
                break
    return best
