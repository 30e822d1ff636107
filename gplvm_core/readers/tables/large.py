"""Large tables of text: pyarrow splits and converts their cells, without an object for each."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.errors import DataError
from gplvm_core.readers.limits import MOST_VALUES
from gplvm_core.readers.packages import not_installed
from gplvm_core.readers.tables.columns import (
    MISSING,
    Column,
    Table,
    blank_rows,
    reading_notes,
    text_column,
)
from gplvm_core.readers.tables.csv_text import unmarked

LARGE = 2**22  # bytes from which this is faster
HEAD = 200  # lines from which the names, the delimiter and the decimal sign are found


def words_of(parts: Iterable[Any], clean: Callable[[str], str]) -> tuple[str, ...]:
    """Return text of pyarrow as one column; equal cells share their memory."""
    same: dict[str, str] = {}
    found: list[str] = []
    for cells in parts:
        coded = cells.dictionary_encode()
        each = [
            same.get(cell) or same.setdefault(cell, clean(cell))
            for cell in coded.dictionary.to_pylist()
        ]
        found.extend(map(each.__getitem__, coded.indices.to_pylist()))
    return tuple(found)


@dataclass(frozen=True)
class Rows:
    """The rows below the names, without the ends of the last line."""

    data: memoryview
    delimiter: str
    width: int

    def parts(self, columns: Sequence[int]) -> Any:
        """Yield the cells of these columns as text of pyarrow, a few thousand rows at a time."""
        import pyarrow
        from pyarrow import csv

        names = [str(d) for d in range(self.width)]
        return csv.open_csv(
            pyarrow.BufferReader(self.data),
            csv.ReadOptions(use_threads=False, column_names=names),
            csv.ParseOptions(delimiter=self.delimiter, ignore_empty_lines=False),
            csv.ConvertOptions(
                column_types=dict.fromkeys(names, pyarrow.string()),
                include_columns=[names[d] for d in columns],
            ),
        )

    def words(self, columns: Sequence[int]) -> list[tuple[str, ...]]:
        """Return the cells of some columns; equal cells share their memory."""
        parts = zip(*(part.columns for part in self.parts(columns) if columns), strict=True)
        return [words_of(each, lambda cell: unmarked(cell.strip())) for each in parts]


@dataclass(frozen=True)
class Written(Sequence[str]):
    """The cells of a column of numbers as they are written; most are never asked for."""

    rows: Rows
    number: int
    head: Sequence[str]
    n_rows: int

    @cached_property
    def cells(self) -> tuple[str, ...]:
        return self.rows.words([self.number])[0]

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, at: Any) -> Any:
        in_head = isinstance(at, slice) and 0 <= (at.stop or self.n_rows) <= len(self.head)
        return (self.head if in_head else self.cells)[at]


@dataclass
class Numbers:
    """Converts text of pyarrow to numbers; spelled: how the missing cells are written."""

    decimal: str
    spelled: set[str] = field(default_factory=set)
    gaps: bool = False  # whether a cell is missing, or has blanks, so that others may be, too

    def of(self, cells: Any) -> Float[Array, " n"] | None:
        """Return the cells as numbers; None if one of them is none."""
        from pyarrow import compute, float64, lib

        if self.decimal != ".":
            if compute.any(compute.match_substring(cells, ".")).as_py():
                return None
            cells = compute.replace_substring(cells, self.decimal, ".")
        for gaps in (False, True)[self.gaps :]:
            if gaps:
                self.gaps = True
                cells = compute.utf8_trim_whitespace(cells)
                known = lib.array(sorted(MISSING))
                missing = compute.is_in(compute.utf8_lower(cells), value_set=known)
                self.spelled.update(compute.unique(cells.filter(missing)).to_pylist())
                cells = compute.if_else(missing, "nan", cells)
            try:
                found = np.asarray(compute.cast(cells, float64()))
            except lib.ArrowInvalid:
                continue
            if not gaps and np.isnan(found).any():
                continue
            return found
        return None


def large_text(data: bytes, parse: Callable[[bytes], Table]) -> Table | None:
    """Return a large table of text; None for a text that has to be read cell by cell.

    parse: reads a shorter text. The first lines decide on the names, the delimiter and the decimal
    sign. Each row must be one line with a value.
    """
    if len(data) < LARGE or not_installed(("pyarrow",)):
        return None
    from pyarrow import ArrowInvalid

    ends = [found.end() for found in islice(re.finditer(b"\n", data), HEAD)]
    if len(ends) < HEAD or (b"\r" in data and data.count(b"\r") != data.count(b"\r\n")):
        return None
    try:
        head = parse(data[: ends[-1]])
    except DataError:
        return None
    begin, width = int(head.places[0]) - 1, len(head.columns)
    numeric = any(column.numbers is not None for column in head.columns)
    if len(head.places) != HEAD - begin or not numeric or head.delimiter in (None, " "):
        return None
    if not _quoted_simply(data, str(head.delimiter)):
        return None
    end = len(data)
    while data[end - 1] in b"\r\n":
        end -= 1
    rows = Rows(memoryview(data)[ends[begin - 1] if begin else 0 : end], head.delimiter, width)
    if width * (data.count(b"\n", ends[0]) + 1) > MOST_VALUES:
        return None  # the other way names the limit
    try:
        columns = _columns(rows, head, data.count(b"\n") + 1)
    except ArrowInvalid:
        return None
    if columns is None:
        return None
    of_head = reading_notes(head.columns)
    notes = [note for note in head.notes if note not in of_head]
    return replace(
        head,
        columns=tuple(columns),
        places=np.arange(begin, begin + len(columns[0].texts or ())) + 1,
        notes=(*notes, *reading_notes(columns)),
    )


def _quoted_simply(data: bytes, delimiter: str) -> bool:
    """Whether each quotation mark begins or ends a cell of one line."""
    if b'"' not in data:
        return True
    sign = re.escape(delimiter.encode())
    cell = rb"(?:^|(?<=[\n" + sign + rb']))"[^"\n]*"(?=[\r\n' + sign + rb"]|$)"
    return 2 * sum(1 for _ in re.finditer(cell, data)) == data.count(b'"')


def _columns(rows: Rows, head: Table, most: int) -> list[Column] | None:
    """Return the columns, None if a row is blank. most: at least the number of rows."""
    numbers = {
        d: Numbers(head.decimal) for d, each in enumerate(head.columns) if each.numbers is not None
    }
    at = {d: place for place, d in enumerate(numbers)}
    matrix, count = np.empty((most, len(at))), 0
    for part in rows.parts(range(rows.width)):
        stop = count + part.num_rows
        for d, each in list(numbers.items()):
            found = each.of(part[d])
            if found is None:
                del numbers[d]
            else:
                matrix[count:stop, at[d]] = found
        count = stop
    others = [d for d in range(rows.width) if d not in numbers]
    words = dict(zip(others, rows.words(others), strict=True))
    columns = [
        Column(
            column.name,
            matrix[:count, at[d]],
            Written(rows, d, column.first_words(HEAD), count),
            spelled=frozenset(numbers[d].spelled),
        )
        if d in numbers
        else text_column(column.name, words[d], head.decimal)
        for d, column in enumerate(head.columns)
    ]
    return None if blank_rows(columns, count).any() else columns
