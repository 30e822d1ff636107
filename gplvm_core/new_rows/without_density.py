"""How typical a row is for a model without a density.

Models of words or counts, and maps without known factors, have no density. A row is compared with
training rows in the columns where it has values. The layer of one table is computed again without
the training rows that it scores. A model of views was trained on them, so a new row is on average
slightly less typical.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.special import ndtri

from gplvm_core.models.estimators.with_known import (
    apart_from_known,
    can_hold_out,
    for_rows,
    for_training,
)
from gplvm_core.new_rows.answers import Reason
from gplvm_core.new_rows.places import placed_and_filled, rows_for, word_chances
from gplvm_core.new_rows.reasons import FITS, MOST_REASONS, ORDINARY, hint_of
from gplvm_core.numerics import Array, BoolArray, IntArray
from gplvm_core.prediction.density import EQUAL
from gplvm_core.readers import Dataset
from gplvm_core.readers.kinds import FRACTION
from gplvm_core.readers.spread import spread_rows
from gplvm_core.readers.views import columns_of_views

# Training rows that *Fill in* compares with, and those that a p-value counts; fractions are then
# accurate to about 0.05 and 0.04.
MOST_SCORED, MOST_COMPARED = 100, 200
ROWS_AT_ONCE = 25  # training rows that are scored together
MOST_WORDS = 8  # with more columns of words, only the density judges a row
LEAST_CHANCE = 1e-6
UNLIKELY = 0.05  # a less probable word is a reason
FEWEST_DRAWS, DRAWS = 20, 200
MOST_NUMBERS = 200_000  # draws of a row times its columns


def scored_rows(
    dataset: Dataset, missing: Bool[BoolArray, " D"], most: int = MOST_SCORED
) -> Int[IntArray, " K"]:
    """Return the indices of the training rows to compare with: all, or `most` spread evenly.

    missing: the columns without a value in the new row. In data with gaps, only rows with values in
    all other columns are compared.
    """
    known = np.flatnonzero(~np.isnan(dataset.values[:, ~missing]).any(axis=1))
    return known[spread_rows(len(known), most)] if len(known) else known


def rows_at_once(model: Any, dataset: Dataset) -> int:
    """Return the number of training rows that are scored together.

    If the layer is computed without these rows, they are at most an eighth of all rows.
    """
    if not can_hold_out(model, dataset):
        return ROWS_AT_ONCE
    return min(MOST_SCORED, max(1, dataset.n_points // 8))


def log_scores(model: Any, dataset: Dataset, rows: Float[Array, "n D"]) -> Float[Array, " n"]:
    """Return an approximate log density of each row, in nats: more for a typical row.

    For maps without known factors of columns of numbers it is a sampled density, and rows of many
    columns have fewer draws; otherwise it is what `score_samples` returns.
    """
    given = rows_for(model, dataset, rows)
    if apart_from_known(model) or model.posterior_.links is not None:
        return np.asarray(model.score_samples(given))
    draws = int(np.clip(MOST_NUMBERS // rows.shape[1], FEWEST_DRAWS, DRAWS))
    return np.asarray(model.score_samples(given, n_samples=draws))


def p_values(
    model: Any,
    dataset: Dataset,
    rows: Float[Array, "n D"],
    known: dict[bytes, Float[Array, "2 K"]] | None = None,
    trained: Int[IntArray, " n"] | None = None,
) -> tuple[Float[Array, " n"], int]:
    """Return (1 + number of training rows that are as odd) / (1 + number of training rows).

    A row is as odd as the larger of two scores, each in units of the training rows' scores: −log of
    its density, and −log of the probability of its least likely word given its other columns. The
    compared training rows get the gaps of the new row. If no training row can be compared, p is
    NaN. Also returns the smallest number of compared rows. known: the scores of training rows by
    their gaps, which this call uses and extends. trained: the numbers of the rows that are training
    rows, −1 for the others; the layer has not seen them, and they are compared with the others.
    """
    known = {} if known is None else known
    found, counts = np.full(len(rows), np.nan), []
    if not len(rows):
        return found, 0
    own, itself = _scores(model, dataset, rows), np.zeros(len(rows))
    if trained is not None and can_hold_out(model, dataset):
        for part in _parts(model, dataset, np.flatnonzero(trained >= 0)):
            unseen = for_training(model, trained[part], dataset)
            own[:, part] = _scores(unseen, dataset, rows[part])
    patterns, which = np.unique(np.isnan(rows), axis=0, return_inverse=True)
    for at, missing in enumerate(patterns):
        same, gaps = which.ravel() == at, missing.tobytes()
        if gaps not in known:
            known[gaps] = _scores_of_training(model, dataset, missing)
        count = known[gaps].shape[1]
        if count:
            if trained is not None:
                itself = np.isin(trained, scored_rows(dataset, missing, MOST_COMPARED)).astype(
                    float
                )
            usual, odd = (_in_units(part, known[gaps]) for part in (known[gaps], own[:, same]))
            above = count - np.searchsorted(np.sort(usual), odd - EQUAL) - itself[same]
            found[same] = np.maximum(1.0 + above, 1.0) / (1.0 + count - itself[same])
            counts.append(count - int(itself[same].any()))
    return found, min(counts, default=0)


def _in_units(scores: Float[Array, "2 n"], known: Float[Array, "2 K"]) -> Float[Array, " n"]:
    """Return the larger of both scores of each row, in nats above the median density.

    Where the known scores have their median and their 97 % quantile, both count alike.
    """
    middle, high = np.quantile(known, (0.5, 0.97), axis=1)
    unit = np.maximum(high - middle, EQUAL)
    density, word = (
        unit[0] * (own - m) / u for own, m, u in zip(scores, middle, unit, strict=True)
    )
    return np.asarray(np.maximum(density, word) if known[1].any() else density)


def _scores(model: Any, dataset: Dataset, rows: Float[Array, "n D"]) -> Float[Array, "2 n"]:
    """Return −log of the density of each row, and of its least likely word's probability."""
    least, words = (
        np.zeros(len(rows)),
        [d for d, own in enumerate(dataset.all_columns) if own.words],
    )
    for d in words if len(words) <= MOST_WORDS else ():
        some = np.array([_is_asked(row, d, [d]) for row in rows], dtype=bool)
        if some.any():
            chances = word_chances(for_rows(model, some), dataset, rows[some], d)
            own = chances[np.arange(len(chances)), rows[some, d].astype(int)]
            least[some] = np.maximum(least[some], -np.log(np.maximum(own, LEAST_CHANCE)))
    return np.stack([-log_scores(model, dataset, rows), least])


