"""Columns of times of day ("14:35", "09:12:05", "2:35 pm"), read as hours since midnight."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from gplvm_core.readers.errors import listed

TIME_OF_DAY = re.compile(
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}(?:[.,]\d{1,9})?))?"
    r"(?:\s*(?P<half>[AaPp])\.?[Mm]\.?)?"
)
LONGEST = 24  # maximum number of characters of a time of day
# If at least this fraction of a column's cells are times, the other cells are mistakes.
MOSTLY = 0.8


@dataclass(frozen=True, eq=False)
class Hours:
    """The cells of a column as hours since midnight, NaN where missing.

    `problem` is the row of the first cell that is not a time of day; `share` is the fraction of
    cells that are times of day. `example` is the first time of day, as text and in hours.
    """

    values: Float[np.ndarray, " N"]
    problem: int | None
    share: float
    example: tuple[str, float]


def read_hours(cells: Sequence[str], missing: frozenset[str]) -> Hours | None:
    """Read a column of times of day; None if it holds anything else."""
    known = [n for n, cell in enumerate(cells) if cell.lower() not in missing]
    found = {n: _hours(cells[n]) for n in known}
    times = {n: hours for n, hours in found.items() if hours is not None}
    if not times or len(times) < MOSTLY * len(known):
        return None
    values = np.full(len(cells), np.nan)
    values[list(times)] = list(times.values())
    first = next(iter(times))
    problem = next((n for n in known if n not in times), None)
    return Hours(values, problem, len(times) / len(known), (cells[first], times[first]))


def _hours(cell: str) -> float | None:
    match = TIME_OF_DAY.fullmatch(cell) if len(cell) <= LONGEST else None
    if match is None:
        return None
    hour, minute = int(match["hour"]), int(match["minute"])
    second = float((match["second"] or "0").replace(",", "."))
    if match["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match["half"] in "pP" else 0)
    hours = hour + minute / 60.0 + second / 3600.0
    return hours if minute < 60 and second < 60.0 and hours <= 24.0 else None


def hours_note(examples: Sequence[tuple[str, tuple[str, float]]]) -> str:
    """Return a note on the columns of times of day, with an example for each."""
    words = [f"{name} (“{cell}” is {hours:.4g})" for name, (cell, hours) in examples]
    return f"Times of day were read as hours since midnight: {listed(words, 3)}."
