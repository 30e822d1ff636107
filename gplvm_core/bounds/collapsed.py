"""The collapsed bound of a layer, its adjoints and the optimal q(u).

Titsias & Lawrence (2010), eq. 14; Damianou (2015), eq. 3.25 and App. B.1.2. Columns that are
observed in the same rows form a group. Each group has separate statistics; the bound is the sum
over groups.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from gplvm_core.bounds.spectra import Spectra
from gplvm_core.numerics import Array, Factor
from gplvm_core.statistics import Statistics


@dataclass(frozen=True)
class OutputGaps:
    """r_d(K⁻¹ − P_d): the reduction of the prior variance r_d k** of each output by the data.

    A layer whose outputs have separate ratios r_d = σ_f²/σ² uses these matrices. The unit is the
    output's noise. The matrix of output d is W diag(shares_d) Wᵀ, where W is the basis of d's
    group.
    """

    ratio: Float[Array, " D"]
    basis: Float[Array, "G M M"]
    shares: Float[Array, "D M"]


@dataclass(frozen=True)
class Informed:
    """F_data in nats, and the terms of q(u) that predictions need."""

    value: float
    weights: Float[Array, "M D"]  # V: predictive mean k*ᵀV
    gap: Float[Array, "G M M"]  # K⁻¹ − P of a group: predictive variance k** − k*ᵀ(K⁻¹ − P)k*
    inverse: Float[Array, "G M M"]  # B⁻¹ of a group, in the basis of L: P = L⁻ᵀB⁻¹L⁻¹
    # only with noise per output, where gap and inverse are averages
    each: OutputGaps | None = None


@dataclass(frozen=True, kw_only=True)
class Collapsed(Informed):
    """F_data and its predictive terms at the optimal q(u), with the adjoints of F_data."""

    statistics: Statistics  # adjoints of the statistics
    gram: Float[Array, "M M"]  # ∂K
    noise_variance: float  # ∂σ²


def collapsed(
    statistics: Statistics, gram: Factor, noise_variance: float, spectra: Spectra | None = None
) -> Collapsed:
    """Return F_data at K = gram.lower gram.lowerᵀ and noise variance σ², with q(u) at its optimum.

    spectra: the eigenvalues for these statistics, if already computed. Raises
    NotPositiveDefiniteError if the statistics are not finite.
    """
    spectra = Spectra.of(statistics, gram) if spectra is None else spectra
    precision, n_outputs = 1.0 / noise_variance, statistics.n_outputs
    n_values, yy = statistics.n_values, statistics.yy
    # Rounding errors of λ may make this negative. They are also in log(1 + βλ), and cancel there.
    left_over = float(n_outputs @ (statistics.psi0 - spectra.values.sum(axis=1)))
    value = -0.5 * n_values * np.log(2.0 * np.pi * noise_variance)
    value -= 0.5 * precision * (yy + left_over)
    d_precision = 0.5 * n_values * noise_variance - 0.5 * (yy + left_over)
    weights, inverse = np.empty_like(spectra.carried), np.empty_like(spectra.vectors)
    gap, d_gram = np.empty_like(inverse), np.zeros_like(gram.lower)
    # In the basis of L, each group has B = I + βC = U diag(1 + βλ) Uᵀ.
    for g, columns in enumerate(statistics.columns()):
        size, basis, carried = float(n_outputs[g]), spectra.vectors[g], spectra.carried[:, columns]
        strength = precision * spectra.values[g]
        free = 1.0 / (1.0 + strength)
        v = precision * free[:, None] * carried
        value += 0.5 * precision * float(np.vdot(v, carried))
        value -= 0.5 * size * float(np.sum(np.log1p(strength)))
        # The factors of β²CB⁻¹C and I − B⁻¹, computed without cancellation.
        loss, kept = strength**2 * free, strength * free
        d_gram -= 0.5 * size * (basis * loss) @ basis.T
        d_precision += float(np.vdot(carried, v))
        d_precision -= 0.5 * float(spectra.values[g] @ (size * free + np.sum(v**2, axis=1)))
        weights[:, columns] = basis @ v
        d_gram -= 0.5 * weights[:, columns] @ weights[:, columns].T
        inverse[g], gap[g] = (basis * free) @ basis.T, (basis * kept) @ basis.T
    weights, gap = gram.solve_lower_transposed(weights), gram.unwhiten(gap)
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
