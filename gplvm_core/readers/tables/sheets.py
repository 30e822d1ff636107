"""Read tables in Excel files by their typed cells; only words and mixed columns are text."""

import datetime
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gplvm_core.readers.errors import DataError, listed, parsing, plural
from gplvm_core.readers.limits import MEGABYTE, MOST_COLUMNS, MOST_TEXT, MOST_VALUES, check_at_most
from gplvm_core.readers.packages import require_packages
from gplvm_core.readers.sources import Archive, open_archive
from gplvm_core.readers.tables.columns import Column, Table, hours_column, text_column
from gplvm_core.readers.tables.csv_text import unmarked
from gplvm_core.readers.tables.lines import Grid
from gplvm_core.readers.tables.numerals import looks_numeric
from gplvm_core.readers.tables.text import table_of

DAY = datetime.timedelta(days=1)
# A spreadsheet stores a duration as days since its first date, and shows 25:30 as that date.
LONGEST = 60 * DAY
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
MERGED = re.compile(rb'<mergeCell [^>]*ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"')
HEAD, A_NUMBER = 200, "0"
"""Numbers in the first rows and in the first column have their text, which may show that the first
row has the names; any number stands for the others."""
MOST_ROWS = 2**20
"""Rows of a sheet. Spreadsheets write no more rows, but a file can give a row any number."""


def is_workbook(data: bytes, name: str) -> bool:
    """Whether these are the bytes of an Excel workbook (.xlsx)."""
    return data.startswith(ZIP_MAGIC) and WORKBOOK in open_archive(data, name).members


def parse_workbook(data: bytes, name: str, header: bool | None) -> Table:
    """Return the columns of the first sheet that holds a table, with values instead of formulas.

    Numbers, booleans (1 and 0), dates, times and durations keep their types; places are rows of the
    sheet. `header`: whether the first row names the columns; None: find out. Raises DataError for a
    damaged file or one without a table, and without the package openpyxl.
    """
    require_packages("Excel files", ("openpyxl",))
    import openpyxl

    archive = open_archive(data, name, most_unpacked=MOST_TEXT)
    _check_parts(archive, name)
    with parsing(name):
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        found = _first_table(book.worksheets, name)
        if found is not None:
            merged = _scanned(archive, found[0], name)
    if found is None:
        raise DataError(f"{name}: its first sheet holds no table. Put the table there.")
    sheet, rows = found
    others = [repr(other) for other in book.sheetnames if other != sheet.title]
    notes = [f"The sheet {sheet.title!r} was read."]
    if others:
        notes.append(f"Sheets not used: {listed(others)}.")
    if filled_cells := _fill_down(rows, merged):
        notes.append(f"Merged cells have their value in each row: {listed(filled_cells)}.")
    widest = max(map(len, rows))
    filled = [d for d in range(widest) if any(d < len(r) and not _is_blank(r[d]) for r in rows)]
    first, width = filled[0], filled[-1] + 1 - filled[0]
    if first:
        notes.append(f"Empty columns before the table were left out: {first}.")
    kept = {n: row[first : first + width] for n, row in enumerate(rows, start=1)
            if not all(map(_is_blank, row))}  # fmt: skip
    texts = [
        [_cell_text(cell) if number < HEAD or not d or type(cell) not in (int, float) else A_NUMBER
         for d, cell in enumerate(row)] + [""] * (width - len(row))
        for number, row in enumerate(kept.values())
    ]  # fmt: skip
    begin, end = min(kept), max(kept)
    empty = tuple(n for n in range(begin + 1, end) if n not in kept)
    start = book.epoch

    def typed(called: str, d: int, at: Sequence[int], sign: str) -> Column:
        cells = [kept[place][d] if d < len(kept[place]) else None for place in at]
        return _typed_column(called, cells, sign, start)

    of = f"; not read: {listed(others, 5)}" if others else ""
    table = table_of(
        Grid(texts, list(kept), empty),
        f"{name} (sheet {sheet.title!r}{of})",
        header,
        notes,
        unit="row",
        typed=typed,
    )
    return replace(table, file=name)


def _first_table(sheets: Sequence[Any], name: str) -> tuple[Any, list[Sequence[Any]]] | None:
    """Return the first sheet with values in two rows, or else the first with any cell."""
    any_cells = None
    for sheet in sheets:
        rows = _limited(sheet.iter_rows(values_only=True), name)
        with_values = (row for row in rows if any(map(_has_value, row)))
        if next(with_values, None) is not None and next(with_values, None) is not None:
            return sheet, rows
        if any_cells is None and any(not _is_blank(cell) for row in rows for cell in row):
            any_cells = sheet, rows
    return any_cells


