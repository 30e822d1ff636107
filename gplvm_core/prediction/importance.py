"""What importance sampling over a row's explanations needs: draws, and log densities there."""

import numpy as np
from jaxtyping import Float
from scipy.special import logsumexp

from gplvm_core.numerics import Array

# The proposal's variances over those of q, which is narrower than what it stands for.
WIDER = 1.3


def proposed(
    mean: Float[Array, "N K Q"],
    variance: Float[Array, "N K Q"],
    weights: Float[Array, "N K"],
    n_samples: int,
    generator: np.random.Generator,
) -> tuple[Float[Array, "S N Q"], Float[Array, "S N"]]:
    """Draws from every row's mixture of explanations, and the log density of that mixture there."""
    n_rows = len(mean)
    # As many draws of each explanation as its weight says, to one.
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
    """Σ over the last axis of log N(value; mean, variance), missing values left out."""
    terms = np.log(2.0 * np.pi * variance) + (values - mean) ** 2 / variance
    # Only missing values: anything else that is no number must show.
    return np.asarray(-0.5 * np.sum(np.where(np.isnan(values), 0.0, terms), axis=-1))
