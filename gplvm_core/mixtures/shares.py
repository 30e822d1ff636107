"""How much of each row belongs to each Gaussian of a mixture."""

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array

LARGEST = np.finfo(float).max


def shares_of(
    each: Float[Array, "..."], axis: int
) -> tuple[Float[Array, "..."], Float[Array, "..."]]:
    """Return exp(each) / Σ exp(each), and log Σ exp(each), with the sums along an axis.

    The fit of a mixture calls this at every update. SciPy's logsumexp and softmax evaluate
    the exponentials twice, and take several times as long for small tables.
    """
    most = np.maximum(each.max(axis=axis, keepdims=True), -LARGEST)
    shares = np.exp(each - most)
    total = shares.sum(axis=axis, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return shares / total, np.squeeze(most + np.log(total), axis)
