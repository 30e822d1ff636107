"""Rows below a table that hold the sums or means of its columns, as people add in spreadsheets."""

import re

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.tables.columns import Table

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
