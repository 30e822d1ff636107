"""The standard normal prior p(X) = Π N(0, I) (Titsias & Lawrence 2010, eq. 4).

Also here: the prior of inputs observed with noise: a Gaussian around each input (Damianou 2015,
§4.2).
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from jaxtyping import Float, Int

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import Array, IntArray


@dataclass(frozen=True)
class StandardNormal:
    """Independent N(0, 1) for every entry of X that is not observed."""

    def kl_terms(self, belief: Belief) -> Float[Array, "N Q"]:
        """Return KL(q(x_nq) ‖ p) of every entry in nats, 0 for observed entries."""
        return self._as_inputs(belief).kl_terms(belief)

    def kl(self, belief: Belief) -> tuple[float, Belief]:
        """Return KL(q(X) ‖ p(X)) in nats and its gradient, shaped like the belief."""
        return self._as_inputs(belief).kl(belief)

    def log_density(self, points: Float[Array, "N Q"]) -> tuple[float, Float[Array, "N Q"]]:
        """Return log p(X) in nats at points, and its gradient, for MAP estimates."""
        value = -0.5 * float(np.sum(points**2)) - 0.5 * points.size * float(np.log(2.0 * np.pi))
        return value, -points

    @staticmethod
    def _as_inputs(belief: Belief) -> "UncertainInputs":
        """N(0, 1) is the prior of missing inputs."""
        return UncertainInputs(np.zeros_like(belief.mean), np.ones_like(belief.mean))


@dataclass(frozen=True)
class UncertainInputs:
    """Independent N(center_nq, variance_nq) for every entry of X that is not known exactly.

    For a noisy entry, center and variance are the observation and the variance of its noise. For a
    missing entry, center and variance are 0 and 1. Source: Damianou (2015), eq. 4.1.
    """

    center: Float[Array, "N Q"]
    variance: Float[Array, "N Q"]

    def kl_terms(self, belief: Belief) -> Float[Array, "N Q"]:
        """Return KL(q(x_nq) ‖ p) of every entry in nats, 0 for entries that are known exactly."""
        variance, spread = self._safe(belief)
        ratio = spread / variance
        terms = 0.5 * ((belief.mean - self.center) ** 2 / variance + ratio - np.log(ratio) - 1.0)
        return terms if belief.observed is None else np.where(belief.observed, 0.0, terms)

    def kl(self, belief: Belief) -> tuple[float, Belief]:
        """Return KL(q(X) ‖ p(X)) in nats and its gradient, shaped like the belief."""
        variance, spread = self._safe(belief)
        d_mean = (belief.mean - self.center) / variance
        d_variance = 0.5 * (1.0 / variance - 1.0 / spread)
        if belief.observed is not None:
            d_mean = np.where(belief.observed, 0.0, d_mean)
            d_variance = np.where(belief.observed, 0.0, d_variance)
        value = float(self.kl_terms(belief).sum())
        return value, Belief(d_mean, d_variance, belief.observed)

    def fitted(self, belief: Belief, groups: Int[IntArray, "N Q"]) -> Self:
        """Return the prior with the noise variances that minimise the KL, one for each group.

        groups: the index of the variance that an entry shares; -1 if the entry's variance is fixed.
        The optimal variance is the group's mean of (μ − center)² + S. By the envelope theorem, `kl`
        at the optimum gives the gradient of the minimised KL.
        """
        chosen = groups >= 0
        if not chosen.any():
            return self
        square = (belief.mean - self.center) ** 2 + belief.variance
        members = np.bincount(groups[chosen])
        shared = np.bincount(groups[chosen], weights=square[chosen]) / np.maximum(members, 1)
        variance = self.variance.copy()
        variance[chosen] = shared[groups[chosen]]
        return replace(self, variance=variance)

    def _safe(self, belief: Belief) -> tuple[Array, Array]:
        """The variances of the prior and of the belief; entries known exactly have variance 0:
        replace it, so that no logarithm of 0 is computed.
        """
        found = self.variance, belief.variance
        if belief.observed is None:
            return found
        variance, spread = (np.where(belief.observed, 1.0, each) for each in found)
        return variance, spread
