"""Columns of times of day ("14:35", "2:35 pm") and durations ("25:30:00"), read as hours."""

import re
from collections.abc import Sequence

from gplvm_core.readers.errors import in_digits
from gplvm_core.readers.tables.numerals import Numerals

TIME = re.compile(
    r"(?:(?P<minus>-)?(?:(?P<days>\d{1,6})\s*(?:days?|d),?\s+\+?)?)"
    r"(?P<hour>\d{1,6}):(?P<minute>\d{2})(?::(?P<second>\d{2}(?:[.,]\d{1,9})?))?"
    r"(?:\s*(?P<half>[AaPp])\.?[Mm]\.?|\s*(?:Uhr|h))?"
)
# Two dots or a word mark a time, because 14.35 is a number.
WITH_DOTS = re.compile(r"(\d{1,2})\.(\d{2})(?:\.(\d{2})|\s*(?:Uhr|h))")
WITH_H = re.compile(r"(\d{1,6})\s*h\s*(\d{2})")
CLOCK = re.compile(r"\d{1,6}:\d{2}")  # beyond 24:00, hours and minutes or minutes and seconds
LONGEST = 32  # maximum number of characters of a time of day
# If at least this fraction of a column's cells are times, the other cells are mistakes.
MOSTLY = 0.8


def read_hours(cells: Sequence[str], missing: frozenset[str]) -> Numerals | None:
    """Read a column of times of day or durations as hours; None if it holds anything else.

    One time from 24:01 on, below 0 or with days makes the cells durations.
    """
    found = {cell: hours for cell in dict.fromkeys(cells) if (hours := _hours(cell)) is not None}
    if not found:
        return None
    gap = float("nan")
    values = [gap if cell.lower() in missing else found.get(cell) for cell in cells]
    of_day = all(0.0 <= hours <= 24.0 and "d" not in cell for cell, hours in found.items())
    cell, value = next(iter(found.items()))
    note = f"are durations in hours (“{cell}” is {in_digits(value)})"
    read = Numerals(values, (cell, value) if of_day else None, () if of_day else (note,), of_day)
    return read if read.share >= MOSTLY else None


def _hours(cell: str) -> float | None:
    if len(cell) > LONGEST:
        return None
    other = WITH_DOTS.fullmatch(cell) or WITH_H.fullmatch(cell)
    match = TIME.fullmatch(":".join(filter(None, other.groups())) if other else cell)
    if match is None:
        return None
    hour, minute = int(match["hour"]), int(match["minute"])
    second = float((match["second"] or "0").replace(",", "."))
    if match["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match["half"] in "pP" else 0)
    if minute >= 60 or second >= 60.0:
        return None
    sure = match["second"] or match["days"] or WITH_H.fullmatch(cell)
    if not sure and (hour, minute) > (24, 0):
        return None  # hours and minutes, or minutes and seconds
    days, hours = 24.0 * int(match["days"] or 0), hour + minute / 60.0 + second / 3600.0
    if match["minus"]:  # "-1 days +23:00:00" is one hour below 0
        return hours - days if "+" in cell else -hours - days
    return days + hours
