"""The exponentiated quadratic (RBF) kernel with automatic relevance determination.

k(x, x') = σ_f² exp(−½ Σ_q w_q (x_q − x'_q)²), w_q = 1/ℓ_q². Expectations: Titsias & Lawrence
(2010), eq. 15–17 and §3.2; Damianou (2015), App. B.1.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from gplvm_core.kernels.declare import positive
from gplvm_core.kernels.gradients import Gradients, Kept, Pullback, WeightedPsi2
from gplvm_core.kernels.stationary import Stationary
from gplvm_core.numerics import (
    AnyArray,
    Array,
    beside,
    filled,
    fold_upper,
    mirror_upper,
    namespace,
    on_host,
    to_numpy,
)

# A block of points × pairs of inducing inputs stays in the cache of one core.
POINTS_PER_BLOCK = 128
PAIRS_PER_BLOCK = 256
# Of a device with many cores, which wants much work at once: blocks of 128 MB.
DEVICE_BLOCK = 8192, 2048


@dataclass(frozen=True, repr=False)
class RBF(Stationary):
    """RBF-ARD kernel; lengthscale: one for all dimensions, or (Q,)."""

    lengthscale: float | Float[Array, " Q"] = positive(1.0, blind_at=np.inf)

    def K(self, first: Array, second: Array | None = None) -> Array:
        first, other = _centred(first, first if second is None else second)
        scaled, scaled_other = first / self.lengthscale, other / self.lengthscale
        squared = (
            np.sum(scaled**2, axis=1)[:, None]
            + np.sum(scaled_other**2, axis=1)
            - 2.0 * scaled @ scaled_other.T
        )
        if second is None:
            np.fill_diagonal(squared, 0.0)
        return np.asarray(self.variance * np.exp(-0.5 * np.maximum(squared, 0.0)))

    def K_pullback(self, points: Array, gram: Array) -> tuple[Array, Self]:
        weight = self._weight(points.shape[1])
        # Far from the origin the differences of the squares below would lose their digits.
        points = points - points.mean(axis=0)
        product = gram * self.K(points)
        row = product.sum(axis=1)[:, None]
        carried = product @ points
        d_points = -2.0 * weight * (points * row - carried)
        # Σ_ij E_ij (x_i − x_j)² = 2 Σ_i x_i² row_i − 2 Σ_i x_i (E x)_i for a symmetric E.
        d_weight = -np.sum(row * points**2 - points * carried, axis=0)
        return d_points, self._shaped(product.sum() / self.variance, d_weight)

    def psi1(self, mean: Array, variance: Array, inducing: Array) -> tuple[Array, Pullback]:
        xp, weight = namespace(mean), beside(self._weight(mean.shape[1]), mean)
        mean, inducing = _centred(mean, inducing)
        inducing = beside(inducing, mean)
        spread = weight * variance + 1.0
        rate = weight / spread
        drift = rate * mean
        exponent = drift @ inducing.T
        exponent -= (0.5 * rate) @ (inducing**2).T
        constant = float(np.log(self.variance))
        exponent += (constant - 0.5 * _across(drift * mean + xp.log(spread)))[:, None]
        value = np.exp(exponent, out=exponent) if xp is np else xp.exp(exponent)

        def pullback(adjoint: Array) -> Gradients:
            product = adjoint * value
            row = _across(product)[:, None]
            first = product @ inducing
            squared = mean * (mean * row - 2.0 * first) + product @ inducing**2
            d_inducing = product.T @ drift - inducing * (product.T @ rate)
            d_weight = -0.5 * _down((variance * row + squared / spread) / spread)
            return Gradients(
                -rate * (mean * row - first),
                0.5 * rate * (rate * squared - row),
                to_numpy(d_inducing),
                self._shaped(float(xp.sum(row)) / self.variance, to_numpy(d_weight)),
            )

        return value, pullback

    def psi2(
        self, mean: Array, variance: Array, inducing: Array, keep: Kept | None = None
    ) -> tuple[Array, Pullback]:
        rows = filled((mean.shape[0], 1), 1.0, mean)
        value, _ = self.grouped_psi2(mean, variance, inducing, rows, keep)
        return value[0], lambda adjoint: self.psi2_pullback(mean, variance, inducing, adjoint)

    def grouped_psi2(
        self,
        mean: Array,
        variance: Array,
        inducing: Array,
        rows: Array,
        keep: Kept | None = None,
    ) -> tuple[Array, Pullback]:
        pairs, points = self._factors(*_centred(mean, inducing), variance)
        # One exponential for all groups: Φ of every one of them is rowsᵀ E.
        folded = filled((rows.shape[1], pairs.count), 0.0, mean)
        for which, columns, block in _blocks(points, pairs, keep):
            folded[:, columns] += rows[which, :].T @ block
        value = mirror_upper(to_numpy(folded), pairs.rows, pairs.columns, len(inducing))
        return value, lambda adjoint: self.psi2_pullback(mean, variance, inducing, adjoint, rows)

    def psi2_pullback(
        self,
        mean: Array,
        variance: Array,
        inducing: Array,
        adjoint: Array,
        rows: Array | None = None,
        kept: Kept | None = None,
    ) -> Gradients:
        mean, inducing = _centred(mean, inducing)
        pairs, points = self._factors(mean, inducing, variance)
        pair, weight = beside(fold_upper(adjoint), mean), self._weight(mean.shape[1])
        target = pairs.carried if rows is not None else pairs.carried * pair[:, None]
        sums = filled((mean.shape[0], pairs.carried.shape[1]), 0.0, mean)
        carried = filled((pairs.count, points.carried.shape[1]), 0.0, mean)
        blocks = _kept(points, pairs, kept) if kept else _blocks(points, pairs)
        for which, columns, block in blocks:
            if rows is not None:
                block = block * (rows[which, :] @ pair[:, columns])
            sums[which, :] += block @ target[columns, :]
            carried[columns, :] += block.T @ points.carried[which, :]
        if rows is None:
            carried *= pair[:, None]
        d_mean, d_variance, d_weight = points.gradients(sums, mean, variance)
        d_inducing, d_pair_weight = pairs.gradients(to_numpy(carried), inducing, weight)
        d_scale = 2.0 * float(namespace(mean).sum(sums[:, 0])) / self.variance
        kernel = self._shaped(d_scale, d_weight + d_pair_weight)
        return Gradients(d_mean, d_variance, d_inducing, kernel)

    def weighted_psi2(self, inducing: Array) -> WeightedPsi2:
        weight = self._weight(inducing.shape[1])
        centre = inducing.mean(axis=0)
        pairs = _Pairs.of(self, weight, inducing - centre)

        def weighted(mean: Array, variance: Array, weights: Array) -> tuple[Array, Array, Array]:
            mean = mean - centre
            points = _Points.of(weight, mean, variance)
            shared = pairs.carried * weights[0][:, None] if len(weights) == 1 else None
            sums = np.zeros((len(mean), pairs.carried.shape[1]))
            for which, columns, block in _blocks(points, pairs):
                if shared is None:
                    sums[which] += (block * weights[which, columns]) @ pairs.carried[columns]
                else:
                    sums[which] += block @ shared[columns]
            d_mean, d_variance, _ = points.gradients(sums, mean, variance)
            return sums[:, 0], d_mean, d_variance

        return weighted

    @property
    def in_any_library(self) -> bool:
        return True

    @property
    def relevance(self) -> Array:
        return (1.0 / np.atleast_1d(np.asarray(self.lengthscale, dtype=float))) ** 2

    def browser_form(self) -> list[dict[str, Any]]:
        precision = (1.0 / np.square(self.lengthscale)).tolist()
        return [{"kind": "rbf", "variance": float(self.variance), "precision": precision}]

    def _factors(self, mean: Array, inducing: Array, variance: Array) -> tuple["_Pairs", "_Points"]:
        """The factors of the exponent of ⟨kk'⟩."""
        weight = self._weight(mean.shape[1])
        pairs = _Pairs.of(self, weight, inducing)
        return pairs.beside(mean), _Points.of(beside(weight, mean), mean, variance)

    def _weight(self, n_latent: int) -> Array:
        return np.array(np.broadcast_to(self.relevance, (n_latent,)))

    def _shaped(self, d_variance: float, d_weight: Array) -> Self:
        """A kernel-shaped gradient from ∂σ_f² and ∂w; dw/dℓ = −2/ℓ³."""
        # In this order a lengthscale of 1e150, of a dimension that is off, does not overflow.
        d_length = -2.0 * d_weight * self.relevance / np.asarray(self.lengthscale)
        if np.ndim(self.lengthscale) == 0:
            return replace(self, variance=float(d_variance), lengthscale=float(d_length.sum()))
        return replace(self, variance=float(d_variance), lengthscale=d_length)


