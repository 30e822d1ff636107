"""A few rows that stand for all of them."""

from typing import Any

import numpy as np
from jaxtyping import Int
from numpy.typing import NDArray

Rows = NDArray[np.intp]


def spread_rows(count: int, wanted: int) -> Int[Rows, " n"]:
    """At most `wanted` row numbers spread evenly over `count` rows."""
    return np.unique(np.linspace(0, count - 1, min(count, wanted)).round().astype(np.intp))


def representative_rows(labels: NDArray[Any] | None, count: int, wanted: int) -> list[int]:
    """Row numbers to show: evenly spread, and over the labels when there are any."""
    if labels is None:
        return spread_rows(count, wanted).tolist()
    by_label = np.argsort(labels, kind="stable")
    return by_label[spread_rows(count, wanted)].tolist()
