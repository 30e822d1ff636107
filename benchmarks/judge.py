"""Measures of the quality of any trained latent variable model."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import Array
from gplvm_core.prediction import DATA, Network, Posterior, explain, log_density, predict
from gplvm_core.statistics import Statistics

DRAWS = 200  # number of draws of the importance sampler per row


def neighbour_errors(latent: Array, relevance: Array, labels: NDArray[np.int_]) -> int:
    """Count the points whose nearest other point, in the two dimensions of largest relevance, has
    another label (Titsias & Lawrence 2010, §5.1).
    """
    two = latent[:, np.argsort(-relevance)[:2]]
    distance = np.sum((two[:, None] - two[None]) ** 2, axis=2)
    np.fill_diagonal(distance, np.inf)
    return int(np.sum(labels[np.argmin(distance, axis=1)] != labels))


def held_out(
    posterior: Posterior, statistics: Statistics, training: Belief, outputs: Array, seed: int = 0
) -> tuple[float, float]:
    """Return two estimates of the mean log density of new rows, in nats per row.

    They are in the units of the posterior's inputs. The first estimate is the difference of bounds.
    The second comes from importance sampling over x* with q(x*) as the proposal. It is unbiased for
    the density, but on average too low for the log density.
    """
    network, rows = Network.chain([posterior], [training], [statistics]), {DATA: outputs}
    found = explain(network, rows)
    by_bound = log_density(network, rows, found)
    belief = found[0].best
    generator = np.random.default_rng(seed)
    by_sampling = [
        _sampled(posterior, outputs[n], belief.mean[n], belief.variance[n], generator)
        for n in range(len(outputs))
    ]
    return float(np.mean(by_bound)), float(np.mean(by_sampling))


def _sampled(
    posterior: Posterior,
    output: Array,
    mean: Array,
    variance: Array,
    generator: np.random.Generator,
) -> float:
    """Estimate log p(y*) by the log of the mean of p(y* | x) p(x) / q(x) over draws x ~ q(x*)."""
    unit = generator.standard_normal((DRAWS, len(mean)))
    points = mean + np.sqrt(variance) * unit
    centre, spread = predict(posterior, points, noise=True)
    log_likelihood = -0.5 * np.sum(
        np.log(2.0 * np.pi * spread) + (output - centre) ** 2 / spread, axis=1
    )
    # In p(x)/q(x), the normalising constants differ only by the variances.
    log_ratio = -0.5 * np.sum(points**2 - unit**2 - np.log(variance), axis=1)
    return float(logsumexp(log_likelihood + log_ratio) - np.log(DRAWS))
