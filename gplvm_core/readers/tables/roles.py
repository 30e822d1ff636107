"""Check the roles of a table's columns, and read columns of dates in their format.

A column may name the sequence of each row, such as subjects that were measured over time.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Int
from numpy.typing import NDArray

from gplvm_core.numerics import Array, Int64Array, IntArray
from gplvm_core.readers.errors import DataError, listed, numbered, shortened
from gplvm_core.readers.kinds import EVERY
from gplvm_core.readers.missing import varies
from gplvm_core.readers.proposals import PROSE, words_a_cell
from gplvm_core.readers.tables.columns import MISSING, Column, Table
from gplvm_core.readers.tables.dates import (
    DATE_FORMATS,
    HINT,
    SECONDS,
    DateError,
    DateFormat,
    Moments,
    TimeUnit,
    date_columns,
    in_several_formats,
    moments_of,
    times_since_first,
)
from gplvm_core.readers.tables.numerals import CLOCK, SEVERAL_UNITS

LONGEST_NAME = 60  # maximum number of characters of a row's name
MOST_PARTS = 3  # maximum number of columns that form a row's name
MOST_COLUMNS = 50  # columns that are examined
LEAST_STEPS = 6  # rows behind another row of their sequence; fewer may rise by chance


@dataclass(frozen=True)
class ColumnRoles:
    """The names of the columns with a role; every other column is learnt."""

    label: str | None
    time: str | None
    ids: tuple[str, ...]
    dates: tuple[str, ...]
    formats: Mapping[str, DateFormat]
    sequence: str | None = None

    @classmethod
    def of(
        cls,
        table: Table,
        label_column: str | None = None,
        time_column: str | None = None,
        id_columns: Iterable[str] = (),
        date_columns: Iterable[str] = (),
        date_formats: Mapping[str, DateFormat] | None = None,
        sequence_column: str | None = None,
    ) -> "ColumnRoles":
        """Check the roles against the table. Raises DataError for unknown columns and formats."""
        names = (_names(id_columns), _names(date_columns))
        formats = dict(date_formats or {})
        found = cls(label_column, time_column, *names, formats, sequence_column)
        known = [column.name for column in (*table.columns, *table.beside)]
        unknown = [name for name in (*found.all, *found.formats) if name not in known]
        if unknown:
            raise DataError(
                f"{table.name} has no column {listed([repr(name) for name in unknown])}. "
                f"It has {listed([repr(name) for name in known], 20)}."
            )
        beside = [name for name in (found.time, found.sequence) if name != found.label]
        beside.append(found.label)
        single = [name for name in (*beside, *found.ids, *found.dates) if name is not None]
        twice = next((name for name in single if single.count(name) > 1), None)
        if twice is not None:
            raise DataError(
                f"{table.name}: the column {twice!r} has two roles that exclude each other. A "
                "column can be both label and time, or both label and sequence; otherwise it "
                "has one role."
            )
        for name, way in found.formats.items():
            if way not in DATE_FORMATS:
                raise DataError(
                    f"{table.name}: {way!r} is not a format of dates (for {name!r}). Choose one of "
                    f"{listed([repr(each) for each in DATE_FORMATS], 20)}."
                )
        return found

    def check_kinds(self, table: Table, kinds: Any) -> Collection[str]:
        """Return the columns with a given kind. Raises DataError for columns that are not
        learnt.
        """
        if kinds is None or isinstance(kinds, str):
            if kinds not in (None, *EVERY):
                raise DataError(
                    f'kinds must be None, "auto", "robust", or kinds by column; got {kinds!r}.'
                )
            return ()
        known = [column.name for column in table.columns]
        for name in kinds:
            if name not in known:
                raise DataError(
                    f"{table.name}: there is no column {name!r} to give a kind. The columns are "
                    f"{listed([repr(each) for each in known], 20)}."
                )
            if name in self.all and (name != self.label or name in (self.time, self.sequence)):
                raise DataError(
                    f"{table.name}: the column {name!r} has a kind, but it is not learnt: it is "
                    "left out, or gives the time or sequence. Remove its kind, or let it be learnt."
                )
        return kinds

    @property
    def all(self) -> tuple[str, ...]:
        """Every column with a role."""
        single = (self.label, self.time, self.sequence)
        return tuple(n for n in (*single, *self.ids, *self.dates) if n is not None)

    def columns(self, table: Table, names: Iterable[str | None]) -> list[Column]:
        """Return the columns of these names, without None."""
        named = {column.name: column for column in (*table.columns, *table.beside)}
        return [named[name] for name in names if name is not None]


def _names(given: Iterable[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def moments_in(
    column: Column, table: Table, formats: Mapping[str, DateFormat]
) -> tuple[Moments, str] | None:
    """Read a column of dates as moments, with a note on their format; None for plain numbers.

    Raises DataError for a column whose format is ambiguous, and for a cell that is not a date.
    """
    way = formats.get(column.name)
    if way is None:
        found = column.dates
        if found is None:
            one_format(column, table)
            return None
        way = found.formats[0]
        if not found.decided:
            raise DataError(
                f"{table.name}, column {_called(column)}: {found.reason}. Which comes first?",
                script=f"In a script: date_formats={{{column.name!r}: 'day first'}}.",
            )
    if way == "numbers":
        return None
    try:
        moments, note = moments_of(column, way)
        format_note = f"Dates in {column.name} were read as {DATE_FORMATS[way]}"
        return moments, f"{format_note}{note and f'; {note}'}."
    except DateError as error:
        one_format(column, table)
        place = f"{table.unit} {table.places[error.row]}"
        raise DataError(
            f"{table.name}, {place}, column {_called(column)}: {error}. The column is read as "
            f"{DATE_FORMATS[way]}. Correct the cell, leave it empty, or leave the column out."
        ) from error


def one_format(column: Column, table: Table) -> None:
    """Raise DataError for dates in several formats."""
    if several := in_several_formats(column, table.unit, table.places):
        raise DataError(
            f"{table.name}, column {_called(column)}: {several}. Write all dates in one format, or "
            "leave the column out."
        )


def times_in(
    column: Column,
    table: Table,
    formats: Mapping[str, DateFormat],
    rows: NDArray[np.intp],
    *,
    unit: TimeUnit | None,
) -> tuple[Array, str, list[str]]:
    """Return the times of all rows, their unit in words ("" if unknown), and notes.

    Dates become the time since the earliest of these rows. Other rows may lack a time (NaN). Raises
    DataError for cells that are not times, and if one of these rows has no time.
    """
    if unit is not None and unit not in SECONDS:
        raise DataError(f"The unit of time is one of {listed(list(SECONDS))}; got {unit!r}.")
    found = moments_in(column, table, formats)
    words, notes = "", []
    if found is None:
        times = as_numbers([column], table)[:, 0]
        words = "hours since midnight" if column.of_day else ""
    else:
        moments, format_note = found
        times, words = times_since_first(moments, unit, rows)
        notes = [format_note, f"The time of a row is counted in {words}."]
    missing = rows[np.isnan(times[rows])]
    if len(missing):
        places = numbered(table.unit, table.places[missing])
        raise DataError(
            f"{table.name}: the time is missing in {places}. Every row needs a "
            f"time; fill them in, or do not use {_called(column)} as the time column."
        )
    return times, words, notes


def parts_of_dates(
    column: Column, table: Table, formats: Mapping[str, DateFormat]
) -> tuple[list[Column], list[str]]:
    """Convert a column of dates to columns to learn; also return notes.

    Constant columns are left out. Raises DataError if none is left.
    """
    found = moments_in(column, table, formats)
    if found is None:
        raise DataError(
            f"{table.name}: the column {_called(column)} has no dates. Use it as numbers.",
            script="If its numbers count days or seconds, name their format in date_formats.",
        )
    moments, format_note = found
    parts = {
        name: values
        for name, values in date_columns(column.name, moments).items()
        if varies(values)
    }
    if not parts:
        raise DataError(
            f"{table.name}: every date in {_called(column)} is the same, so there is nothing to "
            "learn. Leave the column out."
        )
    notes = [format_note, f"{column.name} became the columns {listed(list(parts))}."]
    return [Column(name, values) for name, values in parts.items()], notes


def row_names_of(columns: list[Column]) -> NDArray[np.str_] | None:
    """Return names of the rows, from the id columns that differ in every row, or from all id
    columns.

    Columns of prose are ignored.
    """
    found = (column.words() for column in columns)
    words = [cells for cells in found if len(set(cells)) > 1 and words_a_cell(cells) < PROSE]
    short = [cells for cells in words if max(map(len, cells)) <= LONGEST_NAME]
    if not short:
        return None
    unique = [cells for cells in short if len(set(cells)) == len(cells)]
    parts = zip(*(unique or short)[:MOST_PARTS], strict=True)
    called = [shortened(" · ".join(filter(None, part)), LONGEST_NAME) for part in parts]
    return np.array(called, dtype=np.str_)


def as_numbers(columns: Sequence[Column], table: Table, *, kinds: bool = False) -> Array:
    """Return the columns side by side, NaN where a cell is missing.

    kinds: whether the caller already asked for columns of words.

    Raises DataError with line and column of a cell that is not a number, or is infinite.
    """
    numbers: NDArray[Any] = side_by_side([_numbers(column, table, kinds) for column in columns])
    if np.isinf(numbers).any():
        row, d = (int(i) for i in np.argwhere(np.isinf(numbers))[0])
        raise DataError(
            f"{table.name}, {table.unit} {table.places[row]}, column {_called(columns[d])} is "
            "infinite. Correct it, or leave the cell empty: an empty cell is a missing value."
        )
    return numbers


def side_by_side(columns: Sequence[Array]) -> Array:
    """Return columns as one array; without a copy if they already are the columns of one."""
    first, size = columns[0], 8 * len(columns)
    begins = [column.__array_interface__["data"][0] for column in columns]
    if first.strides == (size,) and begins == [*range(begins[0], begins[0] + size, 8)]:
        return np.lib.stride_tricks.as_strided(first, (len(first), len(columns)), (size, 8))
    return np.column_stack(columns)


def _called(column: Column) -> str:
    """Return a column's name in a message."""
    return repr(shortened(column.name))


