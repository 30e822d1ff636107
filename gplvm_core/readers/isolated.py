"""Cells that are probably errors: numbers far from all others of their column, and rare words that
look like slips of the pen for a frequent word.
"""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.errors import listed
from gplvm_core.readers.names import column_words
from gplvm_core.readers.rows.table import TableDataset
from gplvm_core.readers.tables.mixed import in_short

MOST_ISOLATED = 3  # values of one column
LEAST_OTHERS = 10  # least number of other values from which their range is estimated
FAR = 3.0  # the least distance to the other values, as a multiple of their range
FACTORS = (0.1, 10.0, 0.01, 100.0, 0.001, 1000.0)  # changes by a misplaced decimal point
RARE, FREQUENT = 2, 10  # a slip occurs at most twice, its word at least ten times as often
ALIKE = 0.75  # similarity of two words, from 0 to 1
SHORTEST = 4  # shorter words that differ are seldom slips
LEFT_OUT = "Values far from all others count as missing: "  # the beginning of a note


@dataclass(frozen=True)
class IsolatedValue:
    """A value of the table, and the range of the column's other values.

    corrected: the value with its decimal point or its sign corrected, if it is then in the range; a
    whole number for a count.
    """

    row: int
    column: int
    value: float
    low: float
    high: float
    corrected: float | None


def isolated_values(dataset: Dataset) -> tuple[IsolatedValue, ...]:
    """Return the numbers that are probably errors, in the order of the columns.

    A value is isolated if its distance to the nearest other value is more than three times the
    range of the others. Up to three values of a column may be isolated as a group. Only tables are
    checked, not the columns of pictures, poses, curves and rows on disk.
    """
    drawn = any(view.drawing.kind != "bars" for view in dataset.views)
    if dataset.drawing.kind != "bars" or drawn or isinstance(dataset, TableDataset):
        return ()
    values = dataset.values
    columns = enumerate(dataset.all_columns)
    counts = {
        d: column.kind == "count"
        for d, column in columns
        if column.kind == "count" or column.is_number
    }
    return tuple(each for d in counts for each in _of_column(values[:, d], d, counts[d]))


def without(dataset: Dataset, cells: Sequence[tuple[int, int]]) -> Dataset:
    """Return the data set with these cells (row, column) missing, and a note that names them."""
    if not cells:
        return dataset
    targets: Array = np.ma.filled(np.ma.asarray(dataset.targets, dtype=float), np.nan).copy()
    for row, column in cells:
        targets[row, column] = np.nan
    columns, names = column_words(dataset), dataset.row_names
    words = [
        f"{columns[column]} {dataset.targets[row, column]:,.6g} in row {row + 1}"
        + (f" ({names[row]})" if names is not None else "")
        for row, column in cells
    ]
    return replace(dataset, targets=targets, notes=(*dataset.notes, f"{LEFT_OUT}{listed(words)}."))


def _of_column(values: Float[Array, " N"], column: int, count: bool) -> list[IsolatedValue]:
    known = np.flatnonzero(np.isfinite(values))
    order = known[np.argsort(values[known], kind="stable")]
    for several in range(MOST_ISOLATED, 0, -1):
        for below in range(several + 1):
            others = values[order[below : len(order) - (several - below)]]
            if len(others) < LEAST_OTHERS or others[0] == others[-1]:
                continue
            outside = np.r_[order[:below], order[len(order) - (several - below) :]]
            low, high = float(others[0]), float(others[-1])
            gaps = np.maximum(low - values[outside], values[outside] - high)
            if np.all(gaps > FAR * (high - low)):
                return [
                    IsolatedValue(int(row), column, value, low, high, each)
                    for row, value in zip(outside, values[outside].tolist(), strict=True)
                    for each in [_corrected(value, low, high, count)]
                ]
    return []


def _corrected(value: float, low: float, high: float, count: bool) -> float | None:
    candidates = [-value, *(factor * value for factor in FACTORS)]
    if count:
        # A tenth of a whole number is not exact in floating point.
        whole = [(each, float(round(each))) for each in candidates]
        candidates = [near for each, near in whole if np.isclose(each, near) and near != value]
    return next((each for each in candidates if low <= each <= high), None)


@dataclass(frozen=True)
class WordSlip:
    """A rare word of a column, the frequent word that may be meant, and the rows of the slip."""

    column: int
    word: str
    meant: str
    rows: tuple[int, ...]


def word_slips(dataset: Dataset) -> tuple[WordSlip, ...]:
    """Return the words that are probably misspelt: another case, or a few other letters."""
    found = []
    for d, column in enumerate(dataset.columns):
        if column.kind != "category":
            continue
        codes = dataset.values[:, d]
        rows = [np.flatnonzero(codes == n) for n in range(len(column.words))]
        known = {str(word): at for word, at in zip(column.words, rows, strict=True)}
        for word, at in known.items():
            usual = [other for other, own in known.items() if len(own) >= FREQUENT * len(at)]
            meant = _meant(word, usual) if 0 < len(at) <= RARE else None
            if meant is not None:
                found.append(WordSlip(d, word, meant, tuple(at.tolist())))
    return tuple(found)


def _meant(word: str, usual: Sequence[str]) -> str | None:
    bare = " ".join(word.casefold().split())
    same = [other for other in usual if " ".join(other.casefold().split()) == bare]
    if same or len(bare) < SHORTEST or not bare.isalpha():
        return next(iter(same), None)
    letters = {other.casefold(): other for other in usual}
    near = difflib.get_close_matches(bare, letters, 1, ALIKE)
    return letters[near[0]] if near else None


def corrected(dataset: Dataset, slips: Sequence[WordSlip]) -> Dataset:
    """Return the data set with these words replaced by the words that are meant, and a note.

    The columns remember the slips, so that new rows are read in the same way.
    """
    if not slips:
        return dataset
    columns, targets = list(dataset.columns), dataset.values.copy()
    for each in slips:
        column = columns[each.column]
        names = list(map(str, column.words))
        gone = names.index(each.word)
        codes = targets[:, each.column]
        codes[list(each.rows)] = names.index(each.meant)
        codes[codes > gone] -= 1.0
        kept = tuple(word for n, word in enumerate(column.words) if n != gone)
        known = (*column.slips, (each.word, each.meant))
        columns[each.column] = replace(column, words=kept, slips=known)
    facts: dict[str, Any] = {}
    before = [set(map(str, column.words)) for column in dataset.columns]
    if dataset.labels is not None and set(dataset.label_names) in before:
        d = before.index(set(dataset.label_names))
        codes = targets[:, d]
        facts["labels"] = np.where(np.isnan(codes), -1.0, codes).astype(np.int64)
        facts["label_names"] = tuple(map(str, columns[d].words))
    notes = list(dataset.notes)
    for old, new in zip(dataset.columns, columns, strict=True):
        notes = [note.replace(in_short(old), in_short(new)) for note in notes]
    words = "; ".join(f"“{each.word}” is read as “{each.meant}”" for each in slips)
    return replace(
        dataset,
        targets=targets,
        columns=tuple(columns),
        **facts,
        notes=(*notes, f"Corrected words: {words}."),
    )
