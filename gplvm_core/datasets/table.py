"""Tables of numbers (CSV, NPZ, NPY): first a report to ask the user about, then the data set."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gplvm_core.datasets.array_table import is_array_file, parse_arrays
from gplvm_core.datasets.checks import UNIT_RATIO
from gplvm_core.datasets.columns import Column, Table
from gplvm_core.datasets.dataset import Dataset, Drawing
from gplvm_core.datasets.errors import DataError, listed
from gplvm_core.datasets.sources import Source, read_source, stem
from gplvm_core.datasets.text_table import parse_text

Array = NDArray[np.float64]
Role = Literal["value", "label", "id", "time", "unused"]

LABEL_NAMES = frozenset({"label", "labels", "class", "target", "species", "category", "group", "y"})
ID_NAMES = frozenset({"id", "index", "key", "no", "nr", "number", "row", "unnamed: 0"})
TIME_NAMES = frozenset({"time", "times", "t", "timestamp", "seconds", "date"})
MOST_CLASSES = 50


@dataclass(frozen=True)
class ColumnReport:
    """What one column looks like. `role` is a suggestion, `reason` says what speaks for it.

    `spread` is the standard deviation, None for text. A column of numbers that has text in it is
    not numeric, and `reason` names the first such cell.
    """

    name: str
    role: Role
    reason: str
    numeric: bool
    constant: bool
    n_distinct: int
    n_missing: int
    spread: float | None


@dataclass(frozen=True)
class TableReport:
    """What a file of tables looks like, to ask the user before it is read.

    `arrays` are the NPZ's arrays that could be the table; `array` is the one reported on, None
    when it must be chosen first (`columns` is then empty). `image_shape` is set when the rows are
    images; `columns` then holds only the arrays beside them. `scaling` is what to offer:
    "columns" when the units differ.
    """

    name: str
    n_rows: int
    columns: tuple[ColumnReport, ...]
    delimiter: str | None
    header: bool | None
    header_reason: str
    array: str | None
    arrays: tuple[str, ...]
    image_shape: tuple[int, ...] | None
    scaling: Literal["global", "columns"]
    scaling_reason: str
    notes: tuple[str, ...]

    @property
    def label_column(self) -> str | None:
        return next(iter(self._named("label")), None)

    @property
    def time_column(self) -> str | None:
        return next(iter(self._named("time")), None)

    @property
    def id_columns(self) -> tuple[str, ...]:
        return self._named("id")

    @property
    def constant_columns(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.constant)

    def _named(self, role: Role) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.role == role)


def inspect_table(
    source: Source, *, array: str | None = None, header: bool | None = None
) -> TableReport:
    """What a CSV, NPZ or NPY file holds and which columns seem to be labels, ids or times.

    Takes missing values and text as they are. Raises DataError for files that cannot be read.
    """
    table = _parse(source, array, header)
    is_image = table.image_shape is not None
    columns = [] if is_image else [_report(column, table, False) for column in table.columns]
    columns += [_report(column, table, True) for column in table.beside]
    columns = _one_each(columns)
    scaling_reason = _units_differ(columns)
    return TableReport(
        name=table.name,
        n_rows=len(table.places),
        columns=tuple(columns),
        delimiter=table.delimiter,
        header=table.header,
        header_reason=table.header_reason,
        array=table.array,
        arrays=table.arrays,
        image_shape=table.image_shape,
        scaling="columns" if scaling_reason else "global",
        scaling_reason=scaling_reason,
        notes=table.notes,
    )


def read_table(
    source: Source,
    *,
    array: str | None = None,
    header: bool | None = None,
    label_column: str | None = None,
    id_columns: Iterable[str] = (),
    time_column: str | None = None,
) -> Dataset:
    """Rows of numbers from a CSV, NPZ or NPY file.

    `array` names the NPZ's array when several could be the table; `header` says whether the first
    line names the columns (None: find out). Label, id and time columns are not learnt: labels are
    kept as classes, times as times, ids are left out. They may be 1-D arrays of the NPZ.
    Raises DataError: nothing is dropped, guessed or filled in to make a file readable.
    """
    table = _parse(source, array, header)
    if not table.columns:
        names = listed([repr(key) for key in table.arrays], 20)
        raise DataError(f"{table.name} holds several tables. Choose one: array= one of {names}.")
    ids = (id_columns,) if isinstance(id_columns, str) else tuple(id_columns)
    roles = [name for name in (label_column, time_column, *ids) if name is not None]
    named = {column.name: column for column in (*table.columns, *table.beside)}
    _check_roles(roles, named, table.name)
    values = [column for column in table.columns if column.name not in roles]
    if not values:
        raise DataError(f"{table.name}: no column is left to learn. Give fewer columns a role.")
    targets: NDArray[Any] = _numbers(values, table)
    labels, label_names = _classes(named[label_column]) if label_column else (None, ())
    notes = list(table.notes)
    if ids:
        notes.append(f"Left out as identifiers: {listed(list(ids))}.")
    unused = [column.name for column in table.beside if column.name not in roles]
    if unused:
        notes.append(f"Arrays not used: {listed(unused)}.")
    drawing = Drawing.of_vector(len(values))
    if table.image_shape is not None and len(values) == len(table.columns):
        targets, drawing = _as_images(targets, table)
    return Dataset(
        name=stem(table.name),
        title=stem(table.name).replace("_", " "),
        targets=targets,
        drawing=drawing,
        labels=labels,
        label_names=label_names,
        column_names=None if drawing.kind == "image" else tuple(column.name for column in values),
        times=_numbers([named[time_column]], table)[:, 0] if time_column else None,
        source=f"{table.name}, a table.",
        notes=tuple(notes),
    )


def _parse(source: Source, array: str | None, header: bool | None) -> Table:
    data, name = read_source(source, "a CSV, NPZ or NPY file")
    if is_array_file(data):
        return parse_arrays(data, name, array)
    if array is not None:
        raise DataError(f"{name} is text and holds no array {array!r}; leave array out.")
    return parse_text(data, name, header)


def _check_roles(roles: list[str], named: dict[str, Column], name: str) -> None:
    unknown = [role for role in roles if role not in named]
    if unknown:
        raise DataError(
            f"{name} has no column {listed([repr(role) for role in unknown])}. "
            f"It has {listed([repr(column) for column in named], 20)}."
        )
    if len(set(roles)) < len(roles):
        raise DataError(f"{name}: a column can be only one of label, id and time.")


def _numbers(columns: list[Column], table: Table) -> Array:
    """The columns side by side; raises DataError naming line and column of what is no number."""
    arrays = [_as_numbers(column, table) for column in columns]
    numbers = np.column_stack(arrays)
    bad = ~np.isfinite(numbers)
    if bad.any():
        row, d = (int(i) for i in np.argwhere(bad)[0])
        places = [str(place) for place in table.places[bad.any(axis=1)]]
        what = "is infinite" if np.isinf(numbers[row, d]) else "is empty or NaN"
        raise DataError(
            f"{table.name}: missing values are not supported yet, {table.unit}s "
            f"{listed(places, 10)}. The first: {table.unit} {places[0]}, column "
            f"{columns[d].name!r} {what}. Leave out those rows or fill them in."
        )
    return numbers


def _as_numbers(column: Column, table: Table) -> Array:
    if column.numbers is not None:
        return column.numbers
    first = column.problem or 0
    cell = (column.texts or ("",))[first]
    raise DataError(
        f"{table.name}, {table.unit} {table.places[first]}, column {column.name!r}: {cell!r} is "
        f"not a number. Correct it, or say what the column is: label_column={column.name!r} or "
        f"id_columns=[{column.name!r}]."
    )


def _classes(column: Column) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Class numbers, and names in the order of the numbers they are or of the alphabet."""
    words = [word or "(none)" for word in column.words()]
    if column.numbers is None:
        names = sorted(set(words))
    else:
        names = list(dict.fromkeys(words[i] for i in np.argsort(column.numbers, kind="stable")))
    number = {name: i for i, name in enumerate(names)}
    return np.array([number[word] for word in words], dtype=np.int64), tuple(names)