def _numbers(column: Column, table: Table, kinds: bool = False) -> Array:
    if column.numbers is not None:
        return column.numbers
    first, name = column.problem or 0, column.name
    cell = shortened((column.texts or ("",))[first])
    where = f"{table.name}, {table.unit} {table.places[first]}, column {_called(column)}: {cell!r}"
    one_format(column, table)
    if column.dates is not None:
        raise DataError(
            f"{where} is a date and not a number. Use the column as the time of the rows, turn it "
            "into year, season and weekday, or leave it out.",
            script=f"In a script: time_column={name!r} or date_columns=[{name!r}].",
        )
    kind = "a time of day like the others" if column.of_day else "a number"
    if not column.of_day and CLOCK.fullmatch(cell):
        kind += (
            f": it may be hours and minutes, or minutes and seconds. Write {cell}:00 or 0:{cell}"
        )
    units = "".join(f" {note}" for note in column.notes if SEVERAL_UNITS in note)
    raise DataError(
        f"{where} is not {'in the unit of the others' if units else kind}.{units} Correct it, use "
        "the column as the label, or leave it out.",
        script=f"In a script: label_column={name!r} or id_columns=[{name!r}]; "
        + (f"kinds={{{name!r}: 'category'}}" if kinds else 'kinds="auto"')
        + " learns words.",
    )


