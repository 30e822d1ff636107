"""Write CSV and HTML that contain no formulas, because spreadsheets run the formulas in a file."""

import re
from collections.abc import Iterable
from html import escape

from gplvm_core.readers.tables.numerals import is_number

MARK = "'"
"""Spreadsheets treat a cell that begins with this mark as text."""
JOINT = "\u2060"
"""The mark for HTML pages, where this character is invisible."""
# Spreadsheets skip blanks, byte order marks and similar characters in front of a formula. The
# separators between cells depend on the country, and a quotation mark protects only the beginning
# of a cell.
PIECE = re.compile(r"[^;\t\r\n]+")
FORMULA = re.compile(
    r"[\s'\"\x00-\x20\x7f-\xa0\u200b-\u200f\u2060\ufeff]*[-=+@\u2212\uff1d\uff0b\uff0d\uff20]"
)
QUOTED = re.compile(r'[",;\t\r\n]')


def is_risky(cell: object) -> bool:
    """Whether a spreadsheet may read a cell, or the part of it after a separator, as a formula."""
    return isinstance(cell, str) and marked(cell) != cell


def csv_text(rows: Iterable[Iterable[object]], *, as_text: bool = True) -> str:
    """Write rows as CSV. as_text: put an apostrophe before text that begins like a formula."""
    lines = (
        ",".join(_quoted(marked(c) if as_text and isinstance(c, str) else c) for c in row)
        for row in rows
    )
    return "".join(f"{line}\n" for line in lines)


def marked(cell: str) -> str:
    """Return text with an apostrophe before each piece that begins like a formula."""
    return PIECE.sub(lambda piece: f"{MARK}{piece[0]}" if _begins(piece[0]) else piece[0], cell)


def unmarked(cell: str) -> str:
    """Remove the apostrophes that `csv_text` added to a cell."""
    return PIECE.sub(
        lambda piece: piece[0][1:] if piece[0][0] == MARK and _begins(piece[0][1:]) else piece[0],
        cell,
    )


def html_text(text: str) -> str:
    """Escape text for HTML, where spreadsheets run formulas in paragraphs and cells, too."""
    return escape(f"{JOINT}{text}" if _begins(text) else text)


def _begins(piece: str) -> bool:
    return FORMULA.match(piece) is not None and not is_number(piece)


def _quoted(cell: object) -> str:
    text = "" if cell is None else str(cell)
    return '"' + text.replace('"', '""') + '"' if QUOTED.search(text) else text
