"""A table as columns, before the columns have roles."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Bool, Float, Int, Shaped

from gplvm_core.numerics import AnyNDArray, Array, BoolArray, Int64Array, IntArray
from gplvm_core.readers.errors import listed
from gplvm_core.readers.proposals import Proposal, of_cells
from gplvm_core.readers.tables.numerals import is_number, read_hours, read_numerals

if TYPE_CHECKING:
    from gplvm_core.readers.tables.dates import Dates

MISSING = frozenset(
    [
        *("", "na", "n/a", "n.a.", "n.d.", "k.a.", "<lod", "<loq", "<na>", "nan", "-nan", "null"),
        *("none", "missing", "?", "-", "–", "—", ".", "#n/a"),
    ]
)
"""Cells, in lower case, that mark a missing value in spreadsheets, R, pandas or SAS.

Numbers that some files use for missing values (-99, 9999) are read as numbers; other words are
errors.
"""


INDEX_NAMES = ("unnamed: 0", "__index_level_0__")
"""The names of pandas for the numbers of the rows."""


@dataclass(frozen=True, eq=False)
class Column:
    """One column: its cells as text, if the file stores text, and as numbers, if all are numbers.

    A missing cell is NaN among the numbers. `problem` is the row of the first cell that is not a
    number; `share` is the fraction of cells that are numbers. `example` is a cell that was read as
    a number without its unit or separators, together with that number. `of_day`: the cells are
    times of day, and the numbers are hours since midnight. `moments`: the dates of a file that
    stores them as dates, NaT where missing. `notes`: what the reader guessed or changed.
    `spelled`: how missing cells are written, if this was noted while reading.
    """

    name: str
    numbers: Float[Array, " N"] | None
    texts: Sequence[str] | None = None
    problem: int | None = None
    share: float = 0.0
    example: tuple[str, float] | None = None
    of_day: bool = False
    moments: Shaped[AnyNDArray, " N"] | None = None
    notes: tuple[str, ...] = ()
    spelled: frozenset[str] = frozenset()

    @cached_property
    def dates(self) -> "Dates | None":
        """The possible formats of dates (`find_dates`); None for a column without dates."""
        from gplvm_core.readers.tables.dates import find_dates  # which imports this module

        return find_dates(self)

    def rows(self, chosen: Int[IntArray, " n"]) -> "Column":
        """Return the cells of some rows; only rows without a value may be left out."""
        return replace(
            self,
            numbers=None if self.numbers is None else self.numbers[chosen],
            texts=None if self.texts is None else tuple(self.texts[n] for n in chosen),
            problem=None if self.problem is None else int(np.searchsorted(chosen, self.problem)),
            moments=None if self.moments is None else self.moments[chosen],
        )

    def words(self) -> list[str]:
        """Return every cell as text; a missing cell is empty."""
        if self.texts is not None:
            words = {text: "" if text.lower() in MISSING else text for text in set(self.texts)}
            return list(map(words.__getitem__, self.texts))
        if self.numbers is None:
            return []
        return ["" if np.isnan(value) else f"{value:.15g}" for value in self.numbers]

    def proposal(self) -> Proposal:
        """Propose the kind of a column that has no dates."""
        if self.numbers is not None and self.of_day:
            return Proposal(("number",), "")
        return of_cells(self.numbers, self.share, self.words)

    def first_words(self, count: int) -> tuple[str, ...]:
        """Return the first cells as they are written in the file."""
        if self.texts is not None:
            return tuple(self.texts[:count])
        return tuple(
            Column(self.name, None if self.numbers is None else self.numbers[:count]).words()
        )

    def missing_spellings(self) -> set[str]:
        """Return the different ways in which missing cells are written: "", "NA", "<0.05", …"""
        texts = self.texts
        if self.spelled:
            return {*self.spelled}
        if self.numbers is None:
            return {text for text in texts or () if text.lower() in MISSING}
        return {texts[int(n)] if texts else "NaN" for n in np.flatnonzero(np.isnan(self.numbers))}


@dataclass(frozen=True, eq=False)
class Table:
    """The content of a file. `places` are the numbers of the rows in the file; `unit` is what they
    count, such as "line".

    `name` is for messages; `file` is the name of the file, if `name` says more. `letters` are words
    of a text whose letters look wrong, so that its encoding may be another one. `numbered` is the
    name of the first column, if the file names all columns but this one. `decimal` is the decimal
    sign of a text; `doubt` is the note that says it was guessed, empty if the text decides. `empty`
    are the names of columns at the end that were left out, because they have no value.

    `beside` are further columns outside the table itself (other arrays in an NPZ). `image_shape` is
    set if the rows are images. `blank` are the skipped lines between the rows, in which all cells
    are empty.
    """

    name: str
    columns: tuple[Column, ...]
    places: Int[Int64Array, " N"]
    unit: str
    notes: tuple[str, ...]
    delimiter: str | None = None
    header: bool | None = None
    header_reason: str = ""
    array: str | None = None
    arrays: tuple[str, ...] = ()
    beside: tuple[Column, ...] = ()
    image_shape: tuple[int, ...] | None = None
    is_bytes: bool = False
    blank: tuple[int, ...] = ()
    file: str = ""
    letters: str = ""
    numbered: str = ""
    decimal: str = "."
    doubt: str = ""
    empty: tuple[str, ...] = ()

    @property
    def row_numbers(self) -> Column | None:
        """The column with numbers of rows that a program wrote without a name of its own."""
        for column in self.columns:
            if column.numbers is None or column.name.lower() not in (*INDEX_NAMES, self.numbered):
                continue
            whole = bool((column.numbers % 1 == 0).all())  # also false for missing numbers
            return column if whole and len(np.unique(column.numbers)) == len(self.places) else None
        return None


def text_column(name: str, cells: Sequence[str], decimal: str) -> Column:
    """Return a column of text cells; also as numbers if all cells are numbers or missing."""
    # A fast path for most columns of large files: plain numbers, with NaN as the only mark of gaps.
    first = next((cell for cell in cells if cell.lower() not in MISSING), "0")
    everything = "\n".join(cells)
    own = "_" in everything  # Python would read 1_11 as 111
    if (
        not own
        and (decimal == "." or "." not in everything)
        and is_number(first.replace(decimal, "."))
    ):
        plain = [cell.replace(decimal, ".") for cell in cells] if decimal != "." else cells
        with suppress(ValueError):
            return Column(name, _floats(plain), tuple(cells))
        with suppress(ValueError):
            filled = ["nan" if cell.lower() in MISSING else cell for cell in plain]
            return Column(name, _floats(filled), tuple(cells))
    found = read_hours(cells, MISSING) or read_numerals(cells, decimal, MISSING)
    return Column(
        name,
        None if found.problem is not None else np.array(found.values, dtype=np.float64),
        tuple(cells),
        found.problem,
        0.0 if found.problem is None else found.share,
        found.example,
        found.of_day,
        notes=tuple(f"The values of {name} {note}." for note in found.notes),
    )


def hours_column(name: str, hours: Float[Array, " N"], *, of_day: bool) -> Column:
    """Return a column of times of day, or of durations, that the file stores as such."""
    what = "Times of day" if of_day else "Durations"
    return Column(name, hours, of_day=of_day, notes=(f"{what} in {name} were read as hours.",))


def _floats(cells: Sequence[str]) -> Float[Array, " N"]:
    """Return numbers in Python's notation; several times as fast as an array of a list."""
    return np.fromiter(map(float, cells), np.float64, len(cells))


def reading_notes(columns: Iterable[Column]) -> list[str]:
    """Return notes on the columns, and on cells of text that were read as numbers without their
    units or separators, or as hours.
    """
    columns = list(columns)
    read = [column for column in columns if column.example and column.numbers is not None]
    notes = [note for column in columns for note in column.notes]
    for of_day, form, what in (
        (False, ".10g", "Numbers were read without signs, units or separators"),
        (True, ".4g", "Times of day were read as hours since midnight"),
    ):
        words = [
            f"{column.name} (“{column.example[0]}” is {column.example[1]:{form}})"
            for column in read
            if column.example and column.of_day is of_day
        ]
        if words:
            notes.append(f"{what}: {listed(words, 3)}.")
    return notes


def blank_rows(columns: Iterable[Column], count: int) -> Bool[BoolArray, " N"]:
    """Return which of the rows have no value in any column."""
    blank = np.ones(count, dtype=bool)
    for column in columns:
        if column.numbers is not None:
            blank &= np.isnan(column.numbers)
        elif blank.any():
            blank &= np.array([not word for word in column.words()], dtype=bool)
    return blank
