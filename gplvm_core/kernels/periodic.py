"""The periodic kernel k(x, x') = σ² exp(−2 Σ_q sin²(π (x_q − x'_q) / period_q) / ℓ_q²).

MacKay (1998), eq. 47; Rasmussen & Williams (2006), eq. 4.31.
"""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from jaxtyping import Float

from gplvm_core.kernels.kernel import Stationary
from gplvm_core.kernels.parametric import positive
from gplvm_core.numerics import Array


@dataclass(frozen=True, repr=False)
class Periodic(Stationary):
    """Kernel of functions that repeat exactly.

    Its product with an RBF or a Matérn kernel describes functions that repeat nearly.

    period: in units of the inputs. lengthscale: has no unit. With a small lengthscale a function
    varies much within its period; with a large lengthscale the function is a sine. Period and
    lengthscale are one number for all dimensions, or (Q,). The inputs must be known exactly.

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
    def relevance(self) -> Array:
        """The curvature of k at x = x' along each dimension, as a multiple of σ²."""
        sharpness = np.asarray(self.lengthscale, dtype=float) ** -2.0
        return np.atleast_1d(sharpness * (2.0 * np.pi / np.asarray(self.period)) ** 2)

    def browser_form(self) -> list[dict[str, Any]]:
        n_latent = len(self.relevance)
        sharpness = np.asarray(self.lengthscale, dtype=float) ** -2.0
        each: dict[str, Any] = {
            "precision": 0.0,
            "sharpness": sharpness,
            "frequency": 2.0 * np.pi / np.asarray(self.period),
        }
        lists = {name: np.broadcast_to(own, n_latent).tolist() for name, own in each.items()}
        return [{"kind": "waves", "variance": float(self.variance), **lists}]

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
