"""The bound of a layer whose outputs are a distribution q(h), with q(u | h) optimal for each h.

In mean field, q(h) is integrated out first and one q(u) serves all h; `collapsed` computes that
bound from statistics whose yy includes the variances of q(h). Here u is integrated out first, given
h, with q(u_d | h_d) = N(βKPΨᵀh_d, KPK). In the bound, A Aᵀ becomes A Aᵀ + G with G = Ψᵀ diag(Σ_d
s_nd) Ψ; this raises the bound by (β²/2) tr(PG). Damianou (2015), §6.2.3 (last formula).
"""

from dataclasses import replace

import numpy as np
from jaxtyping import Float

from gplvm_core.bounds.collapsed import Collapsed, collapsed
from gplvm_core.bounds.spectra import Spectra
from gplvm_core.numerics import Array, Factor, NotPositiveDefiniteError
from gplvm_core.statistics import Statistics


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
