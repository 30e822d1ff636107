"""The sample of rows that a page gets from a large data set.

A browser gets the sample's rows with all dimensions, and single columns of all rows on request.
Rows are sorted so that every prefix is spread evenly over the table. The n-th row of the order is
row (n · stride) mod N, with a stride near N divided by the golden ratio.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Float, Int
from numpy import ndarray as Array

from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.kinds import TableColumn
from gplvm_core.readers.spread import row_order
from gplvm_core.wire.rows import DrawnData

MOST_WHOLE = 5000  # up to this many rows, a page gets all rows; else it gets a sample
LEAST_WHOLE = 1000
SAMPLE_BYTES = 6_000_000  # largest size of the sample's values


def sample_of(n_rows: int, n_outputs: int) -> Int[Array, " n"] | None:
    """Return the rows in a page's sample; None: the page gets all rows."""
    if n_rows <= MOST_WHOLE:
        return None
    count = int(np.clip(SAMPLE_BYTES // (4 * n_outputs), LEAST_WHOLE, MOST_WHOLE))
    return row_order(n_rows)[:count]


@dataclass(frozen=True, eq=False)
class SomeRows:
    """A selection of rows, in a given order, with their labels, times, names and covariates."""

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
    columns: tuple[TableColumn, ...]

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
            rows.columns,
        )
