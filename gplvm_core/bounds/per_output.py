"""The collapsed bound with a separate signal and noise variance for every output.

All outputs share one kernel, and therefore one K and one Φ. In the eigenvectors of C = L⁻¹ΦL⁻ᵀ the
outputs are independent, and each ratio r_d = σ_f,d²/σ_d² costs O(M). Targets are in units of their
noise, y_d/σ_d, so σ² is 1 and r_d is the variance of f_d. If all r_d are equal, this is
`collapsed`.
"""

import numpy as np
from jaxtyping import Float

from gplvm_core.bounds.collapsed import Collapsed, OutputGaps, Spectra
from gplvm_core.numerics import Array, Factor
from gplvm_core.statistics import Statistics


def in_units(
    statistics: Statistics, noise: Float[Array, " D"], squares: Float[Array, " D"]
) -> Statistics:
    """Return the statistics of targets divided by their noise; squares: Σ_n y² before the
    division.
    """
    return Statistics(
        statistics.psi0,
        statistics.psi1_targets / np.sqrt(noise),
        statistics.psi2,
        float(np.sum(squares / noise)),
        statistics.n_points,
        statistics.n_outputs,
        statistics.groups,
    )


def collapsed_per_output(
    statistics: Statistics, gram: Factor, ratio: Float[Array, " D"], spectra: Spectra | None = None
) -> Collapsed:
    """Return F_data of targets in units of their noise, with the kernel times r_d for output d.

    In the result, `gap` is the average over the outputs of each group, and `each` has one matrix
    per output. ∂σ² is NaN, since σ² is fixed at 1. spectra: the eigenvalues for these statistics,
    if already computed.
    """
    spectra = Spectra.of(statistics, gram) if spectra is None else spectra
    value = -0.5 * (statistics.n_values * np.log(2.0 * np.pi) + statistics.yy)
    n_inducing, n_outputs = spectra.carried.shape
    vectors, shares = np.empty((n_inducing, n_outputs)), np.empty((n_outputs, n_inducing))
    psi0, gap = np.empty_like(statistics.psi0), np.empty_like(statistics.psi2)
    inverse = np.empty_like(gap)
    d_gram = np.zeros((n_inducing, n_inducing))
    basis = np.stack([gram.solve_lower_transposed(own) for own in spectra.vectors])
    for g, columns in enumerate(statistics.columns()):
        spectrum, own, carried = spectra.values[g], ratio[columns], spectra.carried[:, columns]
        strength = spectrum[:, None] * own  # rλ
        damped = 1.0 + strength
        v = own * carried / damped
        value += 0.5 * float(np.vdot(v, carried)) - 0.5 * float(np.sum(np.log(damped)))
        psi0[g] = -0.5 * float(np.sum(own))
        value += float(psi0[g]) * float(statistics.psi0[g] - spectrum.sum())
        kept = strength / damped
        shares[columns] = (own * kept).T
        # U diag(Σ_d r²λ²/(1 + rλ)) Uᵀ + Σ_d r(1 + rλ)⁻²ããᵀ: ∂K without cancellation.
        half = np.sqrt(own) * carried / damped
        inner = half @ half.T
        inner.flat[:: n_inducing + 1] += np.sum(strength * kept, axis=1)
        d_gram -= 0.5 * (spectra.vectors[g] @ inner @ spectra.vectors[g].T)
        vectors[:, columns] = basis[g] @ v
        mean = np.mean(shares[columns], axis=0)
        gap[g] = (basis[g] * mean) @ basis[g].T
        free = np.mean(1.0 / damped, axis=1)
        inverse[g] = (spectra.vectors[g] * free) @ spectra.vectors[g].T
    d_psi2 = statistics.n_outputs[:, None, None] * gap
    for g, columns in enumerate(statistics.columns()):
        d_psi2[g] -= vectors[:, columns] @ vectors[:, columns].T
    adjoints = Statistics(
        psi0,
        vectors,
        0.5 * d_psi2,
        -0.5,
        np.zeros_like(statistics.n_points),
        np.zeros_like(statistics.n_outputs),
        statistics.groups,
    )
    each = OutputGaps(ratio, basis, shares)
    return Collapsed(
        float(value),
        vectors,
        gap,
        inverse,
        each,
        statistics=adjoints,
        gram=gram.unwhiten(d_gram),
        noise_variance=np.nan,
    )
