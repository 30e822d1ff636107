"""Train chained models, which predict each column of a table from all other columns."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from jaxtyping import Float

from gplvm_core.likelihoods import ColumnModels
from gplvm_core.likelihoods.column_models import (
    Line,
    Trees,
    as_inputs,
    fill,
    is_asked,
    limits_of,
    others,
    started,
    within,
)
from gplvm_core.numerics import Array
from gplvm_core.readers.kinds import TableColumn

Family = Literal["linear", "forest"]
RIDGES = np.geomspace(0.01, 1000.0, 11)
# Weaker penalties give overconfident probabilities, because the gaps in a training row's inputs
# were filled with the help of the very word that the regression learns.
INVERSE_PENALTIES = (0.03, 0.1, 0.3, 1.0)
FOLDS = 3
LEAST_LEAF = 3
IMPOSSIBLE = -50.0  # the linear function of a word that training has not seen


def chain_of(
    columns: Sequence[TableColumn],
    values: Float[Array, "N C"],
    family: Family,
    *,
    n_trees: int,
    rounds: int = 1,
    random_state: int | None = None,
    report: Callable[[float], None] = lambda share: None,
) -> ColumnModels:
    """Train chained models on rows with gaps (NaN), in which a word is its number.

    family: "linear" for generalised linear models with penalties chosen by cross-validation,
    "forest" for random forests. rounds: if there are gaps, how often all models are trained.
    report: called before every column with the share of a round that is done; it may end training.
    """
    limits = limits_of(columns, values)
    values = within(values, limits)
    start = tuple(
        np.nanmean(as_inputs(own, column), axis=0)
        for own, column in zip(values.T, columns, strict=True)
    )
    filled, models = started(values, columns, start), list[Line | Trees | None]()
    # If there are no gaps, every round would train the same models.
    for _ in range(rounds if np.isnan(values).any() else 1):
        models = []
        for at, column in enumerate(columns):
            report(at / len(columns))
            if not is_asked(column):
                models.append(None)
                continue
            own, inputs = values[:, at], others(filled, at)
            seen = ~np.isnan(own)
            model: Line | Trees = (
                _forest(inputs[seen], own[seen], column, n_trees, random_state)
                if family == "forest"
                else _line(inputs[seen], own[seen], column)
            )
            models.append(model)
            if not seen.all():
                fill(filled[at], own, model.at(inputs, column), column)
    return ColumnModels(tuple(columns), start, tuple(models), limits)


def _forest(
    inputs: Float[Array, "N W"],
    target: Float[Array, " N"],
    column: TableColumn,
    n_trees: int,
    random_state: int | None,
) -> Trees:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    settings: dict[str, Any] = {"min_samples_leaf": LEAST_LEAF, "random_state": random_state}
    if column.is_words:
        model = RandomForestClassifier(n_trees, **settings).fit(inputs, target)
    else:
        loss = "poisson" if column.kind == "count" and target.any() else "squared_error"
        model = RandomForestRegressor(n_trees, criterion=loss, **settings).fit(inputs, target)
    trees = [each.tree_ for each in model.estimators_]
    roots = np.cumsum([0, *(tree.node_count for tree in trees)])[:-1]
    parts = []
    for root, tree in zip(roots, trees, strict=True):
        each = np.stack([tree.children_left, tree.children_right], axis=1)
        leaf = each < 0
        parts.append(root + np.where(leaf, np.arange(tree.node_count)[:, None], each))
    means = np.concatenate([tree.value[:, 0] for tree in trees])
    if column.is_words:
        means = _of_every_word(means / means.sum(axis=1, keepdims=True), model.classes_, column)
    return Trees(
        roots.astype(np.int32),
        np.concatenate([tree.feature for tree in trees]).clip(0).astype(np.int32),
        np.concatenate([tree.threshold for tree in trees]),
        np.concatenate(parts).astype(np.int32),
        means,
        max(tree.max_depth for tree in trees),
    )


def _line(inputs: Float[Array, "N W"], target: Float[Array, " N"], column: TableColumn) -> Line:
    # These imports are slow, and few users need them.
    from sklearn.linear_model import LogisticRegression, PoissonRegressor, RidgeCV
    from sklearn.model_selection import GridSearchCV
    from sklearn.preprocessing import StandardScaler

    model: Any
    if column.is_words and len(np.unique(target)) < 2:
        seen = np.where(np.arange(len(column.words)) == target[0], 0.0, IMPOSSIBLE)
        return Line(seen, np.zeros((inputs.shape[1], len(column.words))))
    if column.is_words:
        if np.bincount(target.astype(int)).min() < FOLDS:
            model = LogisticRegression(C=0.3, max_iter=2000)
        else:
            model = GridSearchCV(
                LogisticRegression(max_iter=2000),
                {"C": INVERSE_PENALTIES},
                cv=FOLDS,
                scoring="neg_log_loss",
            )
    elif column.kind == "count":
        penalties = {"alpha": np.geomspace(1e-3, 10.0, 5)}
        model = GridSearchCV(PoissonRegressor(max_iter=500), penalties, cv=FOLDS)
    else:
        model = RidgeCV(RIDGES)
    scaler = StandardScaler().fit(inputs)
    found = model.fit(scaler.transform(inputs), target)
    found = getattr(found, "best_estimator_", found)
    slopes, offsets = np.atleast_2d(found.coef_).T, np.atleast_1d(found.intercept_)
    slopes = slopes / scaler.scale_[:, None]
    offsets = offsets - scaler.mean_ @ slopes
    if column.is_words:
        if len(found.classes_) == 2:  # scikit-learn has one function, of the second word
            slopes, offsets = slopes * [0.0, 1.0], offsets * [0.0, 1.0]
        slopes = _of_every_word(slopes, found.classes_, column)
        offsets = _of_every_word(offsets[None], found.classes_, column, IMPOSSIBLE)[0]
    return Line(offsets, slopes)


def _of_every_word(
    found: Float[Array, "M S"], seen: Array, column: TableColumn, other: float = 0.0
) -> Float[Array, "M P"]:
    """Return values of every word; words that training has not seen have the value `other`."""
    every = np.full((len(found), len(column.words)), other)
    every[:, np.asarray(seen).astype(int)] = found
    return every
