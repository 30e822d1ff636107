"""The cross term ⟨k₁(z, x) k₂(x, z')⟩ of two RBF kernels: a product of Gaussians is a Gaussian.

With w̄ = w₁ + w₂, c = (w₁z + w₂z')/w̄ and d = w̄S + 1 (MATHEMATICS.md, section 2) it is
σ₁²σ₂² Π_q d_q^{−½} exp(−½ (w₁w₂/w̄)(z − z')² − ½ w̄ (μ − c)²/d)_q: what `pairs` has for one kernel,
with c in the place of z̄ and all pairs (m, m') apart.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from jaxtyping import Float

from gplvm_core.kernels.gradients import Gradients, Pullback
from gplvm_core.kernels.pairs import PairFactor, PointFactor, exponentials
from gplvm_core.numerics import AnyArray, Array, beside, filled, namespace, to_numpy


@dataclass(frozen=True)
class CrossRBF:
    """The cross term of two RBF kernels of any lengthscales, in blocks of points and pairs.

    weight, weight_other: w₁ and w₂, (Q,). mean, inducing: measured from a common centre.
    """

    carrier: Any
    other: Any
    weight: Float[Array, " Q"]
    weight_other: Float[Array, " Q"]
    mean: Float[AnyArray, "N Q"]
    variance: Float[AnyArray, "N Q"]
    inducing: Float[Array, "M Q"]
    rows: Float[AnyArray, "N G"]

    @classmethod
    def of(
        cls, carrier: Any, other: Any, mean: Array, variance: Array, inducing: Array, rows: Array
    ) -> Self:
        # Far from the origin the expanded exponent would lose its digits.
        centre = inducing.mean(axis=0)
        weight, weight_other = (
            np.array(np.broadcast_to(each.relevance, (mean.shape[1],))) for each in (carrier, other)
        )
        mean, inducing = mean - beside(centre, mean), inducing - centre
        return cls(carrier, other, weight, weight_other, mean, variance, inducing, rows)

    @cached_property
    def share(self) -> Float[Array, " Q"]:
        """w₁/w̄: how far c is from z' on the way to z. It matters to no dimension that is off."""
        both = self.weight + self.weight_other
        return np.divide(self.weight, both, out=np.full_like(both, 0.5), where=both > 0.0)

    @cached_property
    def points(self) -> PointFactor:
        """The points, as the left-hand factor of the exponent: a weight of w̄/2 has d = w̄S + 1."""
        half = beside(0.5 * (self.weight + self.weight_other), self.mean)
        return PointFactor.of(half, self.mean, self.variance)

    @cached_property
    def pairs(self) -> PairFactor:
        """All M² pairs of inducing inputs, as the right-hand factor."""
        size = len(self.inducing)
        one = np.repeat(self.inducing, size, axis=0)
        difference = one - np.tile(self.inducing, (size, 1))
        middle = one - (1.0 - self.share) * difference
        scale = np.log(self.carrier.variance) + np.log(self.other.variance)
        constant = scale - 0.5 * (difference**2 @ (self.share * self.weight_other))
        return PairFactor.from_parts(middle, difference, constant).beside(self.mean)

    @cached_property
    def value(self) -> Float[Array, "G M M"]:
        """C + Cᵀ of every group."""
        size = len(self.inducing)
        total = filled((self.rows.shape[1], self.pairs.count), 0.0, self.mean)
        for which, columns, block in exponentials(self.points, self.pairs):
            total[:, columns] += self.rows[which, :].T @ block
        half = to_numpy(total).reshape(-1, size, size)
        return half + np.swapaxes(half, 1, 2)

    def pullback(self, adjoint: Float[Array, "G M M"]) -> tuple[Array, tuple[Gradients, Gradients]]:
        """Nothing goes through psi1: the exponentials of the pairs have all gradients."""
        mean, pairs, back = self.mean, self.pairs, self.points.carried
        pair = beside(self._per_pair(adjoint), mean)
        sums = filled((mean.shape[0], pairs.carried.shape[1]), 0.0, mean)
        carried = filled((pairs.count, back.shape[1]), 0.0, mean)
        for which, columns, block in exponentials(self.points, pairs):
            weighted = block * (self.rows[which, :] @ pair[:, columns])
            sums[which, :] += weighted @ pairs.carried[columns, :]
            carried[columns, :] += weighted.T @ back[which, :]
        d_mean, d_variance, d_half = self.points.gradients(sums, mean, self.variance)
        d_inducing, d_share, d_apart = self._pair_gradients(to_numpy(carried))
        # s = w₁/w̄ and w₁w₂/w̄, by w₁ and by w₂; w̄ itself is in d alone.
        share, both = self.share, self.weight + self.weight_other
        turned = np.divide(d_share, both, out=np.zeros_like(both), where=both > 0.0)
        d_weight = 0.5 * d_half + turned * (1.0 - share) + d_apart * (1.0 - share) ** 2
        d_other = 0.5 * d_half - turned * share + d_apart * share**2
        total = float(namespace(mean).sum(sums[:, 0]))
        nothing = namespace(mean).zeros_like(mean)
        own = self.carrier._shaped(total / self.carrier.variance, d_weight)
        others = self.other._shaped(total / self.other.variance, d_other)
        return filled((mean.shape[0], len(self.inducing)), 0.0, mean), (
            Gradients(d_mean, d_variance, d_inducing, own),
            Gradients(nothing, nothing, np.zeros_like(self.inducing), others),
        )

    def weighted(
        self, adjoint: Float[Array, "G M M"], psi1: Array, pull_psi1: Pullback
    ) -> tuple[Float[Array, " N"], Float[Array, "N Q"], Float[Array, "N Q"]]:
        """tr(adjoint (C + Cᵀ)) of each point, with its gradients in mean and variance."""
        pair, carried = self._per_pair(adjoint), self.pairs.carried
        sums = np.zeros((len(self.mean), carried.shape[1]))
        for which, columns, block in exponentials(self.points, self.pairs):
            own = pair[:, columns] if len(pair) == 1 else pair[which, columns]
            sums[which] += (block * own) @ carried[columns]
        d_mean, d_variance, _ = self.points.gradients(sums, self.mean, self.variance)
        return sums[:, 0], d_mean, d_variance

    def _per_pair(self, adjoint: Float[Array, "G M M"]) -> Float[Array, "G P"]:
        """The adjoint of C, one row a group."""
        return (adjoint + np.swapaxes(adjoint, 1, 2)).reshape(len(adjoint), -1)

    def _pair_gradients(self, carried: Float[Array, "P R"]) -> tuple[Array, Array, Array]:
        """(∂Z, ∂s, ∂(w₁w₂/w̄)) from the adjoint-weighted Eᵀ[2aμ, −a, 1]."""
        size, n_latent = self.inducing.shape
        pairs, share = self.pairs, self.share
        drift, rate, count = np.split(carried, [n_latent, 2 * n_latent], axis=1)
        toward = drift + 2.0 * pairs.middle * rate
        apart = share * self.weight_other * count * pairs.difference
        to_one = (share * toward - apart).reshape(size, size, n_latent).sum(axis=1)
        to_other = ((1.0 - share) * toward + apart).reshape(size, size, n_latent).sum(axis=0)
        d_share = np.sum(toward * pairs.difference, axis=0)
        return to_one + to_other, d_share, -0.5 * (count[:, 0] @ pairs.difference**2)
