"""Columns that name the sequence of each row, such as subjects that were measured over time."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Int
from numpy.typing import NDArray

from gplvm_core.numerics import Int64Array, IntArray
from gplvm_core.readers.errors import DataError, listed, shortened
from gplvm_core.readers.tables.columns import MISSING, Column, Table
from gplvm_core.readers.tables.dates import (
    HINT,
    DateError,
    find_dates,
    moments_of,
)

MOST_COLUMNS = 50  # columns that are examined
LEAST_STEPS = 6  # rows behind another row of their sequence; fewer may rise by chance


def find_sequences(columns: Sequence[Column]) -> tuple[str, str] | None:
    """Return the names of a column of sequences and of one of times, if the table seems to have
    them.

    The rows of a sequence are together, and the times rise in each sequence, but not in the table.
    """
    for column in columns[:MOST_COLUMNS]:
        starts = _starts(column)
        if starts is None:
            continue
        inside = np.delete(np.arange(starts[0] - 1), starts[1:] - 1)
        for other in sorted(columns[:MOST_COLUMNS], key=lambda each: not HINT.search(each.name)):
            steps = _steps(other) if other.name != column.name else None
            if steps is not None and (steps[inside] > 0).all() and not (steps >= 0).all():
                return column.name, other.name
    return None


def _starts(column: Column) -> NDArray[np.intp] | None:
    """Return the number of rows, and the first row of each sequence but the first one.

    None if the column cannot name sequences: a cell is missing, or equal cells are apart.
    """
    if column.numbers is not None:
        cells = column.numbers
        if np.isnan(cells).any():
            return None
        starts = np.flatnonzero(np.diff(cells) != 0.0) + 1
        first = cells[np.r_[0, starts]]
    else:
        begins = dict[str, int]()
        words = column.texts or ()
        for n, word in enumerate(words):
            if n and word == words[n - 1]:
                continue
            if word in begins or word.lower() in MISSING:
                return None
            begins[word] = n
        starts, first = np.array([*begins.values()][1:], np.intp), np.array([*begins])
        cells = first
    count = len(column.numbers if column.numbers is not None else column.texts or ())
    if not len(cells) or not 0 < len(starts) < count - LEAST_STEPS:
        return None
    return np.r_[count, starts] if len(np.unique(first)) == len(first) else None


def _steps(column: Column) -> NDArray[np.float64] | None:
    """Return the differences of neighbouring rows; None for words, and if a value is missing."""
    numbers = column.numbers
    dates = find_dates(column) if numbers is None else None
    if dates is not None and dates.decided:
        try:
            moments = moments_of(column, dates.formats[0])[0]
        except DateError:
            return None
        numbers = np.where(np.isnat(moments), np.nan, moments.astype(np.int64).astype(float))
    if numbers is None or not np.isfinite(numbers).all():
        return None
    return np.diff(numbers)


def sequences_in(
    column: Column, table: Table, rows: Int[IntArray, " n"]
) -> tuple[Int[Int64Array, " n"], str]:
    """Return the number of the sequence of each row, by first appearance, and a note.

    Raises DataError for a row without a name of its sequence.
    """
    words = column.words()
    missing = [str(table.places[n]) for n in rows if not words[n]]
    called = shortened(column.name)
    if missing:
        raise DataError(
            f"{table.name}: the column {called!r} names the sequences, but is empty in "
            f"{table.unit} {listed(missing)}. Fill the cells in, or leave the rows out."
        )
    names = list(dict.fromkeys(words[n] for n in rows))
    number = {name: n for n, name in enumerate(names)}
    note = f"{len(names)} sequences, named by {called}: {listed(names, 5)}."
    return np.array([number[words[n]] for n in rows], dtype=np.int64), note
