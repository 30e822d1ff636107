"""Check an array of targets, and describe its unusual properties."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from scipy import sparse

from gplvm_core.numerics import Array
from gplvm_core.readers.errors import DataError, DataTypeError, by_count, in_digits, listed
from gplvm_core.readers.limits import LARGEST
from gplvm_core.readers.missing import (
    check_observed,
    missing_entries,
    missing_in_words,
    single_values,
    unmasked,
    varies,
)

TO_MEDIAN, TO_SMALL, SMALL = 20.0, 1e3, 0.1
"""Columns seem to have different units if the largest standard deviation exceeds the median by the
first factor, or the tenth percentile by the second: one scale would then hide most of the columns,
or more than dark corners do in a picture. `benchmarks/README.md` compares the scales."""

EXTREME = 1e12
"""Values larger than this, or spreads smaller than its inverse, lose digits in double precision."""


def check_targets(
    targets: Any, *, column_names: Sequence[str] | None = None
) -> Float[Array, "N D"]:
    """Check targets and return them as float64, N × D with N ≥ 2 and D ≥ 1, all finite or NaN.

    NaN and masked entries are missing values. column_names: D names for the messages.
    A float64 array is returned itself, not copied; it is never modified.
    Raises DataError for other targets, and for rows or columns without an observed value.
    """
    array = _as_float(as_array(targets))
    if array.ndim != 2:
        raise DataError(
            f"The targets must be a table of N rows and D columns; got {_shape_words(array)}. "
            "Reshape your data: array.reshape(-1, 1) if it is one column, "
            "array.reshape(1, -1) if it is one row, array.reshape(len(array), -1) for images."
        )
    n_points, n_outputs = array.shape
    if n_outputs == 0:
        raise DataError(
            f"Found array with 0 feature(s) (shape={array.shape}) while a minimum of 1 is "
            "required. Pass at least one column."
        )
    if n_points < 2:
        raise DataError(
            f"Found array with {n_points} sample(s) (shape={array.shape}); "
            + ("one sample leaves nothing to learn" if n_points else "there is nothing to learn")
            + " from. Pass at least 2 rows."
        )
    if not _all_finite(array):
        _check_finite(array)
        _check_observed(array, column_names)
    return array


def as_array(targets: Any) -> NDArray[Any]:
    """Return targets as an array, NaN where they are masked.

    Raises DataError for a sparse matrix, and for rows of different lengths.
    """
    if sparse.issparse(targets):
        raise DataError(
            f"The targets are a sparse matrix ({type(targets).__name__}); a Gaussian process needs "
            "a dense array. Pass targets.toarray()."
        )
    try:
        return np.asarray(unmasked(targets))
    except ValueError as error:  # rows of different lengths
        raise DataError(
            f"The targets cannot be read as a table: {error}. Give every row the same length."
        ) from error


def _as_float(array: NDArray[Any]) -> Array:
    if np.iscomplexobj(array):
        raise DataError(
            f"Complex data not supported: the targets are {array.dtype}. "
            "Pass real and imaginary parts as separate columns."
        )
    if array.dtype.kind in "fiub":
        return array.astype(np.float64, copy=False)
    if array.dtype.kind == "O":
        try:
            return array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise DataTypeError(
                f"The targets must be numbers, but hold other objects: {error}. "
                "Leave out the columns that are not numeric."
            ) from error
    kind = {"U": "text", "S": "bytes", "M": "dates", "m": "time spans", "V": "records"}
    raise DataTypeError(
        f"The targets must be numbers; got {kind.get(array.dtype.kind, 'values')} "
        f"(dtype {array.dtype}). Leave out the columns that are not numeric, or convert them with "
        "array.astype(float)."
    )


def _shape_words(array: NDArray[Any]) -> str:
    if array.ndim == 0:
        return f"a single number, {array}"
    return f"{array.ndim} dimension{'s' * (array.ndim > 1)}, shape {array.shape}"


def _all_finite(array: Array) -> bool:
    # If the sum is finite, every entry is finite. Otherwise an entry is not finite, or the sum
    # overflowed, and the full check decides. The usual case therefore takes one pass and no
    # temporary array.
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(array.sum()))


def _check_finite(array: Array) -> None:
    wrong = np.isinf(array)
    if not wrong.any():
        return
    row, column = (int(i) for i in np.argwhere(wrong)[0])
    raise DataError(
        f"The targets contain {int(wrong.sum())} infinity in {int(wrong.any(axis=1).sum())} of "
        f"{len(array)} rows, the first in row {row}, column {column} (counted from 0). Correct "
        "them, or leave out those rows; NaN marks a missing value."
    )


def _check_observed(array: Array, column_names: Sequence[str] | None) -> None:
    counted = "rows and columns" if column_names is None else "rows"
    check_observed(
        np.isnan(array),
        f"The targets ({counted} counted from 0)",
        "row {}".format,
        "column {}".format if column_names is None else lambda d: f"column {column_names[d]!r}",
    )


def refuse_overflow(values: Float[Array, "..."], what: str = "the data") -> None:
    """Raise a DataError for values whose squares overflow (NaN = missing)."""
    with np.errstate(over="ignore", invalid="ignore"):
        large = np.abs(values) > LARGEST
    if large.any():
        large = np.atleast_1d(large)
        rows = np.flatnonzero(large.reshape(len(large), -1).any(axis=1))
        raise DataError(
            f"Values beyond ±{LARGEST:g} are in {len(rows)} of {len(large)} rows of {what}, the "
            f"first in row {rows[0]} (counted from 0): their squares are too large to compute "
            "with. Change the units, or leave those rows out."
        )


def refuse_infinite(
    values: Float[Array, "..."], names: Sequence[str] | None = None, what: str = ""
) -> None:
    """Raise a DataError that names the row and the column of an infinite value.

    what: words in front of the row.
    """
    at = np.argwhere(np.isinf(values))
    if len(at):
        row, *column = at[0].tolist()
        named = "".join(f", column {repr(names[d]) if names else d}" for d in column)
        raise DataError(
            f"{what}row {row}{named} (counted from 0) is infinite. Correct the value, or put NaN "
            "in its place where gaps are allowed."
        )


def describe(
    targets: Any,
    column_names: Sequence[str] | None = None,
    *,
    one_unit: bool = False,
    times: Float[Array, " N"] | None = None,
) -> tuple[str, ...]:
    """Describe what is unusual about the targets, in one sentence each.

    The sentences report the number of missing values, columns with a single observed value,
    constant columns, repeated rows, scales beyond 1e±12, and columns whose units differ. `one_unit`
    says that all columns have the same unit (pixels, joint positions). Rows at different `times`
    do not repeat each other. Missing entries are ignored.
    Raises DataError in the same cases as check_targets.
    """
    array = check_targets(targets, column_names=column_names)
    names = list(column_names or (f"column {d}" for d in range(array.shape[1])))
    missing = missing_entries(array)
    constant, largest = ~varies(array), np.fmax.reduce(np.abs(array), axis=0)
    with np.errstate(over="ignore"):
        spread = array.std(axis=0) if missing is None else np.nanstd(array, axis=0)
    varied = np.ones(len(names), bool) if missing is None else (~missing).sum(axis=0) > 1
    found = (
        None if missing is None else missing_in_words(missing),
        None if missing is None else single_values(missing, names),
        _constant_columns(constant & varied, names),
        # NaN has many bit patterns; make all of them equal.
        _repeated_rows(array if missing is None else np.where(missing, np.nan, array), times),
        _extreme_scales(largest, spread, constant, names),
        None if one_unit else _mixed_units(spread, constant, names),
    )
    return tuple(sentence for sentence in found if sentence)


def mixed_units(targets: Float[Array, "N D"], column_names: Sequence[str]) -> tuple[str, ...]:
    """Return the warning of `describe` about columns whose units differ, or an empty tuple."""
    found = _mixed_units(np.nanstd(targets, axis=0), ~varies(targets), list(column_names))
    return () if found is None else (found,)


def _constant_columns(constant: NDArray[np.bool_], names: list[str]) -> str | None:
    which = [names[d] for d in np.flatnonzero(constant)]
    if not which:
        return None
    if len(which) == len(names):
        return "Every column is constant: there is nothing to learn."
    verb = "is constant and carries" if len(which) == 1 else "are constant and carry"
    return f"{len(which)} of {len(names)} columns {verb} no information: {listed(which)}."


def _repeated_rows(array: Array, times: Array | None) -> str | None:
    timed = array if times is None else np.column_stack([times, array])
    repeats = len(array) - len({row.tobytes() for row in timed})
    if not repeats:
        return None
    verb = by_count(repeats, "repeats an earlier one", "repeat earlier ones")
    return f"{repeats} of {len(array)} rows {verb} exactly."


def _extreme_scales(
    largest: Array, spread: Array, constant: NDArray[np.bool_], names: list[str]
) -> str | None:
    extreme = (largest > EXTREME) | (~constant & (spread < 1 / EXTREME))
    if not extreme.any():
        return None
    which = [
        f"{names[d]} (largest {in_digits(largest[d], 3)}, spread {in_digits(spread[d], 3)})"
        for d in np.flatnonzero(extreme)
    ]
    return f"Scales beyond 1e±12 lose digits; change the units of {listed(which)}."


def units_differ(spread: Float[Array, " D"]) -> bool:
    """Whether columns with these standard deviations (all above 0) seem to have different units."""
    if len(spread) < 2:
        return False
    median, small = np.quantile(spread, [0.5, SMALL], method="lower")
    return bool(spread.max() > min(TO_MEDIAN * median, TO_SMALL * small))


def _mixed_units(spread: Array, constant: NDArray[np.bool_], names: list[str]) -> str | None:
    if not units_differ(spread[~constant]):
        return None
    order = np.flatnonzero(~constant)[np.argsort(spread[~constant], kind="stable")]
    low, high = order[0], order[-1]
    return (
        f"The columns seem to be in different units: {names[high]} spreads by "
        f"{in_digits(spread[high], 3)}, "
        f"{names[low]} by {in_digits(spread[low], 3)}. With one global scale only the largest "
        "would count; "
        'scaling="columns" gives each its own scale, and noise="per_output" also its own noise.'
    )
