"""The periodic kernel k(x, x') = σ² exp(−2 Σ_q sin²(π (x_q − x'_q) / period_q) / ℓ_q²).

MacKay (1998), eq. 47; Rasmussen & Williams (2006), eq. 4.31. Expectations under Gaussian inputs are
computed from the kernel's Fourier series in every dimension (`waves`). These expectations are exact
up to 1e-12 of the variance.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from jaxtyping import Float

from gplvm_core.kernels.declare import positive
from gplvm_core.kernels.stationary import Stationary
from gplvm_core.kernels.waves import Waves
from gplvm_core.kernels.waving import Waving
from gplvm_core.numerics import Array


@dataclass(frozen=True, repr=False)
class Periodic(Waving, Stationary):
    """Kernel of functions that repeat exactly.

    Its product with an RBF or a Matérn kernel describes functions that repeat nearly.

    period: in units of the inputs. lengthscale: has no unit. With a small lengthscale a function
    varies much within its period; with a large lengthscale the function is a sine. Period and
    lengthscale are one number for all dimensions, or (Q,). At uncertain inputs the cost grows with
    1/lengthscale; the smallest lengthscale is 0.01.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import Periodic
    >>> Periodic(lengthscale=1.0, period=2.0).K(np.array([[0.0], [1.0], [2.0]])).round(3)
    array([[1.   , 0.135, 1.   ],
           [0.135, 1.   , 0.135],
           [1.   , 0.135, 1.   ]])
    """

    lengthscale: float | Float[Array, " Q"] = positive(1.0, blind_at=np.inf)
    period: float | Float[Array, " Q"] = positive(1.0, blind_at=np.inf)

    def K(self, first: Array, second: Array | None = None) -> Array:
        angle = self._angle(first, second)
        exponent = -2.0 * np.sum((np.sin(angle) / self.lengthscale) ** 2, axis=2)
        return np.asarray(self.variance * np.exp(exponent))

    def between_pullback(
        self, first: Array, second: Array, adjoint: Array
    ) -> tuple[Array, Array, Self]:
        angle = self._angle(first, second)
        squared = (np.sin(angle) / self.lengthscale) ** 2
        product = adjoint * self.variance * np.exp(-2.0 * np.sum(squared, axis=2))
        # ∂k/∂angle = −2 sin(2 angle) k / ℓ². NumPy's power overflows to ∞, whereas Python's raises
        # an error.
        sharpness = np.float64(self.lengthscale) ** -2.0
        turn = -2.0 * np.sin(2.0 * angle) * sharpness * product[:, :, None]
        own = self._shaped(
            float(product.sum()) / self.variance,
            4.0 * np.tensordot(product, squared, 2) / self.lengthscale,
            -np.sum(turn * angle, axis=(0, 1)) / self.period,
        )
        speed = np.pi / self.period
        return speed * turn.sum(axis=1), -speed * turn.sum(axis=0), own

    @property
    def waves(self) -> Waves:
        sharpness = np.asarray(self.lengthscale, dtype=float) ** -2.0
        return Waves(self.variance, 0.0, sharpness, 2.0 * np.pi / np.asarray(self.period))

    def from_waves(self, gradient: Waves) -> Self:
        waves, length, period = self.waves, np.asarray(self.lengthscale), np.asarray(self.period)
        d_length = -2.0 * gradient.sharpness * waves.sharpness / length
        return self._shaped(
            gradient.variance, d_length, -gradient.frequency * waves.frequency / period
        )

    @property
    def relevance(self) -> Array:
        return self.waves.relevance

    def _angle(self, first: Array, second: Array | None) -> Array:
        other = first if second is None else second
        return np.asarray(np.pi * (first[:, None, :] - other[None, :, :]) / self.period)

    def _shaped(self, d_variance: float, d_length: Array, d_period: Array) -> Self:
        one_length, one_period = np.ndim(self.lengthscale) == 0, np.ndim(self.period) == 0
        return replace(
            self,
            variance=float(d_variance),
            lengthscale=float(d_length.sum()) if one_length else d_length,
            period=float(d_period.sum()) if one_period else d_period,
        )
