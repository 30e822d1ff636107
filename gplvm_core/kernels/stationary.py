"""Stationary kernels: k depends only on the difference of two points."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from jaxtyping import Float

from gplvm_core.kernels.declare import positive
from gplvm_core.kernels.kernel import Kernel
from gplvm_core.numerics import Array


@dataclass(frozen=True, repr=False)
class Stationary(Kernel):
    """A kernel whose k(x, x) is its variance everywhere."""

    variance: float = positive(1.0, overall=True)

    def diag(self, points: Float[Array, "N Q"]) -> Float[Array, " N"]:
        return np.full(len(points), float(self.variance))

    def psi0(
        self, mean: Float[Array, "N Q"], variance: Float[Array, "N Q"]
    ) -> tuple[Float[Array, " N"], Callable[[Array], tuple[Array, Array, Self]]]:
        def pullback(adjoint: Array) -> tuple[Array, Array, Self]:
            nothing = np.zeros_like(mean)
            return nothing, nothing, replace(self.zero(), variance=float(np.sum(adjoint)))

        return np.full(len(mean), float(self.variance)), pullback
