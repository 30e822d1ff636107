"""Place new rows on the map, and fill their gaps."""

from typing import Any

import numpy as np
from jaxtyping import Float, Int

from gplvm_core.numerics import Array, IntArray
from gplvm_core.prediction import DATA, DerivedDensity, Projection, complete
from gplvm_core.prediction.typicality import Scores
from gplvm_core.readers import DataError, Dataset
from gplvm_core.readers.kinds import LACKS, NO_VALUE, usable
from gplvm_core.readers.new_rows import NewRows, leaving_out
from gplvm_core.readers.views import columns_of_views

MOST_EXPLANATIONS = 4
LEAST_WEIGHT = 0.02  # explanations with a lower weight are left out


def check_asked(model: Any) -> None:
    """Raise DataError for models without latent points of single rows."""
    if not hasattr(model, "fitted_") or not hasattr(model, "latent_mean_"):
        raise DataError(
            f"{type(model).__name__} has no map of rows: use a model with latent points, such as "
            "BayesianGPLVM, DeepGPLVM or ManifoldRelevance"
        )


def training_rows(dataset: Dataset, rows: Float[Array, "n D"]) -> Int[IntArray, " n"] | None:
    """Return the numbers of rows that are training rows, −1 for the others.

    None if fewer than half of the rows are: others may be equal by chance. dataset: the training
    rows.
    """
    known = {own.tobytes(): n for n, own in enumerate(dataset.values.astype(np.float64))}
    found = np.array([known.get(row.tobytes(), -1) for row in rows.astype(np.float64)], np.intp)
    return found if 2 * np.sum(found >= 0) >= max(len(found), 1) else None


def rows_for(model: Any, dataset: Dataset, rows: Float[Array, "n D"]) -> Any:
    """Convert rows of a data set to the model's input: words, views, or numbers."""
    if dataset.columns and (not model.fitted_.fractions or hasattr(model, "feature_names_in_")):
        return dataset.in_own_values(rows)
    if dataset.views and model.capabilities.views:
        seen = {
            name
            for name, at in columns_of_views(dataset.views).items()
            if not np.isnan(rows[:, at]).all()
        }
        parts = dataset.views_in_own_values(rows)
        return {name: part for name, part in parts.items() if name in seen}
    return rows


def unanswerable(
    model: Any, dataset: Dataset, rows: Float[Array, "n D"]
) -> list[tuple[IntArray, str]]:
    """Return the numbers, from 0, of rows without an answer, and the reasons.

    They have no value, lack two or more of their fractions and all else, or are no fractions.
    """
    parts = columns_of_views(dataset.views) or {DATA: slice(None)}
    seen = [usable(rows[:, at], dataset.all_columns[at]) for at in parts.values()]
    blank, empty = (np.isnan(own).all(axis=1) for own in (rows, np.hstack(seen)))
    found = [
        (np.flatnonzero(blank), NO_VALUE),
        (np.flatnonzero(empty & ~blank), f"{LACKS} and there is no other value"),
    ]
    for name, own in model.fitted_.fractions.items():
        if name in parts:
            found += own.misfits(rows[:, parts[name]])
    return [each for each in found if len(each[0])]


def only_answerable(model: Any, dataset: Dataset, rows: NewRows) -> NewRows:
    """Leave out rows that `unanswerable` names, with notes; DataError if none remains."""
    lost = unanswerable(model, dataset, rows.values)
    return leaving_out(rows, lost) if lost else rows


def as_outputs(model: Any, dataset: Dataset, rows: Float[Array, "n D"]) -> Float[Array, "n K"]:
    """Return rows as the density has them: fractions are their coordinates."""
    if not model.fitted_.fractions:
        return rows
    own = dataset.views_in_own_values(rows) if dataset.views else rows_for(model, dataset, rows)
    return np.hstack([*model._rows(own, all_seen=False).values()])


