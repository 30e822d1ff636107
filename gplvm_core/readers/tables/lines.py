"""Split text into rows of cells: find its comments and its delimiter."""

import csv
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gplvm_core.readers.errors import DataError, listed
from gplvm_core.readers.limits import MOST_COLUMNS, MOST_VALUES, check_at_most
from gplvm_core.readers.tables.columns import MISSING
from gplvm_core.readers.tables.csv_text import MARK, unmarked
from gplvm_core.readers.tables.headings import is_value, rises
from gplvm_core.readers.tables.numerals import LONGEST, looks_numeric

if TYPE_CHECKING:
    import _csv

DELIMITERS = ("\t", ";", "|", ",", " ")
"""Delimiters in the order in which they are tried; " " means any run of blanks."""

SNIFFED_LINES, SNIFFED_CELLS = 100, 2000
DECLARED = re.compile(r'"?sep=(.)"?')  # an optional first line that tells Excel the delimiter
UNSPLIT = re.compile(r"[\t;|]|,(?!\s)|,$|\d \d")  # in a word that another delimiter would split
MOST_WORDS = 5  # of a column name in a comment
MARKS = ("#", "%", "//", "!")  # beginnings of comments
ERROR = re.compile(r"#[A-Z/0]+[!?]?")  # of a spreadsheet: #DIV/0!
ENOUGH = 0.6  # a score above which blanks are not tried
UNNAMED = 0.5  # weight of a delimiter that splits a comment above the table into fewer cells
WORD, WHOLE_LINE = 0.9, 0.1  # values of a cell; a number has 1


@dataclass(frozen=True)
class Grid:
    """Rows of cells with the number of each row in its file.

    `empty` are the numbers of the rows between them without any value. `named`: whether a comment
    named the columns; its names are then the first row.
    """

    rows: list[list[str]]
    places: list[int]
    empty: tuple[int, ...] = ()
    named: bool = False


def split_text(text: str, name: str) -> tuple[Grid, str, list[str]]:
    """Return the rows of a table of text, its delimiter, and notes.

    A leading block of lines that begin with # (or %, //, !) is a comment; if its last line is as
    wide as the table, it names the columns. Later lines that begin with # are rows if they are as
    wide as the table. Raises DataError for a text without rows.
    """
    notes: list[str] = []
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    del text  # frees memory: the file may be large
    declared = DECLARED.fullmatch(lines[0].strip())
    if declared:
        lines[0] = ""
    block, mark = _leading_comments(lines)
    body = [line for line in lines[len(block) :] if line.strip()]
    if not body and sum(map(bool, block)) > 1:
        block, body = [], [line for line in lines if line.strip()]
    if not body:
        raise DataError(f"{name} has no rows. A table needs at least two rows of numbers.")
    delimiter = declared[1] if declared else _sniff(body[:SNIFFED_LINES], block[-1:])
    width = _usual_width(_rows_of(body[:SNIFFED_LINES], delimiter)) if block else 0
    while block and _is_row(block[-1], delimiter, width):
        block.pop()
    comments = len(block)
    lines[:comments] = [""] * comments
    grid = _split(lines, delimiter, name)
    if not grid.rows:
        raise DataError(f"{name} has only empty cells. A table needs at least two rows.")
    skipped = sum(map(bool, block))
    width = _usual_width(grid.rows)
    first, *below = grid.rows[:SNIFFED_LINES]
    has_names = not any(map(is_value, first)) and any(is_value(c) for row in below for c in row)
    named = bool(block) and not has_names
    names = _names_in(block[-1], mark, delimiter, width) if named else None
    if names is not None:
        skipped -= 1
        if names[0] != mark:
            notes.append(f"The column names were read from a line that begins with {mark}.")
        places = [comments, *grid.places]
        grid = replace(grid, rows=[names, *grid.rows], places=places, named=True)
    if skipped:
        notes.append(f"Lines that begin with {mark} were skipped: {skipped:,}.")
    head = None if block else _unmarked(grid.rows[0], mark, width)
    if head is not None:
        grid = replace(grid, rows=[head, *grid.rows[1:]])
        notes.append(f"The column names were read from a line that begins with {mark}.")
    odd = _comments_between(grid.rows, width)
    if odd:
        numbers = listed([str(grid.places[n]) for n in odd])
        begins = listed(sorted({_mark_of(grid.rows[n]) for n in odd}))
        notes.append(f"Lines that begin with {begins} between the rows were skipped: {numbers}.")
        kept = [n for n in range(len(grid.rows)) if n not in {*odd}]
        rows, places = [grid.rows[n] for n in kept], [grid.places[n] for n in kept]
        grid = replace(grid, rows=rows, places=places)
    return grid, delimiter, notes


def _unmarked(names: list[str], mark: str, width: int) -> list[str] | None:
    """Return names without the mark in front of the first, as in %a,b; None if it is no mark."""
    first, *others = names
    if mark not in ("%", "!") or not first.startswith(mark):
        return None
    if first == mark and len(others) == width:
        return others
    name = first.removeprefix(mark)
    alone = len(names) == width and name.strip() == name != ""
    words = not any(is_value(each) or each.startswith(mark) for each in (name, *others))
    return [name, *others] if alone and words else None


def _mark_of(row: Sequence[str]) -> str:
    return next((mark for mark in MARKS if row[0].startswith(mark)), "")


