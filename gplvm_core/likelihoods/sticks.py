"""A column of K classes as K − 1 yes/no columns: is it class k, or a later one?

Stick k is observed in the rows of class k (yes) or a later one (no), and missing in the rows of an
earlier class. The likelihood of a class is then the product of its yes/no entries.
"""

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array


def n_sticks(n_classes: int) -> int:
    """How many yes/no columns stand for so many classes."""
    return n_classes - 1


def sticks(codes: Float[Array, " N"], n_classes: int) -> Float[Array, "N K"]:
    """Yes/no columns (1, 0, NaN: missing) of class numbers from 0 (NaN: missing)."""
    own, number = codes[:, None], np.arange(n_sticks(n_classes))
    return np.where(own >= number, (own == number).astype(np.float64), np.nan)


def class_probabilities(yes: Float[Array, "*S K"]) -> Float[Array, "*S C"]:
    """Probabilities of the K + 1 classes from those of the yes/no columns, taken as independent."""
    ones = np.ones((*yes.shape[:-1], 1))
    later = np.concatenate([ones, np.cumprod(1.0 - yes, axis=-1)], axis=-1)
    return np.asarray(later * np.concatenate([yes, ones], axis=-1))


def classes(yes: Float[Array, "*S K"]) -> Float[Array, "*S"]:
    """The class numbers of whole draws of the yes/no columns: the first that says yes."""
    last = np.ones((*yes.shape[:-1], 1))
    return np.argmax(np.concatenate([yes, last], axis=-1), axis=-1).astype(np.float64)
