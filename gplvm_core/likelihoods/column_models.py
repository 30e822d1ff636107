"""Chained models of a table: each column is predicted from all other columns.

They predict the gaps of rows beside a map. The models are stored as plain arrays.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.special import ndtri, softmax

from gplvm_core.numerics import Array, BoolArray, IntArray
from gplvm_core.readers.kinds import TableColumn
from gplvm_core.readers.proposals import CONSTANT

MANY = 0.4
LEAST_RATE = 1e-3
LEAST_CHANCE = 1e-3  # of words, relative to their frequencies
FAR = 6.0  # robust values this many standard deviations from the others are missing
RATES = (np.log(LEAST_RATE), 30.0)  # smallest and largest logarithm of a mean count


@dataclass(frozen=True, eq=False)
class Line:
    """A generalised linear model: the softmax, the exponential or the value of linear functions.

    offsets, slopes: the functions of P outputs and of W inputs.
    """

    offsets: Float[Array, " P"]
    slopes: Float[Array, "W P"]

    def at(self, inputs: Float[Array, "N W"], column: TableColumn) -> Float[Array, "N P"]:
        """Return probabilities of words, or means (N × 1)."""
        found = self.offsets + inputs @ self.slopes
        if column.is_words:
            return np.asarray(softmax(found, axis=1))
        return np.exp(found.clip(*RATES)) if column.kind == "count" else found


@dataclass(frozen=True, eq=False)
class Trees:
    """A forest: the mean of its trees' leaves.

    roots: the node at which each tree starts. A row goes to a node's first branch if its input is
    at most the node's threshold (in single precision, as in scikit-learn). The branches of a leaf
    are the leaf itself. deepest: the number of steps from a root to the deepest leaf. leaves:
    means, or probabilities of words.
    """

    roots: Int[IntArray, " T"]
    inputs: Int[IntArray, " M"]
    thresholds: Float[Array, " M"]
    branches: Int[IntArray, "M 2"]
    leaves: Float[Array, "M P"]
    deepest: int

    def at(self, inputs: Float[Array, "N W"], column: TableColumn) -> Float[Array, "N P"]:
        """Return probabilities of words, or means (N × 1)."""
        rows, each = inputs.astype(np.float32), np.arange(len(inputs))[:, None]
        nodes = np.broadcast_to(self.roots, (len(rows), len(self.roots)))
        for _ in range(self.deepest):
            second = rows[each, self.inputs[nodes]] > self.thresholds[nodes]
            nodes = self.branches[nodes, second.astype(int)]
        found = np.asarray(self.leaves[nodes].mean(axis=1))
        return np.maximum(found, LEAST_RATE) if column.kind == "count" else found


@dataclass(frozen=True, eq=False)
class ColumnModels:
    """Models of every column given the others, in rounds (van Buuren 2007).

    Gaps start at the column's mean or frequencies. Each round predicts every column from the other
    columns, and fills the gaps of the column with the predicted means and probabilities. The models
    of later columns use the filled values.

    start: the mean of each input. models: None for exposures and constant columns. limits: see
    `limits_of`.
    """

    columns: tuple[TableColumn, ...]
    start: tuple[Float[Array, " P"], ...]
    models: tuple[Line | Trees | None, ...]
    limits: Float[Array, "2 C"]

    def expected(self, values: Float[Array, "N C"], rounds: int = 1) -> list[Array]:
        """Return predictions of every column: means (N,), or probabilities of words (N × P).

        values: rows with gaps (NaN), where a word is its number. The predictions are valid only for
        missing entries. An observed entry may affect its own prediction, through the filled gaps of
        its row.
        """
        values = within(values, self.limits)
        filled = started(values, self.columns, self.start)
        found = list[Array]()
        for _ in range(rounds):
            found = []
            for at, (column, model) in enumerate(zip(self.columns, self.models, strict=True)):
                if model is None:
                    found.append(filled[at] if column.is_words else values[:, at])
                    continue
                predicted = model.at(others(filled, at), column)
                fill(filled[at], values[:, at], predicted, column)
                found.append(predicted if column.is_words else predicted[:, 0])
        return found

    def possible(self, values: Float[Array, "N C"]) -> list[Array]:
        """Return predictions in which no word is impossible: a few are those of the frequencies."""
        found = self.expected(values)
        for at, (column, usual) in enumerate(zip(self.columns, self.start, strict=True)):
            if column.is_words:
                found[at] = found[at] + LEAST_CHANCE * (usual - found[at])
        return found


@dataclass(frozen=True, eq=False)
class Averages:
    """Column models' predictions of rows, to be averaged with those of a map.

    expected: by model and column. shares: of the map and of each model, for each row and column.
    spreads: the standard deviation of each model's errors in columns of numbers.
    """

    expected: tuple[list[Array], ...]
    shares: Float[Array, "N C K"]
    spreads: Float[Array, "N C K"]

    def of(self, at: int, own: Array, others: Sequence[Array]) -> Array:
        """Return the weighted mean of what the map (own) and the models predict of a column, N or
        N × P.
        """
        parts = np.stack([own, *others], axis=-1)
        return np.einsum("n...k,nk->n...", parts, self.shares[:, at])

    def moments(self, at: int, own: tuple[Array, Array], *, counts: bool) -> tuple[Array, Array]:
        """Return mean and variance of the weighted mixture. own: those of the map."""
        means = np.stack([own[0], *(each[at] for each in self.expected)], axis=1)
        variances = means.copy() if counts else self.spreads[:, at] ** 2
        variances[:, 0] = own[1]
        mean = np.sum(self.shares[:, at] * means, axis=1)
        spread = self.shares[:, at] * (variances + (means - mean[:, None]) ** 2)
        return mean, np.sum(spread, axis=1)


@dataclass(frozen=True, eq=False)
class Beside:
    """Column models beside a map, whose predictions are averaged with the map's.

    shares: of the map and of each model in the predictions of each column, for rows with few and
    with many missing values; they sum to 1. spreads: see `Averages`.
    """

    models: tuple[ColumnModels, ...]
    shares: Float[Array, "2 C K"]
    spreads: Float[Array, "2 C K"]

    def averages(self, values: Float[Array, "N C"]) -> Averages:
        """Return predictions of rows with gaps (NaN), where a word is its number."""
        many = has_many_gaps(values).astype(int)
        expected = tuple(each.possible(values) for each in self.models)
        return Averages(expected, self.shares[many], self.spreads[many])


def has_many_gaps(values: Float[Array, "N C"]) -> Bool[BoolArray, " N"]:
    """Whether more than `MANY` of a row's values are missing."""
    return np.asarray(np.isnan(values).mean(axis=1) > MANY)


