"""Moments of inputs weighted by an RBF kernel: ⟨k⟩, ⟨k x⟩, ⟨k xxᵀ⟩ under Gaussian inputs.

A kernel times a Gaussian is a scaled Gaussian. The formulas avoid S⁻¹ and W⁻¹, which do not exist
for known inputs and for dimensions without relevance. Chamberlin (2016), App. A.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.kernels import RBF, Gradients
from gplvm_core.models.families.reverse import numpy_of
from gplvm_core.numerics import Array


def pull(
    kernel: RBF,
    mean: Float[Array, "N Q"],
    variance: Float[Array, "N Q"],
    inducing: Float[Array, "M Q"],
) -> tuple[Float[Array, "N M Q"], Callable[[Array], Gradients]]:
    """⟨k x⟩/⟨k⟩ − μ = Sw(z − μ)/(1 + wS) and its pullback, for a diagonal S.

    The value is the shift of each point's mean towards an inducing input.
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


def tilted(
    variance: Any, lengthscale: Any, mean: Any, covariance: Any, inducing: Any, order: int
) -> list[Any]:
    """κ0 = ⟨k⟩, κ1 = ⟨k (x − μ)⟩ and κ2 = ⟨k (x − μ)(x − μ)ᵀ⟩ up to an order, each (N, M, …).

    The kernel is an RBF with this variance and lengthscale; the inputs have the full covariance
    S ⪰ 0 (N, Q, Q). `reverse` differentiates this function.
    """
    weight = _weights(lengthscale, mean)
    return [variance * each for each in _tilted(weight, mean, covariance, inducing, order)]


def tilted_pairs(
    variance: Any, lengthscale: Any, mean: Any, covariance: Any, inducing: Any, order: int
) -> list[Any]:
    """φ0, φ1 and φ2 up to an order, each (N, M, M, …).

    They are like κ, with the product k k' for every pair of inducing inputs instead of k.
    """
    xp, weight = numpy_of(mean, inducing), _weights(lengthscale, mean)
    (size, n_latent), n_points = inducing.shape, len(mean)
    apart = inducing[:, None] - inducing
    level = variance**2 * xp.exp(-0.25 * xp.sum(weight * apart**2, axis=2))
    middle = xp.reshape(0.5 * (inducing[:, None] + inducing), (-1, n_latent))
    found = []
    for at, each in enumerate(_tilted(2.0 * weight, mean, covariance, middle, order)):
        axes = (size, size, *(1,) * at)
        shape = (n_points, size, size, *(n_latent,) * at)
        found.append(xp.reshape(level, axes) * xp.reshape(each, shape))
    return found


def _weights(lengthscale: Any, mean: Any) -> Any:
    return lengthscale**-2.0 * np.ones(mean.shape[1])


def _tilted(weight: Any, mean: Any, covariance: Any, centers: Any, order: int) -> list[Any]:
    """The moments of exp(−½ Σ_q w_q (x_q − z_q)²), with inputs relative to their mean."""
    xp = numpy_of(weight, mean, covariance, centers)
    eye, root = np.eye(len(weight)), xp.sqrt(weight)
    away = centers[None] - mean[:, None]
    inner = eye + root[:, None] * covariance * root
    inside = root[:, None] * xp.linalg.inv(inner) * root
    scaled = xp.matmul(away, inside)
    _, log_determinant = xp.linalg.slogdet(inner)
    exponent = -0.5 * (log_determinant[:, None] + xp.sum(away * scaled, axis=2))
    moments = [xp.exp(exponent)]
    if order > 0:
        # S(I + WS)⁻¹W (z − μ).
        moved = xp.matmul(scaled, covariance)
        moments.append(moments[0][..., None] * moved)
    if order > 1:
        left = covariance - xp.matmul(xp.matmul(covariance, inside), covariance)
        second = left[:, None] + moved[..., :, None] * moved[..., None, :]
        moments.append(moments[0][..., None, None] * second)
    return moments
