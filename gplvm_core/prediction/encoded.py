"""Data → latent by a learnt encoder: whole rows need no inference."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.project import Projection
from gplvm_core.priors.encoder import Encoder


def project_encoded(
    encoder: Encoder,
    posterior: Posterior,
    outputs: Float[Array, "N D"],
    inferred: Callable[[Array], Projection],
) -> Projection:
    """Whole rows as the encoder answers them; those with gaps (NaN) as `inferred` does.

    Rows that the encoder answers have one explanation, however many others have.
    """
    whole = ~np.isnan(outputs).any(axis=1)
    if not whole.any():
        return inferred(outputs)
    told = encoder.belief(posterior.to_internal(outputs[whole]))
    found = None if whole.all() else inferred(outputs[~whole])
    shape = (len(outputs), 1 if found is None else found.bound.shape[1])
    bound = np.full(shape, -np.inf)
    mean = np.zeros((*shape, told.n_latent))
    variance = np.ones_like(mean)
    if found is not None:
        mean[~whole], variance[~whole], bound[~whole] = found.mean, found.variance, found.bound
    mean[whole, 0], variance[whole, 0], bound[whole, 0] = told.mean, told.variance, 0.0
    return Projection(mean, variance, bound)
