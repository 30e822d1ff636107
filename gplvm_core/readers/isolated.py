"""Single values of a table that are far from all other values of their column."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.rows.table import TableDataset

MOST_ISOLATED = 3  # values of one column
LEAST_OTHERS = 10  # least number of other values from which their range is estimated
FAR = 3.0  # the least distance to the other values, as a multiple of their range
FACTORS = (0.1, 10.0, 0.01, 100.0, 0.001, 1000.0)  # changes by a misplaced decimal point


@dataclass(frozen=True)
class IsolatedValue:
    """A value of the table, and the range of the column's other values.

    corrected: the value with its decimal point or its sign corrected, if it is then in the range.
    """

    row: int
    column: int
    value: float
    low: float
    high: float
    corrected: float | None


def isolated_values(dataset: Dataset) -> tuple[IsolatedValue, ...]:
    """Return the numbers that are probably errors, in the order of the columns.

    A value is isolated if its distance to the nearest other value is more than three times the
    range of the others. Up to three values of a column may be isolated as a group. Only tables are
    checked, not the columns of pictures, poses, curves and rows on disk.
    """
    drawn = any(view.drawing.kind != "bars" for view in dataset.views)
    if dataset.drawing.kind != "bars" or drawn or isinstance(dataset, TableDataset):
        return ()
    values = dataset.values
    columns = enumerate(dataset.all_columns)
    numbers = [d for d, column in columns if column.is_number or column.kind == "count"]
    return tuple(each for d in numbers for each in _of_column(values[:, d], d))


def without(dataset: Dataset, cells: Sequence[tuple[int, int]]) -> Dataset:
    """Return the data set with these cells (row, column) missing, and a note that names them."""
    if not cells:
        return dataset
    targets: Array = np.ma.filled(np.ma.asarray(dataset.targets, dtype=float), np.nan).copy()
    for row, column in cells:
        targets[row, column] = np.nan
    words = ", ".join(f"row {row + 1}, column {column + 1}" for row, column in cells)
    return replace(
        dataset, targets=targets, notes=(*dataset.notes, f"Counted as missing: {words}.")
    )


def _of_column(values: Float[Array, " N"], column: int) -> list[IsolatedValue]:
    known = np.flatnonzero(np.isfinite(values))
    order = known[np.argsort(values[known], kind="stable")]
    for count in range(MOST_ISOLATED, 0, -1):
        for below in range(count + 1):
            others = values[order[below : len(order) - (count - below)]]
            if len(others) < LEAST_OTHERS or others[0] == others[-1]:
                continue
            outside = [*order[:below], *order[len(order) - (count - below) :]]
            low, high = float(others[0]), float(others[-1])
            gaps = np.maximum(low - values[outside], values[outside] - high)
            if np.all(gaps > FAR * (high - low)):
                return [
                    IsolatedValue(
                        int(row),
                        column,
                        float(values[row]),
                        low,
                        high,
                        _corrected(float(values[row]), low, high),
                    )
                    for row in outside
                ]
    return []


def _corrected(value: float, low: float, high: float) -> float | None:
    candidates = (-value, *(factor * value for factor in FACTORS))
    return next((each for each in candidates if low <= each <= high), None)
