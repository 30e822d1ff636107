"""Chained models as baselines: they predict each column of a table from all other columns."""

from typing import Any, Self

import numpy as np
from jaxtyping import Float
from scipy.stats import poisson
from sklearn.base import BaseEstimator

from gplvm_core.likelihoods import TableColumns
from gplvm_core.numerics import Array
from gplvm_core.prediction.chained import Family, chain_of
from gplvm_core.prediction.columns import by_words, counts_of, words_of
from gplvm_core.readers.cells import cells_of
from gplvm_core.readers.kinds import TableColumn, coded_table, columns_of, in_own_values

N_TREES = 200


class ChainedModels(BaseEstimator):
    """Models that predict every column from all other columns, in rounds (`ColumnModels`).

    scikit-learn's IterativeImputer has one regressor for all columns, so it has neither words nor
    counts, and it returns filled values without probabilities.

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
        self.chain_ = chain_of(
            self.columns_,
            coded_table(self.columns_, Y),
            self.family,
            n_trees=N_TREES,
            rounds=self.rounds,
            random_state=self.random_state,
        )
        return self

    def expected(self, Y: Any) -> list[Array]:
        """Return the predictions of every column: means (N,), or probabilities of words (N × C).

        The predictions are valid only for missing entries. An observed entry may affect its own
        prediction, through the filled gaps of its row.
        """
        return self.chain_.expected(coded_table(self.columns_, Y), self.rounds)

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
        expected = self.chain_.expected(values, self.rounds)
        for at, (column, mean) in enumerate(zip(self.columns_, expected, strict=True)):
            if column.is_words:
                filled = np.argmax(mean, axis=1)
            else:
                filled = poisson.median(mean) if column.kind == "count" else mean
            whole[:, at] = np.where(np.isnan(values[:, at]), filled, values[:, at])
        return in_own_values(self.columns_, whole)

    def _of_others(self, Y: Any, column: str | int) -> tuple[TableColumn, Array]:
        """A column, and its predictions from the other columns."""
        at = TableColumns(self.columns_).column(column)
        values = coded_table(self.columns_, Y)
        values[:, at] = np.nan
        return self.columns_[at], self.chain_.expected(values, self.rounds)[at]
