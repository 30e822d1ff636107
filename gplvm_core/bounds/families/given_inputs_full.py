"""6.5, full: q(h_n | h⁻_n) = N(T_n h⁻_n + m_n, diag S_n), every output following every input.

q(u) is independent of q(h) and at its optimum: the collapsed bound with A = Σ_n (κ1_n T_nᵀ + κ0_n
m_nᵀ) and yy = Σ_n (‖a_n‖² + tr Γ_n). Handed down: a = Ta⁻ + m, Γ = TΓ⁻Tᵀ + diag S, whose dimensions
hang together. Values only. Chamberlin (2016), §4.6.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from gplvm_core.bounds.families.correlated import (
    Correlated,
    CorrelatedHanded,
    CorrelatedInputs,
    entropy,
)
from gplvm_core.bounds.layer import Layer
from gplvm_core.numerics import Array


@dataclass(frozen=True)
class FullyGivenInputs:
    """q(h | h⁻): m, S, and T from C inputs to D outputs."""

    mean: Float[Array, "N D"]
    variance: Float[Array, "N D"]
    follows: Float[Array, "N D C"]


def given_inputs_full(
    layer: Layer, source: Correlated, own: FullyGivenInputs, *, jitter: float
) -> CorrelatedHanded:
    """F_l at the layer's own scales, and what is handed down."""
    seen, follows, n_outputs = (
        CorrelatedInputs.of(layer, source, jitter),
        own.follows,
        own.mean.shape[1],
    )
    moments, spread = seen.moments, own.variance[:, :, None] * np.eye(n_outputs)
    carried = np.einsum("nmc,ndc->md", moments.kappa1, follows) + moments.kappa0.T @ own.mean
    mean = np.einsum("ndc,nc->nd", follows, source.mean) + own.mean
    covariance = follows @ source.covariance @ np.swapaxes(follows, 1, 2) + spread
    yy = float(np.sum(mean**2) + np.trace(covariance, axis1=1, axis2=2).sum())
    at = seen.collapsed(carried, yy, float(layer.noise_variance))
    told = seen.gram.lower.T @ at.weights
    return CorrelatedHanded(
        at.value,
        entropy(spread),
        Correlated(mean, covariance),
        told.T.ravel(),
        np.kron(np.eye(n_outputs), at.inverse[0]),
    )
