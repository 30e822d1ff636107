"""The times of the rows of a new sequence, from a column of their file."""

import re
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.errors import DataError, in_digits, plural, shortened
from gplvm_core.readers.new_rows import FileColumn
from gplvm_core.readers.tables.columns import Column, Table, text_column
from gplvm_core.readers.tables.dates import HINT, SECONDS
from gplvm_core.readers.tables.roles import times_in

SHORT_NAMES = re.compile(r"(t|s|ms|min|hours?|frames?|seconds?|minutes?|weeks?|months?|years?)\b")
RESTART = 0.05  # fraction of a sequence's span; a time this near its start begins another sequence
MOST_SEQUENCES = 50
MOST_COLUMNS = 30  # columns of a file that are examined


def time_columns(columns: Sequence[FileColumn]) -> tuple[str, ...]:
    """The columns of a file that may hold times; columns with a name for times come first.

    A column of times does not belong to the model, holds numbers, dates or times of day, and
    varies.
    """
    further = sorted(
        (each for each in columns if each.cells), key=lambda each: not is_named_time(each.name)
    )
    return tuple(each.name for each in further[:MOST_COLUMNS] if _may_be_times(each))


def is_named_time(name: str) -> bool:
    """Whether the name of a column says that it holds times."""
    low = name.strip().lower()
    return HINT.search(low) is not None or SHORT_NAMES.match(low) is not None


def row_times(column: FileColumn, time_unit: str = "") -> tuple[Float[Array, " n"], str]:
    """The times of the rows, and their unit in words ("" if unknown).

    time_unit: the unit of the model's times, in words; dates are counted in this unit. If the order
    of day and month is unclear, the order is used that gives increasing times. Raises DataError for
    rows without a time.
    """
    read = _column(column)
    table = Table("The table", (read,), np.arange(1, len(column.cells) + 1), "row", ())
    rows = np.arange(len(column.cells))
    first = time_unit.split(" ")[0]
    unit = first if first in SECONDS else None
    dates = read.dates
    if dates is None or dates.decided:
        return times_in(read, table, {}, rows, unit=unit)[:2]
    found = []
    for way in dates.formats:
        with suppress(DataError):
            found.append(times_in(read, table, {column.name: way}, rows, unit=unit)[:2])
    increasing = [each for each in found if (np.diff(each[0]) > 0.0).all()]
    if len(increasing) != 1:
        raise DataError(
            f"The dates in “{shortened(column.name)}” can be read with the day or the month first, "
            "and their order does not decide it. Write the year first, as in 2024-12-31."
        )
    return increasing[0]


def sequences_in(times: Float[Array, " n"], name: str = "time") -> tuple[slice, ...]:
    """The rows of each sequence. Another sequence begins where the times start again.

    Raises DataError for equal times and for times that are out of order.
    """
    steps = np.diff(times)
    same = np.flatnonzero(steps == 0.0)
    if len(same):
        row = int(same[0])
        more = f", and so in {plural(len(same) - 1, 'more place')}" if len(same) > 1 else ""
        raise DataError(
            f"Rows {row + 1} and {row + 2} have the same time in “{shortened(name)}” "
            f"({in_digits(times[row], 6)}){more}. A frame has one time: keep one of the rows. If "
            "they belong to two sequences, put one after the other, or bring one at a time."
        )
    back = np.flatnonzero(steps < 0.0)
    ends = [0, *(int(row) + 1 for row in back), len(times)]
    parts = tuple(slice(begin, end) for begin, end in pairwise(ends))
    for before, part in pairwise(parts):
        begin, end = times[before.start], times[before.stop - 1]
        restarts = times[part.start] <= begin + RESTART * (end - begin)
        if not restarts or len(parts) > MOST_SEQUENCES:
            raise DataError(
                f"The times in “{shortened(name)}” are out of order: row {part.start + 1} "
                f"({in_digits(times[part.start], 6)}) is before row {part.start} "
                f"({in_digits(end, 6)}). Sort the "
                "rows by time, or take them in the order of the table."
            )
    return parts


def _column(column: FileColumn) -> Column:
    return text_column(column.name, column.cells, column.decimal)


def _may_be_times(column: FileColumn) -> bool:
    read = _column(column)
    if read.numbers is not None:
        known = read.numbers[np.isfinite(read.numbers)]
        return len(known) > 1 and bool(np.ptp(known) > 0.0)
    return read.dates is not None or is_named_time(column.name)
