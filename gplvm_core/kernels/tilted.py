"""Moments of inputs tilted by an RBF kernel: ⟨k⟩, ⟨k x⟩, ⟨k xxᵀ⟩ under Gaussian inputs.

A kernel times a Gaussian is a scaled Gaussian. Forms with S⁻¹ or W⁻¹ would fail for inputs that are
known and for dimensions that are off, so there are none here. Chamberlin (2016), App. A.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from gplvm_core.kernels.gradients import Gradients
from gplvm_core.kernels.kernel import Kernel, KernelError
from gplvm_core.kernels.rbf import RBF
from gplvm_core.numerics import Array


def pull(
    kernel: RBF,
    mean: Float[Array, "N Q"],
    variance: Float[Array, "N Q"],
    inducing: Float[Array, "M Q"],
) -> tuple[Float[Array, "N M Q"], Callable[[Array], Gradients]]:
    """⟨k x⟩/⟨k⟩ − μ = Sw(z − μ)/(1 + wS), by how much an inducing input pulls each point's mean to
    itself, with its pullback; S is diagonal.
    """
    weight = np.array(np.broadcast_to(kernel.relevance, (mean.shape[1],)))
    rate = 1.0 + weight * variance
    away = inducing - mean[:, None, :]
    value = (variance * weight / rate)[:, None, :] * away

    def pullback(adjoint: Array) -> Gradients:
        along = np.sum(adjoint * away, axis=1)
        d_weight = np.sum(along * variance / rate**2, axis=0)
        scaled = adjoint * (variance * weight / rate)[:, None, :]
        d_length = -2.0 * d_weight * kernel.relevance / np.asarray(kernel.lengthscale)
        if np.ndim(kernel.lengthscale) == 0:
            d_length = float(np.sum(d_length))
        d_kernel = RBF(0.0, d_length, held=kernel.held)
        return Gradients(
            -scaled.sum(axis=1), along * weight / rate**2, scaled.sum(axis=0), d_kernel
        )

    return value, pullback


@dataclass(frozen=True)
class Tilted:
    """κ0 = ⟨k⟩, κ1 = ⟨k x⟩, κ2 = ⟨k xxᵀ⟩ of every inducing input, φ0, φ1, φ2 = the same of k k'."""

    kappa0: Float[Array, "N M"]
    kappa1: Float[Array, "N M Q"]
    kappa2: Float[Array, "N M Q Q"]
    phi0: Float[Array, "N M M"]
    phi1: Float[Array, "N M M Q"]
    phi2: Float[Array, "N M M Q Q"]


def tilted_moments(
    kernel: Kernel,
    mean: Float[Array, "N Q"],
    covariance: Float[Array, "N Q Q"],
    inducing: Float[Array, "M Q"],
) -> Tilted:
    """All six for inputs of full covariance S ⪰ 0, each point on its own: for small models.

    Raises KernelError for other kernels than RBF.
    """
    kernel = as_rbf(kernel)
    weight = np.array(np.broadcast_to(kernel.relevance, (mean.shape[1],)))
    apart = inducing[:, None] - inducing
    level = kernel.variance**2 * np.exp(-0.25 * np.sum(weight * apart**2, axis=2))
    middle = 0.5 * (inducing[:, None] + inducing)
    flat = middle.reshape(-1, mean.shape[1])
    single = _tilted(weight, mean, covariance, inducing)
    pairs = _tilted(2.0 * weight, mean, covariance, flat)
    size = len(inducing)
    phi = [(each.reshape(len(mean), size, size, *each.shape[2:])) for each in pairs]
    kappa0, kappa1, kappa2 = (kernel.variance * each for each in single)
    phi0, phi1, phi2 = (
        each * level.reshape(1, size, size, *(1,) * (each.ndim - 3)) for each in phi
    )
    return Tilted(kappa0, kappa1, kappa2, phi0, phi1, phi2)


def as_rbf(kernel: Kernel) -> RBF:
    """The kernel, if it is an RBF. Raises KernelError."""
    if not isinstance(kernel, RBF):
        raise KernelError(
            f"inputs tilted by the kernel are known for RBF alone, got {type(kernel).__name__}"
        )
    return kernel


def _tilted(weight: Array, mean: Array, covariance: Array, centers: Array) -> list[Array]:
    """The moments of exp(−½ Σ_q w_q (x_q − z_q)²)."""
    eye, root = np.eye(len(weight)), np.sqrt(weight)
    away = mean[:, None] - centers
    inner = eye + root[:, None] * covariance * root
    solved = np.linalg.solve(inner[:, None], (root * away)[..., None])[..., 0]
    _, log_determinant = np.linalg.slogdet(inner)
    exponent = -0.5 * (log_determinant[:, None] + np.sum(root * away * solved, axis=2))
    zeroth = np.exp(exponent)
    # (I + SW)⁻¹S and (I + SW)⁻¹(μ + SWz), points on the first axis.
    back = np.linalg.inv(eye + covariance * weight)
    told = mean[:, None] + np.einsum("nij,mj->nmi", covariance * weight, centers)
    moved, left = np.einsum("nij,nmj->nmi", back, told), back @ covariance
    second = left[:, None] + moved[..., :, None] * moved[..., None, :]
    return [zeroth, zeroth[..., None] * moved, zeroth[..., None, None] * second]
