"""Of very many rows a sample whole, and of all rows single columns, which a browser asks for.

All rows stand in one order, of which every beginning is spread evenly over the table: row number n
of it is (n · stride) mod N, the stride near N divided by the golden ratio.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Float, Int
from numpy import ndarray as Array

from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.spread import row_order
from gplvm_core.wire.rows import DrawnData

MOST_WHOLE = 5000  # rows that a page has in all their dimensions; of more it has a sample
LEAST_WHOLE = 1000
SAMPLE_BYTES = 6_000_000  # of the sample's own values


def sample_of(n_rows: int, n_outputs: int) -> Int[Array, " n"] | None:
    """Which rows a page gets whole; None: all."""
    if n_rows <= MOST_WHOLE:
        return None
    count = int(np.clip(SAMPLE_BYTES // (4 * n_outputs), LEAST_WHOLE, MOST_WHOLE))
    return row_order(n_rows)[:count]


@dataclass(frozen=True, eq=False)
class SomeRows:
    """Some rows of data, in an order of their own, with all that is known of them."""

    values: Float[Array, "N D"]
    missing: Array | None
    drawing: Drawing
    column_names: tuple[str, ...] | None
    labels: Array | None
    label_names: tuple[str, ...]
    sequences: Array | None
    times: Array | None
    covariates: Mapping[str, Array]
    row_names: Array | None

    @classmethod
    def of(cls, rows: DrawnData, chosen: Int[Array, " n"]) -> Self:
        values = rows.values[chosen]
        missing = np.isnan(values)
        return cls(
            values,
            missing if missing.any() else None,
            rows.drawing,
            rows.column_names,
            *(None if rows.labels is None else rows.labels[chosen], rows.label_names),
            None if rows.sequences is None else rows.sequences[chosen],
            None if rows.times is None else rows.times[chosen],
            {name: facts[chosen] for name, facts in rows.covariates.items()},
            None if rows.row_names is None else rows.row_names[chosen],
        )