def _scores_of_training(
    model: Any, dataset: Dataset, missing: Bool[BoolArray, " D"]
) -> Float[Array, "2 K"]:
    """Return the scores of the training rows to compare with, without these columns."""
    compared = np.where(missing, np.nan, dataset.values)
    each = [
        # Training rows have their own known factors.
        _scores(for_training(model, at, dataset), dataset, compared[at])
        for at in _parts(model, dataset, scored_rows(dataset, missing, MOST_COMPARED))
    ]
    return np.concatenate([np.empty((2, 0)), *each], axis=1)


def _parts(model: Any, dataset: Dataset, rows: Int[IntArray, " K"]) -> list[Int[IntArray, " _k"]]:
    """Return the rows in parts that are scored together."""
    step = rows_at_once(model, dataset)
    return np.split(rows, range(step, len(rows), step)) if len(rows) else []


def reasons_by_hiding(
    model: Any,
    dataset: Dataset,
    rows: Float[Array, "n D"],
    p: Float[Array, " n"],
    p_of: Callable[[Any, Array], Array],
    trained: Int[IntArray, " n"] | None = None,
) -> list[tuple[Reason, ...]]:
    """Return the numbers and words that make each odd row odd.

    p: the p-values of the rows; p_of: returns those of other rows, asked as p_of(model, rows).
    trained: as in `p_values`; a training row is explained by a layer that has not seen it.

    Each number is hidden and predicted from the rest of its row, a fraction from the columns that
    are no fractions of the same whole; so is each word. The number that is farthest from its
    prediction is a reason, if it is more than three standard deviations away, and so is a word with
    a probability below 5 %. It stays hidden, and the search goes on until the rest of the row is
    ordinary. Counts are no reasons.
    """
    found = list[tuple[Reason, ...]]()
    for at, (row, own) in enumerate(zip(rows, p, strict=True)):
        asked = for_rows(model, [at])
        if own <= ORDINARY and trained is not None and trained[at] >= 0:
            asked = for_training(model, trained[[at]], dataset)
        found.append(_by_hiding(asked, dataset, row, p_of) if own <= ORDINARY else ())
    return found


