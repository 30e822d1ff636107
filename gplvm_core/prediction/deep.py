"""Through the layers of a deep model, from any of them down to the data: moments, draws, density.

Outputs of a hidden layer are noisy functions of its inputs, so its noise counts always.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Float
from scipy.special import logsumexp, ndtr, ndtri

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import Array
from gplvm_core.prediction.generate import predict, predict_at, sample
from gplvm_core.prediction.posterior import Posterior

# Rows times draws that are worked on at once.
MOST_POINTS = 20_000
# Of an interval that holds a quantile: a billionth of it is left.
BISECTIONS = 30


def through(
    posteriors: Sequence[Posterior],
    points: Float[Array, "N Q"],
    points_variance: Float[Array, "N Q"] | None = None,
    *,
    inputs: Belief | None = None,
    noise: bool = False,
) -> tuple[Float[Array, "N D"], Float[Array, "N D"]]:
    """Mean and variance of every output, the first two moments handed on from layer to layer.

    points: inputs of the first of the layers, certain (None) or not. inputs: of the model, for
    layers that see them, where the points are a hidden layer's (what is common to both where they
    are uncertain is left out). Exact for two layers on
    certain inputs; below, what is no Gaussian is taken for one. Source: Damianou (2015), §6.2;
    Girard et al. (2003).
    """
    first = points, np.zeros_like(points) if points_variance is None else points_variance
    if inputs is not None:
        first = inputs.mean, inputs.variance

    def handed_on(
        posterior: Posterior, mean: Array, variance: Array | None, noise: bool
    ) -> tuple[Array, Array]:
        inputs = joined(posterior, mean, first[0])
        spread = None if variance is None else joined(posterior, variance, first[1])
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
    inputs: Float[Array, "N P"] | None = None,
    noise: bool = True,
) -> Float[Array, "S N D"]:
    """Draws of the outputs at all points together, every layer at what was drawn above it.

    inputs: of the model, for layers that see them, where the points are a hidden layer's.
    """
    generator = np.random.default_rng(random_state)
    spread = None if points_variance is None else np.sqrt(points_variance)
    draws = np.empty((n_samples, len(points), posteriors[-1].n_outputs))
    for at in range(n_samples):
        drawn = points
        if spread is not None:
            drawn = points + spread * generator.standard_normal(points.shape)
        first = drawn if inputs is None else inputs
        for posterior in posteriors[:-1]:
            drawn = sample(posterior, joined(posterior, drawn, first), 1, generator)[0]
        last = joined(posteriors[-1], drawn, first)
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
    found = np.empty(len(points))
    drawn = _drawn(posteriors, points, n_samples, random_state, points_variance, noise=True)
    for rows, mean, variance in drawn:
        terms = np.log(2.0 * np.pi * variance) + (outputs[rows] - mean) ** 2 / variance
        density = -0.5 * np.nansum(terms, axis=2)
        found[rows] = logsumexp(density, axis=0) - np.log(n_samples)
    return found


def quantiles_through(
    posteriors: Sequence[Posterior],
    points: Float[Array, "N Q"],
    levels: Float[Array, " K"],
    n_samples: int,
    random_state: int | np.random.Generator | None = None,
    *,
    points_variance: Float[Array, "N Q"] | None = None,
    noise: bool = True,
) -> Float[Array, "K N D"]:
    """Where so much of each output's distribution lies below, in the user's units.

    Of the mixture of Gaussians that the draws of the hidden layers give; it lies between the
    components' own quantiles, and is found there by bisection.
    """
    found = np.empty((len(levels), len(points), posteriors[-1].n_outputs))
    drawn = _drawn(posteriors, points, n_samples, random_state, points_variance, noise=noise)
    for rows, mean, variance in drawn:
        std = np.sqrt(variance)
        for k, level in enumerate(levels):
            each = mean + std * ndtri(level)
            low, high = each.min(axis=0), each.max(axis=0)
            for _ in range(BISECTIONS):
                middle = 0.5 * (low + high)
                below = ndtr((middle - mean) / std).mean(axis=0) < level
                low, high = np.where(below, middle, low), np.where(below, high, middle)
            found[k, rows] = 0.5 * (low + high)
    return found


def _drawn(
    posteriors: Sequence[Posterior],
    points: Array,
    n_samples: int,
    random_state: int | np.random.Generator | None,
    points_variance: Array | None,
    *,
    noise: bool,
) -> Iterator[tuple[slice, Array, Array]]:
    """Some rows after the other: mean and variance of the outputs at draws of the hidden layers
    (S × rows × D), each row on its own.
    """
    generator = np.random.default_rng(random_state)
    step = max(1, MOST_POINTS // n_samples)
    for first in range(0, len(points), step):
        rows = slice(first, first + step)
        at = np.repeat(points[rows][None], n_samples, axis=0)
        if points_variance is not None:
            at = at + np.sqrt(points_variance[rows]) * generator.standard_normal(at.shape)
        first_drawn = at
        for posterior in posteriors[:-1]:
            mean, variance = at_each(posterior, joined(posterior, at, first_drawn))
            at = mean + np.sqrt(variance) * generator.standard_normal(mean.shape)
        last = posteriors[-1]
        yield rows, *at_each(last, joined(last, at, first_drawn), noise=noise)


def joined(
    posterior: Posterior, points: Float[Array, "*S Q"], first: Float[Array, "*S P"]
) -> Float[Array, "*S R"]:
    """Inputs of a layer: what is handed on, and the first inputs where the layer sees them, too."""
    whole = posterior.n_latent == points.shape[-1]
    return points if whole else np.concatenate([points, first], axis=-1)


def at_each(
    posterior: Posterior, at: Float[Array, "S N Q"], *, noise: bool = True
) -> tuple[Float[Array, "S N D"], Float[Array, "S N D"]]:
    """Mean and variance of the outputs at every draw of every row."""
    flat = predict(posterior, at.reshape(-1, at.shape[2]), noise=noise)
    mean, variance = (each.reshape(*at.shape[:2], -1) for each in flat)
    return mean, variance
