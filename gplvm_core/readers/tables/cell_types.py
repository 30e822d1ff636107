"""Columns of cells that have types of their own: numbers, booleans, dates, times and durations."""

import datetime
from collections.abc import Sequence
from typing import Any

import numpy as np

from gplvm_core.readers.tables.columns import Column, text_column
from gplvm_core.readers.tables.csv_text import unmarked

DAY = datetime.timedelta(days=1)
# A spreadsheet stores a duration as days since its first date, and shows 25:30 as that date.
LONGEST = 60 * DAY


def cell_text(cell: Any) -> str:
    """Return a cell as text: dates in ISO form, durations as hours, minutes and seconds."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return unmarked(cell.strip())
    if isinstance(cell, datetime.datetime):
        whole = cell.time() == datetime.time()
        return cell.date().isoformat() if whole else cell.isoformat(sep=" ")
    if isinstance(cell, datetime.timedelta):
        seconds = abs(cell).total_seconds()
        sign = "-" if cell < datetime.timedelta() else ""
        return f"{sign}{seconds // 3600:.0f}:{seconds // 60 % 60:02.0f}:{seconds % 60:02.0f}"
    return str(cell)


def is_blank(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def typed_column(name: str, cells: Sequence[Any], decimal: str, start: datetime.datetime) -> Column:
    """Return a column by the types of its cells; text if they have several.

    start: the first date of the spreadsheet, from which it counts days.
    """
    kinds = {type(cell) for cell in cells if not is_blank(cell)}
    if kinds and kinds <= {int, float}:
        return Column(name, _floats(cells))
    texts = tuple(map(cell_text, cells))
    if kinds == {bool}:
        return Column(name, _floats(cells), texts)
    hours = [_hours(cell, start) for cell in cells]
    # A duration from 24 hours on that is shown as hh:mm is a date near the first one.
    early = kinds == {datetime.datetime} and None not in hours
    if early or (kinds & {datetime.time, datetime.timedelta} and None not in hours):
        of_day = kinds == {datetime.time}
        what = "Times of day" if of_day else "Durations"
        note = f"{what} in {name} were read as hours."
        return Column(name, np.array(hours, float), of_day=of_day, notes=(note,))
    if kinds and kinds <= {datetime.datetime, datetime.date}:
        moments = np.array([cell or "NaT" for cell in cells], dtype="datetime64[us]")
        return Column(name, None, texts, moments=moments)
    return text_column(name, texts, "." if kinds & {int, float} else decimal)


def _floats(cells: Sequence[Any]) -> np.ndarray:
    given = [float("nan") if cell is None or isinstance(cell, str) else cell for cell in cells]
    return np.array(given, dtype=np.float64)


def _hours(cell: Any, start: datetime.datetime) -> float | None:
    """Return a time or duration in hours, NaN for a blank cell; None for other cells."""
    if is_blank(cell):
        return float("nan")
    if isinstance(cell, datetime.time):
        cell = datetime.datetime.combine(start, cell) - start
    elif isinstance(cell, datetime.datetime):
        # Spreadsheets count 1900 as a leap year, so January and February are a day late.
        first = start if start.year == 1904 else start + DAY
        cell = cell - first
        if not datetime.timedelta() <= cell < LONGEST:
            return None
    return cell / DAY * 24.0 if isinstance(cell, datetime.timedelta) else None
