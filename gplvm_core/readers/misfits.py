"""Find what does not fit in a table of new rows, column by column, and offer remedies."""

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.errors import by_count, in_digits, listed, numbered, plural, shortened
from gplvm_core.readers.kinds import TableColumn
from gplvm_core.readers.proposals import MOSTLY_NUMBERS
from gplvm_core.readers.spelling import meant
from gplvm_core.readers.tables.codes import is_usual, written
from gplvm_core.readers.tables.columns import MISSING, Column, Table
from gplvm_core.readers.tables.mixed import coded_cells
from gplvm_core.readers.tables.numerals import read_numerals

Mends = tuple[tuple[str, str, str], ...]
"""Chosen remedies: ("use", model's column, file's column), ("times", column, factor),
("missing", "*", number), or ("unknown", column, word that is not read as a similar one)."""

IN_UNITS = re.compile(r"The values of (.+) are in (.+)\.$")
BRACKETS = re.compile(r"\(.*?\)|\[.*?\]")
ALIKE = 0.82  # similarity of two names, from 0 to 1
FEWEST = 3  # least number of values needed to judge a column's unit
STEPS = (10.0, 100.0, 1000.0, 1e6)  # factors between common units
WHOLE = "*"  # every column
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Misfit:
    """Something that does not fit: a sentence, and a remedy with its button's label, if any."""

    column: str
    words: str
    mend: tuple[str, str, str] | None = None
    button: str = ""


def name_misfits(wanted: Sequence[str], there: Sequence[str]) -> list[Misfit]:
    """Return the missing columns for which the file has a column of a similar name."""
    free = [name for name in there if name not in wanted]
    found = []
    for column in wanted:
        if column in there:
            continue
        near = _alike(column, free)
        if near is None:
            continue
        free.remove(near)
        words = (
            f"The model's column “{shortened(column)}” is not in the table, but “{shortened(near)}”"
            " is. Are they the same? Until you say so, the model's column counts as missing."
        )
        found.append(
            Misfit(column, words, ("use", column, near), f"Use “{shortened(near, 30)}” for it")
        )
    return found


def _alike(column: str, names: Sequence[str]) -> str | None:
    """Return the name most similar to the column's name; None if none is similar."""
    bare = {name: _bare(name) for name in names}
    wanted = _bare(column)
    same = [name for name in names if bare[name] and bare[name] == wanted]
    if same:
        return same[0]
    near = difflib.get_close_matches(wanted, [*bare.values()], 1, ALIKE)
    return next((name for name in names if near and bare[name] == near[0]), None)


def _bare(name: str) -> str:
    """Return the letters and digits of a name, in lower case, without units in brackets."""
    return "".join(each for each in BRACKETS.sub("", name).casefold() if each.isalnum())


def numbers_in(column: Column, table: Table) -> tuple[Array, Misfit | None]:
    """Return a column's numbers, with gaps for other cells, and a misfit that names these cells."""
    if column.numbers is not None:
        numbers = np.asarray(column.numbers, dtype=float)
        bad = np.flatnonzero(np.isinf(numbers))
        cells = [f"{value:g}" for value in numbers[bad]]
        numbers = np.where(np.isinf(numbers), np.nan, numbers)
    else:
        texts = column.texts or ()
        read = read_numerals(texts, table.decimal, MISSING).values
        numbers = np.array([np.nan if value is None else value for value in read])
        bad = np.array([n for n, value in enumerate(read) if value is None], dtype=int)
        cells = [texts[int(n)] for n in bad]
        if len(texts) - len(bad) < MOSTLY_NUMBERS * len(texts):
            numbers[:] = np.nan
    if not len(bad):
        return numbers, None
    name = shortened(column.name)
    shown = listed([f"“{shortened(cell, 30)}”" for cell in dict.fromkeys(cells)], 3)
    if np.isnan(numbers).all():
        words = (
            f"Column “{name}” has text where the model needs numbers ({shown}). It counts as "
            "missing in every row."
        )
    else:
        where = numbered(table.unit, table.places[bad])
        are = "is not a number" if len(bad) == 1 else "are not numbers"
        words = (
            f"Column “{name}”: {plural(len(bad), 'cell')} {are} ({shown}, {where}). "
            f"{'It counts' if len(bad) == 1 else 'They count'} as missing; correct the file if "
            "the values are known."
        )
    return numbers, Misfit(column.name, words)


