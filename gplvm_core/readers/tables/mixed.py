"""Columns of words and counts beside numbers, read as the columns of a data set."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gplvm_core.numerics import Array
from gplvm_core.readers.cells import Cells
from gplvm_core.readers.errors import DataError, listed, shortened
from gplvm_core.readers.kinds import (
    FRACTION,
    NUMBERS,
    TableColumn,
    chosen_kinds,
    coded_column,
    columns_of,
    plain,
)
from gplvm_core.readers.proposals import LARGE, Proposal
from gplvm_core.readers.tables.columns import Column, Table
from gplvm_core.readers.tables.roles import as_numbers, one_format

MOST_NAMED = 20  # largest number of columns in a note
Kinds = Mapping[str, Any] | Literal["auto", "robust"] | None


def read_values(
    columns: Sequence[Column], asked: Kinds, table: Table
) -> tuple[tuple[TableColumn, ...], Array, list[str]]:
    """Return the columns with their kinds (none if all are numbers), their values as numbers, and
    notes.

    asked: the kinds that the user gave. Raises DataError for values that a column of its kind
    cannot have.
    """
    kinds, notes = _kinds_in(columns, asked, table)
    if all(kind == "number" for kind in kinds.values()):
        return (), as_numbers(columns, table, kinds=asked is not None), notes
    found, values, note = _read_mixed(columns, kinds, table)
    return found, values, [*notes, note]


def _kinds_in(
    columns: Sequence[Column], asked: Kinds, table: Table
) -> tuple[dict[str, Any], list[str]]:
    """Return the kind of every column to learn: "number", the given kind, or the proposed one; and
    notes.

    For "auto", and for columns that a mapping leaves out, `chosen_kinds` decides. None: all
    columns are numbers. Columns of dates, and of numbers with mistakes, stay numbers, so that
    reading them reports the cell.
    """
    names = [column.name for column in columns]
    own = {} if asked is None or isinstance(asked, str) else dict(asked)
    if asked is None:
        return dict.fromkeys(names, "number"), []
    for column in columns:
        if column.name not in own:
            one_format(column, table)
    proposals = [
        Proposal(("number",), "") if column.dates is not None else column.proposal()
        for column in columns
    ]
    with _naming(table):
        given = [own.get(name) for name in names]
        kinds = chosen_kinds(given, names, proposals, robust=asked == "robust")
    notes = [
        f"{name} is read as numbers, not counts: {each.reason}."
        for name, kind, each in zip(names, kinds, proposals, strict=True)
        if kind in NUMBERS and each.reason.endswith(LARGE)
    ]
    return dict(zip(names, kinds, strict=True)), notes


def _read_mixed(
    columns: Sequence[Column], kinds: Mapping[str, Any], table: Table
) -> tuple[tuple[TableColumn, ...], Array, str]:
    """Return the columns with their words, their values as numbers, and a note."""
    for column in columns:
        if kinds[column.name] in NUMBERS:
            as_numbers([column], table, kinds=True)  # raises an error with the name of the cell
    cells = [_cells(column, kinds[column.name], table) for column in columns]
    with _naming(table):
        found, _ = columns_of(cells, [kinds[column.name] for column in columns], fractions=True)
        coded = np.column_stack([*map(coded_column, found, cells)])
    named = [in_short(column) for column in found if column.kind != "number"]
    more = f"; and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
    sorts = [
        *["words", "counts"] * any(not column.is_number for column in found),
        *["robust numbers"] * any(column.kind == "robust" for column in found),
        *["fractions"] * any(column.kind == FRACTION for column in found),
    ]
    what = f"{', '.join(sorts[:-1])} and {sorts[-1]}" if sorts[1:] else sorts[0]
    note = f"Columns of {what}: {'; '.join(named[:MOST_NAMED])}{more}."
    return found, coded, note


def in_short(column: TableColumn) -> str:
    """Return the column's name, kind and first words, as in the note about a table."""
    return f"{shortened(column.name)} ({column.kind}{_words(column)})"


def _words(column: TableColumn) -> str:
    return f": {listed([str(word) for word in column.words])}" if column.is_words else ""


def _cells(column: Column, kind: Any, table: Table, text: bool = False) -> Cells:
    """Convert a column of a file to cells. text: whether numbers are read as text."""
    values: NDArray[Any] = np.full(len(table.places), None, dtype=object)
    if column.numbers is None or text:
        values[:] = [word or None for word in column.words()]
    elif kind in NUMBERS:
        values = column.numbers
    else:
        known = ~np.isnan(column.numbers)
        values[known] = [plain(value) for value in column.numbers[known].tolist()]
    return Cells(column.name, values, "", places=table.places, unit=table.unit)


def coded_cells(
    column: TableColumn,
    source: Column,
    table: Table,
    unknown: Callable[[int, str], None] | None = None,
) -> Array:
    """Convert a column of a file to numbers, by the values and words of a known column.

    unknown: called with the row and the text of an unknown word, which then is missing. Without it,
    raises DataError for an unknown word, and names its cell.
    """
    text = any(isinstance(word, str) for word in column.words)
    truths = any(isinstance(word, bool) for word in column.words)
    if source.numbers is None and not (text or truths):
        return as_numbers([source], table)[:, 0]  # raises an error with the name of the cell
    cells = _cells(source, column.kind, table, text)
    if truths and source.numbers is None:
        named = {str(word).lower(): word for word in column.words}
        for row, value in enumerate(cells.values):
            cells.values[row] = named.get(str(value).lower(), value)
    known = {*column.words, *dict(column.slips)} if column.is_words else set()
    for row, value in enumerate(cells.values):
        if known and value is not None and value not in known:
            if unknown is not None:
                unknown(row, str(value))
                cells.values[row] = None
                continue
            words = listed([str(word) for word in column.words], 10)
            raise DataError(
                f"{table.name}, {cells.place(row)}, column “{column.name}”: the model does not "
                f"know “{value}”. It has learnt {words}. Correct the cell, or leave it empty: an "
                "empty cell is a gap that the model fills."
            )
    with _naming(table):
        return coded_column(column, cells)


@contextlib.contextmanager
def _naming(table: Table) -> Iterator[None]:
    """Name the file in front of an error's message."""
    try:
        yield
    except DataError as error:
        raise DataError(f"{table.name}: {error.plain}.", script=error.script) from error
