"""The collapsed bound of a layer, its adjoints and the optimal q(u).

Titsias & Lawrence (2010), eq. 14; Damianou (2015), eq. 3.25 and App. B.1.2. Columns that are
observed in the same rows form a group. Each group has separate statistics; the bound is the sum
over groups.

Also here: the bound of a layer whose outputs are a distribution q(h), with q(u | h) optimal for
each h.

In mean field, q(h) is integrated out first and one q(u) serves all h; `collapsed` computes that
bound from statistics whose yy includes the variances of q(h). Here u is integrated out first, given
h, with q(u_d | h_d) = N(βKPΨᵀh_d, KPK). In the bound, A Aᵀ becomes A Aᵀ + G with G = Ψᵀ diag(Σ_d
s_nd) Ψ; this raises the bound by (β²/2) tr(PG). Damianou (2015), §6.2.3 (last formula).
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array, Factor, NotPositiveDefiniteError
from gplvm_core.statistics import Statistics

# Rounding error of the difference ψ0 − tr(K⁻¹Φ), as a fraction of ψ0, if K is nearly singular, as
# with many inducing inputs of a smooth function. Measured with a jitter of 1e-6: up to 1.6e-6 with
# 360 inducing inputs, 4.9e-6 with 1,200.
ROUNDING = 1e-5


@dataclass(frozen=True)
class Spectra:
    """The eigenvalues λ and eigenvectors U of every group's C = L⁻¹ΦL⁻ᵀ, and UᵀL⁻¹A.

    They diagonalise I + rC for every r. C is positive semi-definite, so eigenvalues that rounding
    makes negative are set to 0. With negative eigenvalues, a Cholesky factorisation would fail, or
    the bound would be too high.
    """

    values: Float[Array, "G M"]
    vectors: Float[Array, "G M M"]
    carried: Float[Array, "M D"]

    @classmethod
    def of(cls, statistics: Statistics, gram: Factor) -> Self:
        """Factorise C; raises NotPositiveDefiniteError if the statistics are not finite."""
        whitened = gram.whiten(statistics.psi2)
        carried = gram.solve_lower(statistics.psi1_targets)
        # LAPACK does not reliably report entries that are not finite.
        if not (np.isfinite(whitened).all() and np.isfinite(carried).all()):
            raise NotPositiveDefiniteError("the statistics are not finite")
        values, vectors = np.linalg.eigh(whitened)
        for basis, columns in zip(vectors, statistics.columns(), strict=True):
            carried[:, columns] = basis.T @ carried[:, columns]
        return cls(np.maximum(values, 0.0), vectors, carried)

    def scaled(self, scale: float) -> "Spectra":
        """Return the spectra for the kernel times a scale."""
        return Spectra(scale * self.values, self.vectors, np.sqrt(scale) * self.carried)


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


def checked_left_over(psi0: Array, explained: Array) -> Array:
    """Return ψ0 − tr(K⁻¹Φ), with 0 where rounding makes it negative.

    Raises NotPositiveDefiniteError if it is more negative than rounding explains. Without the
    error, an optimiser would exploit such meaningless results.
    """
    found = psi0 - explained
    if not (found >= -ROUNDING * psi0).all():
        raise NotPositiveDefiniteError(
            f"ψ0 − tr(K⁻¹Φ) = {found.min():.1e} is negative: the jitter is too small"
        )
    return np.maximum(found, 0.0)


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


def with_spread(statistics: Statistics) -> Statistics:
    """Append a square root of G to A, so that A Aᵀ becomes A Aᵀ + G; D does not change.

    If the outputs are data, the statistics have no spread and are returned unchanged. Raises
    NotPositiveDefiniteError if the statistics are not finite; a step of a line search may cause
    this.
    """
    if statistics.spread is None:
        return statistics
    try:
        values, vectors = np.linalg.eigh(statistics.spread)
    except np.linalg.LinAlgError as error:
        raise NotPositiveDefiniteError(f"the statistics are not finite: {error}") from error
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    beside = np.hstack([statistics.psi1_targets, root])
    return replace(statistics, psi1_targets=beside, groups=np.zeros(beside.shape[1], dtype=np.intp))


def marginalised(
    statistics: Statistics, gram: Factor, noise_variance: float, spectra: Spectra | None = None
) -> Collapsed:
    """Return F_data with u integrated out given the outputs; for data, this is the collapsed bound.

    spectra: the eigenvalues for the statistics `with_spread`, if already computed. Raises
    NotPositiveDefiniteError as `collapsed` does.
    """
    at = collapsed(with_spread(statistics), gram, noise_variance, spectra)
    if statistics.spread is None:
        return at
    n_columns = statistics.psi1_targets.shape[1]
    adjoints = replace(
        at.statistics,
        psi1_targets=at.statistics.psi1_targets[:, :n_columns],
        groups=statistics.groups,
        spread=0.5 / noise_variance**2 * gram.unwhiten(at.inverse[0]),
    )
    return replace(at, statistics=adjoints, weights=at.weights[:, :n_columns])


def output_gaps(
    at: Collapsed,
    gram: Factor,
    noise_variance: float,
    psi1: Float[Array, "N M"],
    variance: Float[Array, "N D"],
) -> Float[Array, "D M M"]:
    """Return K⁻¹ − P − β²PG_dP, which replaces K⁻¹ − P in the predictive variance of output d.

    The average of q(u_d | h_d) over h_d has the additional covariance β²KPG_dPK with
    G_d = Ψᵀ diag(s_nd) Ψ.
    """
    half = gram.unwhiten(at.inverse[0]) @ psi1.T / noise_variance
    return at.gap[0] - np.stack([(half * spread) @ half.T for spread in variance.T])
