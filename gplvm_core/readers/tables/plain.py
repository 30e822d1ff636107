"""Large texts whose cells are all plain numbers: read at once, without an object for each cell."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import overload

import numpy as np

from gplvm_core.readers.tables.columns import Column, Table

LARGE = 2**22  # characters from which this is faster
HEAD = 200  # lines from which the names, the delimiter and the types are found


@dataclass(frozen=True)
class Written:
    """The lines below the names, from which single cells are only split when they are needed."""

    lines: Sequence[str]
    delimiter: str

    @cached_property
    def columns(self) -> list[tuple[str, ...]]:
        rows = ([cell.strip() for cell in line.split(self.delimiter)] for line in self.lines)
        return list(zip(*rows, strict=True))


@dataclass(frozen=True)
class WrittenColumn(Sequence[str]):
    """The cells of one column as they are written in the file."""

    written: Written
    number: int

    def __len__(self) -> int:
        return len(self.written.lines)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[str, ...]: ...
    def __getitem__(self, at: int | slice) -> str | tuple[str, ...]:
        if isinstance(at, slice) and (at.stop or len(self)) <= HEAD:
            part = Written(self.written.lines[at], self.written.delimiter)
            return part.columns[self.number]
        return self.written.columns[self.number][at]


def plain_numbers(text: str, parse: Callable[[str], Table]) -> Table | None:
    """Return a large table of plain numbers; None for any other text, which is read cell by cell.

    parse: reads a shorter text. Its result for the first lines must be a table of numbers in
    successive lines.
    """
    if len(text) < LARGE or '"' in text or "'" in text:
        return None
    lines = text.replace("\r\n", "\n").rstrip("\n").split("\n")
    head = parse("\n".join(lines[:HEAD]))
    begin = int(head.places[0]) - 1
    plain = all(
        each.numbers is not None and each.texts and not each.example for each in head.columns
    )
    usual = len(head.notes) <= 1 and len(head.places) == HEAD - begin
    if not plain or not usual or head.delimiter in (None, " ") or "_" in lines[begin]:
        return None
    if any(each.of_day or each.notes for each in head.columns):
        return None
    body = lines[begin:]
    try:
        found = np.loadtxt(body, delimiter=head.delimiter, comments=None, ndmin=2)
    except ValueError:
        return None
    if found.shape != (len(body), len(head.columns)):
        return None
    written = Written(body, str(head.delimiter))
    columns = tuple(
        Column(each.name, found[:, d].copy(), WrittenColumn(written, d))
        for d, each in enumerate(head.columns)
    )
    return replace(head, columns=columns, places=np.arange(begin, len(lines)) + 1)
