"""Starting values of missing inputs, from the outputs, when too few rows have complete inputs."""

import numpy as np
from jaxtyping import Float

from gplvm_core.models.data.inputs import Inputs
from gplvm_core.models.problems.initialise import initial_latent
from gplvm_core.numerics import Array
from gplvm_core.prediction.impute import distance_observed


def guess_inputs(
    inputs: Inputs, targets: Float[Array, "N D"], generator: np.random.Generator
) -> Float[Array, "N Q"]:
    """Copy each missing input from another row, in which this input is observed.

    The other row is the one with the nearest outputs. A column that is missing in all rows gets a
    principal component of the outputs.
    """
    mean = inputs.belief.mean.copy()
    latent, _ = initial_latent((targets,), mean.shape[1], "pca", generator)
    # The distance of two rows uses the outputs that are observed in both rows.
    near = distance_observed(targets, np.where(np.isnan(targets), 0.0, targets))
    component = 0
    for q in range(mean.shape[1]):
        gone = inputs.missing[:, q]
        if gone.all():
            mean[:, q] = latent[:, component]
            component += 1
        elif gone.any():
            known = np.flatnonzero(~gone)
            mean[gone, q] = mean[known[np.argmin(near[np.ix_(gone, known)], axis=1)], q]
    return mean
