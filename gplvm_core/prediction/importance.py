"""How typical are new rows, by sampling: log p(y* | Y) through one layer or several."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from scipy.special import logsumexp

from gplvm_core.numerics import Array
from gplvm_core.prediction.deep import MOST_POINTS, at_each, joined
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.project import Projection

# The proposal's variances over those of q, which is narrower than what it stands for.
WIDER = 1.3


def log_density_sampled(
    posteriors: Sequence[Posterior],
    outputs: Float[Array, "N D"],
    found: Sequence[Projection],
    n_samples: int,
    random_state: int | np.random.Generator | None = None,
) -> Float[Array, " N"]:
    """log p(observed y* | Y) of each row in nats, in the user's units (NaN: missing).

    ∫ p(x) p(h | x) … p(y* | h) by importance sampling: the points of all layers, the top first,
    are drawn from the row's explanations `found`, slightly widened. Unbiased in the density, so low
    in its logarithm on average; the more draws the less.
    """
    generator = np.random.default_rng(random_state)
    mean = np.concatenate([each.mean for each in found], axis=2)
    variance = WIDER * np.concatenate([each.variance for each in found], axis=2)
    ends = np.cumsum([each.mean.shape[2] for each in found])
    weights, told = found[0].weights, np.empty(len(outputs))
    step = max(1, MOST_POINTS // n_samples)
    for first in range(0, len(outputs), step):
        rows = slice(first, first + step)
        drawn, log_proposal = proposed(
            mean[rows], variance[rows], weights[rows], n_samples, generator
        )
        points = np.split(drawn, ends[:-1], axis=2)
        ratio = log_normal(points[0], 0.0, 1.0) - log_proposal
        for posterior, above, below in zip(posteriors, points, (*points[1:], None), strict=True):
            target = outputs[rows] if below is None else below
            ratio += log_normal(target, *at_each(posterior, joined(posterior, above, points[0])))
        told[rows] = logsumexp(ratio, axis=0) - np.log(n_samples)
    return told


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
    return np.asarray(-0.5 * np.nansum(terms, axis=-1))
