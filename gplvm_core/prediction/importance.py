"""Importance sampling over a row's explanations: draws and their log densities."""

import numpy as np
from jaxtyping import Float
from scipy.special import logsumexp

from gplvm_core.numerics import Array

# The variances of q are multiplied by this factor in the proposal, because q is too narrow.
WIDER = 1.3


def proposed(
    mean: Float[Array, "N K Q"],
    variance: Float[Array, "N K Q"],
    weights: Float[Array, "N K"],
    n_samples: int,
    generator: np.random.Generator,
) -> tuple[Float[Array, "S N Q"], Float[Array, "S N"]]:
    """Draw from every row's mixture of explanations; also return the draws' log densities."""
    n_rows = len(mean)
    # Stratified: each explanation gets draws in proportion to its weight, rounded up or down.
    levels = (np.arange(n_samples) + generator.random()) / n_samples
    upper = np.cumsum(weights, axis=1)[:, :-1]
    which = np.sum(levels[:, None, None] > upper, axis=2)
    at = np.arange(n_rows), which
    unit = generator.standard_normal((n_samples, n_rows, mean.shape[2]))
    drawn = mean[at] + np.sqrt(variance[at]) * unit
    with np.errstate(divide="ignore"):
        log_weights = np.log(weights)
    each = [
        log_weights[:, k] + log_normal(drawn, mean[:, k], variance[:, k])
        for k in range(mean.shape[1])
    ]
    return drawn, np.asarray(logsumexp(each, axis=0))


def log_normal(
    values: Float[Array, "... N D"], mean: Array | float, variance: Array | float
) -> Float[Array, "... N"]:
    """Return Σ log N(value; mean, variance) over the last axis, without missing values."""
    terms = np.log(2.0 * np.pi * variance) + (values - mean) ** 2 / variance
    # Only missing values are left out. A NaN in mean or variance is an error that the result must
    # show.
    return np.asarray(-0.5 * np.sum(np.where(np.isnan(values), 0.0, terms), axis=-1))
