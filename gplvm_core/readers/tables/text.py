"""Make columns of a table's rows: find the column names, the missing cells and the decimal sign."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gplvm_core.readers.encodings import decoded
from gplvm_core.readers.errors import DataError, listed, plural
from gplvm_core.readers.tables.columns import Column, Table, reading_notes, text_column
from gplvm_core.readers.tables.headings import find_header, is_value, names_in_lines, title_lines
from gplvm_core.readers.tables.large import LARGE, large_text
from gplvm_core.readers.tables.lines import SNIFFED_LINES, Grid, split_text
from gplvm_core.readers.tables.numerals import (
    decimal_sign,
    has_points,
    has_two_readings,
    looks_numeric,
    why_thousands,
)

NAMES = {"\t": "tab", ";": "semicolon", "|": "bar", ",": "comma", " ": "blanks"}
Typed = Callable[[str, int, Sequence[int], str], Column]
"""Makes a column of its name, its number, the numbers of its rows, and the decimal sign of the
table."""


def parse_text(data: bytes, name: str, header: bool | None, encoding: str | None = None) -> Table:
    """Read a table of text. `header`: whether the first line names the columns; None: find out.

    Raises DataError for files that are not text, and for rows of different lengths.
    """
    plainly = encoding is None and (data.isascii() or not decoded(data, name)[1])
    if len(data) >= LARGE and plainly:
        found = large_text(data, lambda head: parse_text(head, name, header))
        if found is not None:
            return found
    text, notes, letters = decoded(data, name, encoding)
    grid, delimiter, split_notes = split_text(text, name)
    notes = [*notes, *split_notes]
    if grid.named and header is False:
        grid = replace(grid, rows=grid.rows[1:], places=grid.places[1:], named=False)
        notes.append("The column names in a comment were skipped.")
    return replace(table_of(grid, name, header, notes, delimiter=delimiter), letters=letters)


def table_of(
    cells: Grid,
    name: str,
    header: bool | None,
    notes: list[str],
    *,
    delimiter: str | None = None,
    unit: str = "line",
    typed: Typed | None = None,
) -> Table:
    """Make a table of rows of cells. `unit`: what the numbers of the rows count; `typed`: makes a
    column of the cells' own types (None: all cells are text).

    Raises DataError for rows of different lengths, and without rows of values.
    """
    plurals = f"{unit.capitalize()}s"
    if cells.empty:
        notes.append(f"{plurals} without any value were left out: {listed(_texts(cells.empty))}.")
    above = title_lines(cells.rows) if header is not False and not cells.named else 0
    if above:
        titles = listed([f"“{next(filter(None, row))}”" for row in cells.rows[:above]])
        notes.append(f"{plurals} above the table were left out: {titles}.")
        cells = replace(cells, rows=cells.rows[above:], places=cells.places[above:])
    grid, shape_notes = _rectangle(cells, name, delimiter or ",")
    head = _head_of(grid, header, unit)
    notes += [*shape_notes, *head.notes]
    names, rows, places = head.names, head.rows, grid.places[-len(head.rows) :]
    if not rows:
        rest = (
            f"its other {unit}s have no values" if cells.empty else f"it needs {unit}s with values"
        )
        raise DataError(f"{name} has only column names: {rest}.")
    full, width = len(names), _filled_width(rows)
    ended = tuple(name for name in names[width:] if name and name not in names[:width])
    if width < len(names):
        notes.append(f"Empty columns at the end were left out: {listed(names[width:])}.")
        names, rows = names[:width], [row[:width] for row in rows]
    unnamed = head.is_row and not names[0] and any(names)
    names, name_notes = unique_names(names)
    sample = [*zip(*rows[:SNIFFED_LINES], strict=True)]
    cells_below = (cell for row in rows for cell in row)
    decimal, decimal_note, doubtful = decimal_in(names, sample, delimiter, cells_below)
    columns = tuple(
        text_column(column, below, decimal) if typed is None else typed(column, d, places, decimal)
        for d, (column, below) in enumerate(zip(names, zip(*rows, strict=True), strict=True))
    )
    last_notes = (decimal_note, head.note, *name_notes, *reading_notes(columns))
    return Table(
        name=name,
        columns=columns,
        places=np.array(places, dtype=np.int64),
        unit=unit,
        notes=(*notes, *filter(None, last_notes)),
        delimiter=delimiter,
        header=head.is_row,
        header_reason=head.reason,
        numbered=names[0] if unnamed else "",
        decimal=decimal,
        doubt=decimal_note if doubtful else "",
        empty=ended if len(ended) == len({*ended}) == full - width else (),
        blank=tuple(place for place in cells.empty if places[0] < place < places[-1]),
    )


@dataclass(frozen=True)
class _Head:
    """The names of the columns and the rows below them. `is_row`: whether a row has the names;
    `reason`: why; `note`: on the names that were read; `notes`: on other names.
    """

    names: list[str]
    rows: list[list[str]]
    is_row: bool
    reason: str
    note: str = ""
    notes: tuple[str, ...] = ()


def _head_of(grid: Grid, header: bool | None, unit: str) -> _Head:
    """Divide the rows into the names of the columns and the rows below them."""
    rows, nothing = grid.rows, [""] * len(grid.rows[0])
    if header is False:
        return _Head(nothing, rows, False, "as given")
    joined = None if grid.named else names_in_lines(rows)
    note, notes = f"The first {unit} was read as column names.", tuple[str, ...]()
    first = grid.places[0]
    if joined is not None:
        count, names = joined
        how_many = ("two", "three", "four", "five")[count - 2]
        notes = (f"The first {how_many} {unit}s were read as column names: {listed(names, 3)}.",)
        rows, note, first = [names, *rows[count:]], "", grid.places[count - 1]
    is_row, reason = True, "as given"
    if grid.named:
        reason = "the last comment above the table is as wide as the table"
    elif header is None:
        is_row, reason = find_header(rows)
    if not is_row:
        without = f"No {unit} has column names, so the columns were numbered: {reason}."
        return _Head(nothing, rows, False, reason, notes=(*notes, without))
    names = rows[0]
    below = (cell for row in rows[1:SNIFFED_LINES] for cell in row)
    blank_first = bool(grid.empty) and grid.empty[0] < first
    only_words = header is None and not any(map(looks_numeric, below))
    if blank_first and (all(map(is_value, names)) or only_words):
        reason = "the first line is blank, and the next one is like the others"
        blank = "The line of column names is blank: the columns were numbered."
        return _Head(nothing, rows, False, reason, notes=(*notes, blank))
    return _Head(names, rows[1:], True, reason, note, notes)


def decimal_in(
    names: Sequence[str],
    columns: Sequence[Sequence[str]],
    delimiter: str | None,
    everything: Iterable[str] = (),
) -> tuple[str, str, bool]:
    """Return the decimal sign of a table, a note or "", and whether the sign is a guess.

    columns: their first cells; everything: all cells, which are searched before dots are taken for
    separators of thousands.
    """
    sample = [cell for cells in columns for cell in cells]
    sign = decimal_sign(sample, "", "." if delimiter in (",", None) else ",")
    doubtful = {
        name: cell
        for name, cells in zip(names, columns, strict=True)
        if not sign and (cell := next(filter(has_two_readings, cells), ""))
    }
    if sign == ",":
        return sign, "Commas were read as decimal points.", False
    if not doubtful or delimiter == ",":
        return sign or ".", "", False
    words = listed([f"{name} (“{cell}”)" for name, cell in doubtful.items()], 3)
    why = why_thousands(columns, delimiter)
    if why and has_points(everything):
        return ".", "", False
    if why:
        note = f"Dots were read as separators of thousands, because {why}: {words}."
        return ",", note, True
    note = (
        f"Dots were read as decimal points, but may separate thousands: {words}. If they do, write "
        "the numbers without dots."
    )
    return ".", note, True


def _texts(numbers: Iterable[int]) -> list[str]:
    return [str(number) for number in numbers]


def _filled_width(rows: list[list[str]]) -> int:
    """Return the number of columns up to the last one with a value, at least one."""
    width = len(rows[0])
    while width > 1 and not any(row[width - 1] for row in rows):
        width -= 1
    return width


def _rectangle(grid: Grid, name: str, delimiter: str) -> tuple[Grid, list[str]]:
    """Check that all rows have the same length, except for known peculiarities of spreadsheets and
    R.
    """
    widths = Counter(len(row) for row in grid.rows)
    width = widths.most_common(1)[0][0]
    rows = grid.rows
    if len(rows[0]) == width - 1 and set(widths) == {width, width - 1} and widths[width - 1] == 1:
        # R's write.table names every column except the column of row names.
        return replace(grid, rows=[["", *rows[0]], *rows[1:]]), []
    odd = [i for i, row in enumerate(rows) if len(row) != width]
    if odd:
        first = odd[0]
        begin = [cell for row in rows[:SNIFFED_LINES] for cell in row]
        if 2 * len(odd) >= len(rows) and not any(map(looks_numeric, begin)):
            raise DataError(
                f"{name} looks like text, not a table: its lines have {min(widths)} to "
                f"{max(widths)} cells. Every row of a table must have the same number of cells."
            )
        others = listed(_texts(grid.places[i] for i in odd))
        raise DataError(
            f"{name}, line {grid.places[first]}: {plural(len(rows[first]), 'cell')}, but most "
            f"lines have {width} (separated by {NAMES.get(delimiter, delimiter)}). Rows must have "
            f"the same length; correct the lines {others}."
        )
    filled = _filled_width(rows)
    if filled == width:
        return grid, []
    notes = ["Empty columns at the end of the lines were left out."]
    return replace(grid, rows=[row[:filled] for row in rows]), notes


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
