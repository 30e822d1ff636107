"""Columns that name the sequence of each row, such as subjects that were measured over time."""

from collections.abc import Sequence
from contextlib import suppress

import numpy as np
from jaxtyping import Int
from numpy.typing import NDArray

from gplvm_core.numerics import Int64Array, IntArray
from gplvm_core.readers.errors import DataError, listed, shortened
from gplvm_core.readers.tables.columns import MISSING, Column, Table
from gplvm_core.readers.tables.dates import (
    HINT,
    DateError,
    moments_of,
)

MOST_COLUMNS = 50  # columns that are examined
LEAST_STEPS = 6  # rows behind another row of their sequence; fewer may rise by chance


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
