"""The linear kernel with automatic relevance determination: k(x, x') = Σ_q c_q x_q x'_q."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
from jaxtyping import Float

from gplvm_core.kernels.combine import cross_rbf_linear
from gplvm_core.kernels.gradients import CrossBuilder, Gradients, Kept, Pullback, WeightedPsi2
from gplvm_core.kernels.kernel import Kernel
from gplvm_core.kernels.parametric import positive
from gplvm_core.kernels.rbf import RBF
from gplvm_core.numerics import Array, symmetrise, unfold_upper


@dataclass(frozen=True, repr=False)
class Linear(Kernel):
    """Linear-ARD kernel; variance: one number for all dimensions, or (Q,). The rank of its matrix K
    is Q: use M = Q.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import Linear
    >>> Linear(variance=2.0).K(np.array([[1.0, 0.0], [1.0, 3.0]]))
    array([[ 2.,  2.],
           [ 2., 20.]])
    """

    variance: float | Float[Array, " Q"] = positive(1.0, blind_at=0.0, overall=True)

    def K(self, first: Array, second: Array | None = None) -> Array:
        return np.asarray((first * self.variance) @ (first if second is None else second).T)

    def diag(self, points: Array) -> Array:
        return np.asarray(np.sum(points**2 * self.variance, axis=1))

    def K_pullback(self, points: Array, gram: Array) -> tuple[Array, Self]:
        carried = gram @ points
        return 2.0 * carried * self.variance, self._shaped(np.sum(points * carried, axis=0))

    def psi0(
        self, mean: Array, variance: Array
    ) -> tuple[Array, Callable[[Array], tuple[Array, Array, Self]]]:
        weight, second = self._weight(mean), mean**2 + variance

        def pullback(adjoint: Array) -> tuple[Array, Array, Self]:
            column = adjoint[:, None]
            d_variance = column * weight
            return (
                2.0 * d_variance * mean,
                d_variance,
                self._shaped(np.asarray(np.sum(column * second, axis=0))),
            )

        return np.sum(second * weight, axis=1), pullback

    def cross_with(self, carrier: Kernel) -> CrossBuilder | None:
        return partial(cross_rbf_linear, carrier, self) if isinstance(carrier, RBF) else None

    def psi1(self, mean: Array, variance: Array, inducing: Array) -> tuple[Array, Pullback]:
        weight = self._weight(mean)

        def pullback(adjoint: Array) -> Gradients:
            carried = adjoint @ inducing
            return Gradients(
                carried * weight,
                np.zeros_like(variance),
                np.asarray((adjoint.T @ mean) * weight),
                self._shaped(np.asarray(np.sum(mean * carried, axis=0))),
            )

        return (mean * weight) @ inducing.T, pullback

    def grouped_psi2(
        self,
        mean: Array,
        variance: Array,
        inducing: Array,
        rows: Array,
        keep: Kept | None = None,
    ) -> tuple[Array, Pullback]:
        # Φ = Z C (Σ μμᵀ + S) C Zᵀ with C = diag(c): only a Q × Q matrix depends on a group's data.
        n_latent, weighted = mean.shape[1], inducing * self.variance
        groups = range(rows.shape[1])
        second = np.stack([np.asarray((mean * rows[:, g : g + 1]).T @ mean) for g in groups])
        second[:, np.arange(n_latent), np.arange(n_latent)] += np.asarray(rows.T @ variance)
        value = weighted @ second @ weighted.T

        def pullback(adjoint: Array) -> Gradients:
            d_second = weighted.T @ adjoint @ weighted
            d_weighted = 2.0 * np.sum(adjoint @ weighted @ second, axis=0)
            d_mean = np.zeros_like(mean)
            for g in groups:
                d_mean += 2.0 * rows[:, g : g + 1] * (mean @ d_second[g])
            return Gradients(
                d_mean,
                rows @ np.diagonal(d_second, axis1=1, axis2=2),
                d_weighted * self.variance,
                self._shaped(np.sum(d_weighted * inducing, axis=0)),
            )

        return symmetrise(value), pullback

    def weighted_psi2(self, inducing: Array) -> WeightedPsi2:
        carried_in = inducing * self.variance

        def weighted(mean: Array, variance: Array, weights: Array) -> tuple[Array, Array, Array]:
            inner = carried_in.T @ unfold_upper(weights, len(inducing)) @ carried_in
            carried = (mean[:, None, :] @ inner)[:, 0]
            diagonal = np.diagonal(inner, axis1=1, axis2=2)
            value = np.sum(mean * carried + variance * diagonal, axis=1)
            return value, 2.0 * carried, np.broadcast_to(diagonal, variance.shape).copy()

        return weighted

    @property
    def relevance(self) -> Array:
        return np.atleast_1d(np.asarray(self.variance, dtype=float))

    def browser_form(self) -> list[dict[str, Any]]:
        return [{"kind": "linear", "variance": np.asarray(self.variance).tolist()}]

    def _weight(self, points: Array) -> Array:
        return np.broadcast_to(self.variance, points.shape[1:])

    def _shaped(self, d_variance: Array) -> Self:
        if np.ndim(self.variance) == 0:
            return replace(self, variance=float(np.sum(d_variance)))
        return replace(self, variance=d_variance)
