"""White noise k(x, x') = variance if x and x' are the same point, else 0."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np

from gplvm_core.kernels.combine import cross_nothing
from gplvm_core.kernels.gradients import CrossBuilder, Gradients, Kept, Pullback, WeightedPsi2
from gplvm_core.kernels.kernel import Kernel, Stationary
from gplvm_core.numerics import Array


@dataclass(frozen=True, repr=False)
class White(Stationary):
    """Independent noise inside the kernel; it adds only to psi0 and to the diagonal of K.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import White
    >>> White(0.1).K(np.array([[0.0], [1.0]]))
    array([[0.1, 0. ],
           [0. , 0.1]])
    """

    def K(self, first: Array, second: Array | None = None) -> Array:
        if second is None:
            return np.asarray(float(self.variance) * np.eye(len(first)))
        return np.zeros((len(first), len(second)))

    def K_pullback(self, points: Array, gram: Array) -> tuple[Array, Self]:
        return np.zeros_like(points), replace(self, variance=float(np.trace(gram)))

    def cross_with(self, carrier: Kernel) -> CrossBuilder | None:
        return partial(cross_nothing, carrier, self)

    def psi1(self, mean: Array, variance: Array, inducing: Array) -> tuple[Array, Pullback]:
        value = np.zeros((len(mean), len(inducing)))
        return value, lambda _: self._nothing(mean, inducing)

    def grouped_psi2(
        self,
        mean: Array,
        variance: Array,
        inducing: Array,
        rows: Array,
        keep: Kept | None = None,
    ) -> tuple[Array, Pullback]:
        size = len(inducing)
        return np.zeros((rows.shape[1], size, size)), lambda _: self._nothing(mean, inducing)

    def weighted_psi2(self, inducing: Array) -> WeightedPsi2:
        def weighted(mean: Array, variance: Array, weights: Array) -> tuple[Array, Array, Array]:
            nothing = np.zeros_like(mean)
            return np.zeros(len(mean)), nothing, nothing

        return weighted

    def browser_form(self) -> list[dict[str, Any]]:
        return [{"kind": "white", "variance": float(self.variance)}]

    def _nothing(self, mean: Array, inducing: Array) -> Gradients:
        nothing = np.zeros_like(mean)
        return Gradients(nothing, nothing, np.zeros_like(inducing), self.zero())
