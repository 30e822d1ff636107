"""Read tables of text: find the delimiter, the header line and the decimal sign."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gplvm_core.readers.errors import DataError, listed, plural
from gplvm_core.readers.limits import MOST_COLUMNS, MOST_VALUES, check_at_most
from gplvm_core.readers.tables.clock import hours_note
from gplvm_core.readers.tables.columns import MISSING, Column, Table, text_column
from gplvm_core.readers.tables.csv_text import MARK, unmarked
from gplvm_core.readers.tables.headings import is_value, title_lines, two_lines_of_names
from gplvm_core.readers.tables.numerals import decimal_sign, looks_numeric, numerals_note

if TYPE_CHECKING:
    import _csv

DELIMITERS = ("\t", ";", "|", ",", " ")
"""Delimiters in the order in which they are tried; " " means any run of blanks."""

NAMES = {"\t": "tab", ";": "semicolon", "|": "bar", ",": "comma", " ": "blanks"}
SNIFFED_LINES = 100
DECLARED = re.compile(r'"?sep=(.)"?')  # an optional first line that tells Excel the delimiter


@dataclass(frozen=True)
class _Grid:
    """Rows of cells with the line number of each row.

    `empty` are the lines that contain only delimiters.
    """

    rows: list[list[str]]
    lines: list[int]
    empty: tuple[int, ...] = ()


def parse_text(data: bytes, name: str, header: bool | None) -> Table:
    """Read a table of text. `header`: whether the first line names the columns; None: find out.

    Raises DataError for files that are not text, and for rows of different lengths.
    """
    text, notes = _decode(data, name)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    del text  # frees memory: the file may be large
    comments = sum(line.lstrip().startswith("#") for line in lines)
    if comments:
        lines = ["" if line.lstrip().startswith("#") else line for line in lines]
        notes.append(f"Lines that begin with # were skipped: {comments:,}.")
    declared = DECLARED.fullmatch(lines[0].strip())
    if declared:
        lines[0] = ""
    filled = [line for line in lines if line.strip()]
    if not filled:
        raise DataError(f"{name} has no rows. A table needs at least two rows of numbers.")
    delimiter = declared[1] if declared else _sniff(filled[:SNIFFED_LINES])
    cells = _split(lines, delimiter, name)
    if not cells.rows:
        raise DataError(f"{name} has only empty cells. A table needs at least two rows.")
    if cells.empty:
        notes.append(f"Lines without any value were left out: {listed(_texts(cells.empty))}.")
    above = title_lines(cells.rows) if header is not False else 0
    if above:
        titles = listed([f"“{next(filter(None, row))}”" for row in cells.rows[:above]])
        notes.append(f"Lines above the table were left out: {titles}.")
        cells = replace(cells, rows=cells.rows[above:], lines=cells.lines[above:])
    grid, shape_notes = _rectangle(cells, name, delimiter)
    notes += shape_notes
    joined = two_lines_of_names(grid.rows) if header is not False else None
    if joined is not None:
        first_names = listed(joined, 3)
        notes.append(f"The first two lines were read as column names: {first_names}.")
        grid = replace(grid, rows=[joined, *grid.rows[2:]], lines=grid.lines[1:])
    if header is None:
        header, reason = _find_header(grid.rows)
    else:
        reason = "as given"
    first, names = (1, grid.rows[0]) if header else (0, [""] * len(grid.rows[0]))
    blank_first = bool(cells.empty) and cells.empty[0] < grid.lines[0]
    if header and blank_first and all(map(is_value, names)):
        first, names, header = 0, [""] * len(names), False
        reason = "the first line is blank, and the next one has only numbers"
        notes.append("The line of column names is blank: the columns were numbered.")
    rows = grid.rows[first:]
    if not rows:
        rest = "its other lines have no values" if cells.empty else "it needs lines with values"
        raise DataError(f"{name} has only column names: {rest}.")
    width = _filled_width(rows)
    if width < len(names):
        notes.append(f"Empty columns at the end were left out: {listed(names[width:])}.")
        names, rows = names[:width], [row[:width] for row in rows]
    sample = [cell for row in rows[:SNIFFED_LINES] for cell in row]
    decimal = decimal_sign(sample, either="." if delimiter == "," else ",")
    if decimal == ",":
        notes.append("Commas were read as decimal points.")
    names, name_notes = unique_names(names)
    if header:
        notes.append("The first line was read as column names.")
    columns = tuple(
        text_column(column, below, decimal)
        for column, below in zip(names, zip(*rows, strict=True), strict=True)
    )
    notes += reading_notes(columns)
    places = grid.lines[first:]
    return Table(
        name=name,
        columns=columns,
        places=np.array(places, dtype=np.int64),
        unit="line",
        notes=(*notes, *name_notes),
        delimiter=delimiter,
        header=header,
        header_reason=reason,
        blank=tuple(line for line in cells.empty if places[0] < line < places[-1]),
    )


def reading_notes(columns: Iterable[Column]) -> list[str]:
    """Return notes on cells of text that were read as numbers without their units or separators,
    or as hours.
    """
    read = [column for column in columns if column.example and column.numbers is not None]
    notes = []
    for of_day, note in ((False, numerals_note), (True, hours_note)):
        examples = [(c.name, c.example) for c in read if c.example and c.of_day is of_day]
        if examples:
            notes.append(note(examples))
    return notes


def _decode(data: bytes, name: str) -> tuple[str, list[str]]:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return data.decode("utf-16"), []
        except UnicodeDecodeError as error:
            raise DataError(f"{name} is damaged UTF-16 text: {error}. Save it as UTF-8.") from error
    if b"\0" in data:
        raise DataError(
            f"{name} is not a text file. CSV (text), NPZ and NPY tables are read; save a "
            "spreadsheet as CSV."
        )
    try:
        return data.decode("utf-8-sig"), []
    except UnicodeDecodeError:
        pass
    try:
        return data.decode("cp1252"), ["The text is not UTF-8 and was read as Windows-1252."]
    except UnicodeDecodeError:
        return data.decode("latin-1"), ["The text is not UTF-8 and was read as Latin-1."]


def _sniff(lines: Sequence[str]) -> str:
    """Return the first delimiter that gives nearly all lines the same number of cells, or else the
    one that comes closest.
    """
    best, best_share = ",", 0.0
    for delimiter in DELIMITERS:
        try:
            widths = Counter(len(row) for row in _reader(lines, delimiter))
        except csv.Error:
            continue
        width, count = widths.most_common(1)[0]
        share = count / widths.total() if width > 1 else 0.0
        if share >= 0.9:
            return delimiter
        if share > best_share:
            best, best_share = delimiter, share
    return best


def _reader(lines: Iterable[str], delimiter: str) -> "_csv.Reader":
    if delimiter != " ":
        return csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
    # Any run of blanks outside quotation marks is one delimiter.
    single = (
        re.sub(r'("[^"]*")|\s+', lambda found: found[1] or " ", line.strip()) for line in lines
    )
    return csv.reader(single, delimiter=" ", strict=True)


def _split(lines: Sequence[str], delimiter: str, name: str) -> _Grid:
    rows: list[list[str]] = []
    numbers: list[int] = []
    empty: list[int] = []
    n_cells = 0
    any_marked = any(MARK in line for line in lines)
    reader = _reader((f"{line}\n" for line in lines), delimiter)
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any_marked:
                cells = [unmarked(cell) if MARK in cell else cell for cell in cells]
            if any(cells):
                rows.append(cells)
                numbers.append(reader.line_num)
                n_cells += len(cells)
            elif len(cells) > 1:
                empty.append(reader.line_num)
            check_at_most(len(cells), MOST_COLUMNS, "columns", name, "Leave out columns.")
            check_at_most(n_cells, MOST_VALUES, "cells or more", name, "Use fewer rows.")
    except csv.Error as error:
        line = (numbers[-1] if numbers else 0) + 1
        raise DataError(
            f"{name}, line {line}: {error}; a quotation mark may not be closed. Correct the line."
        ) from error
    return _Grid(rows, numbers, tuple(empty))


def _texts(numbers: Iterable[int]) -> list[str]:
    return [str(number) for number in numbers]


def _filled_width(rows: list[list[str]]) -> int:
    """Return the number of columns up to the last one with a value, at least one."""
    width = len(rows[0])
    while width > 1 and not any(row[width - 1] for row in rows):
        width -= 1
    return width


def _rectangle(grid: _Grid, name: str, delimiter: str) -> tuple[_Grid, list[str]]:
    """Check that all rows have the same length, except for known peculiarities of spreadsheets and
    R.
    """
    widths = Counter(len(row) for row in grid.rows)
    width = widths.most_common(1)[0][0]
    rows = grid.rows
    if len(rows[0]) == width - 1 and set(widths) == {width, width - 1} and widths[width - 1] == 1:
        # R's write.table names every column except the column of row names.
        return _Grid([["", *rows[0]], *rows[1:]], grid.lines), []
    odd = [i for i, row in enumerate(rows) if len(row) != width]
    if odd:
        first = odd[0]
        begin = [cell for row in rows[:SNIFFED_LINES] for cell in row]
        if 2 * len(odd) >= len(rows) and not any(map(looks_numeric, begin)):
            raise DataError(
                f"{name} looks like text, not a table: its lines have {min(widths)} to "
                f"{max(widths)} cells. Every row of a table must have the same number of cells."
            )
        others = listed(_texts(grid.lines[i] for i in odd))
        raise DataError(
            f"{name}, line {grid.lines[first]}: {plural(len(rows[first]), 'cell')}, but most lines "
            f"have {width} (separated by {NAMES.get(delimiter, delimiter)}). Rows must have the "
            f"same length; correct the lines {others}."
        )
    filled = _filled_width(rows)
    if filled == width:
        return grid, []
    notes = ["Empty columns at the end of the lines were left out."]
    return _Grid([row[:filled] for row in rows], grid.lines), notes


def _find_header(rows: list[list[str]]) -> tuple[bool, str]:
    first = rows[0]
    words = [cell for cell in first if cell.lower() not in MISSING and not looks_numeric(cell)]
    if not words:
        if len(rows) > 1 and _counts_up(first) and not _counts_up(rows[1]):
            return True, "the first line only counts the columns"
        return False, "the first line has only numbers"
    set_of_words = set(words)
    if len(rows) == 1:
        return len(words) == len(first), "there is no other line"
    named = [d for d, cell in enumerate(first) if cell in set_of_words]
    if any(looks_numeric(row[d]) for row in rows[1:] for d in named):
        return True, f"the first line has words ({listed(words, 3)}) where others have numbers"
    recur = any(row[d] in set_of_words for row in rows[1:] for d in named)
    if len(words) == len(first) and not recur:
        return True, f"the first line has only words ({listed(words, 3)}), which do not recur"
    return False, f"the words in the first line ({listed(words, 3)}) look like values"


def _counts_up(cells: Sequence[str]) -> bool:
    """Whether the cells are 0, 1, 2… or 1, 2, 3…, as programs number columns without names."""
    if len(cells) < 3 or not all(cell.isdecimal() for cell in cells):
        return False
    first = "01".find(cells[0])
    return first >= 0 and all(cell == str(n) for n, cell in enumerate(cells, start=first))


def unique_names(names: list[str]) -> tuple[list[str], list[str]]:
    """Make the column names unique, with a note."""
    taken: Counter[str] = Counter()
    all_names = set(names)
    unique: list[str] = []
    for number, given in enumerate(names, start=1):
        name = given or f"column {number}"
        taken[name] += 1
        while taken[name] > 1 and f"{name} ({taken[name]})" in all_names:
            taken[name] += 1
        unique.append(name if taken[name] == 1 else f"{name} ({taken[name]})")
    repeated = [name for name, count in taken.items() if count > 1]
    notes = [f"Columns of the same name were numbered: {listed(repeated)}."] if repeated else []
    return unique, notes
