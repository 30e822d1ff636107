"""The exact log marginal likelihood of Gaussian-process outputs at known inputs (Lawrence 2005)."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array, Factor
from gplvm_core.statistics import Targets


@dataclass(frozen=True)
class Exact:
    """log p(Y | X) in nats, its adjoint with respect to K + σ²I, and the predictive weights."""

    value: float
    covariance: Float[Array, "N N"]  # ∂(K + σ²I)
    weights: Float[Array, "N R"]  # (K + σ²I)⁻¹ Y
    inverse: Float[Array, "N N"]  # (K + σ²I)⁻¹


def exact(targets: Targets, covariance: Factor) -> Exact:
    """Return log N(Y; 0, K + σ²I), summed over D columns, from the Cholesky factor of K + σ²I."""
    n_points, n_outputs = len(targets.values), targets.n_outputs
    weights = covariance.solve(targets.values)
    inverse = covariance.inverse()
    value = -0.5 * (
        float(np.vdot(targets.values, weights))
        + n_outputs * covariance.log_determinant
        + n_points * n_outputs * np.log(2.0 * np.pi)
    )
    return Exact(float(value), 0.5 * (weights @ weights.T - n_outputs * inverse), weights, inverse)
