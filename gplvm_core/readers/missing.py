"""Missing values (NaN): find and describe missing values, and refuse rows and columns without
values.
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jaxtyping import Bool, Shaped

from gplvm_core.numerics import AnyNDArray, BoolArray
from gplvm_core.readers.errors import DataError, EmptyRowsError, listed

EMPTY = "without any value"  # in the notes about rows that are left out
# Relative differences below this (64 units of the last digit) are rounding errors of a few sums and
# products.
ROUNDING = 64 * float(np.finfo(float).eps)


def unmasked(targets: Any) -> Any:
    """Return a masked array as floats with NaN where it is masked; anything else unchanged."""
    if isinstance(targets, list | tuple) and any(
        isinstance(row, np.ma.MaskedArray) for row in targets
    ):  # NumPy would drop the masks of the rows
        targets = np.ma.array([np.ma.asarray(row) for row in targets])
    if not isinstance(targets, np.ma.MaskedArray):
        return targets
    if not np.ma.getmaskarray(targets).any():
        return np.ma.getdata(targets)
    kind = targets.dtype if targets.dtype.kind == "f" else np.float64
    filled = np.array(targets.data, dtype=kind)
    filled[np.ma.getmaskarray(targets)] = np.nan
    return filled


def without_na(values: Any) -> Any:
    """Replace None, `pandas.NA` and `pandas.NaT` by NaN in a table of objects.

    Other tables are returned unchanged.
    """
    pandas = sys.modules.get("pandas")
    if pandas is None:  # pandas is not imported, so no value can be pandas.NA
        return values
    if isinstance(values, pandas.DataFrame | pandas.Series):
        kinds = values.dtypes if isinstance(values, pandas.DataFrame) else [values.dtype]
        return values.where(values.notna(), np.nan) if any(k.kind == "O" for k in kinds) else values
    if isinstance(values, np.ndarray) and values.dtype == object:
        return np.where(pandas.isna(values), np.nan, values)
    return values


def missing_entries(targets: Shaped[AnyNDArray, "N D"]) -> Bool[BoolArray, "N D"] | None:
    """Return which entries are missing; None if all are observed."""
    if targets.dtype.kind != "f":
        return None
    missing = np.isnan(targets)
    return missing if missing.any() else None


def varies(values: Shaped[AnyNDArray, "N ..."]) -> Bool[BoolArray, "..."]:
    """Return whether the observed values of each column differ by more than rounding errors; False
    without observed values.
    """
    low, high = np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)  # without NaN
    with np.errstate(invalid="ignore"):  # ∞ − ∞ in a column of equal infinities
        return np.asarray(high - low > ROUNDING * np.maximum(np.abs(low), np.abs(high)))


def n_patterns(missing: Bool[BoolArray, "N D"]) -> int:
    """Return the number of different patterns of missing rows among the columns."""
    return len({column.tobytes() for column in np.packbits(missing, axis=0).T})


def check_observed(
    missing: Bool[BoolArray, "N D"],
    what: str,
    name_row: Callable[[int], str],
    name_column: Callable[[int], str],
    script: str = "",
) -> None:
    """Raise a DataError that names the rows and columns without an observed value.

    The error is an EmptyRowsError if only rows, and no columns, are empty; script: a sentence about
    the argument that leaves them out.
    """
    rows = [name_row(int(n)) for n in np.flatnonzero(missing.all(axis=1))]
    columns = [name_column(int(d)) for d in np.flatnonzero(missing.all(axis=0))]
    if not rows and not columns:
        return
    where = [_named(rows, "rows"), _named(columns, "columns")]
    kind = DataError if columns else EmptyRowsError
    raise kind(
        f"{what}: no value is observed in {' and in '.join(words for words in where if words)}. "
        f"Leave {'it' if len(rows) + len(columns) == 1 else 'them'} out.",
        script="" if columns else script,
    )


def _named(names: list[str], many: str) -> str:
    return names[0] if len(names) == 1 else f"{len(names)} {many} ({listed(names)})" * bool(names)


def missing_in_words(missing: Bool[BoolArray, "N D"]) -> str:
    """Return the amount of missing values, as one sentence."""
    count = int(missing.sum())
    rows, columns = int(missing.any(axis=1).sum()), int(missing.any(axis=0).sum())
    return (
        f"{count:,} of {missing.size:,} values {'is' if count == 1 else 'are'} missing "
        f"({percent(count, missing.size)}), in {rows:,} of {missing.shape[0]:,} rows and "
        f"{columns:,} of {missing.shape[1]:,} columns."
    )


def percent(count: int, total: int) -> str:
    """Return a fraction in whole per cent; only exact fractions are shown as 0% or 100%."""
    share = 100 * count / total
    if 0 < share < 0.5:
        return "less than 1%"
    if 99.5 <= share < 100:
        return "more than 99%"
    return f"{share:.0f}%"


def single_values(missing: Bool[BoolArray, "N D"], names: Sequence[str]) -> str | None:
    """Return a sentence about the columns with a single observed value, if there are any."""
    which = [names[int(d)] for d in np.flatnonzero((~missing).sum(axis=0) == 1)]
    if not which:
        return None
    verb = "has" if len(which) == 1 else "have"
    return (
        f"{len(which)} of {len(names)} columns {verb} a single observed value, so their variation "
        f"is unknown: {listed(which)}."
    )
