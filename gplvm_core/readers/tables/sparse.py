"""Check sparse matrices from files before they are converted to dense arrays."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gplvm_core.readers.errors import DataError

AGAIN = "The file is damaged: save it again."


def check_sparse(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    *,
    shape: Any,
    by_row: bool,
    name: str,
) -> None:
    """Check the three arrays of a compressed sparse matrix, stored by row (CSR) or by column (CSC).

    Libraries that convert such a matrix to a dense array trust its indices. They write outside the
    array's memory if an index is out of range. Row i holds data[indptr[i]:indptr[i + 1]], in the
    columns given by `indices`; several values of one entry are summed. shape: rows and columns.
    Raises DataError for inconsistent arrays.
    """
    sizes = np.asarray(shape if shape is not None else ())
    if sizes.shape != (2,) or sizes.dtype.kind not in "iu" or sizes.min() < 0:
        raise DataError(
            f"{name} declares the shape {shape!r}; it needs two numbers (rows, columns). {AGAIN}"
        )
    major, minor = (int(size) for size in (sizes if by_row else sizes[::-1]))
    for key, array, kinds in (
        ("data", data, "fiub"),
        ("indices", indices, "iu"),
        ("indptr", indptr, "iu"),
    ):
        if array.ndim != 1 or array.dtype.kind not in kinds:
            raise DataError(
                f"{name}: {key} is an array of {array.dtype} with {array.ndim} axes; a list of "
                f"{'numbers' if key == 'data' else 'whole numbers'} is needed. {AGAIN}"
            )
    begins = indptr.astype(np.int64)  # overflow gives negative values, which are refused
    if len(begins) != major + 1 or begins[0] != 0 or (np.diff(begins) < 0).any():
        raise DataError(f"{name}: indptr must have {major + 1:,} numbers that rise from 0. {AGAIN}")
    if not begins[-1] == len(indices) == len(data):
        raise DataError(
            f"{name}: indptr ends at {begins[-1]:,}, but there are {len(indices):,} indices and "
            f"{len(data):,} values; all three must be equal. {AGAIN}"
        )
    if not len(indices):
        return
    lowest, highest = int(indices.min()), int(indices.max())
    if lowest < 0 or highest >= minor:
        wrong = lowest if lowest < 0 else highest
        raise DataError(f"{name}: the index {wrong:,} is outside 0 to {minor - 1:,}. {AGAIN}")
