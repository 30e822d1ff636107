"""Chained models as baselines: they predict each column of a table from all other columns."""

from typing import Any, Literal, Self

import numpy as np
from jaxtyping import Float
from scipy.stats import poisson
from sklearn.base import BaseEstimator

from gplvm_core.likelihoods import TableColumns
from gplvm_core.numerics import Array
from gplvm_core.prediction.columns import by_words, counts_of, words_of
from gplvm_core.readers.cells import cells_of
from gplvm_core.readers.kinds import TableColumn, coded_table, columns_of, in_own_values

Family = Literal["linear", "forest"]
RIDGES = np.geomspace(0.01, 1000.0, 11)
# Weaker penalties give overconfident probabilities, because the gaps in a training row's inputs
# were filled with the help of the very word that the regression learns.
INVERSE_PENALTIES = (0.03, 0.1, 0.3, 1.0)
FOLDS = 3
N_TREES, LEAST_LEAF = 200, 3
LEAST_RATE = 1e-3


class ChainedModels(BaseEstimator):
    """Models that predict every column from all other columns, in rounds (van Buuren 2007).

    scikit-learn's IterativeImputer has one regressor for all columns, so it has neither words nor
    counts, and it returns filled values without probabilities.

    The models are regressions or forests. Gaps start at the column's mean or frequencies. Each
    round predicts every column from the other columns, and fills the gaps of the column with the
    predicted means and probabilities. The models of later columns use the filled values.

    kinds: see `BayesianGPLVM`; exposures are only inputs. family: "linear" uses ridge regression
    for numbers, logistic regression for words and Poisson regression for counts, with penalties
    chosen by cross-validation. "forest" uses random forests; counts are Poisson with the forest's
    mean. rounds: more rounds lower the errors of numbers in strongly related columns, but make the
    probabilities of words overconfident.
    """

    def __init__(
        self,
        kinds: Any = "auto",
        family: Family = "linear",
        rounds: int = 1,
        random_state: int | None = None,
    ) -> None:
        self.kinds = kinds
        self.family = family
        self.rounds = rounds
        self.random_state = random_state

    def fit(self, Y: Any) -> Self:
        """Train on rows with gaps: a data frame, or rows of values."""
        self.columns_, _ = columns_of(cells_of(Y), self.kinds)
        values = coded_table(self.columns_, Y)
        self.start_ = [
            np.nanmean(_as_inputs(own, column), axis=0)
            for own, column in zip(values.T, self.columns_, strict=True)
        ]
        filled = self._started(values)
        # If there are no gaps, every round would train the same models.
        for _ in range(self.rounds if np.isnan(values).any() else 1):
            self.models_: list[Any] = []
            for at, column in enumerate(self.columns_):
                if column.kind == "exposure":
                    self.models_.append(None)
                    continue
                own, others = values[:, at], _others(filled, at)
                seen = ~np.isnan(own)
                model = _fitted(others[seen], own[seen], column, self.family, self.random_state)
                self.models_.append(model)
                if not seen.all():
                    filled[at][~seen] = _predicted(model, others[~seen], column)
        return self

    def expected(self, Y: Any) -> list[Array]:
        """Return the predictions of every column: means (N,), or probabilities of words (N × C).

        The predictions are valid only for missing entries. An observed entry may affect its own
        prediction, through the filled gaps of its row.
        """
        return self._expected(coded_table(self.columns_, Y))

    def _expected(self, values: Float[Array, "N C"]) -> list[Array]:
        filled = self._started(values)
        found = list[Array]()
        for _ in range(self.rounds):
            found = []
            for at, column in enumerate(self.columns_):
                if column.kind == "exposure":
                    found.append(values[:, at])
                    continue
                predicted = _predicted(self.models_[at], _others(filled, at), column)
                gone = np.isnan(values[:, at])
                filled[at][gone] = predicted[gone]
                own = predicted if column.is_words else predicted[:, 0]
                found.append(own**2 if column.kind == "count" else own)
        return found

    def class_words(self, column: str | int) -> tuple[Any, ...]:
        """Return the words of a column, in the order of `class_probabilities`."""
        return words_of(self.columns_[TableColumns(self.columns_).column(column)])

    def class_probabilities(self, Y: Any, column: str | int) -> Float[Array, "N C"]:
        """Return the probabilities of a column's words, given the other columns of each row."""
        self.class_words(column)
        own, found = self._of_others(Y, column)
        return by_words(found, own)

    def count_probabilities(self, Y: Any, column: str | int, most: int) -> Float[Array, "N C"]:
        """Return the probabilities of the counts 0 to `most`, given the other columns."""
        own, mean = self._of_others(Y, column)
        counts_of(own)
        return np.asarray(poisson.pmf(np.arange(most + 1), mean[:, None]))

    def complete(self, Y: Any) -> Any:
        """Fill gaps with predictions.

        Numbers get the mean, counts the median, and words the most probable word.
        """
        values = coded_table(self.columns_, Y)
        whole = values.copy()
        for at, (column, mean) in enumerate(
            zip(self.columns_, self._expected(values), strict=True)
        ):
            if column.is_words:
                filled = np.argmax(mean, axis=1)
            else:
                filled = poisson.median(mean) if column.kind == "count" else mean
            whole[:, at] = np.where(np.isnan(values[:, at]), filled, values[:, at])
        return in_own_values(self.columns_, whole)

    def _started(self, values: Float[Array, "N C"]) -> list[Array]:
        """Every column as inputs of the other columns' models, with initial values in the gaps."""
        filled = []
        for own, column, start in zip(values.T, self.columns_, self.start_, strict=True):
            inputs = _as_inputs(own, column)
            filled.append(np.where(np.isnan(own)[:, None], start, inputs))
        return filled

    def _of_others(self, Y: Any, column: str | int) -> tuple[TableColumn, Array]:
        """A column, and its predictions from the other columns."""
        at = TableColumns(self.columns_).column(column)
        values = coded_table(self.columns_, Y)
        values[:, at] = np.nan
        return self.columns_[at], self._expected(values)[at]


