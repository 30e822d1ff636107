"""The collapsed bound of a layer, its adjoints and q(u): the one home of that algebra.

Titsias & Lawrence (2010), eq. 14; Damianou (2015), eq. 3.25 and App. B.1.2. Columns that are
observed in the same rows form a group with statistics of its own; the bound is the groups' sum.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array, Factor, factorise
from gplvm_core.statistics import Statistics


@dataclass(frozen=True)
class OutputGaps:
    """r_d(K⁻¹ − P_d), what data take from the prior variance r_d k** of each output's function.

    Where outputs have a ratio r_d = σ_f²/σ² each. In units of the output's noise; that of output d
    is W diag(shares_d) Wᵀ, W the basis of d's group.
    """

    ratio: Float[Array, " D"]
    basis: Float[Array, "G M M"]
    shares: Float[Array, "D M"]


@dataclass(frozen=True)
class Informed:
    """F_data in nats, and what predictions need of q(u)."""

    value: float
    weights: Float[Array, "M D"]  # V: predictive mean k*ᵀV
    gap: Float[Array, "G M M"]  # K⁻¹ − P of a group: predictive variance k** − k*ᵀ(K⁻¹ − P)k*
    inverse: Float[Array, "G M M"]  # B⁻¹ of a group, in the basis of L: P = L⁻ᵀB⁻¹L⁻¹
    each: OutputGaps | None = None  # with noise per output; gap and inverse then are averages


@dataclass(frozen=True, kw_only=True)
class Collapsed(Informed):
    """The same at the optimal q(u), with the adjoints of F_data."""

    statistics: Statistics  # adjoints of the statistics
    gram: Float[Array, "M M"]  # ∂K
    noise_variance: float  # ∂σ²


def collapsed(statistics: Statistics, gram: Factor, noise_variance: float) -> Collapsed:
    """F_data at K = gram.lower gram.lowerᵀ and noise variance σ², with q(u) at its optimum.

    Raises NotPositiveDefiniteError when the statistics are too large for double precision.
    """
    precision, identity = 1.0 / noise_variance, np.eye(len(gram.lower))
    n_values, yy, n_outputs = statistics.n_values, statistics.yy, statistics.n_outputs
    # In the basis of L: C = L⁻¹ΦL⁻ᵀ and a = L⁻¹A; per group B = I + βC.
    whitened = gram.whiten(statistics.psi2)
    carried = gram.solve_lower(statistics.psi1_targets)
    traces = np.trace(whitened, axis1=1, axis2=2)
    # What rounding takes it below 0 would be a gain that is not there.
    left_over = max(float(n_outputs @ (statistics.psi0 - traces)), 0.0)
    value = -0.5 * n_values * np.log(2.0 * np.pi * noise_variance)
    value -= 0.5 * precision * (yy + left_over)
    d_precision = 0.5 * n_values * noise_variance - 0.5 * (yy + left_over)
    weights, inverse = np.empty_like(carried), np.empty_like(whitened)
    d_gram = np.zeros_like(identity)
    for g, columns in enumerate(statistics.columns()):
        size, c = float(n_outputs[g]), whitened[g]
        inner = factorise(identity + precision * c)
        half = precision * inner.solve_lower(carried[:, columns])
        v = inner.solve_lower_transposed(half)
        inverse[g] = inner.inverse()
        # U = βL_B⁻¹C: the cancellation-free part of ∂K.
        loss = precision * inner.solve_lower(c)
        value += 0.5 * float(np.vdot(half, half)) - 0.5 * size * inner.log_determinant
        d_gram -= 0.5 * (size * (loss.T @ loss) + v @ v.T)
        d_precision += float(np.vdot(carried[:, columns], v))
        d_precision -= 0.5 * (size * float(np.vdot(inverse[g], c)) + float(np.vdot(v, c @ v)))
        weights[:, columns] = v
    weights, gap = gram.solve_lower_transposed(weights), gram.unwhiten(identity - inverse)
    d_psi2 = n_outputs[:, None, None] * gap
    for g, columns in enumerate(statistics.columns()):
        d_psi2[g] -= weights[:, columns] @ weights[:, columns].T
    adjoints = Statistics(
        np.asarray(-0.5 * precision * n_outputs, dtype=np.float64),
        precision * weights,
        0.5 * precision * d_psi2,
        -0.5 * precision,
        np.zeros_like(n_outputs),
        np.zeros_like(n_outputs),
        statistics.groups,
    )
    return Collapsed(
        float(value),
        weights,
        gap,
        inverse,
        statistics=adjoints,
        gram=gram.unwhiten(d_gram),
        noise_variance=-(precision**2) * d_precision,
    )