def words_in(
    kind: TableColumn, column: Column, table: Table, mends: Mends
) -> tuple[Array, list[Misfit]]:
    """Return a column's values by the model's words, and misfits that name the unknown words.

    An unknown word is read as the known word that it resembles, unless the visitor chose that it is
    missing, as all others are.
    """
    unknown: dict[str, list[int]] = {}

    def tell(row: int, word: str) -> None:
        unknown.setdefault(word, []).append(row)

    values = coded_cells(kind, column, table, tell)
    known, found = [str(word) for word in kind.words], []
    for word, rows in unknown.items():
        called = shortened(word, 30)
        where = numbered(table.unit, table.places[rows])
        own = f"Column “{shortened(column.name)}”: the model does not know “{called}” ({where})."
        near, mend = meant(word, known), (UNKNOWN, column.name, word)
        if near is not None and mend not in mends:
            values[rows] = known.index(near)
            words = f"{own} It is read as “{near}”."
            found.append(Misfit(column.name, words, mend, f"Read “{called}” as missing"))
        else:
            cells = by_count(len(rows), "The cell counts", "They count")
            words = f"{own} It has learnt {listed(known, 10)}. {cells} as missing."
            found.append(Misfit(column.name, words))
    return values, found


def unit_misfits(
    values: Float[Array, "n D"], known: Float[Array, "N D"], names: Sequence[str]
) -> list[Misfit]:
    """Return columns whose unit seems 10, 100, 1000 or 1e6 times as large or small as in training.

    A column is returned if its median is far outside the training rows, but typical after the
    change of the unit.
    """
    found = []
    for d, name in enumerate(names):
        own, column = values[:, d], known[:, d]
        own, column = own[~np.isnan(own)], column[~np.isnan(column)]
        if len(own) < FEWEST or not len(column):
            continue
        low, high = np.quantile(column, [0.02, 0.98])
        here, reach = float(np.median(own)), max(high - low, 1e-12)
        if low - 2 * reach <= here <= high + 2 * reach:
            continue
        for factor in (*(1 / step for step in STEPS), *STEPS):
            if low <= here * factor <= high:
                found.append(_unit_misfit(name, here, float(np.median(column)), factor))
                break
    return found


def _unit_misfit(name: str, here: float, usual: float, factor: float) -> Misfit:
    change = f"Multiply by {factor:,.0f}" if factor > 1 else f"Divide by {1 / factor:,.0f}"
    words = (
        f"Column “{shortened(name)}”: half of the values are above {in_digits(here)}; in the "
        f"training rows, half are above {in_digits(usual)}. Is the unit different?"
    )
    return Misfit(name, words, ("times", name, repr(factor)), change)


def written_units(notes: Iterable[str]) -> dict[str, str]:
    """Return the units that a reader found beside the numbers, by column, from its notes."""
    return {found[1]: found[2] for note in notes if (found := IN_UNITS.search(note))}


def written_misfits(notes: Iterable[str], known: Iterable[str]) -> list[Misfit]:
    """Return columns with another unit beside their numbers than in the training rows.

    notes, known: the reader's notes on the new rows and on the training rows.
    """
    usual = written_units(known)
    return [
        Misfit(
            column,
            f"Column “{shortened(column)}” is in {shortened(unit)}, but in {usual[column]} in the "
            "training rows. The numbers are used as they are.",
        )
        for column, unit in written_units(notes).items()
        if usual.get(column, unit) != unit
    ]


def code_misfits(
    values: Float[Array, "n D"], known: Float[Array, "N D"], names: Sequence[str]
) -> list[Misfit]:
    """Return numbers such as −999 that are far from all training rows."""
    low, high = np.nanmin(known, axis=0), np.nanmax(known, axis=0)
    far = (values < 2 * low - high) | (values > 2 * high - low)
    found = []
    for code in filter(is_usual, np.unique(values[far & np.isfinite(values)])):
        at = far & (values == code)
        where = listed([shortened(names[int(d)]) for d in np.flatnonzero(at.any(axis=0))])
        words = (
            f"{written(code)} occurs {plural(int(at.sum()), 'time')}, far from all training rows "
            f"(in {where}). Does it stand for a missing value?"
        )
        mend = ("missing", WHOLE, repr(float(code)))
        found.append(Misfit(where, words, mend, f"Read {written(code)} as missing"))
    return found


def mended(values: Float[Array, "n D"], names: Sequence[str], mends: Mends) -> Array:
    """Return the values after the chosen changes of units, and without the chosen numbers."""
    values = values.copy()
    for kind, column, number in mends:
        chosen = [column in (name, WHOLE) for name in names]
        if kind == "times":
            values[:, chosen] *= float(number)
        elif kind == "missing":
            values[values == float(number)] = np.nan
    return values
