"""The RBF's ⟨k(z_m, x_n) k(x_n, z_m')⟩ for points × pairs m ≤ m', block by block.

The logarithm of the values is a product of two matrices, one of points and one of pairs
(`MATHEMATICS.md`, §2).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from gplvm_core.kernels.gradients import Kept
from gplvm_core.numerics import Array, upper_pairs

# Number of points × pairs in a block, so that the block fits into the cache of one core.
BLOCK = 128, 256


@dataclass(frozen=True)
class PairFactor:
    """The pairs of inducing inputs, as the right-hand factor of the exponent."""

    right: Array  # [1, z̄, z̄², constant] as (2Q+2, P)
    carried: Array  # [1, z̄, z̄²] as (P, 2Q+1), for the pullback to the points
    middle: Array  # z̄, (P, Q)
    difference: Array  # z_m − z_m', (P, Q)

    @property
    def count(self) -> int:
        return len(self.middle)

    @classmethod
    def of(cls, scale: float, weight: Array, inducing: Array) -> Self:
        """Make the factor from a kernel's variance σ_f² and weights w."""
        rows, columns = upper_pairs(len(inducing))
        one, other = inducing[rows], inducing[columns]
        middle, difference = 0.5 * (one + other), one - other
        constant = 2.0 * np.log(scale) - 0.25 * (difference**2 @ weight)
        return cls.from_parts(middle, difference, constant)

    @classmethod
    def from_parts(cls, middle: Array, difference: Array, constant: Array) -> Self:
        """Make the factor for pairs whose logarithm is quadratic in the points, centred at
        `middle`.
        """
        ones = np.ones((len(middle), 1))
        factor = np.concatenate([ones, middle, middle**2, constant[:, None]], axis=1)
        return cls(np.ascontiguousarray(factor.T), factor[:, :-1], middle, difference)

    def gradients(self, carried: Array, weight: Array) -> tuple[Array, Array]:
        """Return (∂Z, the pairs' part of ∂w) from the adjoint-weighted V = Eᵀ[2aμ, −a, 1]."""
        n_latent = self.middle.shape[1]
        drift, rate, count = np.split(carried, [n_latent, 2 * n_latent], axis=1)
        toward = 0.5 * drift + self.middle * rate
        apart = (0.5 * weight) * (count * self.difference)
        d_inducing = to_each(toward - apart, toward + apart)
        return d_inducing, -0.25 * (count[:, 0] @ self.difference**2)


@dataclass(frozen=True)
class PointFactor:
    """The points, as the left-hand factor of the exponent of ⟨kk'⟩."""

    left: Array  # [constant, 2aμ, −a, 1] as (N, 2Q+2)
    rate: Array  # a = w/d, (N, Q)
    spread: Array  # d = 2wS + 1, (N, Q)

    @property
    def carried(self) -> Array:
        """[2aμ, −a, 1] as (N, 2Q+1), for the pullback to the pairs."""
        return self.left[:, 1:]

    @classmethod
    def of(cls, weight: Array, mean: Array, variance: Array) -> Self:
        ones = np.ones((len(mean), 1))
        spread = 2.0 * weight * variance + 1.0
        rate = weight / spread
        drift = rate * mean
        constant = -across(drift * mean + 0.5 * np.log(spread))[:, None]
        left = np.concatenate([constant, 2.0 * drift, -rate, ones], axis=1)
        return cls(left, rate, spread)

    def gradients(self, sums: Array, mean: Array, variance: Array) -> tuple[Array, Array, Array]:
        """Return (∂mean, ∂variance, points' part of ∂w) from the weighted E·[1, z̄, z̄²]."""
        n_latent = mean.shape[1]
        row, first, second = sums[:, :1], sums[:, 1 : n_latent + 1], sums[:, n_latent + 1 :]
        apart = mean * row - first
        squared = mean * (apart - first) + second
        twice = 2.0 * self.rate
        d_mean = -twice * apart
        d_variance = self.rate * (twice * squared - row)
        d_weight = -down((variance * row + squared / self.spread) / self.spread)
        return d_mean, d_variance, d_weight


def across(matrix: Array) -> Array:
    """Return the sum of every row by a matrix product; for short rows, this is much faster."""
    return matrix @ np.ones(matrix.shape[1])


def down(matrix: Array) -> Array:
    """Return the sum of every column, by a matrix product."""
    return np.ones(len(matrix)) @ matrix


def exponentials(
    points: PointFactor, pairs: PairFactor, keep: Kept | None = None
) -> Iterator[tuple[slice, slice, Array]]:
    """Yield E = ⟨kk'⟩ of points × pairs, block by block.

    Each block overwrites the previous block, unless `keep` is a list; the blocks are then stored in
    it.
    """
    scratch = np.empty(BLOCK)
    for rows, columns in _places(points, pairs):
        left, right = points.left[rows, :], pairs.right[:, columns]
        shape = len(left), right.shape[1]
        into = np.empty(shape) if keep is not None else scratch[: shape[0], : shape[1]]
        block = np.exp(np.matmul(left, right, out=into), out=into)
        if keep is not None:
            keep.append(block)
        yield rows, columns, block


def kept_exponentials(
    points: PointFactor, pairs: PairFactor, kept: Kept
) -> Iterator[tuple[slice, slice, Array]]:
    """Yield the blocks that `exponentials` stored in `kept`."""
    for (rows, columns), block in zip(_places(points, pairs), kept, strict=True):
        yield rows, columns, block


def _places(points: PointFactor, pairs: PairFactor) -> Iterator[tuple[slice, slice]]:
    tall, wide = BLOCK
    n_points = len(points.left)
    rows = [slice(first, min(first + tall, n_points)) for first in range(0, n_points, tall)]
    for first in range(0, pairs.count, wide):
        columns = slice(first, min(first + wide, pairs.count))
        for some in rows:
            yield some, columns


def to_each(one: Array, other: Array) -> Array:
    """Sum values of pairs (m, m') for each inducing input: `one` is added to m, `other` to m'."""
    size = int(np.sqrt(2 * len(one)))
    of_one, of_other, order = _begins(size)
    gathered = np.add.reduceat(one, of_one, axis=0)
    gathered += np.add.reduceat(other[order], of_other, axis=0)
    return gathered


@lru_cache(maxsize=8)
def _begins(size: int) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return where each m starts among the pairs, where each m' starts among the pairs sorted by
    m', and this order.
    """
    rows, columns = upper_pairs(size)
    order = np.argsort(columns, kind="stable")
    every = np.arange(size)
    return np.searchsorted(rows, every), np.searchsorted(columns[order], every), order
