"""The bias kernel k(x, x') = variance: a constant offset with a Gaussian prior."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np

from gplvm_core.kernels.combine import cross_bias
from gplvm_core.kernels.gradients import CrossBuilder, Gradients, Kept, Pullback, WeightedPsi2
from gplvm_core.kernels.kernel import Kernel, Stationary
from gplvm_core.numerics import Array


@dataclass(frozen=True, repr=False)
class Bias(Stationary):
    """Constant covariance. The matrix K has rank 1, so a kernel that is only a Bias needs jitter.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import RBF, Bias
    >>> kernel = RBF() + Bias(0.5)
    >>> kernel.K(np.array([[0.0], [1.0]])).round(2)
    array([[1.5 , 1.11],
           [1.11, 1.5 ]])
    """

    def K(self, first: Array, second: Array | None = None) -> Array:
        return np.full((len(first), len(first if second is None else second)), float(self.variance))

    def K_pullback(self, points: Array, gram: Array) -> tuple[Array, Self]:
        return np.zeros_like(points), replace(self, variance=float(gram.sum()))

    def cross_with(self, carrier: Kernel) -> CrossBuilder | None:
        return None if isinstance(carrier, Bias) else partial(cross_bias, carrier, self)

    def psi1(self, mean: Array, variance: Array, inducing: Array) -> tuple[Array, Pullback]:
        shape = len(mean), len(inducing)

        def pullback(adjoint: Array) -> Gradients:
            return self._only_variance(mean, inducing, float(np.sum(adjoint)))

        return np.full(shape, float(self.variance)), pullback

    def grouped_psi2(
        self,
        mean: Array,
        variance: Array,
        inducing: Array,
        rows: Array,
        keep: Kept | None = None,
    ) -> tuple[Array, Pullback]:
        counts, size = np.asarray(np.sum(rows, axis=0)), len(inducing)

        def pullback(adjoint: Array) -> Gradients:
            total = float(counts @ adjoint.sum(axis=(1, 2)))
            return self._only_variance(mean, inducing, 2.0 * self.variance * total)

        level = counts * float(self.variance) ** 2
        return np.tile(level[:, None, None], (1, size, size)), pullback

    def weighted_psi2(self, inducing: Array) -> WeightedPsi2:
        def weighted(mean: Array, variance: Array, weights: Array) -> tuple[Array, Array, Array]:
            value = float(self.variance) ** 2 * weights.sum(axis=1)
            nothing = np.zeros_like(mean)
            return np.broadcast_to(value, len(mean)).copy(), nothing, nothing

        return weighted

    def browser_form(self) -> list[dict[str, Any]]:
        return [{"kind": "bias", "variance": float(self.variance)}]

    def _only_variance(self, mean: Array, inducing: Array, d_variance: float) -> Gradients:
        nothing = np.zeros_like(mean)
        return Gradients(
            nothing, nothing, np.zeros_like(inducing), replace(self, variance=d_variance)
        )