def placed_and_filled(
    model: Any,
    dataset: Dataset,
    rows: Float[Array, "n D"],
    scores: Scores | None,
    errors: Array | None = None,
) -> tuple[Projection, Array, Array]:
    """Return explanations of the rows, rows with their gaps filled, and standard deviations.

    scores: the scores of these rows, if the model has a density with out-of-fold scores. errors:
    the known errors of the rows; the map then fills their gaps.
    """
    if dataset.kinds is not None and dataset.views and model.capabilities.views:
        return _views_filled(model, dataset, rows)
    if errors is None:
        fitted, given = model.fitted_, model._rows(rows_for(model, dataset, rows))
    else:
        given, fitted = model._asked(rows_for(model, dataset, rows), errors)
    explained = fitted.for_filling(given)
    points: Projection = explained[fitted.node]
    if fitted.fractions:
        whole, std = model.complete(rows_for(model, dataset, rows), return_std=True)
        return points, np.asarray(whole, dtype=float), np.asarray(std, dtype=float)
    if dataset.kinds is not None:
        whole, std, _ = fitted.expected(given, explained).filled(given[DATA])
        return points, dataset.coded(whole), np.asarray(std, dtype=float)  # NaN for words
    found = fitted.reconstructed(given, explained)
    mean, variance = (np.hstack([part[at] for part in found.values()]) for at in range(2))
    mean, variance = complete(rows, mean, variance)
    density: DerivedDensity | None = getattr(model, "density_", None)
    if density is not None and scores is not None:
        fills = density.chosen_fills(rows)
        theirs = np.array([fill.method == "density" for fill in fills])
        gaps = np.isnan(rows) & theirs[:, None]
        mean = np.where(gaps, scores.conditionals.filled, mean)
        variance = np.where(gaps, scores.conditionals.variance, variance)
        variance *= density.factors(fills) ** 2
    return points, mean, np.sqrt(variance)


def word_chances(
    model: Any, dataset: Dataset, rows: Float[Array, "n D"], column: int
) -> Float[Array, "n C"]:
    """Return the probabilities of a column's words, given the other columns of each row.

    They have the order of the data set's words; a word that training has not seen has 0.
    """
    name, first = DATA, 0
    for view, part in columns_of_views(dataset.views).items():
        if part.start <= column < part.stop:
            name, first = view, part.start
    fitted, given = model.fitted_, model._rows(rows_for(model, dataset, rows))
    chances = fitted.expected_without(name, given, column - first).classes(column - first)
    learnt = dict(zip(fitted.tables[name].columns[column - first].words, chances.T, strict=True))
    never, words = np.zeros(len(rows)), dataset.all_columns[column].words
    return np.stack([learnt.get(word, never) for word in words], axis=1)


def _views_filled(
    model: Any, dataset: Dataset, rows: Float[Array, "n D"]
) -> tuple[Projection, Array, Array]:
    """Fill rows of views with words, counts or fractions; deviations of words are NaN."""
    own_values = dataset.views_in_own_values(rows)
    fitted, given = model.fitted_, model._rows(own_values)
    some = {name: own for name, own in given.items() if not np.isnan(own).all()}
    explained, tables = fitted.explained(some), fitted.tables
    found = fitted.reconstructed(some, explained, ends=fitted.numbers(given))
    whole, std = dict[str, Any](), list[Array]()
    for name, own in given.items():
        if name in tables:
            expected = fitted.expected(given, explained, name)
            whole[name], deviation, _ = expected.filled(own)
        elif name in fitted.fractions:
            parts, (mean, variance) = fitted.fractions[name], found[name]
            asked = np.asarray(own_values[name], dtype=float)
            whole[name], deviation = parts.kept(asked, *parts.moments(mean, np.sqrt(variance)))
        else:
            whole[name], variance = complete(own, *found[name])
            deviation = np.sqrt(variance)
        std.append(np.asarray(deviation, dtype=float))
    return explained[fitted.node], dataset.coded(whole), np.hstack(std)


def explanations_of(points: Projection) -> tuple[Float[Array, "n K Q"], Float[Array, "n K"]]:
    """Return the positions and weights of each row's likely explanations, the best first.

    K is MOST_EXPLANATIONS. If a row has fewer explanations, the other positions are NaN and their
    weights 0; the weights of a row sum to 1.
    """
    likely = points.likely(LEAST_WEIGHT)
    count, found, width = points.mean.shape
    most = min(found, MOST_EXPLANATIONS)
    weights = np.zeros((count, MOST_EXPLANATIONS))
    weights[:, :most] = likely.weights[:, :most]
    weights /= weights.sum(axis=1, keepdims=True)
    places = np.full((count, MOST_EXPLANATIONS, width), np.nan)
    places[:, :most] = points.mean[:, :most]
    return np.where(weights[:, :, None] > 0.0, places, np.nan), weights
