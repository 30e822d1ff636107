"""Sequences of tables with words and counts: their panels, their spread and their errors."""

import numpy as np
from numpy import ndarray as Array

from gplvm_core.datasets import Dataset
from gplvm_core.wire.sequence import SequencePanel
from gplvm_core.wire.table import drawn
from pages.ui.explore.cards import Chances, cards

WORDS = "Colours and percentages show the probability of each word"


def panel(
    dataset: Dataset,
    title: str,
    rows: Array,
    std: Array | None = None,
    words: str = "",
    chances: Chances | None = None,
) -> SequencePanel:
    """Return a panel of a sequence; for tables with words, as cards. chances: see `chances_at`."""
    if not dataset.columns:
        return SequencePanel(title, rows, std, words)
    return SequencePanel(title, rows, std, words, card=cards(dataset, rows, chances or {}))


def observed_too(rows: Array, dataset: Dataset, chances: Chances) -> dict[int, Array]:
    """Return the probabilities of words, with 1 for words that the rows contain."""
    found = {}
    for c, each in chances.items():
        own = rows[:, c : c + 1]
        found[c] = np.where(np.isnan(own), each, own == np.arange(each.shape[1]))
    return found


def spread_of_tables(dataset: Dataset, std: Array, chances: Chances) -> Array:
    """Return the uncertainty (T,) of each row, as a share of the data's spread.

    The variance of words is Σ p (1 − p).
    """
    shares = []
    for c in drawn(dataset.columns):
        seen = dataset.values[~np.isnan(dataset.values[:, c]), c]
        if c in chances:
            base = np.bincount(seen.astype(int), minlength=chances[c].shape[1]) / len(seen)
            own = np.sum(chances[c] * (1.0 - chances[c]), axis=1)
            whole = float(np.sum(base * (1.0 - base)))
        else:
            own, whole = std[:, c] ** 2, float(np.var(seen))
        if whole > 0.0:
            shares.append(own / whole)
    return np.asarray(np.sqrt(np.mean(shares, axis=0)))


def error_of_tables(
    dataset: Dataset, found: Array, truth: Array, hidden: Array, chances: Chances
) -> str:
    """Describe how many hidden words are right, how many are expected, and the error of numbers."""
    hidden, sentences = hidden & ~np.isnan(truth), []
    words = [c for c in chances if hidden[:, c].any()]
    if words:
        right = sum(int(np.sum((found == truth)[hidden[:, c], c])) for c in words)
        count = sum(int(hidden[:, c].sum()) for c in words)
        expected = sum(float(chances[c].max(axis=1)[hidden[:, c]].sum()) for c in words)
        sentences.append(
            f"Correct hidden words: {right} of {count}; the model expects {expected:.0f}"
        )
    numbers = [c for c in drawn(dataset.columns) if c not in chances and hidden[:, c].any()]
    if numbers:
        wrong = [
            np.mean((found - truth)[hidden[:, c], c] ** 2)
            / max(np.nanvar(dataset.values[:, c]), 1e-300)
            for c in numbers
        ]
        share = float(np.sqrt(np.mean(wrong)))
        sentences.append(f"error of numbers: {share:.0%} of their spread")
    text = "; ".join(sentences).replace("%", "\u00a0%")
    return text[:1].upper() + text[1:]


def cell(value: object) -> str:
    """Return a value as text: a word unchanged, a number with eight digits, NA where missing."""
    if isinstance(value, str):
        return value
    return "NA" if value is None or np.isnan(float(value)) else f"{value:.8g}"  # type: ignore


def deviates(dataset: Dataset, d: int) -> bool:
    """Return whether a column of a table has a standard deviation."""
    return not dataset.columns or dataset.columns[d].is_number or dataset.columns[d].kind == "count"
