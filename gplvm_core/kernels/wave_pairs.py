"""⟨k₁(z, x) k₂(x, z')⟩ for two products of RBF and periodic kernels, at points × pairs (z, z').

A product of Gaussians is a Gaussian. With w̄ = w₁ + w₂, c = (w₁z + w₂z')/w̄ and d = w̄S + 1
(MATHEMATICS.md, section 2), the RBFs give σ₁²σ₂² Π_q d_q^{−½} exp(−½ (w₁w₂/w̄)(z − z')² −
½ w̄ (μ − c)²/d)_q. The product is therefore the exponential of `pairs` with c instead of z̄. Each
dimension with a periodic kernel multiplies the exponential by a sum of waves (`wave_dimension`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import mul
from typing import Self

import numpy as np
from jaxtyping import Bool, Float

from gplvm_core.kernels.pairs import PairFactor, PointFactor, exponentials
from gplvm_core.kernels.wave_dimension import AlongOne, Bent, Straight, WaveDimension, WaveInputs
from gplvm_core.kernels.wave_window import Windowed
from gplvm_core.kernels.waves import Series, Waves
from gplvm_core.numerics import Array, BoolArray

# The number of waves in `Windowed` that take as long as one wave in `Bent`.
WAVES_FOR_ONE = 30


@dataclass(frozen=True)
class WavePulled:
    """The gradients with respect to a pair of kernels.

    level: for each point, the adjoint-weighted sum over the pairs.
    """

    level: Float[Array, " N"]
    mean: Float[Array, "N Q"]
    variance: Float[Array, "N Q"]
    one: Float[Array, "P Q"]
    other: Float[Array, "P Q"]
    first: Waves
    second: Waves


@dataclass(frozen=True)
class WavePairs:
    """Two kernels at points and pairs; `first is second` for the square of one kernel.

    mean, one, other: relative to a common centre. moment: for a tilted moment, the dimension whose
    x multiplies the kernels.
    """

    first: Waves
    second: Waves
    mean: Float[Array, "N Q"]
    variance: Float[Array, "N Q"]
    one: Float[Array, "P Q"]
    other: Float[Array, "P Q"]
    origin: Float[Array, " Q"]
    moment: int | None = None

    @classmethod
    def of(
        cls,
        kernels: tuple[Waves, Waves],
        mean: Array,
        variance: Array,
        pairs: tuple[Array, Array],
        moment: int | None = None,
    ) -> Self:
        # Centre all inputs, because far from the origin the expanded exponent loses digits.
        centre = pairs[0].mean(axis=0)
        first = kernels[0].over(mean.shape[1])
        second = first if kernels[1] is kernels[0] else kernels[1].over(mean.shape[1])
        one, other = (each - centre for each in pairs)
        return cls(first, second, mean - centre, variance, one, other, centre, moment)

    def blocks(self) -> Iterator[tuple[slice, slice, Array]]:
        """Yield the values block by block."""
        for rows, columns, block in exponentials(self.points, self.pairs):
            for dimension in self.dimensions.values():
                block = block * dimension.value(rows, columns)
            yield rows, columns, block

    def summed(self, rows: Float[Array, "N G"]) -> Float[Array, "G P"]:
        """Return the sums over the points of every group."""
        total = np.zeros((rows.shape[1], self.pairs.count))
        for which, columns, block in self.blocks():
            total[:, columns] += rows[which, :].T @ block
        return np.asarray(total)

    def pulled(
        self, adjoint: Float[Array, "G P"], rows: Float[Array, "N G"] | None = None
    ) -> WavePulled:
        """Return the gradients from the adjoint of `summed`.

        Without rows, the adjoint has one row for each point, or one row for all points.
        """
        pair = adjoint
        if rows is not None:
            return self.pullback(lambda which, columns: rows[which, :] @ pair[:, columns])
        if len(adjoint) == 1:
            return self.pullback(lambda which, columns: pair[:, columns])
        return self.pullback(lambda which, columns: pair[which, columns])

    def pullback(self, adjoint: Callable[[slice, slice], Array]) -> WavePulled:
        """Return the gradients from the adjoint of every block."""
        mean, pairs, back = self.mean, self.pairs, self.points.carried
        sums = np.zeros((len(mean), pairs.carried.shape[1]))
        carried = np.zeros((pairs.count, back.shape[1]))
        dimensions = list(self.dimensions.values())
        seen = [each.sums() for each in dimensions]
        for rows, columns, block in exponentials(self.points, pairs):
            weighted = block * adjoint(rows, columns)
            values = [each.value(rows, columns) for each in dimensions]
            for i, each in enumerate(dimensions):
                others = (value for j, value in enumerate(values) if j != i)
                each.add(seen[i], rows, columns, reduce(mul, others, weighted))
            weighted = reduce(mul, values, weighted)
            sums[rows, :] += weighted @ pairs.carried[columns, :]
            carried[columns, :] += weighted.T @ back[rows, :]
        along = {
            q: each.back(own) for (q, each), own in zip(self.dimensions.items(), seen, strict=True)
        }
        return self._gathered(sums, np.asarray(carried), along)

    @cached_property
    def both(self) -> Float[Array, " Q"]:
        """The summed weights w̄ = w₁ + w₂."""
        return np.asarray(self.first.weight + self.second.weight)

    @cached_property
    def share(self) -> Float[Array, " Q"]:
        """w₁/w̄: the position of c between z' (0) and z (1); arbitrary if w̄ is 0."""
        both = self.both
        return np.divide(self.first.weight, both, out=np.full_like(both, 0.5), where=both > 0.0)

    @cached_property
    def apart(self) -> Float[Array, "P Q"]:
        return self.one - self.other

    @cached_property
    def points(self) -> PointFactor:
        """The points' factor of the exponent, for a weight of w̄/2, so that d = w̄S + 1."""
        half = 0.5 * np.where(self.outside, self.both, 0.0)
        return PointFactor.of(half, self.mean, self.variance)

    @cached_property
    def outside(self) -> Bool[BoolArray, " Q"]:
        """The dimensions whose Gaussian is part of the exponential."""
        windowed = [q for q, each in self.dimensions.items() if isinstance(each, Windowed)]
        return np.isin(np.arange(len(self.both)), windowed, invert=True)

    @cached_property
    def middle(self) -> Float[Array, "P Q"]:
        """The centre c of each pair's Gaussian."""
        return self.one - (1.0 - self.share) * self.apart

    @cached_property
    def pairs(self) -> PairFactor:
        """The pairs' factor of the exponent."""
        scale = np.log(self.first.variance) + np.log(self.second.variance)
        constant = scale - 0.5 * (self.apart**2 @ (self.share * self.second.weight))
        return PairFactor.from_parts(self.middle, self.apart, constant)

    @cached_property
    def dimensions(self) -> dict[int, WaveDimension]:
        """The dimensions that have a periodic kernel, by number."""
        first, second = self.first.sharpness, self.second.sharpness
        seen = np.flatnonzero((first > 0.0) | (second > 0.0)).tolist()
        if self.moment is not None:
            seen = sorted({*seen, self.moment})
        return {q: self._dimension(q) for q in seen}

    def _dimension(self, q: int) -> WaveDimension:
        both = self.first, self.second
        sharpness = [float(np.asarray(each.sharpness)[q]) for each in both]
        frequencies = np.array([np.asarray(each.frequency)[q] for each in both])
        if self.first is self.second:
            series = Series.of_square(sharpness[0], frequencies[0], self.apart[:, q])
        else:
            series = Series.of_both(*sharpness)
        inputs = WaveInputs(
            self.mean[:, q],
            self.variance[:, q],
            self.one[:, q],
            self.other[:, q],
            self.middle[:, q],
            1.0 + self.both[q] * self.variance[:, q],
            frequencies,
            series,
        )
        if q == self.moment:
            return Bent(inputs, float(self.origin[q]))
        if self.both[q] == 0.0 or not len(inputs.mean):
            return Straight(inputs)
        step, count = Windowed.steps(inputs, self.both[q])
        if count < WAVES_FOR_ONE * len(series.one):
            return Windowed(inputs, self.both[q], np.asarray(step * np.arange(count)))
        return Bent(inputs)

    def _gathered(self, sums: Array, carried: Array, along: dict[int, AlongOne]) -> WavePulled:
        """Return all gradients from the adjoint-weighted E·[1, c, c²] and Eᵀ[2aμ, −a, 1]."""
        n_latent, share, both = self.mean.shape[1], self.share, self.both
        d_mean, d_variance, d_half = self.points.gradients(sums, self.mean, self.variance)
        drift, rate, count = np.split(carried, [n_latent, 2 * n_latent], axis=1)
        d_center = drift + 2.0 * self.middle * rate
        d_both = 0.5 * np.where(self.outside, d_half, 0.0)
        d_one, d_other = (np.zeros_like(self.one) for _ in range(2))
        sharpness, frequency = np.zeros((2, n_latent)), np.zeros((2, n_latent))
        for q, found in along.items():
            d_mean[:, q] += found.mean
            d_variance[:, q] += found.variance + both[q] * found.spread
            d_both[q] += found.weight + np.sum(found.spread * self.variance[:, q])
            d_center[:, q] += found.center
            d_one[:, q], d_other[:, q] = found.one, found.other
            sharpness[:, q], frequency[:, q] = found.sharpness, found.frequencies
        push = share * self.second.weight * count * self.apart
        # Chain rule for s = w₁/w̄ and w₁w₂/w̄ as functions of w₁ and w₂.
        d_share, d_apart = (
            np.sum(d_center * self.apart, axis=0),
            -0.5 * (count[:, 0] @ self.apart**2),
        )
        turned = np.divide(d_share, both, out=np.zeros_like(both), where=both > 0.0)
        first = d_both + turned * (1.0 - share) + d_apart * (1.0 - share) ** 2
        second = d_both - turned * share + d_apart * share**2
        total = float(np.sum(sums[:, 0]))
        return WavePulled(
            sums[:, 0],
            d_mean,
            d_variance,
            d_one + share * d_center - push,
            d_other + (1.0 - share) * d_center + push,
            Waves(total / self.first.variance, first, sharpness[0], frequency[0]),
            Waves(total / self.second.variance, second, sharpness[1], frequency[1]),
        )
