"""The lines above the rows of a spreadsheet: titles, and column names that take two lines."""

from collections.abc import Sequence

from gplvm_core.readers.tables.columns import MISSING
from gplvm_core.readers.tables.numerals import looks_numeric

MOST_TITLES = 5
LOOKED_AT = 20  # number of rows below the two lines of names that are examined


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


def two_lines_of_names(rows: Sequence[Sequence[str]]) -> list[str] | None:
    """Return column names that take two lines (groups above names, or units below), else None.

    The second line must have words in every column with numbers below, so it is not a row of
    values.
    """
    if len(rows) < 3:
        return None
    upper, lower = rows[0], rows[1]
    below = rows[2 : 2 + LOOKED_AT]
    numeric = [d for d in range(len(upper)) if any(looks_numeric(row[d]) for row in below)]
    gaps = sum(cell.lower() in MISSING for cell in lower if cell)  # "Na" may mean sodium
    if not numeric or any(map(looks_numeric, [*upper, *lower])) or 2 * gaps > len(numeric):
        return None
    grouped = not all(upper)
    # Each column of numbers needs a word in the second line, or a group's name in the first.
    # Otherwise the second line is taken as a row of values.
    if not all(lower[d] or (grouped and upper[d]) for d in numeric) or not any(lower):
        return None
    if not grouped:
        return [
            f"{name} ({unit})" if unit else name for name, unit in zip(upper, lower, strict=True)
        ]
    names, group = [], ""
    for above, name in zip(upper, lower, strict=True):
        group = above or group
        names.append(f"{group} {name}".strip())
    return names


def is_value(cell: str) -> bool:
    """Whether a cell is a number or a mark of a missing value, and no name."""
    return looks_numeric(cell) or cell.lower() in MISSING
