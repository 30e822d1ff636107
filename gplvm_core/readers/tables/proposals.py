"""Propose kinds for a column from its values, the most likely kind first."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy import ndarray as Array

from gplvm_core.readers.errors import listed, plural
from gplvm_core.readers.kinds import MOST_WORDS, YES
from gplvm_core.readers.tables.columns import MOSTLY_NUMBERS, PROSE, Column

MOST_CODES = 20  # largest number of different whole numbers that may be codes of words
MOST_COUNTED = 20  # whole numbers from 0 to at most this limit are probably counts, if some are 0
LEAST_ZEROS = 0.05
# If so many values could be counts, the others are probably mistakes.
MOSTLY_COUNTS = 0.9
# Some columns have few different numbers, one of them this frequent. In a table with words, such
# numbers would be learnt almost without noise and dominate the map.
REPEATED = 0.15

ORDERS: tuple[tuple[str, ...], ...] = (
    ("very low", "low", "medium", "high", "very high"),
    ("low", "mid", "high"),
    ("low", "moderate", "high"),
    ("low", "middle", "high"),
    ("low", "average", "high"),
    ("tiny", "small", "medium", "large", "huge"),
    ("small", "middle", "large"),
    ("small", "medium", "big"),
    ("short", "medium", "long"),
    ("short", "medium", "tall"),
    ("light", "medium", "heavy"),
    ("slow", "medium", "fast"),
    ("young", "middle", "old"),
    ("cold", "cool", "mild", "warm", "hot"),
    ("xxs", "xs", "s", "m", "l", "xl", "xxl", "xxxl"),
    ("mild", "moderate", "severe"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("never", "seldom", "sometimes", "usually", "always"),
    ("very bad", "bad", "neutral", "good", "very good"),
    ("very poor", "poor", "average", "good", "excellent"),
    ("poor", "fair", "good", "very good", "excellent"),
    ("fair", "good", "very good", "premium", "ideal"),
    ("worse", "same", "better"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("strongly disagree", "disagree", "neither agree nor disagree", "agree", "strongly agree"),
    ("very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"),
    ("beginner", "intermediate", "advanced", "expert"),
    ("bronze", "silver", "gold"),
    ("first", "second", "third", "fourth", "fifth"),
    ("1st", "2nd", "3rd", "4th", "5th"),
)
"""Words with a usual order. Days and months form a circle, so they are categories."""


@dataclass(frozen=True)
class Proposal:
    """The kinds that a column can have, the proposed kind first; empty if it cannot be learnt.

    words: the values as text. The most frequent value comes first; the values of a grade are in
    their order, if the order is known.
    """

    kinds: tuple[str, ...]
    reason: str
    words: tuple[str, ...] = ()


def proposal(column: Column) -> Proposal:
    """Propose the kind of a column that has no dates."""
    if column.numbers is not None:
        return _of_numbers(column)
    mistaken = column.share >= MOSTLY_NUMBERS
    return Proposal((), "numbers with mistakes") if mistaken else _of_text(column)


def _of_text(column: Column) -> Proposal:
    counts = Counter(word for word in column.words() if word)
    words = tuple(word for word, _ in counts.most_common(MOST_WORDS))
    n_rows = sum(counts.values())
    if len(counts) == 0:
        return Proposal((), "it has no values")
    if len(counts) == 1:
        often = "always" if n_rows > 1 else "one value,"
        return Proposal((), f"{often} “{words[0]}”")
    if column.words_a_cell() >= PROSE and 2 * len(counts) > n_rows:
        return Proposal((), f"prose, about {plural(round(column.words_a_cell()), 'word')} a cell")
    if len(counts) == n_rows:
        return Proposal((), "text, different in every row")
    if len(counts) == 2:
        return Proposal(("yes/no",), f"two values: {listed(_yes_first(words))}", _yes_first(words))
    if len(counts) > MOST_WORDS:
        return Proposal((), f"{len(counts):,} different words, and at most {MOST_WORDS} are learnt")
    if 2 * len(counts) > n_rows:
        return Proposal((), f"{len(counts)} different words in {plural(n_rows, 'value')}")
    order = known_order(words)
    if order:
        return Proposal(("grade", "category"), f"words in an order: {listed(order)}", order)
    kinds = ("category", "grade") if len(counts) <= MOST_CODES else ("category",)
    return Proposal(kinds, f"{len(counts)} different words", words)


def _yes_first(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(words, key=lambda word: (word.lower() not in YES, word)))


def known_order(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words from the lowest to the highest, if they have a usual order."""
    plain = {
        " ".join(word.lower().replace("_", " ").replace("-", " ").split()): word for word in words
    }
    if len(plain) < len(words):
        return ()
    for order in ORDERS:
        if set(plain) <= set(order):
            return tuple(plain[word] for word in order if word in plain)
    return ()


def _of_numbers(column: Column) -> Proposal:
    """Propose a kind for a table with words; in other tables, all columns remain numbers."""
    assert column.numbers is not None
    seen = column.numbers[~np.isnan(column.numbers)]
    values, counts = np.unique(seen, return_counts=True)
    if len(values) == 0:
        return Proposal((), "it has no values")
    if len(values) == 1:
        return Proposal((), f"{'always' if len(seen) > 1 else 'one value,'} {values[0]:.6g}")
    if not np.isfinite(values).all() or column.of_day:
        return Proposal(("number",), "")
    few = len(values) <= MOST_CODES and 2 * len(values) <= len(seen)
    words = tuple(f"{value:.15g}" for value in values) if few or len(values) == 2 else ()
    if len(values) == 2:
        return Proposal(("yes/no", "number"), f"two values: {listed(words)}", words)
    codes = ("grade", "category") if few else ()
    whole = bool((values == np.round(values)).all()) and 0 <= values[0] <= MOST_COUNTED
    counted = ("count",) if whole else ()
    zeros = counts[0] / len(seen) if values[0] == 0 else 0.0
    if few and counted and values[-1] <= MOST_COUNTED and zeros >= LEAST_ZEROS:
        reason = f"whole numbers from 0 to {values[-1]:.0f}"
        return Proposal(("count", "number", *codes), reason, words)
    most = counts.max() / len(seen)
    if few and most > REPEATED:
        often = f"{most:.0%} of the rows have {values[counts.argmax()]:.6g}"
        reason = f"{len(values)} different numbers; {often}" + _but(seen)
        return Proposal(("grade", "number", *counted, "category"), reason, words)
    but = _but(seen)
    return Proposal(
        ("number", *counted, *codes), but and f"{len(values):,} different numbers{but}", words
    )


def _but(seen: Float[Array, " n"]) -> str:
    """Describe the first value that prevents counts, if nearly all values could be counts."""
    fits = (seen == np.round(seen)) & (seen >= 0.0)
    if fits.all() or fits.mean() < MOSTLY_COUNTS or np.mean(seen == 0.0) < LEAST_ZEROS:
        return ""
    return f"; not counts, because one value is {seen[~fits][0]:.6g}"
