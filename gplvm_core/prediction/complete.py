"""Partial rows → whole rows: the missing outputs, given what is observed of the row.

A row's explanations q(x*) (see project) are mixed by their weights: an ambiguous row has several.
Titsias & Lawrence (2010), §4; Damianou (2015), §3.4.1.
"""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.prediction.generate import predict_covariance, predict_uncertain, sample
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.project import Projection

# Explanations that weigh less change no digit that matters.
NEGLIGIBLE = 1e-6


def complete(
    posterior: Posterior, outputs: Float[Array, "N D"], found: Projection
) -> tuple[Float[Array, "N D"], Float[Array, "N D"]]:
    """Rows with the missing outputs (NaN) at their mean, and variances of those, noise included.

    Observed outputs stay as they are, with variance 0.
    """
    mean, variance = mixed(posterior, found, noise=True)
    missing = np.isnan(outputs)
    return np.where(missing, mean, outputs), np.where(missing, variance, 0.0)


def complete_covariance(
    posterior: Posterior, outputs: Float[Array, "N D"], found: Projection
) -> tuple[Float[Array, "N D"], Float[Array, "N D D"]]:
    """As `complete`, with the full covariance of each row's missing outputs."""
    n_points, n_outputs = outputs.shape
    mean, covariance = np.empty((n_points, n_outputs)), np.empty((n_points, n_outputs, n_outputs))
    for n, (weight, points, variance) in enumerate(_explanations(found)):
        each = [
            predict_covariance(posterior, point, spread, noise=True)
            for point, spread in zip(points, variance, strict=True)
        ]
        own = np.stack([moment for moment, _ in each])
        mean[n] = weight @ own
        apart = own - mean[n]
        within = np.tensordot(weight, np.stack([spread for _, spread in each]), axes=1)
        covariance[n] = within + (apart * weight[:, None]).T @ apart
    missing = np.isnan(outputs)
    return (
        np.where(missing, mean, outputs),
        np.where(missing[:, :, None] & missing[:, None, :], covariance, 0.0),
    )


def sample_completions(
    posterior: Posterior,
    outputs: Float[Array, "N D"],
    found: Projection,
    n_samples: int,
    random_state: int | np.random.Generator | None = None,
) -> Float[Array, "S N D"]:
    """Whole rows whose missing outputs are drawn: explanation, latent point, then outputs."""
    generator = np.random.default_rng(random_state)
    draws = np.empty((n_samples, *outputs.shape))
    for n, (weight, points, variance) in enumerate(_explanations(found)):
        chosen = generator.choice(len(weight), size=n_samples, p=weight)
        for k in np.unique(chosen):
            at, here = slice(k, k + 1), chosen == k
            draws[here, n] = sample(
                posterior, points[at], int(here.sum()), generator, points_variance=variance[at]
            )[:, 0]
    return np.where(np.isnan(outputs), draws, outputs)


def mixed(
    posterior: Posterior, found: Projection, *, noise: bool
) -> tuple[Float[Array, "N D"], Float[Array, "N D"]]:
    """Mean and variance of every output under the mixture of a row's explanations."""
    mean, variance = np.empty((2, len(found.bound), posterior.n_outputs))
    for n, (weight, points, spread) in enumerate(_explanations(found)):
        own, within = predict_uncertain(posterior, points, spread, noise=noise)
        mean[n] = weight @ own
        variance[n] = weight @ (within + (own - mean[n]) ** 2)
    return mean, variance


def _explanations(found: Projection) -> Iterator[tuple[Array, Array, Array]]:
    """Weights, means and variances of each row's explanations that count."""
    for weight, mean, variance in zip(found.weights, found.mean, found.variance, strict=True):
        chosen = weight > NEGLIGIBLE
        yield weight[chosen] / weight[chosen].sum(), mean[chosen], variance[chosen]
