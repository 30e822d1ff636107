"""Ask a model about new rows, a block at a time, after its density is prepared."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from scipy.spatial.distance import cdist

from gplvm_core.models.data.rows import as_floats
from gplvm_core.models.estimators.second_stage import FOLDS
from gplvm_core.models.estimators.with_known import can_ask_training, can_hold_out, for_rows
from gplvm_core.new_rows.answers import Answers, Reason
from gplvm_core.new_rows.places import (
    MOST_EXPLANATIONS,
    as_outputs,
    check_asked,
    explanations_of,
    placed_and_filled,
    rows_for,
    unanswerable,
)
from gplvm_core.new_rows.reasons import reasons_of
from gplvm_core.new_rows.without_density import p_values, reasons_by_hiding
from gplvm_core.numerics import Array, IntArray
from gplvm_core.prediction import DerivedDensity, Recipe
from gplvm_core.prediction.typicality import Scores
from gplvm_core.readers import DataError, Dataset

FIRST_BATCH, BATCH = 20, 250
NEAREST = 5


def answers_of(
    model: Any,
    dataset: Dataset,
    rows: Float[Array, "n D"],
    *,
    batch: int | None = None,
    reasons: bool = True,
    ranked: bool = False,
    errors: Float[Array, "n D"] | None = None,
    trained: Int[IntArray, " n"] | None = None,
    scored: dict[bytes, Array] | None = None,
) -> Iterator[Answers]:
    """Yield the answers about rows with the columns of the training data set (NaN: missing).

    The first block has 20 rows, so that its answers come soon. All others have `batch` rows, by
    default 250. reasons: whether to find the columns that make rows odd. Without a density
    (`prepare`), the answers contain only positions, filled values and the nearest training rows.
    ranked: without a density, compare rows with training rows by the model's bound
    (`without_density`). errors: the known errors of the rows (NaN: unknown). Such rows are placed
    and filled by the map, and not compared with training rows. trained: the numbers of the rows
    that are training rows, −1 for the others: their scores are those of a density that has not seen
    them, and they are compared with the other training rows. scored: the scores of training rows
    by their gaps (`without_density.p_values`), which calls about one model may share.
    """
    scored = {} if scored is None else scored
    check_asked(model)
    rows = as_floats(rows, "rows")
    if rows.ndim != 2 or rows.shape[1] != dataset.n_outputs:
        raise DataError(
            f"rows must have the {dataset.n_outputs:,} columns of {dataset.name}; got the shape "
            f"{rows.shape}"
        )
    start, many = 0, FIRST_BATCH
    while start < len(rows):
        at = slice(start, start + many)
        known = None if errors is None else errors[at]
        same = None if trained is None else trained[at]
        block = for_rows(model, at), dataset, rows[at], scored
        yield _answered(*block, errors=known, trained=same, reasons=reasons, ranked=ranked)
        start, many = start + many, batch or BATCH


def _answered(
    model: Any,
    dataset: Dataset,
    rows: Float[Array, "n D"],
    scored: dict[bytes, Array],
    *,
    errors: Float[Array, "n D"] | None,
    trained: Int[IntArray, " n"] | None,
    reasons: bool,
    ranked: bool,
) -> Answers:
    """Answer one block of rows. All answers about rows that `unanswerable` names are NaN."""
    given = np.ones(len(rows), dtype=bool)
    for lost, _ in unanswerable(model, dataset, rows):
        given[lost] = False
    width, count = model.latent_mean_.shape[1], min(NEAREST, len(model.latent_mean_))
    places, place_std = np.full((2, len(rows), width), np.nan)
    explanations = np.full((len(rows), MOST_EXPLANATIONS, width), np.nan)
    weights = np.full((len(rows), MOST_EXPLANATIONS), np.nan)
    filled, std = rows.copy(), np.where(np.isnan(rows), np.nan, 0.0)
    p, p_cell, oddness = np.full((3, len(rows)), np.nan)
    unlike = np.zeros(len(rows), dtype=bool)
    nearest = np.tile(np.arange(count), (len(rows), 1))
    model = for_rows(model, given)
    trained = None if trained is None else trained[given]
    some, why = rows[given], list[tuple[Reason, ...]]()
    density: DerivedDensity | None = getattr(model, "density_", None)
    known = None if density is None or errors is not None else density.typicality
    count_known = 0 if known is None else known.known
    scores = None
    if len(some) and density is not None and known is not None:
        asked = as_outputs(model, dataset, some)
        scores = Scores.of(density.rows, asked, known.only)
        among = None
        if trained is not None:
            scores, among = known.held_out(scores, trained)
            count_known -= int(among.any())  # a row is not compared with itself
        p[given], p_cell[given] = known.p_values(scores, asked, among)
        unlike[given] = known.unlike(scores, asked)
        oddness[given] = known.oddness(scores, asked)
        if reasons and model.fitted_.fractions:  # the columns of the density are coordinates

            def p_of(_: Any, rows: Array) -> Array:
                coded = as_outputs(model, dataset, rows)
                return known.p_values(Scores.of(density.rows, coded, known.only), coded)[0]

            why = reasons_by_hiding(model, dataset, some, p[given], p_of)
        elif reasons:
            why = reasons_of(density.rows, known, some, scores)
    by_hiding = known is None and ranked and errors is None and can_ask_training(model)
    if by_hiding:
        p[given], count_known = p_values(model, dataset, some, scored, trained)
        if reasons:

            def p_hidden(own: Any, rows: Array) -> Array:
                return p_values(own, dataset, rows, scored)[0]

            why = reasons_by_hiding(model, dataset, some, p[given], p_hidden, trained)
    if len(some):
        own = None if errors is None else errors[given]
        points, filled[given], std[given] = placed_and_filled(model, dataset, some, scores, own)
        places[given], place_std[given] = points.best.mean, np.sqrt(points.best.variance)
        explanations[given], weights[given] = explanations_of(points)
        nearest[given] = _nearest(model, places[given])
    found = dict(zip(np.flatnonzero(given).tolist(), why, strict=False))
    return Answers(
        places=places,
        place_std=place_std,
        explanations=explanations,
        weights=weights,
        filled=filled,
        std=std,
        p=p,
        p_cell=p_cell,
        oddness=oddness,
        unlike=unlike,
        reasons=tuple(found.get(row, ()) for row in range(len(rows))),
        nearest=nearest,
        known=count_known,
        held_out=known is not None or (by_hiding and can_hold_out(model, dataset)),
    )


def _nearest(model: Any, places: Float[Array, "n Q"]) -> Int[IntArray, "n k"]:
    """Return the training rows that are nearest on the map, in lengthscales."""
    scale = model.latent_scale_
    away = cdist(places * scale, model.latent_mean_ * scale)
    count = min(NEAREST, away.shape[1])
    few = np.argpartition(away, count - 1, axis=1)[:, :count]
    order = np.argsort(np.take_along_axis(away, few, axis=1), axis=1, kind="stable")
    return np.take_along_axis(few, order, axis=1)


def prepare(
    model: Any,
    dataset: Dataset,
    callback: Callable[[float], None] | None = None,
    recipe: Recipe | None = None,
) -> Any:
    """Return the model with a density and out-of-fold scores of its training rows.

    The model does not change: the result is a copy if anything was missing. Models that cannot have
    a density are returned as they are. dataset: the training rows. callback: called with the
    fraction of the work that is done; an exception that it raises ends the work. recipe:
    `density_.recipe` of the same model with the same rows; it saves time if the model has no
    density.
    """
    if not getattr(model, "can_have_density", False):
        return model
    known = model.density_
    if known is not None and known.typicality is not None:
        return model
    recipe = recipe if known is None else known.recipe
    Y = rows_for(model, dataset, dataset.values)
    return copy.copy(model).fit_density(Y, folds=FOLDS, recipe=recipe, callback=callback)
