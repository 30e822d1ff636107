"""Latent → data: moments and joint samples of the outputs, in the user's units."""

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array, factorise
from gplvm_core.prediction.posterior import Posterior


def predict(
    posterior: Posterior, points: Float[Array, "N Q"], *, noise: bool = False
) -> tuple[Float[Array, "N D"], Float[Array, "N D"]]:
    """Mean and variance of every output at certain latent points.

    noise: add the observation noise to the variance. Source: Titsias & Lawrence (2010), §4.
    """
    cross = posterior.kernel.K(points, posterior.inducing)
    mean = posterior.center + posterior.scale * (cross @ posterior.weights)
    variance = posterior.kernel.diag(points) - np.sum((cross @ posterior.gap) * cross, axis=1)
    variance = np.maximum(variance, 0.0) + noise * posterior.noise_variance
    return mean, variance[:, None] * posterior.scale**2


def predict_uncertain(
    posterior: Posterior,
    points: Float[Array, "N Q"],
    points_variance: Float[Array, "N Q"],
    *,
    noise: bool = False,
) -> tuple[Float[Array, "N D"], Float[Array, "N D"]]:
    """First two moments of the (non-Gaussian) outputs at latent points x* ~ N(points, variance).

    Source: Titsias & Lawrence (2010), §4; Damianou (2015), eq. 3.36, corrected: the covariance is
    Vᵀ(Φ* − ψ*ψ*ᵀ)V + [ψ0* − tr((K⁻¹ − P)Φ*)] I.
    """
    weights, gap = posterior.weights, posterior.gap
    psi0, _ = posterior.kernel.psi0(points, points_variance)
    psi1, _ = posterior.kernel.psi1(points, points_variance, posterior.inducing)
    mean = psi1 @ weights
    variance = np.empty_like(mean)
    for n in range(len(points)):
        row = slice(n, n + 1)
        psi2, _ = posterior.kernel.psi2(points[row], points_variance[row], posterior.inducing)
        spread = psi2 - np.outer(psi1[n], psi1[n])
        own = (
            max(float(psi0[n]) - float(np.vdot(gap, psi2)), 0.0) + noise * posterior.noise_variance
        )
        variance[n] = np.maximum(np.sum((spread @ weights) * weights, axis=0), 0.0) + own
    return posterior.center + posterior.scale * mean, variance * posterior.scale**2


def sample(
    posterior: Posterior,
    points: Float[Array, "N Q"],
    n_samples: int,
    random_state: int | np.random.Generator | None = None,
    *,
    points_variance: Float[Array, "N Q"] | None = None,
    noise: bool = True,
) -> Float[Array, "S N D"]:
    """Joint draws of the outputs at all points together (noise: of y, else of f).

    points_variance: every draw has its own x* ~ N(points, variance).
    """
    generator = np.random.default_rng(random_state)
    if points_variance is not None:
        spread = np.sqrt(points_variance)
        drawn = points + spread * generator.standard_normal((n_samples, *points.shape))
        each = [sample(posterior, at, 1, generator, noise=noise) for at in drawn]
        return np.concatenate(each)
    cross = posterior.kernel.K(points, posterior.inducing)
    # One covariance over the points, shared by all outputs.
    covariance = posterior.kernel.K(points) - cross @ posterior.gap @ cross.T
    covariance.flat[:: len(points) + 1] += noise * posterior.noise_variance
    level = float(np.mean(posterior.kernel.diag(points))) + posterior.noise_variance
    root = factorise(covariance, 1e-9 * level).lower
    draws = generator.standard_normal((n_samples, len(points), posterior.n_outputs))
    return posterior.center + posterior.scale * (cross @ posterior.weights + root @ draws)
