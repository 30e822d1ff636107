"""The periodic kernel k(t, t') = σ² exp(−2 Σ_p sin²(π (t_p − t'_p) / period) / ℓ²).

MacKay (1998), eq. 47; Rasmussen & Williams (2006), eq. 4.31. For inputs that are known exactly:
there are no expectations under Gaussian inputs.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from gplvm_core.kernels.declare import positive
from gplvm_core.kernels.stationary import Stationary
from gplvm_core.numerics import Array


@dataclass(frozen=True, repr=False)
class Periodic(Stationary):
    """Functions that repeat exactly; times an RBF or a Matérn, they repeat nearly.

    period: in units of the inputs. lengthscale: has no unit; a small one lets a function wiggle
    within its period, a large one makes it a sine.
    """

    lengthscale: float = positive(1.0)
    period: float = positive(1.0)

    def K(self, first: Array, second: Array | None = None) -> Array:
        angle = self._angle(first, second)
        exponent = -2.0 * np.sum((np.sin(angle) / self.lengthscale) ** 2, axis=2)
        return np.asarray(self.variance * np.exp(exponent))

    def between_pullback(
        self, first: Array, second: Array, adjoint: Array
    ) -> tuple[Array, Array, Self]:
        angle = self._angle(first, second)
        squared = np.sum((np.sin(angle) / self.lengthscale) ** 2, axis=2)
        product = adjoint * self.variance * np.exp(-2.0 * squared)
        # ∂k/∂angle = −2 sin(2 angle) k / ℓ². A NumPy number overflows to ∞ where Python's raises.
        turn = -2.0 * np.sin(2.0 * angle) / np.float64(self.lengthscale) ** 2 * product[:, :, None]
        own = replace(
            self,
            variance=float(product.sum()) / self.variance,
            lengthscale=4.0 * float(np.vdot(product, squared)) / self.lengthscale,
            period=-float(np.vdot(turn, angle)) / self.period,
        )
        speed = np.pi / self.period
        return speed * turn.sum(axis=1), -speed * turn.sum(axis=0), own

    def _angle(self, first: Array, second: Array | None) -> Array:
        other = first if second is None else second
        return np.asarray(np.pi * (first[:, None, :] - other[None, :, :]) / self.period)
