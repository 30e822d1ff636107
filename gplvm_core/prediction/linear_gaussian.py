"""Exact predictions of the linear Gaussian model from observed values, in the user's units.

The model is a layer with a linear kernel of unit variances and with unit vectors as inducing
inputs. Its q(u) is a point mass at the weights. The posterior of x has a closed form with all
correlations, so unlike `explain` these functions need neither a search nor an approximation.
"""

import numpy as np
from jaxtyping import Float

from gplvm_core.bounds.linear_gaussian import BLOCK, Factors, Inferred, infer
from gplvm_core.kernels import Linear
from gplvm_core.numerics import Array
from gplvm_core.prediction.posterior import Posterior


def as_posterior(
    factors: Factors, center: Float[Array, " D"], scale: Float[Array, " D"]
) -> Posterior:
    """Return the model as a layer; center and scale convert its outputs to the user's units."""
    unit = np.eye(len(factors.weights))
    return Posterior(
        Linear(np.ones(len(unit))),
        unit,
        factors.weights,
        unit[None],
        factors.noise_variance,
        0.0,
        center + scale * factors.center,
        scale,
    )


def inferred_rows(posterior: Posterior, outputs: Float[Array, "N D"]) -> Inferred:
    """Return posteriors of x for rows with gaps (NaN), and log p(observed entries) in nats."""
    found = infer(_factors(posterior), posterior.to_internal(outputs))
    log_scale = np.where(np.isnan(outputs), 0.0, np.log(posterior.scale))
    return Inferred(
        found.mean, found.covariance, found.pattern, found.log_density - log_scale.sum(axis=1)
    )


def reconstruct(
    posterior: Posterior, outputs: Float[Array, "N D"], *, noise: bool
) -> tuple[Float[Array, "N D"], Float[Array, "N D"]]:
    """Return mean and variance of every output, given the observed values of its row."""
    inferred, weights = inferred_rows(posterior, outputs), posterior.weights
    variance = np.empty((len(inferred.covariance), weights.shape[1]))
    for start in range(0, len(variance), BLOCK):
        block = slice(start, start + BLOCK)
        variance[block] = np.sum(np.matmul(inferred.covariance[block], weights) * weights, axis=1)
    variance += noise * posterior.noise_variance
    mean = posterior.center + posterior.scale * (inferred.mean @ weights)
    return mean, (posterior.scale**2 * variance)[inferred.pattern]


def reconstruct_jointly(
    posterior: Posterior, outputs: Float[Array, "N D"]
) -> tuple[Float[Array, "N D"], Float[Array, "N D D"]]:
    """Compute `reconstruct` with the full covariance of each row's outputs, including noise."""
    inferred, weights = inferred_rows(posterior, outputs), posterior.weights
    own = posterior.noise_variance * np.eye(weights.shape[1])
    covariance = weights.T @ inferred.covariance @ weights + own
    mean = posterior.center + posterior.scale * (inferred.mean @ weights)
    return mean, (covariance * np.outer(posterior.scale, posterior.scale))[inferred.pattern]


def draw_rows(
    posterior: Posterior,
    outputs: Float[Array, "N D"],
    n_samples: int,
    random_state: int | np.random.Generator | None = None,
) -> Float[Array, "S N D"]:
    """Draw every output with noise, given the observed values of its row."""
    generator = np.random.default_rng(random_state)
    inferred, weights = inferred_rows(posterior, outputs), posterior.weights
    values, vectors = np.linalg.eigh(inferred.covariance)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))[:, None])[inferred.pattern]
    unit = generator.standard_normal((n_samples, *inferred.mean.shape))
    latent = inferred.mean + np.einsum("nqr,snr->snq", root, unit)
    noise = generator.standard_normal((n_samples, *outputs.shape))
    internal = latent @ weights + np.sqrt(posterior.noise_variance) * noise
    return np.asarray(posterior.center + posterior.scale * internal)


def _factors(posterior: Posterior) -> Factors:
    """Return the model in internal units, centred."""
    return Factors(posterior.weights, np.zeros(posterior.n_outputs), posterior.noise_variance)
