"""Predict the columns of a table of several kinds from the functions of their outputs.

The functions of a row are distributed as a mixture of Gaussians, with one component for each
explanation of the row (`functions`). Within an explanation, the yes/no columns of a category are
treated as independent. This is exact at a known latent point, and an approximation at an uncertain
point.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray
from scipy.stats import poisson

from gplvm_core.beliefs import Belief
from gplvm_core.likelihoods import (
    Averages,
    Count,
    Likelihood,
    Links,
    TableColumns,
    class_probabilities,
    count_probabilities,
    probability,
    smallest_counts,
)
from gplvm_core.likelihoods.column_models import has_many_gaps
from gplvm_core.numerics import Array, BoolArray
from gplvm_core.prediction.complete import functions
from gplvm_core.prediction.forward import moments
from gplvm_core.prediction.network import Network, Outputs
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.project import Explained, explain
from gplvm_core.readers import DataError
from gplvm_core.readers.kinds import TableColumn
from gplvm_core.readers.proposals import in_order


@dataclass(frozen=True)
class Expected:
    """Predicted rows: the weights, means and variances of the mixture of their functions."""

    columns: TableColumns
    posterior: Posterior
    weights: Float[Array, "N K"]
    mean: Float[Array, "N K D"]
    variance: Float[Array, "N K D"]
    averages: Averages | None = None  # with column models beside the map
    many: bool | Bool[BoolArray, " N"] = False  # whether a row has many gaps

    @classmethod
    def at(
        cls,
        columns: TableColumns,
        posterior: Posterior,
        mean: Float[Array, "N D"],
        variance: Float[Array, "N D"],
    ) -> "Expected":
        """Make a prediction with a single Gaussian for every function."""
        alone = np.ones((len(mean), 1))
        return cls(columns, posterior, alone, mean[:, None], variance[:, None])

    def exposed(self, outputs: Float[Array, "N D"]) -> "Expected":
        """Return the prediction at these rows' exposures. Exposures are copied, not predicted."""
        links = self.posterior.links
        assert links is not None
        if not links.exposures.any():
            return self
        mean = self.mean + links.known(outputs)[:, None]
        return replace(self, mean=mean)

    def explanation(self, k: int) -> "Expected":
        """Return the prediction of explanation k alone, by the map."""
        one = np.ones((len(self.weights), 1))
        only = slice(k, k + 1)
        mean, variance = self.mean[:, only], self.variance[:, only]
        return Expected(self.columns, self.posterior, one, mean, variance, many=self.many)

    def classes(self, at: int) -> Float[Array, "N C"]:
        """Return the probabilities of a column's words."""
        place = self.columns.places[at]
        yes = probability(self.mean[..., place], self.variance[..., place])
        own = np.einsum("nk,nkc->nc", self.weights, class_probabilities(yes))
        if self.averages is None:
            return own
        return self.averages.of(at, own, [each[at] for each in self.averages.expected])

    def words(self, at: int) -> Float[Array, "N C"]:
        """Return the probabilities of a column's words, in the order of `words_of`."""
        return by_words(self.classes(at), self.columns.columns[at])

    def counts(self, at: int, most: int) -> Float[Array, "N C"]:
        """Return the probabilities of the counts 0 … most in a column."""
        likelihood = self._likelihood(at)
        assert isinstance(likelihood, Count)
        each = count_probabilities(*self._one(at), float(likelihood.size), most)
        own = np.einsum("nk,nkc->nc", self.weights, each)
        return self._averaged_counts(at, own, np.arange(most + 1)[None])

    def moments(self, at: int) -> tuple[Float[Array, " N"], Float[Array, " N"]]:
        """Return mean and variance of a column of numbers or counts, noise included."""
        mean, variance = self._moments(at)
        return mean, variance * self._width(at) ** 2

    def quantiles(self, at: int, levels: Float[Array, " L"]) -> Float[Array, "L N"]:
        """Return quantiles of a column of numbers or counts, or of the indices of a grade's
        words.
        """
        column = self.columns.columns[at]
        if column.kind == "grade":
            return _quantiles(self.classes(at), levels)
        if column.is_words or column.kind == "exposure":
            raise DataError(
                f"column {column.name!r} is of kind {column.kind}, which has no order and thus no "
                "quantiles: use class_probabilities"
            )
        if column.kind == "count" and self.averages is not None:
            cumulative = partial(self._cumulative, at)
            return smallest_counts(levels, len(self.weights), cumulative)
        mean, variance = self._one(at)
        variance = variance + self.posterior.layer_noise[self.columns.places[at].start]
        found = self._likelihood(at).quantiles(levels, self.weights, mean, variance)
        if column.is_number:
            # The quantiles keep their shape; their mean and their standard deviation are averaged.
            (middle, own), (whole, all_) = self._of_map(at), self.moments(at)
            return np.asarray(whole + np.sqrt(all_ / own) * (found - middle))
        return found

    def likeliest(self) -> tuple[Float[Array, "N D"], Float[Array, "N C"], Float[Array, "N C"]]:
        """Return the most likely outputs, with standard deviations and probabilities.

        Numbers are predicted by their mean, counts by their median, and words by the most probable
        word. Standard deviations are NaN for words and exposures; probabilities are NaN for
        numbers.
        """
        count = len(self.weights), len(self.columns.columns)
        outputs = np.zeros((len(self.weights), self.columns.n_outputs))
        std, sure = np.full(count, np.nan), np.full(count, np.nan)
        for at, (column, place) in enumerate(
            zip(self.columns.columns, self.columns.places, strict=True)
        ):
            if column.is_words:
                chance = self.classes(at)
                best = np.argmax(chance, axis=1)
                outputs[:, place] = best[:, None] == np.arange(chance.shape[1] - 1)
                sure[:, at] = np.max(chance, axis=1)
                continue
            if column.kind == "exposure":
                outputs[:, place.start] = self.mean[:, 0, place.start]
                continue
            mean, variance = self.moments(at)
            outputs[:, place.start], std[:, at] = mean, np.sqrt(variance)
            if column.kind == "count":
                value = self.quantiles(at, np.array([0.5]))[0]
                outputs[:, place.start], sure[:, at] = value, self.chance(at, value)
        return outputs, std, sure

    def values(self) -> tuple[NDArray[Any], Float[Array, "N C"]]:
        """Return the most probable values, with standard deviations (NaN for words)."""
        outputs, std, _ = self.likeliest()
        return self.columns.decoded(outputs), std

    def alternatives(
        self, outputs: Float[Array, "N D"] | None = None
    ) -> tuple[NDArray[Any], Float[Array, "N K C"]]:
        """Return the most probable values under each explanation, and standard deviations.

        Standard deviations are NaN for words. If a row has fewer explanations, the remaining values
        are None and their standard deviations NaN. outputs: observed entries, which do not change.
        """
        rows, deviations = [], []
        for k in range(self.weights.shape[1]):
            whole, std, _ = self.explanation(k).likeliest()
            if outputs is not None:
                whole = np.where(np.isnan(outputs), whole, outputs)
            values, there = self.columns.decoded(whole), self.weights[:, k] > 0.0
            values[~there], std[~there] = None, np.nan
            rows.append(values)
            deviations.append(std)
        return np.stack(rows, axis=1), np.stack(deviations, axis=1)

    def filled(
        self, outputs: Float[Array, "N D"]
    ) -> tuple[NDArray[Any], Float[Array, "N C"], Float[Array, "N C"]]:
        """Return rows with their gaps filled, with standard deviations and probabilities.

        Standard deviations are 0 where observed and NaN for words. Probabilities are 1 where
        observed and NaN for numbers.
        """
        likeliest, std, sure = self.likeliest()
        whole = np.where(np.isnan(outputs), likeliest, outputs)
        seen = ~self.columns.missing(outputs)
        return (
            self.columns.decoded(whole),
            np.where(seen & ~np.isnan(std), 0.0, std),
            np.where(seen & ~np.isnan(sure), 1.0, sure),
        )

    def quantile_values(self, at: int, levels: Float[Array, " L"]) -> NDArray[Any]:
        """Return quantiles of a column in its own values: numbers, counts, or a grade's words."""
        found, own = self.quantiles(at, levels), self.columns.columns[at]
        if own.kind != "grade":
            return found
        return np.array(own.words, dtype=object)[found.astype(int)]

    def chance(self, at: int, values: Float[Array, " N"]) -> Float[Array, " N"]:
        """Return the probability of a given count in every row."""
        place = self.columns.places[at].start
        own = np.zeros((len(values), 1))
        own[:, 0] = values
        alone = Links((self._likelihood(at),))
        only = slice(place, place + 1)
        each = [
            alone.log_probabilities(own, self.mean[:, k, only], self.variance[:, k, only])
            for k in range(self.weights.shape[1])
        ]
        found = np.sum(self.weights * np.exp(np.stack(each, axis=1)), axis=1)
        return self._averaged_counts(at, found[:, None], values[:, None])[:, 0]

    def _moments(self, at: int) -> tuple[Float[Array, " N"], Float[Array, " N"]]:
        """Return mean and variance of a column, before its intervals are widened."""
        own, counts = self._of_map(at), self.columns.columns[at].kind == "count"
        return own if self.averages is None else self.averages.moments(at, own, counts=counts)

    def _of_map(self, at: int) -> tuple[Float[Array, " N"], Float[Array, " N"]]:
        place = self.columns.places[at].start
        own = self.posterior.observed(self.mean, self.variance, noise=True)
        mean, variance = (part[..., place] for part in own)
        whole = np.sum(self.weights * mean, axis=1)
        return whole, np.sum(self.weights * (variance + (mean - whole[:, None]) ** 2), axis=1)

    def _averaged_counts(self, at: int, own: Float[Array, "N C"], counts: Any) -> Array:
        """Average probabilities of counts; those of column models are Poisson."""
        if self.averages is None:
            return own
        means = [each[at][:, None] for each in self.averages.expected]
        return self.averages.of(at, own, [np.asarray(poisson.pmf(counts, mean)) for mean in means])

    def _cumulative(self, at: int, counts: Float[Array, " N"]) -> Float[Array, " N"]:
        """Return the averaged probability that each row's count is at most this one."""
        likelihood = self._likelihood(at)
        assert isinstance(likelihood, Count) and self.averages is not None
        own = likelihood.cumulative(counts, self.weights, *self._one(at))
        others = [np.asarray(poisson.cdf(counts, each[at])) for each in self.averages.expected]
        return self.averages.of(at, own, others)

    def _one(self, at: int) -> tuple[Float[Array, "N K"], Float[Array, "N K"]]:
        place = self.columns.places[at].start
        return self.mean[..., place], self.variance[..., place]

    def _width(self, at: int) -> Float[Array, " N"]:
        few, many = (own[at] for own in self.columns.widths) if self.columns.widths else (1.0, 1.0)
        return np.broadcast_to(np.where(self.many, many, few), len(self.weights))

    def _likelihood(self, at: int) -> Likelihood:
        """Return the likelihood of a column with one output."""
        links = self.posterior.links
        assert links is not None
        return links.columns[self.columns.places[at].start]


