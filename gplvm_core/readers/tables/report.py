"""Inspect a table before it is read, so that the user can confirm the columns' roles."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np

from gplvm_core.readers.errors import in_digits
from gplvm_core.readers.fractions import run_of_fractions
from gplvm_core.readers.proposals import CONSTANT, MOSTLY_NUMBERS, Proposal
from gplvm_core.readers.sources import Source
from gplvm_core.readers.tables.codes import MissingCode, missing_codes
from gplvm_core.readers.tables.columns import Column, Table
from gplvm_core.readers.tables.dates import DateError, Dates, in_several_formats, moments_of
from gplvm_core.readers.tables.roles import find_sequences
from gplvm_core.readers.tables.table import parse_table

Role = Literal["value", "label", "id", "time", "sequence", "unused"]

LABEL_NAMES = frozenset({"label", "labels", "class", "target", "species", "category", "group", "y"})
ID_NAMES = frozenset({"id", "index", "key", "no", "nr", "number", "row", "unnamed: 0"})
TIME_NAMES = frozenset({"time", "times", "t", "timestamp", "seconds", "date"})
MOST_CLASSES = 50
LEADING_ZERO = re.compile(r"0\d{3,}")
FIRST_ROWS, FIRST_COLUMNS = 6, 40


@dataclass(frozen=True)
class ColumnReport:
    """Properties of one column. `role` is the suggested role, and `reason` explains the suggestion.

    A column with numbers and text is not numeric, and `reason` names the first cell of text.
    `dates` lists the possible formats of dates, or of numbers that may be dates; None if there are
    none. `mostly_numbers`: at least half of the cells are numbers, so the others are probably
    mistakes. `kinds`: the kinds that the column can
    have in a table with words, each with a reason and its words; the proposed kind comes first. If
    all columns are numbers, they remain numbers. `can_be_exposure`: whether every row has a number
    above 0.
    """

    name: str
    role: Role
    reason: str
    numeric: bool
    n_distinct: int
    n_missing: int
    dates: Dates | None = None
    mostly_numbers: bool = False
    kinds: tuple[str, ...] = ()
    kind_reason: str = ""
    words: tuple[str, ...] = ()
    can_be_exposure: bool = False

    @property
    def is_text(self) -> bool:
        """Whether the column has words that can be learnt."""
        return bool(self.kinds) and "number" not in self.kinds

    @property
    def is_date(self) -> bool:
        """Whether the column is read as dates by default."""
        return self.dates is not None and self.dates.usual


@dataclass(frozen=True)
class TableReport:
    """Properties of a table file, to show to the user before it is read.

    `arrays` are the arrays of an NPZ file that could be the table. `array` is the array that is
    reported. If the user must choose an array first, `array` is None and `columns` is empty.
    `image_shape` is set if the rows are images; `columns` then lists only the other arrays of the
    file. `first_rows` are the cells of the first rows, by column. `letters` are words of a text
    that may have another encoding; `codes` are numbers that may stand for missing values;
    `fractions` are neighbouring columns of numbers whose rows have the sum 1 or 100.
    """

    name: str
    n_rows: int
    columns: tuple[ColumnReport, ...]
    delimiter: str | None
    header: bool | None
    header_reason: str
    array: str | None
    arrays: tuple[str, ...]
    image_shape: tuple[int, ...] | None
    notes: tuple[str, ...]
    beside: tuple[str, ...] = ()  # names of columns outside the table itself
    first_rows: tuple[tuple[str, ...], ...] = ()
    letters: str = ""
    codes: tuple[MissingCode, ...] = ()
    fractions: tuple[str, ...] = ()

    @property
    def label_column(self) -> str | None:
        return next(iter(self._named("label")), None)

    @property
    def time_column(self) -> str | None:
        return next(iter(self._named("time")), None)

    @property
    def sequence_column(self) -> str | None:
        return next(iter(self._named("sequence")), None)

    @property
    def id_columns(self) -> tuple[str, ...]:
        return self._named("id")

    def _named(self, role: Role) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.role == role)


def inspect_table(
    source: Source,
    *,
    array: str | None = None,
    header: bool | None = None,
    missing: Iterable[float] | None = None,
    encoding: str | None = None,
) -> TableReport:
    """Inspect a table file, and suggest which columns are labels, ids, times or sequences.

    The arguments are those of `read_table`. Missing values and text are allowed. Raises DataError
    for files that cannot be read.
    """
    table = parse_table(source, array, header, missing=missing or (), encoding=encoding)
    is_image = table.image_shape is not None
    numbering = table.row_numbers
    columns = (
        [] if is_image else [_report(column, table, False, numbering) for column in table.columns]
    )
    columns += [_report(column, table, True) for column in table.beside]
    columns = _one_each(columns if is_image else _with_sequences(columns, table))
    values = {column.name for column in columns if column.role == "value"}
    own: dict[str, Any] = {
        each.name: getattr(table, each.name, None) for each in fields(TableReport)
    }
    own |= {
        "name": table.file or table.name,
        "n_rows": len(table.places),
        "columns": tuple(columns),
        "beside": tuple(column.name for column in table.beside),
        "first_rows": tuple(each.first_words(FIRST_ROWS) for each in table.columns[:FIRST_COLUMNS]),
        "codes": missing_codes([each for each in table.columns if each.name in values]),
        "fractions": _fractions([each for each in table.columns if each.name in values]),
    }
    return TableReport(**own)


def _fractions(columns: Sequence[Column]) -> tuple[str, ...]:
    """Return the names of columns that look like fractions of one whole."""
    known = [(each.name, each.numbers) for each in columns if each.numbers is not None]
    found = run_of_fractions([numbers for _, numbers in known[:FIRST_COLUMNS]])
    return tuple(known[at][0] for at in found)


def identifiers(table: Table) -> list[Column]:
    """Return the columns that seem to identify the rows."""
    return [c for c in table.columns if _report(c, table, False).role == "id"]


def _report(
    column: Column, table: Table, beside: bool, numbering: Column | None = None
) -> ColumnReport:
    numbers = column.numbers
    words = column.words() if numbers is None else []
    observed = np.zeros(0) if numbers is None else numbers[~np.isnan(numbers)]
    distinct = len(set(words)) if numbers is None else len(np.unique(observed))
    missing = words.count("") if numbers is None else int(np.isnan(numbers).sum())
    finite = observed[np.isfinite(observed)]
    dates = column.dates
    kind = Proposal((), "") if dates and dates.usual else column.proposal()
    if dates is None and (several := in_several_formats(column, table.unit, table.places)):
        kind = Proposal((), f"{several}; write all in one format to use them as times")
    if kind.kinds == (CONSTANT,):  # nothing is learnt from it, so the suggestion is to leave it out
        kind = Proposal((), kind.reason)
    role, reason = _suggest(column, distinct, beside, dates, kind, column is numbering)
    if numbers is None and column.problem is not None and role in ("value", "unused"):
        place = f"{table.unit} {table.places[column.problem]}"
        what = "a time of day like the others" if column.of_day else "a number"
        reason = f"{words[column.problem]!r} in {place} is not {what}"
    if column.of_day and numbers is not None and not reason and distinct > 1:
        reason = "times of day, as hours since midnight"
    if distinct == 1 and not reason:
        reason = f"always {in_digits(finite[0], 6) if len(finite) else 'infinite'}"
    return ColumnReport(
        name=column.name,
        role=role,
        reason=reason,
        numeric=numbers is not None and len(finite) > 0,
        n_distinct=distinct,
        n_missing=missing,
        dates=dates,
        mostly_numbers=numbers is not None or column.share >= MOSTLY_NUMBERS,
        kinds=() if beside else kind.kinds,  # only columns of the table itself are learnt
        kind_reason=kind.reason,
        words=kind.words,
        can_be_exposure=not beside
        and distinct > 1
        and len(observed) == len(table.places)
        and bool(((observed > 0.0) & (observed < np.inf)).all()),
    )


def _suggest(
    column: Column,
    distinct: int,
    beside: bool,
    dates: Dates | None,
    kind: Proposal,
    is_numbering: bool,
) -> tuple[Role, str]:
    """Suggest a role for a column by its name and values, and a reason; "value" by default."""
    plain: Role = "unused" if beside else "value"
    name = column.name.strip().lower()
    numbers = column.numbers
    if dates and dates.usual:
        return _suggest_for_dates(column, dates)
    if numbers is None:
        return _suggest_for_text(column, kind, plain)
    observed = numbers[~np.isnan(numbers)]
    if not len(observed):
        return ("unused" if beside else "id"), "it has no values"
    if distinct < 2 or not np.isfinite(observed).all():
        return plain, ""
    whole = bool((observed == np.round(observed)).all())
    few = distinct <= min(MOST_CLASSES, len(observed) // 2)
    if name in LABEL_NAMES and whole and few:
        return "label", f'named "{column.name}", {distinct} different whole numbers'
    if len(observed) < len(numbers):
        return plain, ""
    steps = np.diff(numbers)
    if is_numbering:
        return "id", "it has no name, and its numbers differ in every row"
    if name in TIME_NAMES and (steps >= 0).all():
        return "time", f'named "{column.name}" and never falling'
    if whole and len(numbers) > 2 and (steps == 1).all() and numbers[0] in (0, 1):
        return "id", f"counts the rows from {numbers[0]:.0f}"
    codes = filter(LEADING_ZERO.fullmatch, column.first_words(MOST_CLASSES))
    if code := next(codes, ""):
        return "id", f"codes with leading zeros, such as {code}"
    if name in ID_NAMES and whole and distinct == len(numbers):
        return "id", f'named "{column.name}", different in every row'
    return plain, ""


def _suggest_for_dates(column: Column, dates: Dates) -> tuple[Role, str]:
    """Suggest a role for a column of dates.

    A column whose dates are in order becomes the time column; by default, other columns of dates
    are left out.
    """
    try:
        moments, _ = moments_of(column, dates.formats[0])
    except DateError:
        return "time", dates.reason  # reading the column will report the cell
    known = moments[~np.isnat(moments)]
    steps = np.diff(known).astype(np.int64)
    in_order = len(steps) > 0 and (bool((steps >= 0).all()) or bool((steps <= 0).all()))
    if len(known) == len(moments) and (in_order or not dates.decided):
        return "time", dates.reason
    why = "some are missing" if len(known) < len(moments) else "not in order"
    return "id", f"{dates.reason}; {why}"


def _suggest_for_text(column: Column, kind: Proposal, plain: Role) -> tuple[Role, str]:
    if column.share >= MOSTLY_NUMBERS:
        return plain, ""  # a column of numbers with a mistake in it
    if kind.kinds and len(kind.words) <= MOST_CLASSES:
        return "label", f"text with {len(kind.words)} different values"
    named = kind.reason.startswith(("prose", "text"))
    return (plain, "") if plain == "unused" and not named else ("id", kind.reason)


def _with_sequences(columns: list[ColumnReport], table: Table) -> list[ColumnReport]:
    """Suggest the columns of sequences and their times, if the table seems to have them."""
    times = [column.name for column in columns if column.role == "time"]
    found = find_sequences(table.columns)
    if found is None or (times and found[1] not in times):
        return columns
    changes: dict[str, dict[str, Any]] = {
        found[0]: {"role": "sequence", "reason": f"{found[1]} rises in each of its sequences"},
        found[1]: {"role": "time", "reason": f"rises in each sequence of {found[0]}"},
    }
    return [replace(column, **changes.get(column.name, {})) for column in columns]


def _one_each(columns: list[ColumnReport]) -> list[ColumnReport]:
    """Suggest at most one label column and one time column: the first of each."""
    seen: set[Role] = set()
    kept = []
    for column in columns:
        if column.role in ("label", "time") and column.role in seen:
            other: Role = "value" if column.numeric and not column.is_date else "id"
            column = replace(column, role=other, reason=f"{column.reason}; another is suggested")
        seen.add(column.role)
        kept.append(column)
    return kept
