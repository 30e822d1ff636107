"""Tables as CSV in which no text is a formula: spreadsheets run what begins like one."""

import csv
import io
from collections.abc import Iterable

from gplvm_core.datasets.columns import is_number

RISKY = ("=", "+", "-", "−", "@", "\t", "\r")
MARK = "'"
"""In front of it, spreadsheets take a cell for text."""


def is_risky(cell: object) -> bool:
    """Whether a spreadsheet may take a cell for a formula: text that begins like one."""
    return isinstance(cell, str) and cell.startswith(RISKY) and not is_number(cell)


def csv_text(rows: Iterable[Iterable[object]], *, as_text: bool = True) -> str:
    """Rows as CSV. as_text: cells that begin with = + - @, tab or return get an apostrophe."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in rows:
        writer.writerow([f"{MARK}{c}" if as_text and is_risky(c) else c for c in row])
    return text.getvalue()


def unmarked(cell: str) -> str:
    """A cell as it was before `csv_text` marked it."""
    return cell[1:] if cell.startswith(MARK) and is_risky(cell[1:]) else cell
