"""6.6: q(u¹) Π q(u^l | u^(l−1)) Π q(h_n^l | u^l), inducing outputs that follow those above.

Stacked as in 6.3: q(u^l | u^(l−1)) = N(R u^(l−1) + r, Θ) (R = 0 at the top: 6.3) and q(h_n | u) =
N(T_n u + m_n, S_n). A layer's inputs and its inducing outputs are correlated through the layer
above, so that κ1, κ2, φ1, φ2 enter. q(u) has no closed form. In the basis of L; values only.
Chamberlin (2016), §4.7–4.9, with corrections.
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
from gplvm_core.bounds.families.joint import JointlyGivenInducing
from gplvm_core.bounds.layer import Layer
from gplvm_core.numerics import Array


@dataclass(frozen=True)
class InducingGivenAbove:
    """q(v^l | v^(l−1)) = N(R v^(l−1) + r, Θ); R: None at the top."""

    mean: Float[Array, " P"]
    covariance: Float[Array, "P P"]
    follows: Float[Array, "P O"] | None = None


@dataclass(frozen=True)
class Above:
    """The layer above: its q(v), and T of its outputs, this layer's inputs."""

    mean: Float[Array, " O"]
    covariance: Float[Array, "O O"]
    transfer: Float[Array, "N Q O"]


def chained(
    layer: Layer,
    source: Correlated,
    above: Above | None,
    own: InducingGivenAbove,
    outputs: JointlyGivenInducing | Float[Array, "N D"],
    *,
    jitter: float,
) -> CorrelatedHanded:
    """F_l at the layer's own scales, and what is handed down; outputs: q(h | v), or data."""
    hidden = isinstance(outputs, JointlyGivenInducing)
    m: Array = outputs.mean if isinstance(outputs, JointlyGivenInducing) else outputs
    (n_points, n_outputs), n_inducing = m.shape, len(layer.inducing)
    if isinstance(outputs, JointlyGivenInducing):
        transfer, spread = outputs.transfer, outputs.covariance
    else:
        transfer = np.zeros((n_points, n_outputs, n_outputs * n_inducing))
        spread = np.zeros((n_points, n_outputs, n_outputs))
    mean, covariance = own.mean, own.covariance
    # What an input says of v: N(b + 𝓑x, Σ̃), 𝓑 = ΞΓ⁻¹.
    told = np.zeros((n_points, len(mean), source.mean.shape[1]))
    if above is not None and own.follows is not None:
        mean = own.follows @ above.mean + mean
        across = own.follows @ above.covariance
        covariance = across @ own.follows.T + covariance
        xi = np.einsum("po,nqo->npq", across, above.transfer)
        told = np.swapaxes(np.linalg.solve(source.covariance, np.swapaxes(xi, 1, 2)), 1, 2)
    base = mean - np.einsum("npq,nq->np", told, source.mean)
    left = covariance - told @ source.covariance @ np.swapaxes(told, 1, 2)
    # What it then says of the outputs: E[h | x] = t + τx, Cov(v, h | x) = Σ̃Tᵀ.
    t, tau = np.einsum("ndp,np->nd", transfer, base) + m, transfer @ told
    with_outputs = left @ np.swapaxes(transfer, 1, 2)

    # K⁻¹u = L⁻ᵀv of every output's block.
    seen, blocks = CorrelatedInputs.of(layer, source, jitter), (n_points, n_outputs, n_inducing)
    back, moments = seen.gram.solve_lower_transposed(np.eye(n_inducing)), seen.moments
    b = base.reshape(blocks) @ back.T
    bend = np.einsum("ij,ndjq->ndiq", back, told.reshape(*blocks, -1))
    split = left.reshape(n_points, n_outputs, n_inducing, n_outputs, n_inducing)
    own_left = np.einsum("ndidj->ndij", split)
    held = np.einsum("ndid->ndi", with_outputs.reshape(*blocks, n_outputs)) @ back.T
    # ⟨h α u⟩ and ⟨(α u)²⟩.
    cross = np.einsum("ni,ndi->", moments.kappa0, held + b * t[:, :, None])
    lines = bend * t[:, :, None, None] + b[..., None] * tau[:, :, None, :]
    cross += np.einsum("niq,ndiq->", moments.kappa1, lines)
    cross += np.einsum("ndiq,niqr,ndr->", bend, moments.kappa2, tau)
    seconds = back @ own_left @ back.T + b[..., :, None] * b[..., None, :]
    quadratic = np.einsum("nij,ndij->", moments.phi0, seconds)
    quadratic += 2.0 * np.einsum("ndi,nijq,ndjq->", b, moments.phi1, bend)
    quadratic += np.einsum("ndiq,nijqr,ndjr->", bend, moments.phi2, bend)

    a = np.einsum("ndp,p->nd", transfer, mean) + m
    gamma = transfer @ covariance @ np.swapaxes(transfer, 1, 2) + spread
    noise = float(layer.noise_variance)
    squares = float(np.sum(a**2) + np.trace(gamma, axis1=1, axis2=2).sum())
    unexplained = squares - 2.0 * float(cross) + float(quadratic)
    unexplained += n_outputs * (seen.psi0 - float(np.trace(seen.c)))
    value = -0.5 * (n_points * n_outputs * np.log(2.0 * np.pi * noise) + unexplained / noise)
    prior = float(np.trace(covariance) + mean @ mean) - len(mean)
    value -= 0.5 * (prior - float(np.linalg.slogdet(own.covariance)[1]))
    of_outputs = entropy(spread) if hidden else 0.0
    return CorrelatedHanded(value, of_outputs, Correlated(a, gamma), mean, covariance)
