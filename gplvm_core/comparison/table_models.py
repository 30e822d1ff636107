"""Models of tables with words and counts whose rows are numbers, and the base rates of columns."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from jaxtyping import Float
from scipy.stats import nbinom, norm
from sklearn.base import BaseEstimator

from gplvm_core.comparison.repeated import fit_map
from gplvm_core.likelihoods.counts import SIZES
from gplvm_core.numerics import Array
from gplvm_core.readers.kinds import TableColumn, coded_table, in_own_values


class OfTable(BaseEstimator):
    """A model of a table whose rows are numbers; a word is its index among the column's words."""

    def __init__(self, model: Any, columns: Sequence[TableColumn]) -> None:
        self.model = model
        self.columns = columns

    def fit(self, Y: Float[Array, "N C"], callback: Any = None) -> Self:
        fit_map(self.model, self._table(Y), callback=callback)
        return self

    def score_samples(self, Y: Float[Array, "N C"]) -> Float[Array, " N"]:
        return np.asarray(self.model.score_samples(self._table(Y)))

    def sample(self, X: int, random_state: int | None = None) -> Float[Array, "N C"]:
        return coded_table(self.columns, self.model.sample(X, random_state=random_state))

    def expected(self, Y: Float[Array, "N C"]) -> list[Array]:
        """For each column, means (N,) of numbers and counts, or probabilities of words (N × W)."""
        if hasattr(self.model, "expected"):
            return self._ordered(self.model.expected(self._table(Y)), self.model.columns_)
        return self._means(self._answer(Y), Y)

    def log_probabilities(
        self, shown: Float[Array, "N C"], values: Float[Array, "N C"]
    ) -> Float[Array, "N C"]:
        """log p of every entry of `values`, given the shown entries of its row; 0 for exposures.

        The entries must have words that the model has seen.
        """
        if self._only_numbers:
            mean, std = self.model.complete(shown, return_std=True)
            return norm.logpdf(values, mean, np.maximum(std, np.finfo(float).tiny))
        answer = self._answer(shown)
        means = self._means(answer, shown)
        found, there = np.zeros_like(values), np.nan_to_num(values)
        for at, (column, mean, own) in enumerate(zip(self.columns, means, there.T, strict=True)):
            if column.is_words:
                found[:, at] = np.log(mean[np.arange(len(own)), own.astype(int)])
            elif column.kind == "count":
                found[:, at] = np.log(answer.chance(at, own))
            elif column.is_number:
                found[:, at] = norm.logpdf(own, mean, np.sqrt(answer.moments(at)[1]))
        return found

    @property
    def _only_numbers(self) -> bool:
        return all(column.kind == "number" for column in self.columns)

    def _answer(self, Y: Float[Array, "N C"]) -> Any:
        return self.model.fitted_.expected(self.model._rows(self._table(Y)))

    def _means(self, answer: Any, Y: Float[Array, "N C"]) -> list[Array]:
        trained = self.model.columns_.columns
        found = [
            Y[:, at]
            if own.kind == "exposure"
            else (answer.classes(at) if own.is_words else answer.moments(at)[0])
            for at, own in enumerate(trained)
        ]
        return self._ordered(found, trained)

    def _ordered(self, found: list[Array], trained: Sequence[TableColumn]) -> list[Array]:
        """Sort the probabilities of words by the order of the words in `columns`."""
        ordered = []
        for values, own, column in zip(found, trained, self.columns, strict=True):
            if column.is_words:
                whole = np.zeros((len(values), len(column.words)))
                whole[:, [column.words.index(word) for word in own.words]] = values
                values = whole
            ordered.append(values)
        return ordered

    def _table(self, values: Float[Array, "N C"]) -> Any:
        """Convert rows to the form that a model expects: an array if all columns are numbers."""
        return values if self._only_numbers else in_own_values(self.columns, values)


class BaseRates(BaseEstimator):
    """A model of independent columns.

    Each column is a Gaussian, the frequencies of words, or a negative binomial.
    """

    def __init__(self, columns: Sequence[TableColumn]) -> None:
        self.columns = columns

    def fit(self, Y: Float[Array, "N C"]) -> Self:
        self.rows_ = np.asarray(Y, dtype=float)
        return self

    def score_samples(self, Y: Float[Array, "N C"]) -> Float[Array, " N"]:
        return np.asarray(self.log_probabilities(Y).sum(axis=1))

    def log_probabilities(self, Y: Float[Array, "N C"]) -> Float[Array, "N C"]:
        """log p of every entry that is not missing. The training rows may have gaps, too."""
        trained, own = exposures_of(self.columns, self.rows_), exposures_of(self.columns, Y)
        found = np.empty_like(Y)
        for at, (column, seen) in enumerate(zip(self.columns, self.rows_.T, strict=True)):
            known, asked = ~np.isnan(seen), np.nan_to_num(Y[:, at])
            found[:, at] = log_base_rates(column, seen[known], asked, trained[known], own)
        return found

    def sample(self, X: int, random_state: int | None = None) -> Float[Array, "N C"]:
        """Draw every column independently from the training rows."""
        generator = np.random.default_rng(random_state)
        return np.column_stack([generator.choice(own, X) for own in self.rows_.T])

    def expected(self, Y: Float[Array, "N C"]) -> list[Array]:
        found = []
        trained, own = exposures_of(self.columns, self.rows_), exposures_of(self.columns, Y)
        for column, seen in zip(self.columns, self.rows_.T, strict=True):
            if column.kind == "count":
                found.append(seen.sum() / trained.sum() * own)
            elif column.is_words:
                found.append(np.tile(shares_of(column, seen), (len(Y), 1)))
            else:
                found.append(np.full(len(Y), seen.mean()))
        return found


def exposures_of(columns: Sequence[TableColumn], values: Float[Array, "N C"]) -> Float[Array, " N"]:
    """The product of each row's exposures; 1 for a table without exposures."""
    return np.prod(values[:, [column.kind == "exposure" for column in columns]], axis=1)


def shares_of(column: TableColumn, seen: Float[Array, " S"]) -> Float[Array, " W"]:
    """The frequencies of a column's words among the seen values."""
    return np.bincount(seen.astype(int), minlength=len(column.words)) / len(seen)


def log_base_rates(
    column: TableColumn,
    seen: Float[Array, " S"],
    asked: Float[Array, " H"],
    seen_exposures: float | Float[Array, " S"] = 1.0,
    asked_exposures: float | Float[Array, " H"] = 1.0,
) -> Float[Array, " H"]:
    """log p of the entries `asked` under the distribution of the shown entries of their column.

    seen_exposures, asked_exposures: the factors by which expected counts are multiplied.
    """
    if column.is_words:
        return np.log(shares_of(column, seen)[asked.astype(int)])
    if column.is_number:
        return norm.logpdf(asked, seen.mean(), max(seen.std(), np.finfo(float).tiny))
    if column.kind == "exposure":
        return np.zeros(len(asked))
    rate, size = rate_and_size(seen, seen_exposures)
    return np.asarray(nbinom.logpmf(asked, size, size / (size + rate * asked_exposures)))


def rate_and_size(
    seen: Float[Array, " S"], exposures: float | Float[Array, " S"]
) -> tuple[float, float]:
    """The mean count per unit of exposure, and the most likely size of a negative binomial."""
    total = np.sum(np.broadcast_to(exposures, seen.shape))
    rate = max(float(seen.sum()), 0.5) / total
    mean = rate * exposures
    return rate, max(SIZES, key=lambda r: float(nbinom.logpmf(seen, r, r / (r + mean)).sum()))
