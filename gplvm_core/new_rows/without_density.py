"""How typical a row is for a model without a density.

Models of words or counts, and maps without known factors, have no density. A row is compared with
training rows in the columns where it has values. A model of words or counts was trained on these
rows, so a new row is on average slightly less typical. The layer of a map without known factors is
computed again without the rows that it scores.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from gplvm_core.models.estimators.with_known import apart_from_known, for_rows, for_training
from gplvm_core.new_rows.answers import Reason
from gplvm_core.new_rows.places import placed_and_filled, rows_for
from gplvm_core.new_rows.reasons import FITS, MOST_REASONS, ORDINARY, hint_of
from gplvm_core.numerics import Array, BoolArray, IntArray
from gplvm_core.prediction.density import EQUAL
from gplvm_core.readers import Dataset
from gplvm_core.readers.kinds import FRACTION
from gplvm_core.readers.spread import spread_rows
from gplvm_core.readers.views import columns_of_views

MOST_SCORED = 100  # training rows to compare with; fractions are then accurate to about 0.05
ROWS_AT_ONCE = 25  # training rows that are scored together
FEWEST_DRAWS, DRAWS = 20, 200
MOST_NUMBERS = 200_000  # draws of a row times its columns


def scored_rows(dataset: Dataset, missing: Bool[BoolArray, " D"]) -> Int[IntArray, " K"]:
    """Return the indices of the training rows to compare with: all rows, or 100 spread evenly.

    missing: the columns without a value in the new row. In data with gaps, only rows with values in
    all other columns are compared.
    """
    known = np.flatnonzero(~np.isnan(dataset.values[:, ~missing]).any(axis=1))
    return known[spread_rows(len(known), MOST_SCORED)] if len(known) else known


def rows_at_once(model: Any, dataset: Dataset) -> int:
    """Return the number of training rows that are scored together.

    If the layer is computed without these rows, they are at most a quarter of all rows.
    """
    few = ROWS_AT_ONCE if apart_from_known(model) else max(1, dataset.n_points // 4)
    return min(ROWS_AT_ONCE, few)


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
    known: dict[bytes, Float[Array, " K"]] | None = None,
) -> tuple[Float[Array, " n"], int]:
    """Return (1 + number of training rows that score no higher) / (1 + number of training rows).

    The compared training rows get the gaps of the new row. If no training row can be compared, p is
    NaN. Also returns the smallest number of compared rows. known: the scores of training rows by
    their gaps, which this call uses and extends.
    """
    known = {} if known is None else known
    found, counts = np.full(len(rows), np.nan), []
    if not len(rows):
        return found, 0
    own = log_scores(model, dataset, rows)
    patterns, which = np.unique(np.isnan(rows), axis=0, return_inverse=True)
    for at, missing in enumerate(patterns):
        same, gaps = which.ravel() == at, missing.tobytes()
        if gaps not in known:
            known[gaps] = _scores_of_training(model, dataset, missing)
        count = len(known[gaps])
        if count:
            below = np.searchsorted(known[gaps], own[same] + EQUAL, side="right")
            found[same] = (1.0 + below) / (1.0 + count)
            counts.append(count)
    return found, min(counts, default=0)


def _scores_of_training(
    model: Any, dataset: Dataset, missing: Bool[BoolArray, " D"]
) -> Float[Array, " K"]:
    """Return the sorted scores of the training rows to compare with, without these columns."""
    chosen, step = scored_rows(dataset, missing), rows_at_once(model, dataset)
    if not len(chosen):
        return np.empty(0)
    compared = dataset.values[chosen].copy()
    compared[:, missing] = np.nan
    # Training rows have their own known factors.
    ends = range(step, len(chosen), step)
    pairs = zip(np.split(chosen, ends), np.split(compared, ends), strict=True)
    each = [
        log_scores(for_training(model, at, dataset.values), dataset, block) for at, block in pairs
    ]
    return np.sort(np.concatenate(each))


def reasons_by_hiding(
    model: Any,
    dataset: Dataset,
    rows: Float[Array, "n D"],
    p: Float[Array, " n"],
    p_of: Callable[[Any, Array], Array],
) -> list[tuple[Reason, ...]]:
    """Return the numbers that make each odd row odd.

    p: the p-values of the rows; p_of: returns those of other rows, asked as p_of(model, rows).

    Each number is hidden and predicted from the rest of its row, a fraction from the columns that
    are no fractions of the same whole. The number that is farthest from its prediction is a reason,
    if it is more than three standard deviations away. It stays hidden, and the search goes on until
    the rest of the row is ordinary. Words and counts are no reasons.
    """
    together = _hidden_together(dataset)
    return [
        _by_hiding(for_rows(model, [at]), dataset, row, together, p_of) if own <= ORDINARY else ()
        for at, (row, own) in enumerate(zip(rows, p, strict=True))
    ]


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
    model: Any,
    dataset: Dataset,
    row: Float[Array, " D"],
    together: dict[int, list[int]],
    p_of: Callable[[Any, Array], Array],
) -> tuple[Reason, ...]:
    rest, found = row.copy(), []
    for _ in range(MOST_REASONS):
        asked = [
            d
            for d, own in together.items()
            if not np.isnan(rest[d]) and not np.isnan(np.delete(rest, own)).all()
        ]
        if not asked:
            break
        hidden = np.tile(rest, (len(asked), 1))
        here = np.arange(len(asked)), asked
        for one, d in zip(hidden, asked, strict=True):
            one[together[d]] = np.nan
        alike = for_rows(model, [0] * len(asked))
        _, filled, std = placed_and_filled(alike, dataset, hidden, None)
        away = np.abs(rest[asked] - filled[here]) / np.maximum(std[here], np.finfo(float).tiny)
        worst = int(np.argmax(away))
        if away[worst] <= FITS:
            break
        column = asked[worst]
        rest[together[column]] = np.nan
        given, expected, spread = row[column], filled[worst, column], std[worst, column]
        known = dataset.values[:, column]
        if np.nanmin(known) == np.nanmax(known):
            expected, spread = np.nanmin(known), 0.0
        p_without = float(p_of(model, rest[None])[0])
        hint, kind = hint_of(given, expected, spread)
        own = float(given), float(expected), float(spread)
        found.append(Reason(column, *own, hint, kind, p_without))
        if not p_without <= ORDINARY:
            break
    return tuple(found)
