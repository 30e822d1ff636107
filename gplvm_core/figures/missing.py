"""Reduce the pattern of missing values to a small grid for a picture."""

import numpy as np
from jaxtyping import Bool, Float
from numpy import ndarray as Array

MOST_ROWS, MOST_COLUMNS = 120, 200


def missing_grid(
    missing: Bool[Array, "N D"], most_rows: int = MOST_ROWS, most_columns: int = MOST_COLUMNS
) -> Float[Array, "R C"]:
    """Return the missing share (0 to 1) of each cell of a grid.

    A cell is a group of neighbouring rows and columns. The grid has at most most_rows rows and
    most_columns columns.
    """
    sums = missing.astype(float)
    sizes = []
    for axis, most in ((0, most_rows), (1, most_columns)):
        length = missing.shape[axis]
        edges = np.linspace(0, length, min(length, most) + 1).round().astype(int)
        sums = np.add.reduceat(sums, edges[:-1], axis=axis)
        sizes.append(np.diff(edges))
    return sums / np.outer(*sizes)
