"""Rewrite a posterior in a basis that the browser can evaluate in single precision."""

from typing import Any

import numpy as np
from jaxtyping import Float
from numpy import ndarray as Array

from gplvm_core.kernels import Kernel
from gplvm_core.prediction import Posterior

MOST_BASES = 8  # largest number of row sets for which a page gets separate output variances
LEAST_TERM = 1e-5  # smallest term of a variance, as a fraction of the prior variance
# With words or counts, every column has its own row set, so the limit counts all stored numbers.
MOST_NUMBERS = 400_000


def scaled_basis(
    posterior: Posterior, gap: Float[Array, "M M"]
) -> tuple[Float[Array, "R M"], Float[Array, " R"], Float[Array, "R D"]]:
    """Return T, shrink and weights of the same prediction in a well-scaled basis.

    With α = T k*: mean = αᵀ weights, variance = k** − Σ shrink α², in the units of `mean_variance`.
    gap: the matrix that `mean_variance` returns.

    The posterior's weights and gap contain the inverse of K, with huge numbers of opposite signs
    that single precision cannot represent. T = Eᵀ S^(−½) Uᵀ with K = U S Uᵀ makes every term of
    order one; E diagonalises the transformed gap. Raising small entries of S to a floor does not
    change the predictions, because T is inverted exactly.
    """
    root, vectors = _whitened(posterior)
    back = vectors * root  # U S^½
    whitened = back.T @ gap @ back
    shrink, rotation = np.linalg.eigh(0.5 * (whitened + whitened.T))
    transform = rotation.T @ (vectors / root).T
    weights = rotation.T @ (back.T @ posterior.weights)
    # Smaller terms never matter, because α² ≤ k** everywhere. A model with one inducing input per
    # point has many such terms.
    kept = (np.abs(weights).max(axis=1) > 1e-7) | (np.abs(shrink) > 1e-8)
    return transform[kept], shrink[kept], weights[kept]


def mean_variance(posterior: Posterior) -> tuple[float, Float[Array, "M M"]]:
    """Return scale and gap of the outputs' mean variance, scale² (k** − k*ᵀ gap k*).

    The variance is in the data's units. Outputs differ in variance if they are observed in
    different rows, or have separate signal and noise variances.
    """
    weights, variances = posterior.scale**2 / posterior.n_outputs, posterior.variances
    prior = float(variances.level(weights[None])[0])
    return float(np.sqrt(prior)), variances.total(weights) / prior


def most_bases(posterior: Posterior) -> int:
    """Return the largest number of row sets for which a page gets separate output variances."""
    if posterior.links is None:
        return MOST_BASES
    return max(MOST_BASES, MOST_NUMBERS // posterior.inducing.shape[0] ** 2)


def output_variances(posterior: Posterior, most: int = MOST_BASES) -> dict[str, Array]:
    """Return arrays for the variance of each output: s_d² (ratio_d k** − Σ_r share_dr (b_r k*)²).

    variance_basis: G × R × M, a basis b for each set of observed rows. variance_group: (S,), the
    basis of each kind of output; variance_shares: S × R; variance_ratio: (S,). variance_kind: (D,),
    the kind of each output. The result is empty if all outputs share one variance (in
    `scaled_basis`), or if `sets_of_rows` exceeds `most`.
    """
    each, groups = posterior.each, np.asarray(posterior.groups)
    if len(posterior.variances.alike()) == 1 or sets_of_rows(posterior) > most:
        return {}
    if each is None:
        root, vectors = _whitened(posterior)
        back = vectors * root
        found = [np.linalg.eigh(back.T @ gap @ back) for gap in posterior.gap]
        basis = np.stack([rotation.T @ (vectors / root).T for _, rotation in found])
        shares, group = np.stack([values for values, _ in found]), np.arange(len(found))
        ratio, kind = np.ones(len(found)), groups
    else:
        basis, shares, group = each.basis.transpose(0, 2, 1), each.shares, groups
        ratio, kind = each.ratio, np.arange(posterior.n_outputs)
        if most > MOST_BASES:  # words and counts: terms that cannot change a variance are left out
            kept = (shares > LEAST_TERM * ratio[:, None]).any(axis=0)
            basis, shares = basis[:, kept], shares[:, kept]
    return {
        "variance_basis": basis,
        "variance_group": group.astype(np.int32),
        "variance_shares": shares.astype(np.float32),
        "variance_ratio": ratio,
        "variance_kind": kind.astype(np.int32),
    }


def sets_of_rows(posterior: Posterior) -> int:
    """Return the number of different sets of rows in which outputs were observed.

    With more than `most_bases` sets, the page uses the mean variance for all outputs.
    """
    return int(np.asarray(posterior.groups).max()) + 1


def _whitened(posterior: Posterior) -> tuple[Array, Array]:
    """Return S^½ (with small entries raised to a floor) and U of K(Z, Z) = U S Uᵀ."""
    values, vectors = np.linalg.eigh(posterior.kernel.K(posterior.inducing))
    return np.sqrt(np.maximum(values, 1e-10 * values[-1])), vectors


def kernel_parts(kernel: Kernel, n_axes: int, n_latent: int) -> list[dict[str, Any]]:
    """Return the summands that the browser evaluates; the numbers of an added axis are 0."""
    added = [0.0] * (n_axes - n_latent)
    return [
        {key: value + added if isinstance(value, list) else value for key, value in part.items()}
        for part in kernel.with_latent(n_latent).browser_form()
    ]