def _as_images(targets: NDArray[Any], table: Table) -> tuple[NDArray[Any], Drawing]:
    shape = table.image_shape or ()
    low, high = float(targets.min()), float(targets.max())
    if table.is_bytes and high > 1:
        return targets.astype(np.uint8), Drawing("image", shape, (0.0, 255.0))
    return targets, Drawing("image", shape, (low, high) if high > low else None)


def _report(column: Column, table: Table, beside: bool) -> ColumnReport:
    numbers = column.numbers
    words = column.words() if numbers is None else []
    distinct = len(set(words)) if numbers is None else len(np.unique(numbers))
    missing = words.count("") if numbers is None else int(np.isnan(numbers).sum())
    finite = np.zeros(0) if numbers is None else numbers[np.isfinite(numbers)]
    role, reason = _suggest(column, distinct, beside)
    if numbers is None and column.problem is not None and role in ("value", "unused"):
        place = f"{table.unit} {table.places[column.problem]}"
        reason = f"{words[column.problem]!r} in {place} is not a number"
    if distinct == 1 and not reason:
        only = "empty" if missing else f"{finite[0]:.6g}" if len(finite) else "infinite"
        reason = f"always {only}"
    with np.errstate(over="ignore"):
        spread = float(finite.std()) if len(finite) else None
    return ColumnReport(
        name=column.name,
        role=role,
        reason=reason,
        numeric=numbers is not None and len(finite) > 0,
        constant=distinct == 1,
        n_distinct=distinct,
        n_missing=missing,
        spread=spread,
    )


