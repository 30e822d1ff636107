"""Latent → data: moments and joint draws of the outputs, in the user's units.

Also here: change some dimensions of latent points; private dimensions of a view change only that
view.
"""

import numpy as np
from jaxtyping import Float, Int

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import Array, IntArray, factorise
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.readers import DataError


def predict(
    posterior: Posterior, points: Float[Array, "N Q"], *, noise: bool = False
) -> tuple[Float[Array, "N D"], Float[Array, "N D"]]:
    """Return mean and variance of every output at exact latent points.

    noise: add the observation noise to the variance. Source: Titsias & Lawrence (2010), §4.
    """
    cross = posterior.kernel.K(points, posterior.inducing)
    mean = posterior.center + posterior.scale * posterior.mean(points, cross)
    variance = posterior.variances.at(posterior.kernel.diag(points), cross)
    if posterior.links is not None:
        return posterior.observed(mean, variance * posterior.scale**2, noise=noise)
    return mean, (variance + noise * posterior.noise_variance) * posterior.scale**2


def predict_at(
    posterior: Posterior,
    points: Float[Array, "N Q"],
    points_variance: Float[Array, "N Q"] | None,
    *,
    noise: bool = False,
) -> tuple[Float[Array, "N D"], Float[Array, "N D"]]:
    """Return mean and variance of every output at latent points, exact (None) or uncertain."""
    if points_variance is None:
        return predict(posterior, points, noise=noise)
    return predict_uncertain(posterior, points, points_variance, noise=noise)


def predict_uncertain(
    posterior: Posterior,
    points: Float[Array, "N Q"],
    points_variance: Float[Array, "N Q"],
    *,
    noise: bool = False,
) -> tuple[Float[Array, "N D"], Float[Array, "N D"]]:
    """Return the moments of the (non-Gaussian) outputs at latent points x* ~ N(points, variance).

    Source: Titsias & Lawrence (2010), §4; Damianou (2015), eq. 3.36, corrected: the covariance is
    Vᵀ(Φ* − ψ*ψ*ᵀ)V + [ψ0* − tr((K⁻¹ − P)Φ*)] I.
    """
    mean, variance = np.empty((2, len(points), posterior.n_outputs))
    alone = noise and posterior.links is None
    for n in range(len(points)):
        mean[n], spread, own = _moments(posterior, points[n], points_variance[n], alone)
        carried = np.sum((spread @ posterior.weights) * posterior.weights, axis=0)
        if posterior.slope is not None:
            carried += np.diagonal(_slope_covariance(posterior, points[n], points_variance[n]))
        variance[n] = np.maximum(carried, 0.0) + own
    found = posterior.center + posterior.scale * mean, variance * posterior.scale**2
    return found if posterior.links is None else posterior.observed(*found, noise=noise)


def predict_covariance(
    posterior: Posterior,
    point: Float[Array, " Q"],
    point_variance: Float[Array, " Q"],
    *,
    noise: bool = False,
) -> tuple[Float[Array, " D"], Float[Array, "D D"]]:
    """Return mean and full covariance across outputs at one latent point x* ~ N(point, variance).

    Raises DataError for outputs that are not all numbers.
    """
    refuse_kinds(posterior, "a covariance")
    mean, spread, own = _moments(posterior, point, point_variance, noise)
    covariance = posterior.weights.T @ spread @ posterior.weights + np.diag(own)
    if posterior.slope is not None:
        covariance += _slope_covariance(posterior, point, point_variance)
    scale = posterior.scale
    return posterior.center + scale * mean, covariance * np.outer(scale, scale)


def refuse_kinds(posterior: Posterior, what: str) -> None:
    """Raise DataError unless all outputs are numbers."""
    if posterior.links is not None:
        raise DataError(
            f"{what} needs a table of numbers, but this model has columns of other kinds, too: use "
            "class_probabilities or column_quantiles"
        )


