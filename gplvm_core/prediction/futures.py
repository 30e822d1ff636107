"""Futures of a state-space model: states drawn one after another by the transition."""

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import Array
from gplvm_core.prediction.generate import predict
from gplvm_core.prediction.posterior import Posterior


def futures(
    transition: Posterior,
    now: Belief,
    steps: int,
    n_samples: int,
    generator: np.random.Generator,
) -> Float[Array, "S n Q"]:
    """Draw the next states; now: the present state (one row).

    Every step draws x_{t+1} from the transition's prediction at x_t, with the variance of g and of
    the transition's noise. The draws of g at different steps are independent.
    """
    shape = (n_samples, now.n_latent)
    at = now.mean + np.sqrt(now.variance) * generator.standard_normal(shape)
    drawn = np.empty((n_samples, steps, now.n_latent))
    for step in range(steps):
        mean, variance = predict(transition, at, noise=True)
        at = mean + np.sqrt(variance) * generator.standard_normal(shape)
        drawn[:, step] = at
    return drawn


def outputs_of(
    mapping: Posterior, states: Float[Array, "S n Q"]
) -> tuple[Float[Array, "n D"], Float[Array, "n D"]]:
    """Means and variances, with noise, of the outputs of a mixture of states at every step."""
    found = [predict(mapping, at, noise=True) for at in np.moveaxis(states, 1, 0)]
    means = np.array([mean.mean(axis=0) for mean, _ in found])
    spreads = np.array([variance.mean(axis=0) + mean.var(axis=0) for mean, variance in found])
    return means, spreads
