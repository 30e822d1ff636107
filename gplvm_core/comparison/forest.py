"""Predict hidden entries of a table by random forests, as a check on what a map finds."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float
from scipy.stats import norm

from gplvm_core.numerics import Array, BoolArray
from gplvm_core.readers.kinds import TableColumn

SETTINGS = {"n_estimators": 100, "min_samples_leaf": 3, "oob_score": True, "random_state": 0}
OWN = 0.1  # the weight of the base rates in the probabilities of words, which are never 0


def forest_gains(
    columns: Sequence[TableColumn],
    shown: Float[Array, "N C"],
    values: Float[Array, "N C"],
    hidden: Bool[BoolArray, "N C"],
) -> Float[Array, "N C"]:
    """log p of every hidden entry under a forest of the column, minus that under its base rate.

    A forest predicts a column from the shown entries of the others; gaps are filled with medians,
    and further inputs mark them. Numbers, and square roots of counts, have Gaussian errors with the
    variance of the out-of-bag predictions; base rates are Gaussians, or shares of words. In other
    rows and columns, the gain is 0.
    """
    # Imported here, because this import takes long.
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    gains = np.zeros_like(values)
    inputs = [_inputs(column, shown[:, at]) for at, column in enumerate(columns)]
    for at, column in enumerate(columns):
        seen, asked = ~np.isnan(shown[:, at]), hidden[:, at]
        if column.kind == "exposure" or not asked.any() or len(np.unique(shown[seen, at])) < 2:
            continue
        others = np.hstack([each for other, each in enumerate(inputs) if other != at])
        own = values[:, at]
        if column.is_words:
            forest = RandomForestClassifier(**SETTINGS).fit(others[seen], own[seen].astype(int))
            shares = np.array([np.mean(own[seen] == word) for word in forest.classes_])
            found = (1.0 - OWN) * forest.predict_proba(others[asked]) + OWN * shares
            places = np.searchsorted(forest.classes_, own[asked].astype(int))
            gains[asked, at] = np.log(found[np.arange(len(places)), places] / shares[places])
            continue
        own = np.sqrt(own) if column.kind == "count" else own
        regressor = RandomForestRegressor(**SETTINGS).fit(others[seen], own[seen])
        left = np.maximum(np.std(own[seen] - regressor.oob_prediction_), np.finfo(float).tiny)
        base = norm.logpdf(own[asked], own[seen].mean(), own[seen].std())
        gains[asked, at] = norm.logpdf(own[asked], regressor.predict(others[asked]), left) - base
    return gains


def _inputs(column: TableColumn, shown: Float[Array, " N"]) -> Float[Array, "N K"]:
    """A column as inputs of a forest: words as yes/no, gaps as the median and a mark."""
    missing = np.isnan(shown)
    if column.is_words:
        return np.asarray(shown[:, None] == np.arange(len(column.words)), dtype=float)
    filled = np.where(missing, np.median(shown[~missing]) if not missing.all() else 0.0, shown)
    return np.column_stack([filled, missing])