def _moments(
    posterior: Posterior, point: Array, point_variance: Array, noise: bool
) -> tuple[Array, Array, Array]:
    """Return the internal mean, the covariance of k* (M × M), and each output's own variance."""
    kernel, inducing = posterior.kernel, posterior.inducing
    at, spread = point[None], point_variance[None]
    psi0, _ = kernel.psi0(at, spread)
    psi1, _ = kernel.psi1(at, spread, inducing)
    psi2, _ = kernel.psi2(at, spread, inducing)
    own = posterior.variances.expected(float(psi0[0]), psi2) + noise * posterior.noise_variance
    return posterior.mean(at, psi1)[0], psi2 - np.outer(psi1[0], psi1[0]), own


def _slope_covariance(
    posterior: Posterior, point: Array, point_variance: Array
) -> Float[Array, "D D"]:
    """Return the slope's contribution to the covariance of the outputs.

    It follows from Cov(x*, k*ᵀV) = S ∂⟨k*ᵀV⟩/∂μ.
    """
    _, pullback = posterior.kernel.psi1(point[None], point_variance[None], posterior.inducing)
    bent = np.stack([pullback(v[None]).mean[0] for v in posterior.weights.T], axis=1)
    both, spread = bent + posterior.slope, point_variance[:, None]
    return np.asarray(both.T @ (spread * both) - bent.T @ (spread * bent))


def sample(
    posterior: Posterior,
    points: Float[Array, "N Q"],
    n_samples: int,
    random_state: int | np.random.Generator | None = None,
    *,
    noise: bool = True,
) -> Float[Array, "S N D"]:
    """Draw the outputs at all points jointly: y with noise, f without noise.

    For tables of several kinds, the functions are drawn first, then yes/no entries and counts.
    """
    generator = np.random.default_rng(random_state)
    cross = posterior.kernel.K(points, posterior.inducing)
    prior = posterior.kernel.K(points)
    draws = generator.standard_normal((n_samples, len(points), posterior.n_outputs))
    # Outputs that share a covariance over the points are drawn together.
    variances, links = posterior.variances, posterior.links
    for columns in variances.alike():
        ratio = variances.ratio(columns[0])
        noisy = noise and (links is None or bool(links.numbers[columns[0]]))
        covariance = ratio * prior - cross @ variances.gap(columns[0]) @ cross.T
        level = ratio * float(np.mean(np.diagonal(prior))) + posterior.noise_variance
        covariance.flat[:: len(points) + 1] += noisy * posterior.noise_variance
        root = factorise(covariance, 1e-9 * level).lower
        draws[:, :, columns] = root @ draws[:, :, columns]
    found = posterior.center + posterior.scale * (posterior.mean(points, cross) + draws)
    return found if links is None or not noise else links.draw(found, generator)


Dimensions = Int[IntArray, " K"]


def vary(
    points: Float[Array, "N Q"],
    dimensions: Dimensions,
    training: Belief,
    n_samples: int,
    random_state: int | np.random.Generator | None = None,
) -> Float[Array, "S N Q"]:
    """Redraw some dimensions of points; the other dimensions do not change.

    The dimensions are drawn jointly from the average of the training points' posteriors, so that
    dependent dimensions remain consistent.
    """
    generator = np.random.default_rng(random_state)
    lenders = generator.integers(training.n_points, size=(n_samples, len(points)))
    noise = generator.standard_normal((*lenders.shape, training.n_latent))
    drawn = training.mean[lenders] + np.sqrt(training.variance[lenders]) * noise
    found = np.repeat(points[None], n_samples, axis=0)
    found[:, :, dimensions] = drawn[:, :, dimensions]
    return found


def interpolate(
    start: Float[Array, " Q"], end: Float[Array, " Q"], dimensions: Dimensions, steps: int
) -> Float[Array, "S Q"]:
    """Return a straight path from one point toward another that changes only some dimensions."""
    path = np.repeat(start[None], steps, axis=0)
    share = np.linspace(0.0, 1.0, steps)[:, None]
    path[:, dimensions] += share * (end - start)[dimensions]
    return path
