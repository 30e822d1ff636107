"""Matérn kernels for rough functions of time: k depends only on r = |t − t'| / ℓ.

½: σ² e^{−r}; 3⁄2: σ² (1 + √3 r) e^{−√3 r}; 5⁄2: σ² (1 + √5 r + 5r²⁄3) e^{−√5 r} (Rasmussen &
Williams 2006, eq. 4.17). In several dimensions r² = Σ_q (x_q − x'_q)² / ℓ_q². Inputs must be known
exactly, because the norm in r couples the dimensions; ⟨k⟩ therefore has no closed form for Q > 1. A
product of one-dimensional kernels has a closed form, but is a different kernel (MATHEMATICS.md,
section 2). In one dimension the kernels are Markov, so paths cost O(N) (`priors.kalman`).
"""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from jaxtyping import Float
from scipy.spatial.distance import cdist

from gplvm_core.kernels.kernel import Stationary
from gplvm_core.kernels.parametric import positive
from gplvm_core.numerics import Array


@dataclass(frozen=True, repr=False)
class Matern(Stationary):
    """Base class of the Matérn kernels of half-integer smoothness.

    lengthscale: in units of the inputs, one number for all dimensions or (Q,). For times: one
    number, in units of time.
    """

    lengthscale: float | Float[Array, " Q"] = positive(1.0, blind_at=np.inf)
    smoothness: ClassVar[float]
    instead = "for a rough function RBF() + RBF(0.1, 0.3), with a long and a short lengthscale"

    def K(self, first: Array, second: Array | None = None) -> Array:
        value, _ = self._shape(self._distance(first, second))
        return np.asarray(self.variance * value)

    def between_pullback(
        self, first: Array, second: Array, adjoint: Array
    ) -> tuple[Array, Array, Self]:
        distance = self._distance(first, second)
        value, slope = self._shape(distance)
        pull = adjoint * slope * self.variance
        # |∂r/∂x_q| = w_q |x_q − x'_q| / r is at most 1/ℓ_q, even for close points. At r = 0 the
        # kernel is flat, or, for ½, has a kink; the derivative there is set to 0.
        per_distance = np.divide(pull, distance, out=np.zeros_like(pull), where=distance > 0)
        lengths = np.broadcast_to(np.asarray(self.lengthscale, dtype=float), first.shape[1:])
        d_first, d_second = np.empty_like(first), np.empty_like(second)
        d_length = np.empty(len(lengths))
        for q, length in enumerate(lengths):
            toward = (first[:, q, None] - second[:, q]) / length
            carried = per_distance * toward
            d_first[:, q] = carried.sum(axis=1) / length
            d_second[:, q] = -carried.sum(axis=0) / length
            d_length[q] = -float(np.vdot(carried, toward)) / length
        one = np.ndim(self.lengthscale) == 0
        d_lengthscale = float(d_length.sum()) if one else d_length
        d_variance = float(np.vdot(adjoint, value))
        return d_first, d_second, replace(self, variance=d_variance, lengthscale=d_lengthscale)

    @property
    def relevance(self) -> Array:
        return (1.0 / np.atleast_1d(np.asarray(self.lengthscale, dtype=float))) ** 2

    def _distance(self, first: Array, second: Array | None) -> Array:
        # Use squares of differences, because differences of squares lose digits for close times far
        # from 0.
        second = first if second is None else second
        if np.ndim(self.lengthscale) == 0:
            return np.asarray(cdist(first, second) / self.lengthscale)
        return np.asarray(cdist(first, second, w=self.relevance))

    def _shape(self, distance: Array) -> tuple[Array, Array]:
        """Return k/σ² and its derivative in r."""
        raise NotImplementedError


@dataclass(frozen=True, repr=False)
class Matern12(Matern):
    """Matérn-½ (Ornstein–Uhlenbeck): continuous, nowhere differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import Matern12
    >>> Matern12(variance=1.0, lengthscale=2.0).K(np.array([[0.0], [1.0]])).round(3)
    array([[1.   , 0.607],
           [0.607, 1.   ]])
    """

    smoothness = 0.5

    def _shape(self, distance: Array) -> tuple[Array, Array]:
        value = np.exp(-distance)
        return value, -value


@dataclass(frozen=True, repr=False)
class Matern32(Matern):
    """Matérn-3⁄2: once differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import Matern32
    >>> Matern32(variance=1.0, lengthscale=2.0).K(np.array([[0.0], [1.0]])).round(3)
    array([[1.   , 0.785],
           [0.785, 1.   ]])
    """

    smoothness = 1.5

    def _shape(self, distance: Array) -> tuple[Array, Array]:
        scaled = np.sqrt(3.0) * distance
        decay = np.exp(-scaled)
        return (1.0 + scaled) * decay, -3.0 * distance * decay


@dataclass(frozen=True, repr=False)
class Matern52(Matern):
    """Matérn-5⁄2: twice differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import Matern52
    >>> Matern52(variance=1.0, lengthscale=2.0).K(np.array([[0.0], [1.0]])).round(3)
    array([[1.   , 0.829],
           [0.829, 1.   ]])
    """

    smoothness = 2.5

    def _shape(self, distance: Array) -> tuple[Array, Array]:
        scaled = np.sqrt(5.0) * distance
        decay = np.exp(-scaled)
        value = (1.0 + scaled + scaled**2 / 3.0) * decay
        return value, -5.0 / 3.0 * distance * (1.0 + scaled) * decay