def _comments_between(rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return the numbers of the comments below the first row.

    They begin with a mark. They are not as wide as the table, or have words in all columns of
    numbers.
    """
    marked = [n for n, row in enumerate(rows) if row[0].startswith(MARKS)]
    if not marked or len(marked) == len(rows):
        return []
    others = [row for row in rows[1 : SNIFFED_LINES + 1] if len(row) == width and not _mark_of(row)]
    numeric = [
        d for d in range(width) if others and all(is_value(row[d]) for row in others)
        and any(looks_numeric(row[d]) for row in others)
    ]  # fmt: skip
    return [
        n
        for n in marked
        if len(rows[n]) != width or (n and numeric and _is_comment(rows[n], numeric))
    ]


def _is_comment(row: Sequence[str], numeric: Sequence[int]) -> bool:
    """Whether a row that begins with a mark has words in all columns of numbers."""
    return not ERROR.fullmatch(row[0]) and not any(is_value(row[d]) for d in numeric)


def _leading_comments(lines: Sequence[str]) -> tuple[list[str], str]:
    """Return the first lines that are blank or begin with a mark of comments, and the mark.

    Blank lines at their end are no part of them. A single line with % or ! has the names.
    """
    first = next((line.strip() for line in lines if line.strip()), "")
    mark = next((each for each in MARKS if first.startswith(each)), "#")
    begun = itertools.takewhile(
        lambda line: not line or line.startswith(mark), map(str.strip, lines)
    )
    block = [text and line for text, line in zip(begun, lines, strict=False)]
    while block and not block[-1]:
        block.pop()
    alone = mark in ("%", "!") and sum(map(bool, block)) == 1
    return ([] if alone else block), mark


def _is_row(line: str, delimiter: str, width: int) -> bool:
    """Whether a line that begins with # is a row of values, and no comment."""
    row = _rows_of([line], delimiter)
    if not row or len(row[0]) != width:
        return False
    first, *others = row[0]
    if first.lower() in MISSING:
        return True
    return first != "#" and any(map(looks_numeric, others)) and not rises(others)


def _names_in(line: str, mark: str, delimiter: str, width: int) -> list[str] | None:
    """Return the column names of a comment that is as wide as the table, else None."""
    if width < 2:
        return None
    for text in (line.lstrip().lstrip(mark).strip(" "), line):
        row = _rows_of([text], delimiter)
        if row and len(row[0]) == width:
            first, *others = (cell.strip() for cell in row[0])
            long = any(len(name.split()) > MOST_WORDS for name in others)
            return None if long else [first or mark, *others]
    return None


def _sniff(lines: Sequence[str], above: Sequence[str]) -> str:
    """Return the delimiter whose table has the most even rows and the most cells of one value.

    above: the last line of a comment above the table, which may have the column names.
    """
    split = {delimiter: _rows_of(lines, delimiter) for delimiter in DELIMITERS[:-1]}
    even = any(len(set(map(len, rows))) == 1 < len(rows[0]) for rows in split.values() if rows)
    best, score = ",", 0.0
    for delimiter in DELIMITERS:
        if delimiter == " ":
            if score > ENOUGH:
                break  # blanks take the longest time
            split[" "] = _rows_of(lines, " ")
        rows = split[delimiter]
        named = [len(row) for row in _rows_of(above, delimiter)] == [_usual_width(rows)]
        found = _score(rows, even) * (1.0 if named or not above else UNNAMED)
        if found > score:
            best, score = delimiter, found
    return best


def _score(rows: Sequence[Sequence[str]], rival: bool) -> float:
    """Return how well cells fit a table, from 0 (no delimiter) to 1.

    rival: whether all rows have the same width with some delimiter.
    """
    if not rows:
        return 0.0
    width = _usual_width(rows)
    even = [row for row in rows if len(row) == width]
    if width < 2:
        return 0.0
    cells = [cell for row in even for cell in row[: 1 + SNIFFED_CELLS // len(even)]]
    quality = sum(map(_quality, cells)) / len(cells)
    # A delimiter in the rows, but not in their names, is more probably a part of the cells.
    as_wide = len(rows[0]) == width or 1 < len(rows[0]) == width - 1
    first = 1.0 if as_wide else WHOLE_LINE if rival else 0.5
    return quality * first * len(even) / len(rows)


def _quality(cell: str) -> float:
    if len(cell) <= LONGEST and is_value(cell):
        return 1.0
    return WHOLE_LINE if UNSPLIT.search(cell) else WORD


def _usual_width(rows: Sequence[Sequence[str]]) -> int:
    return Counter(map(len, rows)).most_common(1)[0][0] if rows else 0


def _rows_of(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """Return the rows of the first lines of a file; none if quotation marks are misplaced."""
    rows: list[list[str]] = []
    try:
        for row in _reader((f"{line}\n" for line in lines), delimiter):
            rows.append([cell.strip() for cell in row])
    except csv.Error as error:
        # The first lines of a file may end inside a cell.
        return rows if str(error).startswith("unexpected end") else []
    return rows


def _reader(lines: Iterable[str], delimiter: str) -> "_csv.Reader":
    if delimiter != " ":
        return csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
    # Any run of blanks outside quotation marks is one delimiter.
    single = (
        re.sub(r'("[^"]*")|\s+', lambda found: found[1] or " ", line.strip()) for line in lines
    )
    return csv.reader(single, delimiter=" ", strict=True)


def _split(lines: Sequence[str], delimiter: str, name: str) -> Grid:
    rows: list[list[str]] = []
    numbers: list[int] = []
    empty: list[int] = []
    n_cells = 0
    any_marked = any(MARK in line for line in lines)
    spaced = False  # whether a line of the row has blanks; most lines of large files have none

    def fed() -> Iterator[str]:
        nonlocal spaced
        for line in lines:
            spaced = spaced or line.split(None, 1) != [line]
            yield f"{line}\n"

    reader = _reader(fed(), delimiter)
    try:
        for row in reader:
            cells = [cell.strip() for cell in row] if spaced else row
            spaced = False
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
    return Grid(rows, numbers, tuple(empty))
