"""Data → latent with a trained encoder: complete rows need no inference."""

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
    """Use the encoder's posteriors for complete rows, and `inferred` for rows with gaps (NaN).

    The encoder gives one explanation; `inferred` may give several.
    """
    whole = ~np.isnan(outputs).any(axis=1)
    if not whole.any():
        return inferred(outputs)
    encoded = encoder.belief(posterior.to_internal(outputs[whole]))
    found = None if whole.all() else inferred(outputs[~whole])
    shape = (len(outputs), 1 if found is None else found.bound.shape[1])
    bound = np.full(shape, -np.inf)
    mean = np.zeros((*shape, encoded.n_latent))
    variance = np.ones_like(mean)
    if found is not None:
        mean[~whole], variance[~whole], bound[~whole] = found.mean, found.variance, found.bound
    mean[whole, 0], variance[whole, 0], bound[whole, 0] = encoded.mean, encoded.variance, 0.0
    return Projection(mean, variance, bound)
