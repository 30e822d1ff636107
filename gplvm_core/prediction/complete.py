"""Partial rows → whole rows: the missing outputs, given what is observed of the row.

A row's explanations q(x*) (see project) are mixed by their weights: an ambiguous row has several.
Titsias & Lawrence (2010), §4; Damianou (2015), §3.4.1.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.prediction.deep import through
from gplvm_core.prediction.generate import predict_covariance, predict_uncertain, sample
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.project import Projection

# Explanations that weigh less change no digit that matters.
NEGLIGIBLE = 1e-6


def complete(
    outputs: Float[Array, "N D"], mean: Float[Array, "N D"], spread: Float[Array, "N D *E"]
) -> tuple[Float[Array, "N D"], Float[Array, "N D *E"]]:
    """Rows with the missing outputs (NaN) at their mean, and the variances of those.

    Observed outputs stay as they are, with variance 0. spread: variances, or each row's covariance.
    """
    missing = np.isnan(outputs)
    told = missing if spread.ndim == 2 else missing[:, :, None] & missing[:, None, :]
    return np.where(missing, mean, outputs), np.where(told, spread, 0.0)


def mixed(
    layers: Sequence[Posterior], found: Projection, *, noise: bool
) -> tuple[Float[Array, "N D"], Float[Array, "N D"]]:
    """Mean and variance of every output under the mixture of a row's explanations; layers: from
    where these are down to the outputs.
    """
    mean, variance = np.empty((2, len(found.bound), layers[-1].n_outputs))
    for n, (weight, points, spread) in enumerate(_explanations(found)):
        own, within = through(layers, points, spread, noise=noise)
        mean[n] = weight @ own
        variance[n] = weight @ (within + (own - mean[n]) ** 2)
    return mean, variance


def mixed_covariance(
    posterior: Posterior, found: Projection
) -> tuple[Float[Array, "N D"], Float[Array, "N D D"]]:
    """As `mixed`, with the full covariance of each row's outputs, noise included."""
    mean = np.empty((len(found.bound), posterior.n_outputs))
    covariance = np.empty((*mean.shape, posterior.n_outputs))
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
    return mean, covariance


def sample_mixed(
    posterior: Posterior,
    found: Projection,
    n_samples: int,
    random_state: int | np.random.Generator | None = None,
) -> Float[Array, "S N D"]:
    """Draws of whole rows, noise included: explanation, latent point, then outputs."""
    generator = np.random.default_rng(random_state)
    draws = np.empty((n_samples, len(found.bound), posterior.n_outputs))
    for n, (weight, points, variance) in enumerate(_explanations(found)):
        chosen = generator.choice(len(weight), size=n_samples, p=weight)
        for k in np.unique(chosen):
            at, here = slice(k, k + 1), chosen == k
            draws[here, n] = sample(
                posterior, points[at], int(here.sum()), generator, points_variance=variance[at]
            )[:, 0]
    return draws


def alternatives(
    posterior: Posterior, outputs: Float[Array, "N D"], found: Projection, count: int
) -> tuple[Float[Array, "N K"], Float[Array, "N K Q"], Float[Array, "N K D"]]:
    """Weights, latent means and completed rows of each row's explanations, the best first.

    Weights of a row sum to 1; a row with fewer explanations has weight 0 and NaN in their place.
    """
    weights = found.weights[:, :count]
    weights = weights / weights.sum(axis=1, keepdims=True)
    latent = np.where(weights[:, :, None] > 0.0, found.mean[:, :count], np.nan)
    rows = np.full((*weights.shape, posterior.n_outputs), np.nan)
    for n, k in zip(*np.nonzero(weights), strict=True):
        at = slice(k, k + 1)
        mean, _ = predict_uncertain(posterior, found.mean[n, at], found.variance[n, at])
        rows[n, k] = np.where(np.isnan(outputs[n]), mean[0], outputs[n])
    return weights, latent, rows


def _explanations(found: Projection) -> Iterator[tuple[Array, Array, Array]]:
    """Weights, means and variances of each row's explanations that count."""
    for weight, mean, variance in zip(found.weights, found.mean, found.variance, strict=True):
        chosen = weight > NEGLIGIBLE
        yield weight[chosen] / weight[chosen].sum(), mean[chosen], variance[chosen]
