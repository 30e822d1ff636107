"""The lines above the rows of a spreadsheet: titles, and column names that take two lines."""

import itertools
import re
from collections.abc import Iterator, Sequence

from gplvm_core.readers.errors import listed
from gplvm_core.readers.tables.columns import MISSING
from gplvm_core.readers.tables.numerals import has_unit, looks_numeric, number_in

MOST_TITLES, MOST_LINES = 5, 5
BELOW_ZERO = re.compile(r"\(\d+\)")  # (5), a number of accountants, not a unit
UNIT = re.compile(r"\[[^\[\]]{0,20}\]|\([^()]{0,20}\)")  # [m] or (s)
LOOKED_AT = 20  # number of rows below the lines of names that are examined


def title_lines(rows: Sequence[Sequence[str]]) -> int:
    """Return the number of lines above the column names that have a single cell of text."""
    for number, row in enumerate(rows[: MOST_TITLES + 1]):
        filled = [cell for cell in row if cell]
        if len(filled) != 1:
            wide = len(filled) > 1 and not any(map(is_value, filled))
            return number if wide else 0
        if is_value(filled[0]):
            return 0
    return 0


def names_in_lines(rows: Sequence[Sequence[str]]) -> tuple[int, list[str]] | None:
    """Return the number of lines of column names, if there are several, and the names; else None.

    Two lines are groups above names, or units below. Each word of a second line is above numbers,
    so the line is not a row of values; more lines have a word above every column of numbers. The
    first column may be without names, as above row numbers.
    """
    for count in range(MOST_LINES, 2, -1):
        *groups, last = [_filled(row) for row in rows[: count - 1]] + list(rows[count - 1 : count])
        below = rows[count : count + LOOKED_AT]
        lines = [*groups, last]
        start = int(not any(line[0] for line in lines))
        words = all(cell and not looks_numeric(cell) for line in lines for cell in line[start:])
        words &= not any(all(cell.lower() in MISSING for cell in line[1:]) for line in lines)
        numeric = (any(map(looks_numeric, column)) for column in zip(*below, strict=True))
        values = all(is_value(cell) for row in below for cell in row[1:])
        if len(below) > 1 and words and values and all(list(numeric)[1:]):
            return count, [" ".join(dict.fromkeys(parts)) for parts in zip(*lines, strict=True)]
    names = _two_lines_of_names(rows) if len(rows) > 2 else None
    return None if names is None else (2, names)


def _filled(line: Sequence[str]) -> list[str]:
    """Return a line with the name of a group in each of its columns."""
    groups: Iterator[str] = itertools.accumulate(line, lambda group, name: name or group)
    return list(groups)


def _two_lines_of_names(rows: Sequence[Sequence[str]]) -> list[str] | None:
    upper, lower = rows[0], rows[1]
    below = rows[2 : 2 + LOOKED_AT]
    columns = range(int(not upper[0] and not lower[0]), len(upper))
    numeric = [d for d in columns if any(looks_numeric(row[d]) for row in below)]
    gaps = sum(cell.lower() in MISSING for cell in lower if cell)  # "Na" may mean sodium
    values = any(map(looks_numeric, [*upper, *lower])) or any(map(BELOW_ZERO.fullmatch, lower))
    if not numeric or values or 2 * gaps > len(numeric):
        return None
    # Each column of numbers needs a word in the second line, or a group's name in the first.
    # Otherwise the second line is taken as a row of values.
    grouped = not all(upper[columns[0] :])
    units = [*filter(None, lower)]
    again = any(
        cell in {row[d] for row in rows[2:LOOKED_AT]} for d, cell in enumerate(lower) if cell
    )
    if all(upper[columns[0] :]) and units and all(map(UNIT.fullmatch, units)) and not again:
        return [f"{name} {unit}".strip() for name, unit in zip(upper, lower, strict=True)]
    if not all(lower[d] or (grouped and upper[d]) for d in numeric) or not any(lower):
        return None
    if all(upper):
        return [
            f"{name} ({unit})" if unit else name for name, unit in zip(upper, lower, strict=True)
        ]
    pairs = zip(_filled(upper), lower, strict=True)
    return [" ".join(dict.fromkeys(filter(None, pair))) for pair in pairs]