def _suggest(column: Column, distinct: int, beside: bool) -> tuple[Role, str]:
    """What a column's name and values speak for; "value" when nothing does."""
    plain: Role = "unused" if beside else "value"
    name = column.name.strip().lower()
    numbers = column.numbers
    if numbers is None:
        n_rows = len(column.texts or ())
        if distinct == n_rows and n_rows > 1:
            return "id", "text, different in every row"
        if distinct <= min(MOST_CLASSES, n_rows // 2):
            return "label", f"text with {distinct} different values"
        return plain, ""
    if distinct < 2 or not np.isfinite(numbers).all():
        return plain, ""
    steps = np.diff(numbers)
    whole = bool((numbers == np.round(numbers)).all())
    if name in TIME_NAMES and (steps >= 0).all():
        return "time", f'named "{column.name}" and never falling'
    if whole and len(numbers) > 2 and (steps == 1).all() and numbers[0] in (0, 1):
        return "id", f"counts the rows from {numbers[0]:.0f}"
    if name in ID_NAMES and whole and distinct == len(numbers):
        return "id", f'named "{column.name}", different in every row'
    few = distinct <= min(MOST_CLASSES, len(numbers) // 2)
    if name in LABEL_NAMES and whole and few:
        return "label", f'named "{column.name}", {distinct} different whole numbers'
    return plain, ""


def _one_each(columns: list[ColumnReport]) -> list[ColumnReport]:
    """Only the first label and the first time are suggested; the rest is left to the user."""
    seen: set[Role] = set()
    kept = []
    for column in columns:
        if column.role in ("label", "time") and column.role in seen:
            other: Role = "value" if column.numeric else "unused"
            column = replace(column, role=other, reason=f"{column.reason}; another is suggested")
        seen.add(column.role)
        kept.append(column)
    return kept


def _units_differ(columns: list[ColumnReport]) -> str:
    spreads = [(c.spread, c.name) for c in columns if c.role == "value" and c.spread]
    if not spreads:
        return ""
    (low, lowest), (high, highest) = min(spreads), max(spreads)
    if high <= UNIT_RATIO * low:
        return ""
    return (
        f"{highest} spreads by {high:.3g} and {lowest} by {low:.3g}: the units seem to differ, and "
        "with one global scale only the largest would count"
    )
