"""A posterior in the numbers that the browser evaluates: well-scaled in single precision."""

from typing import Any

import numpy as np
from jaxtyping import Float
from numpy import ndarray as Array

from gplvm_core.kernels import Kernel, KernelError
from gplvm_core.prediction import Posterior

MOST_BASES = 8  # a page gets the variances of outputs observed in so many different sets of rows


def scaled_basis(
    posterior: Posterior, gap: Float[Array, "M M"]
) -> tuple[Float[Array, "R M"], Float[Array, " R"], Float[Array, "R D"]]:
    """T, shrink and weights of the same prediction in a well-scaled basis.

    With α = T k*: mean = αᵀ weights, variance = k** − Σ shrink α² in the units of
    `mean_variance`, whose gap is asked for.

    The posterior's own weights and gap carry the inverse of K and with it huge numbers of
    opposite signs, which single precision cannot hold. T = Eᵀ S^(−½) Uᵀ, K = U S Uᵀ (S floored,
    which changes nothing: T is inverted exactly), makes every term of order one; E diagonalises
    what is left of the gap.
    """
    root, vectors = _whitened(posterior)
    back = vectors * root  # U S^½
    whitened = back.T @ gap @ back
    shrink, rotation = np.linalg.eigh(0.5 * (whitened + whitened.T))
    transform = rotation.T @ (vectors / root).T
    weights = rotation.T @ (back.T @ posterior.weights)
    # Since α² ≤ k** everywhere, terms this small matter nowhere; a model with one inducing input
    # per point has many of them.
    kept = (np.abs(weights).max(axis=1) > 1e-7) | (np.abs(shrink) > 1e-8)
    return transform[kept], shrink[kept], weights[kept]


def mean_variance(posterior: Posterior) -> tuple[float, Float[Array, "M M"]]:
    """The scale and the gap of the outputs' mean variance, scale² (k** − k*ᵀ gap k*).

    In the data's units. Outputs differ in their variance when they are observed in different rows,
    or have a signal and a noise of their own. Raises KernelError for outputs that are no numbers.
    """
    if posterior.links is not None:
        raise KernelError(
            "the browser cannot draw columns of several kinds yet: train on the columns of numbers "
            "alone, or ask the model in Python"
        )
    weights, variances = posterior.scale**2 / posterior.n_outputs, posterior.variances
    prior = float(variances.level(weights[None])[0])
    return float(np.sqrt(prior)), variances.total(weights) / prior


def output_variances(posterior: Posterior) -> dict[str, Array]:
    """What tells the outputs' variances apart: s_d² (ratio_d k** − Σ_r share_dr (b_r k*)²).

    variance_basis: G × R × M, a basis b for outputs observed in the same rows; variance_group:
    (S,), which one; variance_shares: S × R and variance_ratio: (S,), of every kind of output;
    variance_kind: (D,). Nothing when all outputs share one variance, which `scaled_basis` has, or
    where `sets_of_rows` are too many.
    """
    each, groups = posterior.each, np.asarray(posterior.groups)
    if len(posterior.variances.alike()) == 1 or sets_of_rows(posterior) > MOST_BASES:
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
    return {
        "variance_basis": basis,
        "variance_group": group.astype(np.int32),
        "variance_shares": shares.astype(np.float32),
        "variance_ratio": ratio,
        "variance_kind": kind.astype(np.int32),
    }


def sets_of_rows(posterior: Posterior) -> int:
    """In how many different sets of rows outputs were observed: more than MOST_BASES of them are
    not told apart, and the page has the outputs' mean variance for each."""
    return int(np.asarray(posterior.groups).max()) + 1


def _whitened(posterior: Posterior) -> tuple[Array, Array]:
    """S^½, S floored, and U of K(Z, Z) = U S Uᵀ."""
    values, vectors = np.linalg.eigh(posterior.kernel.K(posterior.inducing))
    return np.sqrt(np.maximum(values, 1e-10 * values[-1])), vectors


def kernel_parts(kernel: Kernel, n_axes: int, n_latent: int) -> list[dict[str, Any]]:
    """The summands that the browser evaluates; an added axis has no effect: its numbers are 0."""
    added = [0.0] * (n_axes - n_latent)
    return [
        {key: value + added if isinstance(value, list) else value for key, value in part.items()}
        for part in kernel.with_latent(n_latent).browser_form()
    ]
