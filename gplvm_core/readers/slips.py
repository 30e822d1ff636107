"""Rare words of a column that look like slips of the pen for a frequent word."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gplvm_core.readers.dataset import Dataset

RARE, FREQUENT = 2, 10  # a slip occurs at most twice, its word at least ten times as often
ALIKE = 0.75  # similarity of two words, from 0 to 1
SHORTEST = 4  # shorter words that differ are seldom slips


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
    words = "; ".join(f"“{each.word}” is read as “{each.meant}”" for each in slips)
    return replace(
        dataset,
        targets=targets,
        columns=tuple(columns),
        **facts,
        notes=(*dataset.notes, f"Corrected words: {words}."),
    )
