"""What is no value like the others: numbers such as −999 that repeat far from all others and stand
for missing values, and rows below a table with the sums or means of its columns.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.errors import listed, plural
from gplvm_core.readers.tables.columns import Column, Table

# Numbers that programs write for missing values: only nines (or eights, sevens), round negative
# numbers, limits of integers, and numbers like 1e35.
USUAL = re.compile(r"-?(?:9[9.]+|88+|77+)|-[125]0{2,}|-32768|-?32767|65535|-?214748364[78]")
BELOW_ZERO = re.compile(r"-(?:9+|8+|7+)")  # of surveys, beside numbers from 0 on
HUGE = 1e15
USUALLY, OTHERWISE = 1.0, 10.0  # the least distances to other values, as multiples of their range
ALSO = 0.1  # this distance in further columns, once a number is a code in one
LEAST_OTHERS, MANY = 3, 10  # least numbers of other values
MOST_CODES = 3  # on each side of a column
WORDS = {
    "sum": re.compile(
        r"(?:grand |sub)?totale?s?|sums?|summen?|(?:gesamt|zwischen)(?:summen?)?|insgesamt|somme"
        r"|suma|∑|Σ",
        re.IGNORECASE,
    ),
    "mean": re.compile(
        r"means?|averages?|avg\.?|mittelwerte?|mittel|durchschnitte?|moyenne|media|ø", re.IGNORECASE
    ),
}
MOST = 3  # rows at the end
LEAST = 3  # rows above them
CLOSE = 1e-3  # sums are rounded


@dataclass(frozen=True)
class MissingCode:
    """A number that may stand for missing values, how often it occurs, and in which columns.

    usual: whether programs often write this number for missing values. far: whether it is far from
    all other values; else it is one of the few numbers below 0.
    """

    value: float
    count: int
    columns: tuple[str, ...]
    usual: bool
    far: bool = True

    @property
    def words(self) -> str:
        """Return what was found, as one sentence."""
        why = "far from all other values" if self.far else "and other values are not below 0"
        where = listed(list(self.columns), 5)
        return f"{written(self.value)} occurs {self.count:,} times, {why} (in {where})."


def written(value: float) -> str:
    return f"{value:.10g}".replace("-", "−")


def missing_codes(columns: Sequence[Column]) -> tuple[MissingCode, ...]:
    """Return the numbers that may stand for missing values, because they repeat."""
    numeric = {
        column.name: column.numbers
        for column in columns
        if column.numbers is not None and not column.of_day
    }
    far = [(column, values) for column in columns
           if column.name in numeric and (values := _far(numeric[column.name]))]  # fmt: skip
    found = {value for column, values in far if column.dates is None for value in values}
    near = {value for own in numeric.values() for value in _below_zero(own)} - found
    codes = []
    for value in sorted(found | near):
        at = [(name, _count(numbers, value, found | near)) for name, numbers in numeric.items()]
        count, names = sum(n for _, n in at), tuple(name for name, n in at if n)
        if count > 1:
            codes.append(MissingCode(value, count, names, is_usual(value), value in found))
    return tuple(codes)


def is_usual(value: float) -> bool:
    """Whether programs often write this number for missing values."""
    return abs(value) >= HUGE or USUAL.fullmatch(f"{value:.10g}") is not None


def _far(numbers: Float[Array, " N"]) -> list[float]:
    """Return the values at the ends of a column that are far from all others."""
    known = numbers[np.isfinite(numbers)]
    found: list[float] = []
    for sign in (1.0, -1.0):
        rest, ends = sign * known, list[float]()
        while len(rest) and len(ends) < MOST_CODES:
            end = float(rest.min())
            usual = is_usual(sign * end)
            others = rest[rest > end]
            if len(others) < (LEAST_OTHERS if usual else MANY) or (ends and not usual):
                break
            ends.append(sign * end)
            low, high = others.min(), others.max()
            repeats = usual or (np.sum(rest == end) > 1 and len(np.unique(others)) >= LEAST_OTHERS)
            if low - end > (USUALLY if usual else OTHERWISE) * (high - low) > 0.0 and repeats:
                found += ends
                ends = []
            elif not usual:
                break
            rest = others
    return found


def _below_zero(numbers: Float[Array, " N"]) -> list[float]:
    """Return the numbers below 0 of a column, if they are few, usual codes, and repeat."""
    known = numbers[np.isfinite(numbers)]
    below = known[known < 0.0]
    if len(known) - len(below) < LEAST_OTHERS or not len(below) or not _is_code(below.max()):
        return []
    codes, counts = np.unique(below, return_counts=True)
    few = len(codes) <= MOST_CODES and all(map(_is_code, codes))
    return codes.tolist() if few and counts.max() > 1 else []


def _is_code(value: float) -> bool:
    return BELOW_ZERO.fullmatch(f"{value:.10g}") is not None


def _count(numbers: Float[Array, " N"], value: float, codes: set[float]) -> int:
    """Return how often a code occurs in a column, 0 if it may be a value like the others."""
    known = numbers[np.isfinite(numbers)]
    count = int(np.sum(known == value))
    others = known[~np.isin(known, list(codes))] if count else known
    if count and len(others):
        low, high = others.min(), others.max()
        if low >= 0.0 and _is_code(value):
            return count
        if max(low - value, value - high) <= ALSO * (high - low):
            return 0
    return count


def without_codes(table: Table, codes: Iterable[float]) -> Table:
    """Return the table with these numbers as missing values, and a note that counts them."""
    gone, count = list(codes), 0
    if not gone:
        return table
    columns = []
    for column in table.columns:
        numbers = column.numbers
        if numbers is not None and not column.of_day and (hit := np.isin(numbers, gone)).any():
            count += int(hit.sum())
            texts = column.texts and tuple(
                "" if each else text for text, each in zip(column.texts, hit, strict=True)
            )
            column = replace(column, numbers=np.where(hit, np.nan, numbers), texts=texts)
        columns.append(column)
    words = listed([f"{value:.10g}" for value in gone])
    note = f"Read as missing values: {words}, in {plural(count, 'cell')}."
    return replace(table, columns=tuple(columns), notes=(*table.notes, note)) if count else table


def total_rows(table: Table) -> list[str]:
    """Return a question for each of the last rows that seems to hold sums or means."""
    numeric = [column.numbers for column in table.columns if column.numbers is not None]
    words = [column.texts for column in table.columns if column.numbers is None and column.texts]
    count = len(table.places)
    if not numeric or not words:
        return []
    called: dict[int, tuple[str, str]] = {}
    for row in range(max(count - MOST, LEAST), count):
        for cell in (own[row] for own in words):
            what = next((w for w, each in WORDS.items() if each.fullmatch(cell.strip(": ="))), "")
            if what:
                called.setdefault(row, (what, cell))
    rows = [row for row in range(count) if row not in called]
    return [
        f"{table.unit.capitalize()} {table.places[row]} (“{cell}”) has the {what}s of the rows "
        "above. Is it a row like the others? If not, delete it from the file."
        for row, (what, cell) in called.items()
        if _match(
            [each[[n for n in rows if n < row]] for each in numeric],
            [each[row] for each in numeric],
            what,
        )
    ]


def _match(columns: list[Float[Array, " n"]], found: list[float], what: str) -> bool:
    """Whether at least half of the numbers of a row are the sums, or means, of the columns."""
    function = np.nansum if what == "sum" else np.nanmean
    known = [
        (float(function(column)), value)
        for column, value in zip(columns, found, strict=True)
        if np.isfinite(value) and np.isfinite(column).any()
    ]
    close = [abs(expected - value) <= CLOSE * abs(expected) for expected, value in known]
    return 2 * sum(close) >= len(close) > 0
