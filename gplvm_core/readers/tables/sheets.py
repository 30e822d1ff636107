"""Convert tables in Excel files to text for the table reader, so that a single module recognises
names, missing values and numbers.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

from gplvm_core.readers.errors import DataError, listed, parsing, plural
from gplvm_core.readers.limits import MOST_COLUMNS, MOST_TEXT, MOST_VALUES, check_at_most
from gplvm_core.readers.packages import require_packages
from gplvm_core.readers.sources import Archive, open_archive

WORKBOOK = "xl/workbook.xml"
ZIP_MAGIC = b"PK\x03\x04"
SHEETS = "xl/worksheets/"
LARGE_PARTS = ("xl/sharedStrings.xml", "xl/calcChain.xml", "xl/pivotCache/")
MOST_IN_LARGE, MOST_IN_SMALL = 2_000_000, 200_000
"""XML elements of a workbook's parts other than sheets."""
# A formula whose value is an empty text has the type "str".
WITHOUT_VALUE = re.compile(
    rb'<c r="([A-Z]{1,3}\d{1,7})"(?![^>]*t="str")[^>]*>'
    rb"<f(?:[^>]*/>|[^>]*>[^<]*</f>)\s*(?:<v\s*/>|<v></v>)?\s*</c>"
)
MOST_ROWS = 2**20
"""Rows of a sheet. Spreadsheets write no more rows, but a file can give a row any number."""


def is_workbook(data: bytes, name: str) -> bool:
    """Whether these are the bytes of an Excel workbook (.xlsx)."""
    return data.startswith(ZIP_MAGIC) and WORKBOOK in open_archive(data, name).members


def workbook_text(data: bytes, name: str) -> tuple[bytes, tuple[str, ...]]:
    """Return the first sheet as comma-separated text, with values instead of formulas; and notes.

    Raises DataError for a damaged file or one without a table, and without the package openpyxl.
    """
    require_packages("Excel files", ("openpyxl",))
    import openpyxl

    archive = open_archive(data, name, most_unpacked=MOST_TEXT)
    _check_parts(archive, name)
    with parsing(name):
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheets = book.sheetnames
        sheet = book.worksheets[0] if book.worksheets else None
        rows = [] if sheet is None else _limited(sheet.iter_rows(values_only=True), name)
        if sheet is not None:
            _check_formulas(archive.read(sheet._worksheet_path), sheet.title, name)
    # The declared size of a sheet may be larger than its content.
    rows = [row for row in rows if any(cell is not None for cell in row)]
    if sheet is None or not rows:
        raise DataError(f"{name}: its first sheet holds no table. Put the table there.")
    width = max(max(n for n, cell in enumerate(row) if cell is not None) for row in rows) + 1
    notes = [f"The sheet {sheet.title!r} was read."]
    if len(sheets) > 1:
        others = [repr(other) for other in sheets if other != sheet.title]
        notes.append(f"Sheets not used: {listed(others)}.")
    return _text(row[:width] for row in rows), tuple(notes)


def _check_formulas(sheet: bytes, title: str, name: str) -> None:
    """Refuse formulas without stored values, which would be read as empty cells."""
    found = [cell.decode() for cell in WITHOUT_VALUE.findall(sheet)]
    if found:
        raise DataError(
            f"{name}: {plural(len(found), 'cell')} of the sheet {title!r} "
            f"{'has' if len(found) == 1 else 'have'} a formula without a stored value "
            f"({listed(found)}). Open the file in Excel or LibreOffice, and save it there."
        )


def _check_parts(archive: Archive, name: str) -> None:
    """Refuse parts with too many XML elements, because openpyxl makes an object of each element."""
    for member in archive.members:
        if not member.startswith(SHEETS):
            most = MOST_IN_LARGE if member.startswith(LARGE_PARTS) else MOST_IN_SMALL
            count = archive.read(member).count(b"<")
            check_at_most(count, most, f"elements in {member}", name, "Save the table as CSV.")


def _limited(rows: Iterable[Sequence[Any]], name: str) -> list[Sequence[Any]]:
    kept, cells = [], 0
    for number, row in enumerate(rows, start=1):
        check_at_most(number, MOST_ROWS, "rows or more", name, "Leave out rows.")
        cells += len(row)
        check_size(cells, len(row), name)
        kept.append(row)
    return kept


def check_size(cells: int, columns: int, name: str) -> None:
    """Raise a DataError for a table with more cells or columns than are read."""
    check_at_most(columns, MOST_COLUMNS, "columns", name, "Leave out columns.")
    check_at_most(cells, MOST_VALUES, "cells or more", name, "Leave out rows.")


def _text(rows: Iterable[Iterable[Any]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")  # so that cells with \r or \n are quoted
    writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return text.getvalue().encode("utf-8", "replace")
