"""Where missing inputs of a regression start when too few rows have theirs: from the outputs."""

import numpy as np
from jaxtyping import Float

from gplvm_core.models.data.inputs import Inputs
from gplvm_core.models.problems.initialise import initial_latent
from gplvm_core.numerics import Array
from gplvm_core.prediction.impute import distance_observed


def guess_inputs(
    inputs: Inputs, targets: Float[Array, "N D"], generator: np.random.Generator
) -> Float[Array, "N Q"]:
    """Missing inputs from the outputs alone: that of the nearest row which has it.

    A column that no row has takes a principal component of the outputs.
    """
    mean = inputs.belief.mean.copy()
    latent, _ = initial_latent((targets,), mean.shape[1], "pca", generator)
    # Columns with gaps of their own are compared where both rows have an output.
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
