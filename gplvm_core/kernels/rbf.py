"""The exponentiated quadratic (RBF) kernel with automatic relevance determination.

k(x, x') = σ_f² exp(−½ Σ_q w_q (x_q − x'_q)²), w_q = 1/ℓ_q². Expectations: Titsias & Lawrence
(2010), eq. 15–17 and §3.2; Damianou (2015), App. B.2.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
from jaxtyping import Float

from gplvm_core.kernels.combine import cross_rbfs
from gplvm_core.kernels.gradients import CrossBuilder, Gradients, Kept, Pullback, WeightedPsi2
from gplvm_core.kernels.kernel import Kernel, Stationary
from gplvm_core.kernels.pairs import (
    PairFactor,
    PointFactor,
    across,
    down,
    exponentials,
    kept_exponentials,
)
from gplvm_core.kernels.parametric import positive
from gplvm_core.numerics import Array, fold_upper, mirror_upper, upper_pairs


@dataclass(frozen=True, repr=False)
class RBF(Stationary):
    """RBF-ARD kernel; lengthscale: one number for all dimensions, or (Q,).

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import RBF
    >>> kernel = RBF(variance=2.0, lengthscale=np.array([1.0, 0.5]))
    >>> kernel.K(np.array([[0.0, 0.0], [1.0, 0.0]])).round(2)
    array([[2.  , 1.21],
           [1.21, 2.  ]])
    >>> kernel.relevance
    array([1., 4.])
    """

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
        # Centre the points, because far from the origin the differences of squares below lose
        # digits.
        points = points - points.mean(axis=0)
        product = gram * self.K(points)
        row = product.sum(axis=1)[:, None]
        carried = product @ points
        d_points = -2.0 * weight * (points * row - carried)
        # Σ_ij E_ij (x_i − x_j)² = 2 Σ_i x_i² row_i − 2 Σ_i x_i (E x)_i for a symmetric E.
        d_weight = -np.sum(row * points**2 - points * carried, axis=0)
        return d_points, self._shaped(product.sum() / self.variance, d_weight)

    def psi1(self, mean: Array, variance: Array, inducing: Array) -> tuple[Array, Pullback]:
        weight = self._weight(mean.shape[1])
        mean, inducing = _centred(mean, inducing)
        spread = weight * variance + 1.0
        rate = weight / spread
        drift = rate * mean
        exponent = drift @ inducing.T
        exponent -= (0.5 * rate) @ (inducing**2).T
        constant = float(np.log(self.variance))
        exponent += (constant - 0.5 * across(drift * mean + np.log(spread)))[:, None]
        value = np.exp(exponent, out=exponent)

        def pullback(adjoint: Array) -> Gradients:
            product = adjoint * value
            row = across(product)[:, None]
            first = product @ inducing
            squared = mean * (mean * row - 2.0 * first) + product @ inducing**2
            d_inducing = product.T @ drift - inducing * (product.T @ rate)
            d_weight = -0.5 * down((variance * row + squared / spread) / spread)
            return Gradients(
                -rate * (mean * row - first),
                0.5 * rate * (rate * squared - row),
                np.asarray(d_inducing),
                self._shaped(float(np.sum(row)) / self.variance, np.asarray(d_weight)),
            )

        return value, pullback

    def psi2(
        self, mean: Array, variance: Array, inducing: Array, keep: Kept | None = None
    ) -> tuple[Array, Pullback]:
        rows = np.ones((len(mean), 1))
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
        factors = self._factors(*_centred(mean, inducing), variance)
        blocks: Kept | None = None
        if keep is not None:
            blocks = []
            keep.extend((factors, blocks))
        # All groups share one exponential E; the Φ of all groups is rowsᵀ E.
        folded = np.zeros((rows.shape[1], factors[1].count))
        for which, columns, block in exponentials(*factors, blocks):
            folded[:, columns] += rows[which, :].T @ block
        size = len(inducing)
        value = mirror_upper(np.asarray(folded), *upper_pairs(size), size)
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
        if kept:
            (points, pairs), made = kept
            blocks = kept_exponentials(points, pairs, made)
        else:
            points, pairs = self._factors(mean, inducing, variance)
            blocks = exponentials(points, pairs)
        pair, weight = fold_upper(adjoint), self._weight(mean.shape[1])
        target = pairs.carried if rows is not None else pairs.carried * pair[:, None]
        sums = np.zeros((len(mean), pairs.carried.shape[1]))
        back = points.carried
        carried = np.zeros((pairs.count, back.shape[1]))
        for which, columns, block in blocks:
            if rows is not None:
                block = block * (rows[which, :] @ pair[:, columns])
            sums[which, :] += block @ target[columns, :]
            carried[columns, :] += block.T @ back[which, :]
        if rows is None:
            carried *= pair[:, None]
        d_mean, d_variance, d_weight = points.gradients(sums, mean, variance)
        d_inducing, d_pair_weight = pairs.gradients(np.asarray(carried), weight)
        d_scale = 2.0 * float(np.sum(sums[:, 0])) / self.variance
        kernel = self._shaped(d_scale, d_weight + d_pair_weight)
        return Gradients(d_mean, d_variance, d_inducing, kernel)

    def cross_with(self, carrier: Kernel) -> CrossBuilder | None:
        return partial(cross_rbfs, carrier, self) if isinstance(carrier, RBF) else None

    def weighted_psi2(self, inducing: Array) -> WeightedPsi2:
        weight = self._weight(inducing.shape[1])
        centre = inducing.mean(axis=0)
        pairs = PairFactor.of(self.variance, weight, inducing - centre)

        def weighted(mean: Array, variance: Array, weights: Array) -> tuple[Array, Array, Array]:
            mean = mean - centre
            points = PointFactor.of(weight, mean, variance)
            shared = pairs.carried * weights[0][:, None] if len(weights) == 1 else None
            sums = np.zeros((len(mean), pairs.carried.shape[1]))
            for which, columns, block in exponentials(points, pairs):
                if shared is None:
                    sums[which] += (block * weights[which, columns]) @ pairs.carried[columns]
                else:
                    sums[which] += block @ shared[columns]
            d_mean, d_variance, _ = points.gradients(sums, mean, variance)
            return sums[:, 0], d_mean, d_variance

        return weighted

    def psi2_traces(self, mean: Array, variance: Array, inducing: Array, weights: Array) -> Array:
        factors, found = (
            self._factors(*_centred(mean, inducing), variance),
            np.zeros((len(mean), len(weights))),
        )
        for which, columns, block in exponentials(*factors):
            found[which] += block @ weights[:, columns].T
        return found

    @property
    def relevance(self) -> Array:
        return (1.0 / np.atleast_1d(np.asarray(self.lengthscale, dtype=float))) ** 2

    def browser_form(self) -> list[dict[str, Any]]:
        precision = (1.0 / np.square(self.lengthscale)).tolist()
        return [{"kind": "rbf", "variance": float(self.variance), "precision": precision}]

    def _factors(
        self, mean: Array, inducing: Array, variance: Array
    ) -> tuple[PointFactor, PairFactor]:
        """Return the factors of the exponent of ⟨kk'⟩."""
        weight = self._weight(mean.shape[1])
        pairs = PairFactor.of(self.variance, weight, inducing)
        return PointFactor.of(weight, mean, variance), pairs

    def _weight(self, n_latent: int) -> Array:
        return np.array(np.broadcast_to(self.relevance, (n_latent,)))

    def _shaped(self, d_variance: float, d_weight: Array) -> Self:
        """Return a kernel-shaped gradient from ∂σ_f² and ∂w; dw/dℓ = −2/ℓ³."""
        # With this order of operations, a lengthscale of 1e150 (for a dimension that is off) does
        # not overflow.
        d_length = -2.0 * d_weight * self.relevance / np.asarray(self.lengthscale)
        if np.ndim(self.lengthscale) == 0:
            return replace(self, variance=float(d_variance), lengthscale=float(d_length.sum()))
        return replace(self, variance=float(d_variance), lengthscale=d_length)


def _centred(mean: Array, inducing: Array) -> tuple[Array, Array]:
    """Subtract the inducing inputs' mean, because far from the origin the exponent loses digits."""
    centre = inducing.mean(axis=0)
    return mean - centre, inducing - centre
