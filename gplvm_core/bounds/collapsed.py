"""The collapsed bound of a layer, its adjoints and q(u): the one home of that algebra.

Titsias & Lawrence (2010), eq. 14; Damianou (2015), eq. 3.25 and App. B.1.2.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array, Factor, factorise, symmetrise
from gplvm_core.statistics import Statistics


@dataclass(frozen=True)
class Collapsed:
    """F_data in nats, its adjoints, and what predictions need of the optimal q(u)."""

    value: float
    statistics: Statistics  # adjoints of the statistics
    gram: Float[Array, "M M"]  # ∂K
    noise_variance: float  # ∂σ²
    weights: Float[Array, "M D"]  # V: predictive mean k*ᵀV
    gap: Float[Array, "M M"]  # K⁻¹ − P: predictive variance k** − k*ᵀ(K⁻¹ − P)k*


def collapsed(statistics: Statistics, gram: Factor, noise_variance: float) -> Collapsed:
    """F_data at K = gram.lower gram.lowerᵀ and noise variance σ², with q(u) at its optimum.

    Raises NotPositiveDefiniteError when the statistics are too large for double precision.
    """
    n_points, n_outputs = statistics.n_points, statistics.n_outputs
    precision = 1.0 / noise_variance
    size = len(gram.lower)
    # C = L⁻¹ΦL⁻ᵀ, B = I + βC.
    whitened = gram.whiten(statistics.psi2)
    inner = factorise(np.eye(size) + precision * whitened)
    carried = precision * inner.solve_lower(gram.solve_lower(statistics.psi1_targets))
    trace = float(np.trace(whitened))
    value = (
        -0.5 * n_points * n_outputs * np.log(2.0 * np.pi * noise_variance)
        - 0.5 * n_outputs * inner.log_determinant
        - 0.5 * precision * statistics.yy
        + 0.5 * float(np.vdot(carried, carried))
        - 0.5 * precision * n_outputs * (statistics.psi0 - trace)
    )
    weights = gram.solve_lower_transposed(inner.solve_lower_transposed(carried))
    outer = weights @ weights.T
    inverse = inner.inverse()
    half = gram.solve_lower_transposed(np.eye(size) - inverse)
    gap = symmetrise(gram.solve_lower_transposed(np.ascontiguousarray(half.T)))
    # U L⁻¹ with U = βL_B⁻¹C: the cancellation-free part of ∂K.
    loss = gram.solve_lower_transposed(precision * inner.solve_lower(whitened).T)
    d_gram = -0.5 * n_outputs * (loss @ loss.T) - 0.5 * outer
    d_psi2 = 0.5 * precision * (n_outputs * gap - outer)
    d_precision = 0.5 * n_points * n_outputs * noise_variance - 0.5 * (
        n_outputs * float(np.vdot(inverse, whitened))
        + statistics.yy
        - 2.0 * float(np.vdot(statistics.psi1_targets, weights))
        + float(np.vdot(statistics.psi2, outer))
        + n_outputs * (statistics.psi0 - trace)
    )
    adjoints = Statistics(
        -0.5 * precision * n_outputs, precision * weights, d_psi2, -0.5 * precision, 0, 0
    )
    return Collapsed(float(value), adjoints, d_gram, -(precision**2) * d_precision, weights, gap)
