"""A mixture of Gaussians as the density of the training rows' latent points."""

import warnings

import numpy as np
from jaxtyping import Float

from gplvm_core.mixtures.gaussians import Gaussians
from gplvm_core.numerics import Array

DRAWS = 5  # draws for every training row
MOST_POINTS = 20_000
LEAST_VARIANCE = 1e-6


def latent_density(
    mean: Float[Array, "N Q"],
    variance: Float[Array, "N Q"],
    size: int,
    random_state: int,
) -> Gaussians:
    """Fit a mixture of full Gaussians to draws from the posteriors of the rows' points."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    generator = np.random.default_rng(random_state)
    few = generator.permutation(len(mean))[: MOST_POINTS // DRAWS]
    unit = generator.standard_normal((DRAWS, len(few), mean.shape[1]))
    points = (mean[few] + np.sqrt(variance[few]) * unit).reshape(-1, mean.shape[1])
    mixture = GaussianMixture(size, reg_covar=LEAST_VARIANCE, random_state=random_state)
    with warnings.catch_warnings():
        # A precise optimum is not needed: the mixture is only a starting point.
        warnings.simplefilter("ignore", ConvergenceWarning)
        mixture.fit(points)
    return Gaussians.full(mixture.weights_, mixture.means_, mixture.covariances_)
