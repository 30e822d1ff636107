"""Training data with columns of any kind: their units, and notes on how they are treated."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from gplvm_core.likelihoods import TableColumns
from gplvm_core.models.data.fractions import Fractions
from gplvm_core.models.data.rows import finite_rows
from gplvm_core.models.data.scaling import Scaling, column_units
from gplvm_core.numerics import Array, BoolArray
from gplvm_core.readers import DataError
from gplvm_core.readers.errors import by_count, in_digits, listed
from gplvm_core.readers.kinds import EVERY, FRACTION
from gplvm_core.readers.proposals import CONSTANT

# A note names a column of numbers if its signal-to-noise ratio exceeds ALMOST_EXACT and a single
# value fills more than the fraction REPEATED of its rows.
ALMOST_EXACT, REPEATED = 100.0, 0.15
# The standard deviation of a normal distribution with a median absolute deviation of 1.
NORMAL = 1.4826

Tables = Mapping[str, TableColumns]
# The fractions of data by name.
Parts = Mapping[str, Fractions]


def units_of_numbers(columns: TableColumns, outputs: Float[Array, "N D"]) -> Scaling:
    """Centre and scale of every column of numbers; other outputs have no unit and keep their
    values.

    Columns with robust noise have their median and their median absolute deviation, which values
    far from all others do not change.
    """
    numbers = columns.links.measured
    center, scale = np.zeros(len(numbers)), np.ones(len(numbers))
    if not numbers.any():
        return Scaling(center, scale)
    beside = not numbers.all()
    own = Scaling.of(outputs[:, numbers], "columns", empty_rows=True, all_constant=beside)
    constant = np.zeros(len(numbers), dtype=bool)
    constant[numbers] = column_units(outputs[:, numbers])[2]
    notes = tuple(
        f"the column {column.name!r} is constant ({in_digits(np.nanmax(outputs[:, place.start]))})"
        for column, place in zip(columns.columns, columns.places, strict=True)
        if column.is_number and constant[place.start]
    )
    center[numbers], scale[numbers] = own.center, own.scale
    for d in np.flatnonzero(numbers & ~columns.links.numbers):
        center[d] = np.nanmedian(outputs[:, d])
        deviation = NORMAL * float(np.nanmedian(np.abs(outputs[:, d] - center[d])))
        scale[d] = deviation or scale[d]
    return Scaling(center, scale, notes)


def missing_in_words(columns: TableColumns, outputs: Float[Array, "N D"]) -> tuple[str, ...]:
    """A note with the fraction of missing values; training leaves these values out."""
    missing = columns.missing(outputs)
    if not missing.any():
        return ()
    return (f"{missing.mean():.1%} of the values are missing: training leaves them out",)


def columns_in_words(
    columns: TableColumns,
    internal: Float[Array, "N D"],
    scaling: Scaling,
    ratio: Float[Array, " D"],
    silent: Bool[BoolArray, " D"],
) -> tuple[str, ...]:
    """Notes on columns that the map does not explain, and on columns of numbers that may dominate
    the map.

    internal: the outputs in internal units. ratio: the signal-to-noise ratio of each output.
    silent: the outputs that are only noise. A column of numbers with many equal values may be
    learnt almost without noise, because the density of a repeated value has no upper limit.
    """
    notes, without = list[str](), list[str]()
    for column, place in zip(columns.columns, columns.places, strict=True):
        if silent[place].all() and column.kind not in ("exposure", CONSTANT):
            without.append(column.name)
        at = place.start
        if not column.is_number or ratio[at] < ALMOST_EXACT:
            continue
        values, counts = np.unique(internal[~np.isnan(internal[:, at]), at], return_counts=True)
        share = counts.max() / counts.sum()
        if share > REPEATED:
            value = scaling.center[at] + scaling.scale[at] * values[np.argmax(counts)]
            notes.append(
                f"the column {column.name!r} is {in_digits(value)} in {share:.0%} of its rows and "
                "is learnt almost without noise, so it may dominate the map; if the column has few "
                "different values, declare it as a grade or a count"
            )
    if without:
        what = by_count(len(without), "column", "columns")
        noise = by_count(len(without), "it is", "they are")
        notes.append(f"the map does not explain the {what} {listed(without)}: {noise} noise")
    return tuple(notes)


def learnt_tables(
    views: Mapping[str, Any], kinds: str | Mapping[str, Any] | None
) -> tuple[dict[str, Any], dict[str, TableColumns], Parts, dict[str, tuple[str, ...]]]:
    """Encode views with columns of several kinds and with fractions as outputs; also return their
    columns, their fractions, and notes.

    kinds: "auto", "robust" or "fraction" for all views, or the kinds of some views by name. Raises
    DataError for kinds that do not fit.
    """
    if kinds is None:
        return dict(views), {}, {}, {}
    if isinstance(kinds, str):
        if kinds not in (*EVERY, FRACTION):
            raise DataError(
                'kinds must be None, "auto", "robust", "fraction", or a dict of kinds by view; got '
                f"{kinds!r}"
            )
        kinds = dict.fromkeys(views, kinds)
    unknown = [name for name in kinds if name not in views]
    if unknown:
        raise DataError(
            f"kinds names the view {unknown[0]!r}; the views are {', '.join(map(str, views))}"
        )
    given, tables, notes = dict(views), dict[str, TableColumns](), dict[str, tuple[str, ...]]()
    parts = dict[str, Fractions]()
    for name, own in kinds.items():
        if own is None:
            continue
        try:
            columns, outputs, found_notes = TableColumns.learnt(_as_table(views[name]), own)
            if columns.fractions:
                parts[name], notes[name] = Fractions.learnt(
                    columns.names, columns.fractions, outputs
                )
                given[name] = parts[name].encoded(outputs)
        except DataError as error:
            raise type(error)(f"view {name!r}: {error.plain}", script=error.script) from error
        if not columns.only_numbers:
            given[name], tables[name], notes[name] = outputs, columns, found_notes
    return given, tables, parts, notes


def encoded_tables(views: Mapping[str, Any], tables: Tables, parts: Parts) -> dict[str, Any]:
    """New rows of some views; columns of several kinds and fractions become their outputs."""
    found = dict(views)
    for name, values in views.items():
        try:
            if name in tables:
                found[name] = tables[name].encoded(_as_table(values))
            elif name in parts:
                found[name] = parts[name].encoded(finite_rows(values, "fractions"))
        except DataError as error:
            raise type(error)(f"view {name!r}: {error.plain}", script=error.script) from error
    return found


def _as_table(values: Any) -> Any:
    """Convert to a table; a list, vector or series of labels becomes one column."""
    if hasattr(values, "to_pylist") and not hasattr(values, "column_names"):  # an Arrow array
        values = values.to_pylist()
    if hasattr(values, "to_frame"):
        return values.to_frame()
    if getattr(values, "ndim", 2) == 1:
        return np.asanyarray(values)[:, None]
    labels = isinstance(values, list) and not any(
        isinstance(value, Iterable) and not isinstance(value, str) for value in values
    )
    return [[value] for value in values] if labels else values