def _as_inputs(values: Float[Array, " N"], column: TableColumn) -> Float[Array, "N W"]:
    """Convert a column to inputs: roots of counts, logarithms of exposures, 0 or 1 for words."""
    if column.kind == "exposure":
        return np.log(values)[:, None]
    if column.kind == "count":
        return np.sqrt(values)[:, None]
    if not column.is_words:
        return values[:, None]
    same = (values[:, None] == np.arange(len(column.words))).astype(np.float64)
    return np.where(np.isnan(values)[:, None], np.nan, same)


def _others(filled: list[Array], at: int) -> Float[Array, "N W"]:
    return np.hstack([own for other, own in enumerate(filled) if other != at])


def _fitted(
    inputs: Float[Array, "N W"],
    target: Float[Array, " N"],
    column: TableColumn,
    family: Family,
    random_state: int | None,
) -> Any:
    # These imports are slow, and few users need them.
    from sklearn.dummy import DummyClassifier
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.linear_model import (
        LogisticRegression,
        PoissonRegressor,
        RidgeCV,
    )
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model: Any
    if len(column.words) == 1:
        return DummyClassifier().fit(inputs, target)
    if family == "forest":
        settings: dict[str, Any] = {"min_samples_leaf": LEAST_LEAF, "random_state": random_state}
        if column.is_words:
            model = RandomForestClassifier(N_TREES, **settings)
        else:
            loss = "poisson" if column.kind == "count" and target.any() else "squared_error"
            model = RandomForestRegressor(N_TREES, criterion=loss, **settings)
        return model.fit(inputs, target)
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
    return make_pipeline(StandardScaler(), model).fit(inputs, target)


def _predicted(model: Any, inputs: Float[Array, "N W"], column: TableColumn) -> Float[Array, "N P"]:
    """The predictions of a column, as inputs of the other columns' models."""
    if column.is_words:
        found = np.zeros((len(inputs), len(column.words)))
        found[:, model.classes_.astype(int)] = model.predict_proba(inputs)
        return found
    mean = np.asarray(model.predict(inputs))[:, None]
    return np.sqrt(np.maximum(mean, LEAST_RATE)) if column.kind == "count" else mean
