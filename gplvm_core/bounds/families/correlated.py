"""A belief whose dimensions hang together, and the collapsed bound of a layer below it.

Only values, for small models: the expectations are N × M × M × Q × Q numbers.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.bounds.collapsed import Collapsed, collapsed
from gplvm_core.bounds.layer import Layer, gram_factor
from gplvm_core.kernels.tilted import Tilted, tilted_moments
from gplvm_core.numerics import Array, Factor
from gplvm_core.statistics import Statistics


@dataclass(frozen=True)
class Correlated:
    """q(x_n) = N(mean_n, covariance_n)."""

    mean: Float[Array, "N Q"]
    covariance: Float[Array, "N Q Q"]

    @classmethod
    def of(cls, belief: Belief) -> "Correlated":
        return cls(belief.mean, belief.variance[:, :, None] * np.eye(belief.n_latent))


@dataclass(frozen=True)
class CorrelatedInputs:
    """What a layer sees of its inputs: ψ0, the tilted moments, and K's factor."""

    psi0: float
    moments: Tilted
    gram: Factor

    @classmethod
    def of(cls, layer: Layer, source: Correlated, jitter: float) -> "CorrelatedInputs":
        psi0 = float(np.sum(layer.kernel.diag(source.mean)))
        moments = tilted_moments(layer.kernel, source.mean, source.covariance, layer.inducing)
        return cls(psi0, moments, gram_factor(layer.kernel, layer.inducing, jitter, relative=True))

    @property
    def alpha(self) -> Float[Array, "N M"]:
        """ΨL⁻ᵀ."""
        return self.gram.solve_lower(self.moments.kappa0.T).T

    @property
    def c(self) -> Float[Array, "M M"]:
        """C = L⁻¹ΦL⁻ᵀ."""
        return self.gram.whiten(self.moments.phi0.sum(axis=0))

    def collapsed(
        self, carried: Float[Array, "M D"], yy: float, noise_variance: float
    ) -> Collapsed:
        """The bound from A and yy of outputs."""
        statistics = Statistics(
            np.array([self.psi0]),
            carried,
            self.moments.phi0.sum(axis=0)[None],
            yy,
            np.array([len(self.moments.kappa0)]),
            np.array([carried.shape[1]]),
        )
        return collapsed(statistics, self.gram, noise_variance)


def to_data(
    layer: Layer, source: Correlated, values: Float[Array, "N D"], jitter: float
) -> Collapsed:
    """F_data of a layer whose inputs' dimensions hang together, at its own scales."""
    seen = CorrelatedInputs.of(layer, source, jitter)
    carried = seen.moments.kappa0.T @ values
    return seen.collapsed(carried, float(np.sum(values**2)), float(layer.noise_variance))


def entropy(covariance: Float[Array, "N D D"]) -> float:
    """Σ_n ½ log|2πe S_n|."""
    return 0.5 * float(np.sum(np.linalg.slogdet(2.0 * np.pi * np.e * covariance)[1]))


@dataclass(frozen=True)
class CorrelatedHanded:
    """A layer's F_l, the entropy of q of its outputs, their marginals, and q(v), u = Lv stacked."""

    value: float
    entropy: float
    belief: Correlated
    told_mean: Float[Array, " P"]
    told_covariance: Float[Array, "P P"]
