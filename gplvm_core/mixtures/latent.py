"""A mixture of Gaussians as the density of the training rows' latent points."""

import warnings

import numpy as np
from jaxtyping import Float

from gplvm_core.mixtures.gaussians import Gaussians
from gplvm_core.numerics import Array, factorise

DRAWS = 5  # draws for every training row
MOST_POINTS = 20_000
LEAST_VARIANCE = 1e-6
# A precise optimum is not needed: the mixture is only a starting point.
MOST_UPDATES, MOST_FURTHER = 20, 5


def latent_density(
    mean: Float[Array, "N Q"],
    variance: Float[Array, "N Q"],
    size: int,
    random_state: int,
    start: Gaussians | None = None,
) -> Gaussians:
    """Fit a mixture of full Gaussians to draws from the posteriors of the rows' points.

    start: the mixture of more rows, from which a few updates suffice.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    generator = np.random.default_rng(random_state)
    few = generator.permutation(len(mean))[: MOST_POINTS // DRAWS]
    unit = generator.standard_normal((DRAWS, len(few), mean.shape[1]))
    points = (mean[few] + np.sqrt(variance[few]) * unit).reshape(-1, mean.shape[1])
    known = {}
    if start is not None:
        covariances = [start.covariance(k) for k in range(size)]
        known = {
            "weights_init": start.weights,
            "means_init": start.means,
            "precisions_init": np.array([factorise(each).inverse() for each in covariances]),
        }
    mixture = GaussianMixture(
        size,
        reg_covar=LEAST_VARIANCE,
        max_iter=MOST_UPDATES if start is None else MOST_FURTHER,
        random_state=random_state,
        **known,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        mixture.fit(points)
    return Gaussians.full(mixture.weights_, mixture.means_, mixture.covariances_)
