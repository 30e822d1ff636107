"""Choose a few rows that represent all rows."""

from math import gcd
from typing import Any

import numpy as np
from jaxtyping import Int
from numpy.typing import NDArray

from gplvm_core.numerics import IntArray

GOLDEN = (5**0.5 - 1) / 2


def spread_rows(count: int, wanted: int) -> Int[IntArray, " n"]:
    """Return at most `wanted` row numbers, spread evenly over `count` rows."""
    return np.unique(np.linspace(0, count - 1, min(count, wanted)).round().astype(np.intp))


def representative_rows(labels: NDArray[Any] | None, count: int, wanted: int) -> list[int]:
    """Return row numbers to show, evenly spread over the rows, or over the labels if any."""
    if labels is None:
        return spread_rows(count, wanted).tolist()
    by_label = np.argsort(labels, kind="stable")
    return by_label[spread_rows(count, wanted)].tolist()


def stride(n_rows: int) -> int:
    """Return a step size that leads to every row once, with consecutive rows far apart."""
    near = max(1, round(GOLDEN * n_rows))
    return next(each for each in range(near, 2 * n_rows + 2) if gcd(each, n_rows) == 1)


def row_order(n_rows: int) -> Int[IntArray, " N"]:
    """Return all row numbers, ordered so that any first n are spread evenly over the table."""
    return (np.arange(n_rows, dtype=np.int64) * stride(n_rows)) % n_rows
