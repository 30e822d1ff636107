"""Cells that are probably errors: numbers far from all others of their column, and words that look
like slips of the pen for a more frequent word.
"""

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
from gplvm_core.readers.spelling import bare, meant
from gplvm_core.readers.tables.mixed import in_short

MOST_ISOLATED = 3  # values of one column
LEAST_OTHERS = 10  # least number of other values from which their range is estimated
FAR = 3.0  # the least distance to the other values, as a multiple of their range
FACTORS = (0.1, 10.0, 0.01, 100.0, 0.001, 1000.0)  # changes by a misplaced decimal point
RARE, FREQUENT = 5, 10  # a slip of letters occurs at most five times, its word ten times as often
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
    range of the others. In a column of positive numbers, logarithms are compared, too, if another
    place of the decimal point would bring the value into this range. Of counts, only log(1 + count)
    is compared, with the range of the others. Up to three values of a column may be isolated as a
    group. Only tables are checked, not the columns of pictures, poses, curves
    and rows on disk.
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
    targets = np.array(dataset.values)
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
            found = [
                IsolatedValue(
                    int(row), column, value, low, high, _corrected(value, low, high, count)
                )
                for row, value in zip(outside, values[outside].tolist(), strict=True)
            ]
            if all(_is_far(each, count) for each in found):
                return found
    return []


def _is_far(found: IsolatedValue, count: bool) -> bool:
    """Whether a value is far from the others: a tenth of a length is near them, but not its
    logarithm. Counts of many things are rare but usual, so their logarithms decide.
    """
    value, low, high = found.value, found.low, found.high
    if count:
        least, most = np.log1p(low), np.log1p(high)
        return bool(max(least - np.log1p(value), np.log1p(value) - most) > most - least)
    if max(low - value, value - high) > FAR * (high - low):
        return True
    if found.corrected is None or min(value, low) <= 0.0:
        return False
    return max(np.log(low / value), np.log(value / high)) > FAR * np.log(high / low)


def _corrected(value: float, low: float, high: float, count: bool) -> float | None:
    candidates = [-value, *(factor * value for factor in FACTORS)]
    if count:
        # A tenth of a whole number is not exact in floating point.
        whole = [(each, float(round(each))) for each in candidates]
        candidates = [near for each, near in whole if np.isclose(each, near) and near != value]
    return next((each for each in candidates if low <= each <= high), None)


@dataclass(frozen=True)
class WordSlip:
    """A word of a column, the more frequent word that may be meant, and the rows of the slip."""

    column: int
    word: str
    meant: str
    rows: tuple[int, ...]


def word_slips(dataset: Dataset) -> tuple[WordSlip, ...]:
    """Return the words that are probably misspelt.

    Words that differ only in case, spaces and punctuation are slips for the most frequent of them.
    Rare words with a few other letters are slips for a frequent word.
    """
    found = []
    for d, column in enumerate(dataset.columns):
        if column.kind != "category":
            continue
        codes = dataset.values[:, d]
        rows = [np.flatnonzero(codes == n) for n in range(len(column.words))]
        known = {str(word): at for word, at in zip(column.words, rows, strict=True) if len(at)}
        alike: dict[str, list[str]] = {}
        for word in sorted(known, key=lambda each: -len(known[each])):
            alike.setdefault(bare(word), []).append(word)
        counts = {words[0]: sum(len(known[each]) for each in words) for words in alike.values()}
        for words in alike.values():
            count = counts[words[0]]
            usual = [each for each, own in counts.items() if own >= FREQUENT * count]
            other = meant(words[0], usual) if count <= RARE else None
            for word in words if other else words[1:]:
                found.append(WordSlip(d, word, other or words[0], tuple(known[word].tolist())))
    return tuple(found)


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
