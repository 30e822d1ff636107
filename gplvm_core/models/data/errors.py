"""Known errors of cells: check the errors that users give, and the units of columns with errors."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.likelihoods import TableColumns, WithErrors
from gplvm_core.models.data.rows import as_floats
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.numerics import Array
from gplvm_core.readers import DataError
from gplvm_core.readers.errors import listed
from gplvm_core.readers.frames import Frame, one_table

# The number of alternating steps for the centre and the spread of a column.
STEPS = 10


def checked_errors(
    errors: Any,
    outputs: Float[Array, "N D"],
    names: Sequence[str],
    columns: TableColumns | None = None,
) -> Float[Array, "N D"] | None:
    """Return the errors of outputs in the user's units, 0 where unknown; None if all are 0.

    outputs: NaN where missing. names: the names of the table's columns, () without names. columns:
    the columns of a table of several kinds. Raises DataError for errors that do not fit.
    """
    if errors is None:
        return None
    given, width = one_table(errors), outputs.shape[1] if columns is None else len(columns.columns)
    values = as_floats(errors, "errors")
    if isinstance(given, Frame) and names and len(values) == len(outputs):
        values = _by_names(values, given.columns, names)
    if values.shape != (len(outputs), width):
        raise DataError(
            f"errors must have one standard deviation for every value of the {len(outputs)} rows "
            f"and {width} columns, NaN where it is unknown; got the shape {values.shape}"
        )
    bad = np.argwhere(np.isinf(values) | (values < 0.0))
    if len(bad):
        row, at = bad[0].tolist()
        raise DataError(
            "errors are standard deviations, so they must be finite and at least 0, or NaN where "
            f"they are unknown; row {row}, column {at} (counted from 0) has {values[row, at]:g}. "
            "For a value about which nothing is known, leave the value itself empty"
        )
    known = np.nan_to_num(values)
    if columns is not None:
        known = _of_outputs(known, columns)
    found = np.where(np.isnan(outputs), 0.0, known)
    return found if found.any() else None


def _by_names(
    values: Float[Array, "N E"], given: Sequence[str], names: Sequence[str]
) -> Float[Array, "N C"]:
    """Put columns of errors in the order of the table's columns; NaN for columns without errors."""
    unknown = [name for name in given if name not in names]
    if unknown:
        raise DataError(
            f"errors have the column {unknown[0]!r}, which the table does not have; its columns "
            f"are {listed(list(names))}: name every column of errors like the column of its values"
        )
    found = np.full((len(values), len(names)), np.nan)
    found[:, [names.index(name) for name in given]] = values
    return found


def _of_outputs(known: Float[Array, "N C"], columns: TableColumns) -> Float[Array, "N D"]:
    """Return the errors of the outputs of a table of several kinds."""
    found = np.zeros((len(known), columns.n_outputs))
    for own, column, place in zip(known.T, columns.columns, columns.places, strict=True):
        if column.kind == "number":
            found[:, place.start] = own
        elif own.any():
            raise DataError(
                f"column {column.name!r} is of kind {column.kind}, and only columns of numbers "
                "have known errors: leave its errors empty (NaN)"
            )
    return found


def units_with_errors(
    scaling: Scaling, outputs: Float[Array, "N D"], errors: Float[Array, "N D"]
) -> Scaling:
    """Return centres and scales of the columns as they would be without the errors of cells.

    The values of a column are N(centre, scale² + e²); both are found by maximum likelihood.
    """
    center, scale = scaling.center.copy(), scaling.scale.copy()
    for d in np.flatnonzero(errors.any(axis=0)):
        seen = ~np.isnan(outputs[:, d])
        y, e = ((own[seen, d] - c) / scale[d] for own, c in ((outputs, center[d]), (errors, 0.0)))
        own, middle = WithErrors(1.0), 0.0
        for _ in range(STEPS):
            weight = 1.0 / (own.scale**2 + e**2)
            middle = float(weight @ y / weight.sum())
            own, _ = own.with_errors(e).learnt(y, np.full_like(y, middle), np.zeros_like(y))
        center[d], scale[d] = center[d] + scale[d] * middle, scale[d] * own.scale
    return replace(scaling, center=center, scale=scale)
