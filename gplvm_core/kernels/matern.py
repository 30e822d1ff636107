"""Matérn kernels, for functions of time that are rough: k depends on r = |t − t'| / ℓ alone.

½: σ² e^{−r}; 3⁄2: σ² (1 + √3 r) e^{−√3 r}; 5⁄2: σ² (1 + √5 r + 5r²⁄3) e^{−√5 r} (Rasmussen &
Williams 2006, eq. 4.17). Values and gradients; no expectations under Gaussian inputs. In one
dimension they are Markov, so paths of any length cost O(N): `priors.kalman`.
"""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from scipy.spatial.distance import cdist

from gplvm_core.kernels.declare import positive
from gplvm_core.kernels.stationary import Stationary
from gplvm_core.numerics import Array


@dataclass(frozen=True, repr=False)
class Matern(Stationary):
    """Base of the Matérn kernels of half-integer smoothness.

    lengthscale: one for all dimensions of the inputs, in their units (for times: units of time).
    """

    lengthscale: float = positive(1.0)
    smoothness: ClassVar[float]

    def K(self, first: Array, second: Array | None = None) -> Array:
        value, _ = self._shape(self._distance(first, second))
        return np.asarray(self.variance * value)

    def K_pullback(self, points: Array, gram: Array) -> tuple[Array, Self]:
        distance = self._distance(points, None)
        value, slope = self._shape(distance)
        pull = gram * slope * self.variance
        d_length = -float(np.vdot(pull, distance)) / self.lengthscale
        # ∂r/∂t = (t − t') / (r ℓ²), of size 1/ℓ however close the points are; at r = 0 a kink
        # (½) has no slope, and the others are flat.
        per_distance = np.divide(pull, distance, out=np.zeros_like(pull), where=distance > 0)
        d_points = np.empty_like(points)
        for p, column in enumerate(points.T):
            toward = (column[:, None] - column) / np.float64(self.lengthscale) ** 2
            d_points[:, p] = 2.0 * np.sum(per_distance * toward, axis=1)
        return d_points, replace(
            self, variance=float(np.vdot(gram, value)), lengthscale=float(d_length)
        )

    def _distance(self, first: Array, second: Array | None) -> Array:
        # Differences first, squares after: close times far from 0 keep their digits.
        return np.asarray(cdist(first, first if second is None else second) / self.lengthscale)

    def _shape(self, distance: Array) -> tuple[Array, Array]:
        """k/σ² and its derivative in r."""
        raise NotImplementedError


@dataclass(frozen=True, repr=False)
class Matern12(Matern):
    """Matérn-½ (Ornstein–Uhlenbeck): continuous, nowhere differentiable."""

    smoothness = 0.5

    def _shape(self, distance: Array) -> tuple[Array, Array]:
        value = np.exp(-distance)
        return value, -value


@dataclass(frozen=True, repr=False)
class Matern32(Matern):
    """Matérn-3⁄2: once differentiable."""

    smoothness = 1.5

    def _shape(self, distance: Array) -> tuple[Array, Array]:
        scaled = np.sqrt(3.0) * distance
        decay = np.exp(-scaled)
        return (1.0 + scaled) * decay, -3.0 * distance * decay


@dataclass(frozen=True, repr=False)
class Matern52(Matern):
    """Matérn-5⁄2: twice differentiable."""

    smoothness = 2.5

    def _shape(self, distance: Array) -> tuple[Array, Array]:
        scaled = np.sqrt(5.0) * distance
        decay = np.exp(-scaled)
        value = (1.0 + scaled + scaled**2 / 3.0) * decay
        return value, -5.0 / 3.0 * distance * (1.0 + scaled) * decay