def find_sequences(columns: Sequence[Column]) -> tuple[str, str] | None:
    """Return the names of a column of sequences and of one of times, if the table seems to have
    them.

    The times rise in each sequence, but not in the table. The rows of a sequence are together, or
    the rows of each time are.
    """
    times = {each.name: _times(each) for each in columns[:MOST_COLUMNS]}
    for column in columns[:MOST_COLUMNS]:
        codes = _codes(column)
        if codes is None:
            continue
        order = np.argsort(codes, kind="stable")
        inside = np.diff(codes[order]) == 0
        together = np.count_nonzero(np.diff(codes)) == codes.max()
        for name in sorted(times, key=lambda each: not HINT.search(each)):
            own = times[name] if name != column.name else None
            if own is None or not (np.diff(own[order])[inside] > 0).all():
                continue
            steps = np.diff(own)
            falls = together and not (steps >= 0).all()
            if falls or ((steps >= 0).all() and np.sum(steps == 0) >= LEAST_STEPS):
                return column.name, name
    return None


def _codes(column: Column) -> NDArray[np.intp] | None:
    """Return the number of each row's sequence, None if the column cannot name sequences: a cell is
    missing or a fraction, or too few are equal.
    """
    words = column.texts or ()
    if column.numbers is not None and any(
        (part != np.floor(part)).any() for part in (column.numbers[:100], column.numbers)
    ):
        return None
    if column.numbers is None and any(word.lower() in MISSING for word in set(words)):
        return None
    cells = column.numbers if column.numbers is not None else np.array(words)
    codes = np.unique(cells, return_inverse=True)[1]
    return codes if len(codes) and 0 < codes.max() < len(codes) - LEAST_STEPS else None


def _times(column: Column) -> NDArray[np.float64] | None:
    """Return the numbers or moments of a column; None for words, and if a value is missing."""
    numbers = column.numbers
    dates = column.dates if numbers is None else None
    if dates is not None and dates.decided:
        with suppress(DateError):
            moments = moments_of(column, dates.formats[0])[0]
            numbers = np.where(np.isnat(moments), np.nan, moments.astype(np.int64).astype(float))
    return numbers if numbers is not None and np.isfinite(numbers).all() else None


def sequences_in(
    column: Column, table: Table, rows: Int[IntArray, " n"]
) -> tuple[Int[Int64Array, " n"], tuple[str, ...], str]:
    """Return the number of each row's sequence, by first appearance, the names, and a note.

    Names that are numbers get the name of the column: "subject 3".

    Raises DataError for a row without a name of its sequence.
    """
    words = column.words()
    missing = [table.places[n] for n in rows if not words[n]]
    called = shortened(column.name)
    if missing:
        raise DataError(
            f"{table.name}: the column {called!r} names the sequences, but is empty in "
            f"{numbered(table.unit, missing)}. Fill the cells in, or leave the rows out."
        )
    names = list(dict.fromkeys(words[n] for n in rows))
    number = {name: n for n, name in enumerate(names)}
    plain = column.numbers is not None
    called_by = tuple(f"{column.name} {name}" if plain else name for name in names)
    note = f"{len(names)} sequences, named by {called}: {listed(names, 5)}."
    return np.array([number[words[n]] for n in rows], dtype=np.int64), called_by, note
