"""Gaussians of clusters of rows: the prior of a mixture that is fitted without a map."""

import numpy as np
from jaxtyping import Float

from gplvm_core.mixtures.derived import LocalGaussians
from gplvm_core.numerics import Array

# The common covariance is this fraction of the covariance within clusters, plus the rest of the
# diagonal.
CORRELATED = 0.5
# The smallest variance within clusters, in the rows' units.
LEAST_VARIANCE = 1e-4


def clustered(rows: Float[Array, "N D"], size: int, random_state: int | None) -> LocalGaussians:
    """Return one Gaussian for each cluster of k-means, all with the covariance within clusters."""
    from sklearn.cluster import KMeans

    clusters = KMeans(size, n_init=1, random_state=random_state).fit(rows)
    within = np.atleast_2d(
        np.cov((rows - clusters.cluster_centers_[clusters.labels_]).T, bias=True)
    )
    spread = np.diag(within.diagonal() + LEAST_VARIANCE)
    common = CORRELATED * within + (1.0 - CORRELATED) * spread
    return LocalGaussians(
        np.bincount(clusters.labels_, minlength=size) / len(rows),
        clusters.cluster_centers_,
        np.repeat(common[None], size, axis=0),
    )