def _centred(mean: Array, inducing: Array) -> tuple[Array, Array]:
    """Both moved to a common centre: far from the origin the expanded exponent loses digits."""
    centre = inducing.mean(axis=0)
    return mean - beside(centre, mean), inducing - centre


def _across(matrix: Array) -> Array:
    """The sum of every row: short rows add up much faster as a product."""
    return matrix @ filled((matrix.shape[1],), 1.0, matrix)


def _down(matrix: Array) -> Array:
    """The sum of every column, as a product."""
    return filled((matrix.shape[0],), 1.0, matrix) @ matrix


@dataclass(frozen=True)
class _Pairs:
    """The pairs m ≤ m' of inducing inputs, as the right-hand factor of the exponent."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    right: AnyArray  # [z̄, z̄², 1, constant] as (2Q+2, P)
    carried: AnyArray  # [1, z̄, z̄²] as (P, 2Q+1): what the way back to the points multiplies
    middle: Array  # z̄, (P, Q)
    difference: Array  # z_m − z_m', (P, Q)

    @property
    def count(self) -> int:
        return len(self.rows)

    @classmethod
    def of(cls, kernel: RBF, weight: Array, inducing: Array) -> Self:
        rows, columns = np.triu_indices(len(inducing))
        middle = 0.5 * (inducing[rows] + inducing[columns])
        difference = inducing[rows] - inducing[columns]
        constant = 2.0 * np.log(kernel.variance) - 0.25 * difference**2 @ weight
        ones = np.ones((len(rows), 1))
        right = np.concatenate([middle, middle**2, ones, constant[:, None]], axis=1)
        carried = np.concatenate([ones, middle, middle**2], axis=1)
        return cls(rows, columns, np.ascontiguousarray(right.T), carried, middle, difference)

    def beside(self, points: AnyArray) -> Self:
        """With the factors where the points are."""
        right, carried = beside(self.right, points), beside(self.carried, points)
        return replace(self, right=right, carried=carried)

    def gradients(self, carried: Array, inducing: Array, weight: Array) -> tuple[Array, Array]:
        """(∂Z, the pairs' part of ∂w) from the adjoint-weighted V = [1, aμ, a]ᵀ E."""
        n_latent, size = inducing.shape[1], len(inducing)
        count, drift, rate = carried[:, 0], carried[:, 1 : n_latent + 1], carried[:, n_latent + 1 :]
        toward = drift - self.middle * rate
        apart = 0.5 * weight * count[:, None] * self.difference
        d_inducing = np.empty((size, n_latent))
        for q in range(n_latent):
            plus = np.bincount(self.rows, toward[:, q] - apart[:, q], size)
            d_inducing[:, q] = plus + np.bincount(self.columns, toward[:, q] + apart[:, q], size)
        return d_inducing, -0.25 * count @ self.difference**2


@dataclass(frozen=True)
class _Points:
    """The points, as the left-hand factor of the exponent of ⟨kk'⟩."""

    left: Array  # [2aμ, −a, constant, 1] as (N, 2Q+2)
    carried: Array  # [1, aμ, a] as (N, 2Q+1)
    rate: Array  # a = w/d, (N, Q)
    spread: Array  # d = 2wS + 1, (N, Q)

    @classmethod
    def of(cls, weight: Array, mean: Array, variance: Array) -> Self:
        spread = 2.0 * weight * variance + 1.0
        rate = weight / spread
        drift = rate * mean
        xp, ones = namespace(mean), filled((mean.shape[0], 1), 1.0, mean)
        constant = -_across(drift * mean + 0.5 * xp.log(spread))[:, None]
        left = xp.concat([2.0 * drift, -rate, constant, ones], axis=1)
        carried = xp.concat([ones, drift, rate], axis=1)
        return cls(left, carried, rate, spread)

    def gradients(self, sums: Array, mean: Array, variance: Array) -> tuple[Array, Array, Array]:
        """(∂mean, ∂variance, the points' part of ∂w) from the adjoint-weighted E·[1, z̄, z̄²]."""
        n_latent = mean.shape[1]
        row, first, second = sums[:, :1], sums[:, 1 : n_latent + 1], sums[:, n_latent + 1 :]
        squared = mean * (mean * row - 2.0 * first) + second
        d_mean = -2.0 * self.rate * (mean * row - first)
        d_variance = self.rate * (2.0 * self.rate * squared - row)
        d_weight = -_down((variance * row + squared / self.spread) / self.spread)
        return d_mean, d_variance, to_numpy(d_weight)


def _blocks(
    points: _Points, pairs: _Pairs, keep: Kept | None = None
) -> Iterator[tuple[slice, slice, Array]]:
    """The exponentials E of points × pairs, a block at a time.

    Each is gone when the next is made, unless there is a list to keep them in.
    """
    xp, scratch = namespace(points.left), np.empty((POINTS_PER_BLOCK, PAIRS_PER_BLOCK))
    for rows, columns in _places(points, pairs):
        left, right = points.left[rows, :], pairs.right[:, columns]
        if xp is np:
            shape = len(left), right.shape[1]
            block = np.empty(shape) if keep is not None else scratch[: shape[0], : shape[1]]
            np.exp(np.matmul(left, right, out=block), out=block)
        else:
            block = xp.exp(left @ right)
        if keep is not None:
            keep.append(block)
        yield rows, columns, block


def _kept(points: _Points, pairs: _Pairs, kept: Kept) -> Iterator[tuple[slice, slice, Array]]:
    """The same blocks, made before."""
    for (rows, columns), block in zip(_places(points, pairs), kept, strict=True):
        yield rows, columns, block


def _places(points: _Points, pairs: _Pairs) -> Iterator[tuple[slice, slice]]:
    tall, wide = POINTS_PER_BLOCK, PAIRS_PER_BLOCK
    if not on_host(points.left):
        tall, wide = DEVICE_BLOCK
    n_points = points.left.shape[0]
    for column in range(0, pairs.count, wide):
        for row in range(0, n_points, tall):
            yield (
                slice(row, min(row + tall, n_points)),
                slice(column, min(column + wide, pairs.count)),
            )
