"""The standard normal prior p(X) = Π N(0, I) (Titsias & Lawrence 2010, eq. 4)."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import Array


@dataclass(frozen=True)
class StandardNormal:
    """Independent N(0, 1) for every entry of X that is not observed."""

    def kl_terms(self, belief: Belief) -> Float[Array, "N Q"]:
        """Return KL(q(x_nq) ‖ p) of every entry in nats, 0 for observed entries."""
        terms = 0.5 * (belief.mean**2 + belief.variance - np.log(self._safe(belief)) - 1.0)
        return terms if belief.observed is None else np.where(belief.observed, 0.0, terms)

    def kl(self, belief: Belief) -> tuple[float, Belief]:
        """Return KL(q(X) ‖ p(X)) in nats and its gradient, shaped like the belief."""
        d_mean, d_variance = belief.mean, 0.5 * (1.0 - 1.0 / self._safe(belief))
        if belief.observed is not None:
            d_mean = np.where(belief.observed, 0.0, d_mean)
            d_variance = np.where(belief.observed, 0.0, d_variance)
        value = float(self.kl_terms(belief).sum())
        return value, Belief(d_mean, d_variance, belief.observed)

    def log_density(self, points: Float[Array, "N Q"]) -> tuple[float, Float[Array, "N Q"]]:
        """Return log p(X) in nats at points, and its gradient, for MAP estimates."""
        value = -0.5 * float(np.sum(points**2)) - 0.5 * points.size * float(np.log(2.0 * np.pi))
        return value, -points

    @staticmethod
    def _safe(belief: Belief) -> Array:
        # Observed entries have variance 0: replace it, so that no logarithm of 0 is computed.
        if belief.observed is None:
            return belief.variance
        return np.where(belief.observed, 1.0, belief.variance)
