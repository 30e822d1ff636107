"""Find the cells of a text table that a spreadsheet would run as formulas."""

import re
from collections.abc import Iterator

# These are the separators of different countries, and the defaults of LibreOffice.
SEPARATORS = (",", ";", "\t", ",;\t")
BEGINNINGS = "=+-−@＝＋－＠"
HOSTILE = (
    "=1+1", "+1+1", "-1+1", "−1+1", "@SUM(1)", "＝1+1", "＠SUM(1)", '=HYPERLINK("http://a","b")',
    "=cmd|'/c calc'!A1", "\t=1+1", "\r=1+1", "\n=1+1", " =1+1", "\u00a0=1+1", "\ufeff=1+1",
    "\u200b=1+1", "\0=1+1", "a;=1+1", "a;=1+1;b", 'a;"=1+1"', 'a;"=1+1";b', "a\t=1+1\tb",
    "a,=1+1", "a\n=1+1", "a\r=1+1", '"=1+1"', '",=1+1', '";=1+1', "'=1+1", "''=1+1",
)  # fmt: skip


def formulas(text: str) -> set[str]:
    """Return the cells that begin like a formula."""
    return {
        cell
        for separators in SEPARATORS
        for cell in cells(text.removeprefix("\ufeff"), separators)
        if begins_like_one(cell)
    }


def begins_like_one(cell: str) -> bool:
    """Return whether spreadsheets may run the text; text that has only numbers is no formula."""
    seen = "".join(letter for letter in cell if letter.isprintable() and not letter.isspace())
    if not seen.lstrip('"').startswith(tuple(BEGINNINGS)):
        return False
    return re.fullmatch(r"[-−+.,;\deNA ]+", cell) is None


def cells(text: str, separators: str) -> Iterator[str]:
    """Split cells as spreadsheets do: only a quotation mark at a cell's start counts."""
    cell, quoted, at = "", False, 0
    while at < len(text):
        letter = text[at]
        if quoted and letter == '"':
            if text[at + 1 : at + 2] == '"':
                cell, at = f'{cell}"', at + 1
            else:
                quoted = False
        elif quoted:
            cell += letter
        elif letter == '"' and not cell:
            quoted = True
        elif letter in separators or letter in "\r\n":
            yield cell
            cell = ""
        else:
            cell += letter
        at += 1
    yield cell
