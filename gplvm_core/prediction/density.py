"""How probable is a new row: the difference of two bounds."""

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import collapsed, gram_factor
from gplvm_core.numerics import Array
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.priors import StandardNormal
from gplvm_core.statistics import Statistics, Targets, reduce_statistics


def log_density(
    posterior: Posterior,
    statistics: Statistics,
    outputs: Float[Array, "N D"],
    belief: Belief,
) -> Float[Array, " N"]:
    """log p(y* | Y) ≈ F(q(X, x*)) − F(q(X)) of each row on its own, in nats, in the user's units.

    `statistics` are the training data's; because they add, only the new row's are computed. An
    approximation: the difference of two lower bounds bounds nothing (Titsias & Lawrence 2010,
    eq. 20).
    """
    gram = gram_factor(posterior.kernel, posterior.inducing, posterior.jitter, relative=False)
    noise = posterior.noise_variance
    before = collapsed(statistics, gram, noise).value
    internal = posterior.to_internal(outputs)
    kl = StandardNormal().kl_terms(belief).sum(axis=1)
    after = np.empty(len(outputs))
    for n in range(len(outputs)):
        row = slice(n, n + 1)
        targets = Targets(internal[row], statistics.n_outputs)
        own, _ = reduce_statistics(posterior.kernel, belief.rows(row), posterior.inducing, targets)
        after[n] = collapsed(statistics + own, gram, noise).value
    return after - before - kl - float(np.sum(np.log(posterior.scale)))