def expected_at(
    network: Network, columns: TableColumns, end: str, given: Mapping[int, Belief]
) -> Expected:
    """Predict the data `end` at given points of the nodes above the data."""
    own = moments(network, given, noise=False, ends={end})[end]
    return Expected.at(columns, network.ends[end].posterior, *own)


def expected_of(
    network: Network,
    columns: TableColumns,
    end: str,
    explained: Explained,
    outputs: Float[Array, "N D"] | None,
) -> Expected:
    """Predict the data `end` for rows. outputs: the rows' observed values of these data."""
    parts = functions(network, explained, end)
    found = Expected(columns, network.ends[end].posterior, *parts)
    if outputs is None:
        return found
    if columns.widths:
        values = columns.coded(outputs)
        averages = None if columns.beside is None else columns.beside.averages(values)
        found = replace(found, averages=averages, many=has_many_gaps(values))
    return found.exposed(outputs)


def _quantiles(chances: Float[Array, "N C"], levels: Float[Array, " L"]) -> Float[Array, "L N"]:
    below = np.cumsum(chances, axis=1)
    below[:, -1] = 1.0
    return np.stack([np.argmax(below >= level, axis=1) for level in levels]).astype(float)


def expected_of_others(
    network: Network,
    columns: TableColumns,
    end: str,
    outputs: Outputs,
    at: int,
    factors: Any = None,
) -> Expected:
    """Predict the data `end` for rows without using the rows' values in column `at`.

    factors: the known factors of the rows (`AskedFactors`), if the map leaves any out.
    """
    known, rows = dict(outputs), None
    if end in known:
        rows = known[end].copy()
        rows[:, columns.places[at]] = np.nan
        known[end] = rows
        if len(known) > 1 and np.isnan(rows).all():
            del known[end]
    if factors is not None:
        return expected_of(network, columns, end, factors.explained(network, known), rows)
    if all(np.isnan(rows).all() for rows in known.values()):
        # If no row has observed values, use the prior of the latent points.
        size = {
            root: (len(next(iter(known.values()))), network.width(root)) for root in network.roots
        }
        prior = {root: Belief(np.zeros(shape), np.ones(shape)) for root, shape in size.items()}
        return expected_at(network, columns, end, prior)
    return expected_of(network, columns, end, explain(network, known), rows)


def counts_of(column: TableColumn) -> None:
    """Raise DataError for a column without counts."""
    if column.kind != "count":
        raise DataError(f"column {column.name!r} is of kind {column.kind}, not of counts")


def by_words(chances: Float[Array, "N C"], column: TableColumn) -> Float[Array, "N C"]:
    """Return probabilities in the order of `words_of`, from those in the column's own order."""
    return chances[:, [column.words.index(word) for word in words_of(column)]]


def words_of(column: TableColumn) -> tuple[Any, ...]:
    """Return the words of a column in natural order, those of a grade in their order.

    Raises DataError for a column without words.
    """
    if not column.is_words:
        raise DataError(
            f"column {column.name!r} is of kind {column.kind}, which has no words: use "
            "column_quantiles"
        )
    return in_order(column.words) if column.kind == "category" else column.words
