"""Encode a column of K classes as K − 1 yes/no columns ("sticks"): class k, or a later one?

Stick k is yes in rows of class k, no in rows of a later class, and missing in rows of an earlier
class. The likelihood of a class is the product of the likelihoods of its yes/no entries.
"""

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array


def n_sticks(n_classes: int) -> int:
    """Return how many yes/no columns encode a number of classes."""
    return n_classes - 1


def sticks(codes: Float[Array, " N"], n_classes: int) -> Float[Array, "N K"]:
    """Encode class numbers (from 0; NaN if missing) as yes/no columns (1, 0; NaN if missing)."""
    own, number = codes[:, None], np.arange(n_sticks(n_classes))
    return np.where(own >= number, (own == number).astype(np.float64), np.nan)


def class_probabilities(yes: Float[Array, "*S K"]) -> Float[Array, "*S C"]:
    """Return the probabilities of K + 1 classes, from those of K independent yes/no columns."""
    ones = np.ones((*yes.shape[:-1], 1))
    later = np.concatenate([ones, np.cumprod(1.0 - yes, axis=-1)], axis=-1)
    return np.asarray(later * np.concatenate([yes, ones], axis=-1))


def classes(yes: Float[Array, "*S K"]) -> Float[Array, "*S"]:
    """Return the class numbers of complete yes/no columns: the first column that is yes."""
    last = np.ones((*yes.shape[:-1], 1))
    return np.argmax(np.concatenate([yes, last], axis=-1), axis=-1).astype(np.float64)
