"""6.3: q(h_n | u) = N(T_n u + m_n, S_n), all dimensions of the outputs together.

u is stacked as [u¹; …; u^D], T_n is D × DM, S_n a full D × D matrix, q(u) = N(μ, Σ) of size DM, by
the closed form that is best for the layer's own terms: Σ⁻¹ = I ⊗ K⁻¹ + βJ, μ = −βΣ Σ_n Δ_nᵀm_n with
Δ_n = T_n − I ⊗ Ā_n and J = Σ_n Δ_nᵀΔ_n + I ⊗ (Ω − ĀᵀĀ). Block-diagonal it is 6.2. In the basis of
L as there; values only. Chamberlin (2016), §4.4.
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
from gplvm_core.numerics import Array, factorise


@dataclass(frozen=True)
class JointSites:
    """What the layers below say of q(u), stacked, as in 6.2."""

    first: Float[Array, " P"]
    second: Float[Array, "P P"]


@dataclass(frozen=True)
class JointlyGivenInducing:
    """q(h | u): m, S, and T, P = DM."""

    mean: Float[Array, "N D"]
    covariance: Float[Array, "N D D"]
    transfer: Float[Array, "N D P"]
    sites: JointSites | None = None


def joint(
    layer: Layer, source: Correlated, own: JointlyGivenInducing, *, jitter: float
) -> CorrelatedHanded:
    """F_l at the layer's own scales, and what is handed down."""
    seen, noise = CorrelatedInputs.of(layer, source, jitter), float(layer.noise_variance)
    alpha, c, beta, (n_points, n_outputs) = seen.alpha, seen.c, 1.0 / noise, own.mean.shape
    eye = np.eye(n_outputs)
    delta = own.transfer - np.stack([np.kron(eye, row) for row in alpha])
    spread = np.einsum("ndp,ndq->pq", delta, delta) + np.kron(eye, c - alpha.T @ alpha)
    inner = np.eye(len(spread)) + beta * spread
    shift = -beta * np.einsum("ndp,nd->p", delta, own.mean)
    told, said = inner, shift
    if own.sites is not None:
        told, said = inner - 2.0 * own.sites.second, shift + own.sites.first
    factor = factorise(told)
    covariance, mean = factor.inverse(), factor.solve(said[:, None])[:, 0]
    unexplained = float(np.sum(own.mean**2) + np.trace(own.covariance, axis1=1, axis2=2).sum())
    unexplained += n_outputs * (seen.psi0 - float(np.trace(c)))
    value = -0.5 * (n_points * n_outputs * np.log(2.0 * np.pi * noise) + beta * unexplained)
    squares = covariance + np.outer(mean, mean)
    value += float(shift @ mean) - 0.5 * float(np.vdot(inner, squares))
    value += 0.5 * (len(mean) - factor.log_determinant)
    handed = own.transfer @ covariance @ np.swapaxes(own.transfer, 1, 2) + own.covariance
    belief = Correlated(own.transfer @ mean + own.mean, handed)
    return CorrelatedHanded(value, entropy(own.covariance), belief, mean, covariance)
