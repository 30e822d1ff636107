"""Large tables of text: pyarrow splits and converts their cells, without an object for each."""

import re
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

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
from gplvm_core.readers.tables.lines import MARKS

LARGE = 2**22  # bytes from which this is faster
BLOCK = 2**22  # bytes that are converted at once
MOST_TRIES = 20  # each reads the file up to a cell that is no number, or missing in another way
INVALID = re.compile(r"In CSV column #(\d+): .*: invalid value '(.*)'", re.DOTALL)
HEAD = 200  # lines from which the names, the delimiter and the decimal sign are found


def words_of(parts: Iterable[Any], clean: Callable[[str], str]) -> tuple[str, ...]:
    """Return text, as dictionaries of pyarrow, as one column; equal cells share their memory."""
    same: dict[str, str] = {}
    found: list[str] = []
    for coded in parts:
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
    decimal: str

    def parts(self, columns: Sequence[int], numbers: Set[int], missing: Set[str]) -> Any:
        """Yield the cells of these columns as text or numbers, some thousand rows at a time.

        numbers: the columns of numbers; missing: how their missing cells are written.
        """
        import pyarrow
        from pyarrow import csv

        names = [str(d) for d in range(self.width)]
        return csv.open_csv(
            pyarrow.BufferReader(self.data),
            csv.ReadOptions(use_threads=False, column_names=names, block_size=BLOCK),
            csv.ParseOptions(delimiter=self.delimiter, ignore_empty_lines=False),
            csv.ConvertOptions(
                column_types={
                    name: pyarrow.float64() if d in numbers else pyarrow.string()
                    for d, name in enumerate(names)
                },
                include_columns=[names[d] for d in columns],
                null_values=sorted(missing),
                decimal_point=self.decimal,
            ),
        )

    def words(self, column: int) -> tuple[str, ...]:
        """Return the cells of a column; equal cells share their memory."""
        return words_of(
            (part[0].dictionary_encode() for part in self.parts([column], set(), set())), cleaned
        )

    def missing_in(self, columns: Sequence[int]) -> dict[int, set[str]]:
        """Return how missing cells are written in columns of numbers."""
        found: dict[int, set[str]] = {d: set() for d in columns}
        for part in self.parts(columns, set(), set()) if columns else ():
            for d, cells in zip(columns, part.columns, strict=True):
                words = map(str.strip, cells.unique().to_pylist())
                found[d].update(word for word in words if word.lower() in MISSING)
        return found


def cleaned(cell: str) -> str:
    return unmarked(cell.strip())


@dataclass(frozen=True)
class Written(Sequence[str]):
    """The cells of a column of numbers as they are written; most are never asked for."""

    rows: Rows
    number: int
    head: Sequence[str]
    n_rows: int

    @cached_property
    def cells(self) -> tuple[str, ...]:
        return self.rows.words(self.number)

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, at: Any) -> Any:
        in_head = isinstance(at, slice) and 0 <= (at.stop or self.n_rows) <= len(self.head)
        return (self.head if in_head else self.cells)[at]


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
    if head.doubt and head.decimal == ",":
        return None  # a later number may show that they are decimal points
    begin, width = int(head.places[0]) - 1, len(head.columns)
    numeric = any(column.numbers is not None for column in head.columns)
    if len(head.places) != HEAD - begin or not numeric or head.delimiter in (None, " "):
        return None
    if not quoted_simply(data, str(head.delimiter)):
        return None
    end = len(data)
    while data[end - 1] in b"\r\n":
        end -= 1
    body = memoryview(data)[ends[begin - 1] if begin else 0 : end]
    rows = Rows(body, head.delimiter, width, head.decimal)
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


def quoted_simply(data: bytes, delimiter: str) -> bool:
    """Whether each quotation mark begins or ends a cell of one line."""
    if b'"' not in data:
        return True
    sign = re.escape(delimiter.encode())
    cell = rb"(?:^|(?<=[\n" + sign + rb']))"[^"\n]*"(?=[\r\n' + sign + rb"]|$)"
    return 2 * sum(1 for _ in re.finditer(cell, data)) == data.count(b'"')


def _columns(rows: Rows, head: Table, most: int) -> list[Column] | None:
    """Return the columns, None if a row is blank. most: at least the number of rows."""
    from pyarrow import ArrowInvalid

    numbers = {d for d, each in enumerate(head.columns) if each.numbers is not None}
    missing = set[str]()
    for _ in range(MOST_TRIES):
        try:
            return _converted(rows, head, most, numbers, missing)
        except ArrowInvalid as error:
            found = INVALID.search(str(error))
            if found is None:
                raise
            if found[2].lower() in MISSING and found[2] not in missing:
                missing.add(found[2])
            elif found[2].startswith(MARKS):  # a comment between the rows
                return None
            else:  # also a missing cell with blanks
                numbers.remove(int(found[1]))
    return None


def _converted(
    rows: Rows, head: Table, most: int, numbers: set[int], missing: set[str]
) -> list[Column] | None:
    """Return the columns, None if a row is blank. Raises ArrowInvalid for a cell that is neither a
    number nor missing in a column of numbers.
    """
    at = {d: place for place, d in enumerate(sorted(numbers))}
    matrix, count, nulls = np.empty((most, len(at))), 0, 0
    others: dict[int, list[Any]] = {d: [] for d in range(rows.width) if d not in numbers}
    for part in rows.parts(range(rows.width), numbers, missing):
        stop = count + part.num_rows
        for d, place in at.items():
            matrix[count:stop, place] = part[d].to_numpy(zero_copy_only=False)
            nulls += part[d].null_count
        for d, cells in others.items():
            cells.append(part[d].dictionary_encode())
        count = stop
    gaps = np.isnan(matrix[:count]).sum(axis=0)
    spelled = {d: frozenset(missing) for d, place in at.items() if gaps[place]}
    if len(missing) > 1 or nulls < gaps.sum():
        spelled = {d: frozenset(cells) for d, cells in rows.missing_in(list(spelled)).items()}
    columns = [
        Column(
            column.name,
            matrix[:count, at[d]],
            Written(rows, d, column.first_words(HEAD), count),
            spelled=spelled.get(d, frozenset()),
        )
        if d in numbers
        else text_column(column.name, words_of(others.pop(d), cleaned), head.decimal)
        for d, column in enumerate(head.columns)
    ]
    return None if blank_rows(columns, count).any() else columns