def _has_value(cell: Any) -> bool:
    return looks_numeric(cell) if isinstance(cell, str) else cell is not None


def _scanned(archive: Archive, sheet: Any, name: str) -> list[tuple[str, int, int]]:
    """Return the merged cells of one column: the column's letters, the first and the last row.

    Refuses formulas without stored values, which would be read as empty cells.
    """
    found, rest = list[str](), b""
    with archive.file.open(sheet._worksheet_path) as file:
        while block := file.read(MEGABYTE):
            cells, end, rest = (rest + block).rpartition(b"</c>")
            found += [cell.decode() for cell in WITHOUT_VALUE.findall(cells + end)]
    if found:
        raise DataError(
            f"{name}: {plural(len(found), 'cell')} of the sheet {sheet.title!r} "
            f"{'has' if len(found) == 1 else 'have'} a formula without a stored value "
            f"({listed(found)}). Open the file in Excel or LibreOffice, and save it there."
        )
    ranges = ([each.decode() for each in found] for found in MERGED.findall(rest))
    return [(left, int(top), int(low)) for left, top, right, low in ranges if left == right]


def _fill_down(rows: list[Sequence[Any]], merged: Iterable[tuple[str, int, int]]) -> list[str]:
    """Give each cell of a merged column of cells its value; return the filled ranges."""
    from openpyxl.utils import column_index_from_string

    filled = []
    for letters, top, low in merged:
        d = column_index_from_string(letters) - 1
        if top > len(rows) or d >= len(rows[top - 1]) or _is_blank(rows[top - 1][d]):
            continue
        for n in range(top, min(low, len(rows))):
            rows[n] = [*rows[n][:d], rows[top - 1][d], *rows[n][d + 1 :]]
        filled.append(f"{letters}{top}:{letters}{low}")
    return filled


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


def _cell_text(cell: Any) -> str:
    """Return a cell as text: dates in ISO form, durations as hours, minutes and seconds."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return unmarked(cell.strip())
    if isinstance(cell, datetime.datetime):
        whole = cell.time() == datetime.time()
        return cell.date().isoformat() if whole else cell.isoformat(sep=" ")
    if isinstance(cell, datetime.timedelta):
        seconds = abs(cell).total_seconds()
        sign = "-" if cell < datetime.timedelta() else ""
        return f"{sign}{seconds // 3600:.0f}:{seconds // 60 % 60:02.0f}:{seconds % 60:02.0f}"
    return str(cell)


def _is_blank(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _typed_column(
    name: str, cells: Sequence[Any], decimal: str, start: datetime.datetime
) -> Column:
    """Return a column by the types of its cells; text if they have several.

    start: the first date of the spreadsheet, from which it counts days.
    """
    kinds = {type(cell) for cell in cells if not _is_blank(cell)}
    if kinds and kinds <= {int, float}:
        return Column(name, _floats(cells))
    texts = tuple(map(_cell_text, cells))
    if kinds == {bool}:
        return Column(name, _floats(cells), texts)
    hours = [_hours(cell, start) for cell in cells]
    # A duration from 24 hours on that is shown as hh:mm is a date near the first one.
    early = kinds == {datetime.datetime} and None not in hours
    if early or (kinds & {datetime.time, datetime.timedelta} and None not in hours):
        return hours_column(name, np.array(hours, float), of_day=kinds == {datetime.time})
    if kinds and kinds <= {datetime.datetime, datetime.date}:
        moments = np.array([cell or "NaT" for cell in cells], dtype="datetime64[us]")
        return Column(name, None, texts, moments=moments)
    return text_column(name, texts, "." if kinds & {int, float} else decimal)


def _floats(cells: Sequence[Any]) -> np.ndarray:
    given = [float("nan") if cell is None or isinstance(cell, str) else cell for cell in cells]
    return np.array(given, dtype=np.float64)


def _hours(cell: Any, start: datetime.datetime) -> float | None:
    """Return a time or duration in hours, NaN for a blank cell; None for other cells."""
    if _is_blank(cell):
        return float("nan")
    if isinstance(cell, datetime.time):
        cell = datetime.datetime.combine(start, cell) - start
    elif isinstance(cell, datetime.datetime):
        # Spreadsheets count 1900 as a leap year, so January and February are a day late.
        first = start if start.year == 1904 else start + DAY
        cell = cell - first
        if not datetime.timedelta() <= cell < LONGEST:
            return None
    return cell / DAY * 24.0 if isinstance(cell, datetime.timedelta) else None
