"""A belief about inputs: independent Gaussians, some of whose entries may be known exactly."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray

from gplvm_core.numerics import Array


@dataclass(frozen=True)
class Belief:
    """q(x_n) = N(mean_n, diag variance_n); observed entries are known, with variance 0.

    The prior's KL sums the entries that are not observed, and only those are free to move.
    """

    mean: Float[Array, "N Q"]
    variance: Float[Array, "N Q"]
    observed: Bool[NDArray[np.bool_], "N Q"] | None = None

    @classmethod
    def certain(cls, points: Float[Array, "N Q"]) -> "Belief":
        """Points known exactly: variance 0 everywhere."""
        return cls(points, np.zeros_like(points), np.ones(points.shape, dtype=bool))

    @property
    def n_points(self) -> int:
        return self.mean.shape[0]

    @property
    def n_latent(self) -> int:
        return self.mean.shape[1]

    def rows(self, chosen: slice) -> "Belief":
        """The belief about some of the points."""
        observed = None if self.observed is None else self.observed[chosen]
        return Belief(self.mean[chosen], self.variance[chosen], observed)