def find_header(rows: Sequence[Sequence[str]]) -> tuple[bool, str]:
    """Return whether the first row names the columns, and the reason in words."""
    first = rows[0]
    units = [has_unit(cell) and not any(has_unit(row[d]) for row in rows[1 : 1 + LOOKED_AT])
             for d, cell in enumerate(first)]  # fmt: skip
    values = [d for d, cell in enumerate(first) if is_value(cell)]
    if any(units) and len(rows) > 1 and all(units[d] for d in values):
        return True, "the numbers of the first line have units, the others not"
    words = [cell for cell in first if not is_value(cell)]
    set_of_words = set(words)
    named = [d for d, cell in enumerate(first) if cell in set_of_words]
    if len(words) < 2 and len(rows) > 1:
        reason = _names_of_numbers(rows, named)
        if reason:
            return True, reason
    if not words:
        return False, "the first line has only numbers"
    if len(rows) == 1:
        return len(words) == len(first), "there is no other line"
    if any(looks_numeric(row[d]) for row in rows[1:] for d in named):
        return True, f"the first line has words ({listed(words, 3)}) where others have numbers"
    recur = any(row[d] in set_of_words for row in rows[1:] for d in named)
    if len(words) == len(first) and not recur:
        return True, f"the first line has only words ({listed(words, 3)}), which do not recur"
    return False, f"the words in the first line ({listed(words, 3)}) look like values"


def _names_of_numbers(rows: Sequence[Sequence[str]], named: Sequence[int]) -> str:
    """Return why the numbers of the first row are names of the columns, such as years or
    wavelengths; "" if they are values.
    """
    first, below = rows[0], rows[1 : 1 + LOOKED_AT]
    aside = named or [d for d in (0,) if not first[0]]  # a word or an empty cell above row names
    if any(row[d] in ("", first[d]) for row in rows[1:] for d in aside):
        return ""
    at = [d for d in range(len(first)) if d not in aside]
    names = [first[d] for d in at]
    others = [[row[d] for d in at] for row in below]
    if _counts_up(names) and not all(map(_evenly, others)):
        return "the first line only counts the columns"
    whole = all(name.isdecimal() for name in names) and len(set(names)) == len(names)
    if aside == [0] and not named and whole and _counts_up([row[0] for row in rows[1:]]):
        return "an empty cell is above the row numbers"
    if not rises(names):
        return ""
    even = _evenly(names) and not any(map(_evenly, others)) and (len(names) > 3 or bool(aside))
    if even or (_are_apart(names, others) and not all(map(rises, others))):
        return f"the numbers of the first line ({listed(names, 3)}) are in order, the others not"
    return ""


def _evenly(cells: Sequence[str]) -> bool:
    """Whether numbers rise or fall in equal steps."""
    if not rises(cells):
        return False
    values = _numbers(cells)
    steps = [after - before for before, after in itertools.pairwise(values)]
    return max(steps) - min(steps) <= 1e-6 * max(map(abs, values))


def _are_apart(names: Sequence[str], others: Sequence[Sequence[str]]) -> bool:
    """Whether names are years, or at least five numbers, and no value is between them."""
    named = _numbers(names)
    years = all(each.is_integer() and 1800 <= each <= 2100 for each in named)
    values = [value for row in others for value in _numbers(row)]
    inside = any(min(named) <= value <= max(named) for value in values)
    return (years or len(names) > 4) and bool(values) and not inside


def rises(cells: Sequence[str]) -> bool:
    """Whether at least three cells are numbers that only rise or only fall."""
    values = _numbers(cells)
    if len(cells) < 3 or len(values) < len(cells):
        return False
    pairs = list(itertools.pairwise(values))
    return all(a < b for a, b in pairs) or all(a > b for a, b in pairs)


def _numbers(cells: Sequence[str]) -> list[float]:
    return [value for cell in cells if (value := number_in(cell)) is not None]


def _counts_up(cells: Sequence[str]) -> bool:
    """Whether the cells are 0, 1, 2… or 1, 2, 3…, as programs number columns without names."""
    if len(cells) < 3 or not all(cell.isdecimal() for cell in cells):
        return False
    first = "01".find(cells[0])
    return first >= 0 and all(cell == str(n) for n, cell in enumerate(cells, start=first))


def is_value(cell: str) -> bool:
    """Whether a cell is a number or a mark of a missing value, and no name."""
    return looks_numeric(cell) or cell.lower() in MISSING
