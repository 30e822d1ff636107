"""Propose kinds for a column from its values, the most likely kind first.

The same rule decides for files, data frames and lists of rows.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.errors import in_digits, listed, plural

CONSTANT = "constant"  # a column with one value, which is its only word: nothing is learnt from it
# A column of W words becomes W − 1 yes/no columns, each with its own sums over the rows.
MOST_WORDS = 100
# Words that mean "yes" in a yes/no column.
YES = ("yes", "true", "y", "t", "1", "1.0", "on")
# A column of text is prose if its cells have at least this many words on average.
PROSE = 4.0
# If at least this fraction of a column's cells are numbers, the others are mistakes.
MOSTLY_NUMBERS = 0.5
# Whole numbers in a column may be codes for words, if at most this many of them are different.
MOST_CODES = 20
# Counts of things that are rare in most rows and frequent in a few, such as species at sites: the
# variance is several times the mean, and no limit is reached by many rows. Read as numbers, such a
# table is filled worse than by the columns' means.
TAIL, WHOLE = "counts with a long tail", "whole numbers from 0 to "
MOST_TAILED, LEAST_FANO, LEAST_TAIL, MOST_AT_LIMIT = 10_000, 3.0, 4.0, 0.05
LARGE = f"above {MOST_TAILED:,}, the largest count"
MOST_COUNTED = 20  # whole numbers from 0 to at most this limit are probably counts, if some are 0
LEAST_ZEROS = 0.05
# If so many values could be counts, the others are probably mistakes.
MOSTLY_COUNTS = 0.9
# Some columns have few different numbers, one of them this frequent. In a table with words, such
# numbers would be learnt almost without noise and dominate the map.
REPEATED = 0.15
# The largest step between neighbouring grades, in units of the median step.
MOST_STEP = 20.0

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

    words: the values as text, in natural order, or in their order if they have a usual one.
    is_text: whether the column has words and not numbers.
    """

    kinds: tuple[str, ...]
    reason: str
    words: tuple[str, ...] = ()
    is_text: bool = False


def of_counts(reasons: Sequence[str]) -> bool:
    """Whether a table is one of counts, by the reasons for the kinds of its columns.

    At least half of the columns are proposed as counts, and two fifths have a long tail. Grey
    values of pictures have fewer long tails (a third in the digits), and answers on a scale none.
    """
    tails = sum(reason.startswith(TAIL) for reason in reasons)
    counts = tails + sum(reason.startswith(WHOLE) for reason in reasons)
    return 0 < len(reasons) <= min(2.0 * counts, 2.5 * tails)


def natural(word: str) -> list[tuple[int, str]]:
    """Return a sort key that compares digits as numbers and the rest as text ("2" before "10")."""
    parts = re.split(r"(\d+)", word.lower())
    # Without leading zeros, the number with more digits is the larger one.
    keys = [(len(part.lstrip("0")), part.lstrip("0")) if part.isdecimal() else (-1, part)
            for part in parts]  # fmt: skip
    return [*keys, (-2, word)]


def in_order(words: Iterable[Any]) -> tuple[Any, ...]:
    """Return numbers by value, and words in natural order."""
    each = tuple(words)
    if all(isinstance(word, int | float) for word in each):
        return tuple(sorted(each))
    return tuple(sorted(each, key=lambda word: natural(str(word))))


def of_cells(numbers: Array | None, share: float, words: Callable[[], Sequence[str]]) -> Proposal:
    """Propose the kind of a column. numbers: None unless all cells are numbers or missing; share:
    the fraction of numbers among the other cells; words: the cells as text.
    """
    if numbers is not None:
        return of_numbers(numbers)
    if share >= MOSTLY_NUMBERS:
        return Proposal((), "numbers with mistakes")
    return of_words(words())


