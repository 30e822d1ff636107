"""A belief q(X): independent Gaussians for all entries of X, some of which may be known exactly.

X are the inputs of a layer, which may be the outputs of another layer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray

from gplvm_core.numerics import Array, BoolArray


@dataclass(frozen=True)
class Belief:
    """q(x_n) = N(mean_n, diag variance_n); observed entries are known, with variance 0.

    Only entries that are not observed are trained and contribute to the KL to the prior.
    """

    mean: Float[Array, "N Q"]
    variance: Float[Array, "N Q"]
    observed: Bool[BoolArray, "N Q"] | None = None

    @classmethod
    def certain(cls, points: Float[Array, "N Q"]) -> "Belief":
        """Make a belief about exactly known points: variance 0 everywhere."""
        return cls(points, np.zeros_like(points), np.ones(points.shape, dtype=bool))

    @property
    def n_points(self) -> int:
        return self.mean.shape[0]

    @property
    def known(self) -> bool:
        """Whether every entry is known exactly (variance 0)."""
        return not self.variance.any()

    @property
    def n_latent(self) -> int:
        return self.mean.shape[1]

    def entropy(self) -> tuple[float, "Belief"]:
        """Return the entropy Σ ½ log 2πe variance over entries that are not observed, and its
        gradient.
        """
        free = np.ones(self.mean.shape, bool) if self.observed is None else ~self.observed
        spread = np.where(free, self.variance, 1.0)
        value = 0.5 * float(np.sum(np.log(2.0 * np.pi * np.e * spread), where=free))
        return value, Belief(np.zeros_like(self.mean), np.where(free, 0.5 / spread, 0.0))

    def beside(self, other: "Belief") -> "Belief":
        """Concatenate the dimensions of two beliefs about the same points."""
        observed = None
        if self.observed is not None or other.observed is not None:
            known = (
                np.zeros(b.mean.shape, bool) if b.observed is None else b.observed
                for b in (self, other)
            )
            observed = np.hstack(list(known))
        return Belief(
            np.hstack([self.mean, other.mean]),
            np.hstack([self.variance, other.variance]),
            observed,
        )

    def split(self, widths: Sequence[int]) -> list["Belief"]:
        """Split into beliefs with these numbers of dimensions; the inverse of `beside`."""
        ends = np.cumsum([0, *widths])
        return [
            Belief(
                self.mean[:, a:b],
                self.variance[:, a:b],
                None if self.observed is None else self.observed[:, a:b],
            )
            for a, b in pairwise(ends)
        ]

    def rows(self, chosen: slice | NDArray[np.intp]) -> "Belief":
        """Return the belief about some of the points."""
        observed = None if self.observed is None else self.observed[chosen]
        return Belief(self.mean[chosen], self.variance[chosen], observed)

    def followed_by(self, further: "Belief") -> "Belief":
        """Return the belief about the points of both, which have the same dimensions."""
        return Belief(
            np.concatenate([self.mean, further.mean]),
            np.concatenate([self.variance, further.variance]),
        )

    def thinned(self, most: int) -> "Belief":
        """Return the belief about at most `most` points, spread evenly over the rows."""
        if self.n_points <= most:
            return self
        return self.rows(np.linspace(0, self.n_points - 1, most).astype(np.intp))