def limits_of(columns: Sequence[TableColumn], values: Float[Array, "N C"]) -> Float[Array, "2 C"]:
    """Return the range of each column's values; in robust columns, other values are missing.

    A single value far from all others would else decide the models, or the predictions of its row.
    """
    limits = np.repeat([[-np.inf], [np.inf]], len(columns), axis=1)
    for at, column in enumerate(columns):
        middle = np.nanmedian(values[:, at]) if column.kind == "robust" else 0.0
        unit = typical(values[:, at] - middle) if column.kind == "robust" else 0.0
        if unit > 0.0:
            limits[:, at] = middle - FAR * unit, middle + FAR * unit
    return limits


def within(values: Float[Array, "N C"], limits: Float[Array, "2 C"]) -> Float[Array, "N C"]:
    """Return values, with NaN for those outside the limits of their column."""
    return np.where((values < limits[0]) | (values > limits[1]), np.nan, values)


def typical(errors: Float[Array, "N ..."]) -> Float[Array, "..."]:
    """Return the standard deviation of normal errors that have the same median size."""
    return np.asarray(np.nanmedian(np.abs(errors), axis=0) / ndtri(0.75))


def as_inputs(values: Float[Array, " N"], column: TableColumn) -> Float[Array, "N W"]:
    """Convert a column to inputs: roots of counts, logarithms of exposures, 0 or 1 for words."""
    if column.kind == "exposure":
        return np.log(values)[:, None]
    if column.kind == "count":
        return np.sqrt(values)[:, None]
    if not column.is_words:
        return values[:, None]
    same = (values[:, None] == np.arange(len(column.words))).astype(np.float64)
    return np.where(np.isnan(values)[:, None], np.nan, same)


def started(
    values: Float[Array, "N C"], columns: Sequence[TableColumn], start: Sequence[Array]
) -> list[Array]:
    """Return every column as inputs of the other columns' models, with first values in the gaps."""
    filled = []
    for own, column, first in zip(values.T, columns, start, strict=True):
        inputs = as_inputs(own, column)
        filled.append(np.where(np.isnan(own)[:, None], first, inputs))
    return filled


def others(filled: list[Array], at: int) -> Float[Array, "N W"]:
    """Return the inputs of a column's model."""
    return np.hstack([own for other, own in enumerate(filled) if other != at])


def fill(
    filled: Float[Array, "N P"],
    values: Float[Array, " N"],
    predicted: Float[Array, "N P"],
    column: TableColumn,
) -> None:
    """Fill the gaps of a column with its predictions, in place."""
    gone = np.isnan(values)
    filled[gone] = np.sqrt(predicted[gone]) if column.kind == "count" else predicted[gone]


def is_asked(column: TableColumn) -> bool:
    """Whether chained models predict a column."""
    return column.kind not in ("exposure", CONSTANT)