def _hidden_together(dataset: Dataset) -> dict[int, list[int]]:
    """Return, for each column of numbers, the columns that are hidden with it."""
    kinds = [column.kind for column in dataset.all_columns]
    parts = columns_of_views(dataset.views).values() or (slice(None),)
    found = {d: [d] for d, column in enumerate(dataset.all_columns) if column.is_number}
    for part in parts:
        whole = [d for d in range(len(kinds))[part] if kinds[d] == FRACTION]
        found |= dict.fromkeys(whole, whole)
    return found


def _by_hiding(
    model: Any, dataset: Dataset, row: Float[Array, " D"], p_of: Callable[[Any, Array], Array]
) -> tuple[Reason, ...]:
    together, rest, found = _hidden_together(dataset), row.copy(), list[Reason]()
    for _ in range(MOST_REASONS):
        reasons = [*_numbers(model, dataset, rest, together), *_words(model, dataset, rest)]
        if not reasons:
            break
        reason = max(reasons, key=lambda each: each[0])[1]
        rest[together.get(reason.column, [reason.column])] = np.nan
        p_without = float(p_of(model, rest[None])[0])
        found.append(replace(reason, p_without=p_without))
        if not p_without <= ORDINARY:
            break
    return tuple(found)


def _numbers(
    model: Any, dataset: Dataset, row: Float[Array, " D"], together: dict[int, list[int]]
) -> Iterator[tuple[float, Reason]]:
    """Yield the number that is farthest from its prediction, if it is far, and its distance."""
    asked = [d for d, own in together.items() if _is_asked(row, d, own)]
    if not asked:
        return
    hidden = np.tile(row, (len(asked), 1))
    here = np.arange(len(asked)), asked
    for one, d in zip(hidden, asked, strict=True):
        one[together[d]] = np.nan
    alike = for_rows(model, [0] * len(asked))
    _, filled, std = placed_and_filled(alike, dataset, hidden, None)
    away = np.abs(row[asked] - filled[here]) / np.maximum(std[here], np.finfo(float).tiny)
    worst = int(np.argmax(away))
    column = asked[worst]
    given, expected, spread = row[column], filled[worst, column], std[worst, column]
    known = dataset.values[:, column]
    if np.nanmin(known) == np.nanmax(known):
        expected, spread = np.nanmin(known), 0.0
    if away[worst] > FITS:
        hint, kind = hint_of(given, expected, spread)
        own = float(given), float(expected), float(spread)
        yield float(away[worst]), Reason(column, *own, hint, kind, np.nan)


def _words(model: Any, dataset: Dataset, row: Float[Array, " D"]) -> Iterator[tuple[float, Reason]]:
    """Yield unlikely words, and how many standard deviations away a number as unlikely is."""
    for d, column in enumerate(dataset.all_columns):
        if not column.is_words or not _is_asked(row, d, [d]):
            continue
        chances = word_chances(model, dataset, row[None], d)[0]
        given, likely = int(row[d]), int(np.argmax(chances))
        if chances[given] < UNLIKELY:
            away = -float(ndtri(max(chances[given], np.finfo(float).tiny) / 2.0))
            words = str(column.words[given]), str(column.words[likely])
            own = d, float(given), float(likely), np.nan, None, None, np.nan
            yield away, Reason(*own, words, float(chances[likely]))


def _is_asked(row: Float[Array, " D"], column: int, hidden: list[int]) -> bool:
    """Whether a row has a value in a column, and one that is not hidden with it."""
    return not np.isnan(row[column]) and not np.isnan(np.delete(row, hidden)).all()
