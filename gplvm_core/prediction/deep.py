"""Through the layers of a deep model, from any of them down to the data: moments, draws, density.

Outputs of a hidden layer are noisy functions of its inputs, so its noise counts always.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from scipy.special import logsumexp

from gplvm_core.numerics import Array
from gplvm_core.prediction.generate import predict, predict_at, sample
from gplvm_core.prediction.posterior import Posterior

# Rows times draws that are worked on at once.
MOST_POINTS = 20_000


def through(
    posteriors: Sequence[Posterior],
    points: Float[Array, "N Q"],
    points_variance: Float[Array, "N Q"] | None = None,
    *,
    noise: bool = False,
) -> tuple[Float[Array, "N D"], Float[Array, "N D"]]:
    """Mean and variance of every output, the first two moments handed on from layer to layer.

    points: inputs of the first of the layers, certain (None) or not. Exact for two layers on
    certain inputs; below, what is no Gaussian is taken for one. Source: Damianou (2015), §6.2;
    Girard et al. (2003).
    """
    first = points, np.zeros_like(points) if points_variance is None else points_variance

    def handed_on(
        posterior: Posterior, mean: Array, variance: Array | None, noise: bool
    ) -> tuple[Array, Array]:
        inputs = _joined(posterior, mean, first[0])
        spread = None if variance is None else _joined(posterior, variance, first[1])
        return predict_at(posterior, inputs, spread, noise=noise)

    for posterior in posteriors[:-1]:
        points, points_variance = handed_on(posterior, points, points_variance, True)
    return handed_on(posteriors[-1], points, points_variance, noise)


def sample_through(
    posteriors: Sequence[Posterior],
    points: Float[Array, "N Q"],
    n_samples: int,
    random_state: int | np.random.Generator | None = None,
    *,
    points_variance: Float[Array, "N Q"] | None = None,
    noise: bool = True,
) -> Float[Array, "S N D"]:
    """Draws of the outputs at all points together, every layer at what was drawn above it."""
    generator = np.random.default_rng(random_state)
    spread = None if points_variance is None else np.sqrt(points_variance)
    draws = np.empty((n_samples, len(points), posteriors[-1].n_outputs))
    for at in range(n_samples):
        drawn = points
        if spread is not None:
            drawn = points + spread * generator.standard_normal(points.shape)
        first = drawn
        for posterior in posteriors[:-1]:
            drawn = sample(posterior, _joined(posterior, drawn, first), 1, generator)[0]
        last = _joined(posteriors[-1], drawn, first)
        draws[at] = sample(posteriors[-1], last, 1, generator, noise=noise)[0]
    return draws


def sample_prior_through(
    posteriors: Sequence[Posterior],
    n_samples: int,
    random_state: int | np.random.Generator | None = None,
) -> Float[Array, "S D"]:
    """Draws of the outputs at points of the top drawn from N(0, I), noise included."""
    generator = np.random.default_rng(random_state)
    points = generator.standard_normal((n_samples, 1, posteriors[0].n_latent))
    drawn = [sample_through(posteriors, at, 1, generator)[0, 0] for at in points]
    return np.reshape(drawn, (n_samples, posteriors[-1].n_outputs))


def log_density_through(
    posteriors: Sequence[Posterior],
    points: Float[Array, "N Q"],
    outputs: Float[Array, "N D"],
    n_samples: int,
    random_state: int | np.random.Generator | None = None,
    *,
    points_variance: Float[Array, "N Q"] | None = None,
) -> Float[Array, " N"]:
    """log p(observed y | x, data) of each row in nats, in the user's units (NaN: missing).

    The mean density over draws of the hidden layers, an estimate from below on average.
    """
    generator = np.random.default_rng(random_state)
    found = np.empty(len(points))
    step = max(1, MOST_POINTS // n_samples)
    for first in range(0, len(points), step):
        rows = slice(first, first + step)
        at = np.repeat(points[rows][None], n_samples, axis=0)
        if points_variance is not None:
            at = at + np.sqrt(points_variance[rows]) * generator.standard_normal(at.shape)
        first_drawn = at
        for posterior in posteriors[:-1]:
            mean, variance = _at_each(posterior, _joined(posterior, at, first_drawn))
            at = mean + np.sqrt(variance) * generator.standard_normal(mean.shape)
        mean, variance = _at_each(posteriors[-1], _joined(posteriors[-1], at, first_drawn))
        terms = np.log(2.0 * np.pi * variance) + (outputs[rows] - mean) ** 2 / variance
        density = -0.5 * np.nansum(terms, axis=2)
        found[rows] = logsumexp(density, axis=0) - np.log(n_samples)
    return found


def _joined(
    posterior: Posterior, points: Float[Array, "*S Q"], first: Float[Array, "*S P"]
) -> Float[Array, "*S R"]:
    """Inputs of a layer: what is handed on, and the first inputs where the layer sees them, too."""
    whole = posterior.n_latent == points.shape[-1]
    return points if whole else np.concatenate([points, first], axis=-1)


def _at_each(posterior: Posterior, at: Float[Array, "S N Q"]) -> tuple[Array, Array]:
    """Mean and variance with noise at every draw of every row."""
    flat = predict(posterior, at.reshape(-1, at.shape[2]), noise=True)
    mean, variance = (each.reshape(*at.shape[:2], -1) for each in flat)
    return mean, variance