def of_words(cells: Sequence[str]) -> Proposal:
    """Propose the kind of a column of text; missing cells are empty."""
    counts = Counter(word for word in cells if word)
    words = in_order(counts) if len(counts) <= MOST_WORDS else ()
    n_rows = sum(counts.values())
    length = words_a_cell(cells)

    def found(reason: str, *kinds: str, words: tuple[str, ...] = ()) -> Proposal:
        return Proposal(kinds, reason, words, is_text=True)

    if len(counts) == 0:
        return found("it has no values")
    if len(counts) == 1:
        often = "always" if n_rows > 1 else "one value,"
        return found(f"{often} “{words[0]}”", *([CONSTANT] if n_rows > 1 else []), words=words)
    if length >= PROSE and 2 * len(counts) > n_rows:
        return found(f"prose, about {plural(round(length), 'word')} a cell")
    if len(counts) == n_rows:
        return found("text, different in every row")
    if len(counts) == 2:
        both = yes_first(words)
        return found(f"two values: {listed(both)}", "yes/no", words=both)
    if len(counts) > MOST_WORDS:
        return found(f"{len(counts):,} different words, and at most {MOST_WORDS} are learnt")
    if 2 * len(counts) > n_rows:
        return found(f"{len(counts)} different words in {plural(n_rows, 'value')}")
    order = known_order(words)
    if order:
        return found(f"words in an order: {listed(order)}", "grade", "category", words=order)
    kinds = ("category", "grade") if len(counts) <= MOST_CODES else ("category",)
    return found(f"{len(counts)} different words", *kinds, words=words)


def words_a_cell(cells: Sequence[str]) -> float:
    """Return the average number of words in a cell of text, without missing cells."""
    counts = Counter(filter(None, cells))
    return sum(n * len(cell.split()) for cell, n in counts.items()) / max(counts.total(), 1)


def yes_first(words: Iterable[Any]) -> tuple[Any, ...]:
    """Return the two words of a yes/no column, yes first; of other numbers the larger is yes."""
    each = in_order(words)
    if all(isinstance(word, int | float) for word in each):
        each = each[::-1]
    return tuple(sorted(each, key=lambda word: str(word).lower() not in YES))


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


def of_numbers(numbers: Float[Array, " N"]) -> Proposal:
    """Propose a kind for a table with words; in other tables, all columns remain numbers.

    numbers: NaN where missing.
    """
    seen = numbers[~np.isnan(numbers)]
    values, counts = np.unique(seen, return_counts=True)
    if len(values) == 0:
        return Proposal((), "it has no values")
    if len(values) == 1:
        return Proposal(
            (), f"{'always' if len(seen) > 1 else 'one value,'} {in_digits(values[0], 6)}"
        )
    if not np.isfinite(values).all():
        return Proposal(("number",), "")
    few = len(values) <= MOST_CODES and 2 * len(values) <= len(seen)
    words = tuple(f"{value:.15g}" for value in values) if few or len(values) == 2 else ()
    if len(values) == 2:
        return Proposal(("yes/no", "number"), f"two values: {listed(words)}", words)
    codes = ("grade", "category") if few else ()
    whole = bool((values == np.round(values)).all()) and 0 <= values[0] <= MOST_COUNTED
    counted = ("count",) if whole else ()
    zeros = counts[0] / len(seen) if values[0] == 0 else 0.0
    mean = seen.mean()
    tailed = LEAST_FANO * mean <= seen.var() and LEAST_TAIL * mean <= values[-1]
    tailed = tailed and counts[-1] <= MOST_AT_LIMIT * len(seen)
    if tailed and counted and zeros >= LEAST_ZEROS:
        if values[-1] > MOST_TAILED:
            reason = f"{values[-1]:,.0f} is {LARGE}"
            return Proposal(("number", *counted, *codes), reason, words)
        reason = f"{TAIL}: whole numbers from 0 to {values[-1]:,.0f}"
        return Proposal(("count", "number", *codes), reason, words)
    if few and counted and values[-1] <= MOST_COUNTED and zeros >= LEAST_ZEROS:
        reason = f"{WHOLE}{values[-1]:.0f}"
        return Proposal(("count", "number", *codes), reason, words)
    most = counts.max() / len(seen)
    steps = np.diff(values)
    close = steps.max() <= MOST_STEP * np.median(steps)  # a far value is no further grade
    if few and close and most > REPEATED:
        often = f"{most:.0%} of the rows have {in_digits(values[counts.argmax()], 6)}"
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
    return f"; not counts, because one value is {in_digits(seen[~fits][0], 6)}"
