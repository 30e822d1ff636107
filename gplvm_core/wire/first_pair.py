"""The pair of dimensions that a map of labelled rows shows first."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from jaxtyping import Float, Int

from gplvm_core.comparison.placing import neighbours_differ
from gplvm_core.numerics import Array

MOST_PAIRED = 4  # leading dimensions of which a pair is chosen
MOST_ROWS = 2000  # more rows are thinned evenly
SURE = 3.0  # a difference of this many standard errors is not chance


def separating_pair(
    latent: Float[Array, "N Q"], labels: Int[Array, " N"], leading: Sequence[int]
) -> tuple[int, int]:
    """Return the first pair of dimensions that separates the labels as well as any pair.

    leading: the dimensions, the one with the largest effect first; a pair is two of the first
    `MOST_PAIRED`. A pair separates labels well if a row's nearest row mostly has the same label; a
    pair is worse if it is worse by `SURE` standard errors. Rows with a label below 0 have none.
    Positions are scaled as on the map.
    """
    known = np.flatnonzero(labels >= 0)
    known = known[:: max(1, len(known) // MOST_ROWS)]
    if len(np.unique(labels[known])) < 2:
        return leading[0], leading[1]
    places = latent[known] / np.maximum(np.ptp(latent[known], axis=0), np.finfo(float).tiny)
    pairs = list(combinations(leading[:MOST_PAIRED], 2))
    differ = np.array([neighbours_differ(places[:, pair], labels[known]) for pair in pairs])
    best = differ[np.argmin(differ.sum(axis=1))]
    more = differ.sum(axis=1) - best.sum()
    return pairs[int(np.argmax(more <= SURE * np.sqrt(np.sum(differ != best, axis=1))))]
