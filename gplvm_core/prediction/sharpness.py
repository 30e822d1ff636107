"""Factors that say how far a map moves the probabilities of words away from their base rates.

The Gaussian bound of the logistic likelihood makes signals too small. If other columns determine a
column, its predicted probabilities are therefore too far from 0 and 1. How far they are off is
estimated from training rows. Each row is predicted without its own value of the column; then the
best factor for the column's functions is found. The mapping was trained on these rows, so only the
square root of this factor is used.
"""

import numpy as np
from jaxtyping import Float

from gplvm_core.likelihoods import TableColumns, class_probabilities, probability
from gplvm_core.numerics import Array
from gplvm_core.prediction.columns import expected_of_others
from gplvm_core.prediction.network import Network
from gplvm_core.readers.spread import spread_rows

FACTORS = np.geomspace(0.4, 4.0, 25)
LEAST_GAIN = 2.0  # in nats over all rows; the factor is 1 if the gain is smaller
# Each column of words needs a prediction of every row. If there are so many columns that fewer than
# LEAST_ROWS rows can be predicted, the functions do not change.
MOST_PREDICTIONS, MOST_ROWS, LEAST_ROWS = 2000, 250, 40


def word_factors(
    network: Network, columns: TableColumns, end: str, outputs: Float[Array, "T D"]
) -> Float[Array, " D"]:
    """Return factors that scale the functions of words about their bias; 1 for other outputs.

    outputs: the training rows, in the user's units.
    """
    factors, center = np.ones(outputs.shape[1]), network.ends[end].posterior.center
    asked = [at for at, column in enumerate(columns.columns) if len(column.words) > 1]
    count = min(MOST_ROWS, MOST_PREDICTIONS // max(len(asked), 1), len(outputs))
    if count < LEAST_ROWS or len(columns.columns) < 2:
        return factors
    chosen = spread_rows(len(outputs), count)
    rows = outputs[chosen]
    for at in asked:
        place = columns.places[at]
        codes = columns.codes(rows, at)
        known = np.flatnonzero(~np.isnan(codes))
        if not len(known):
            continue
        here = network.of_rows(chosen[known])
        found = expected_of_others(here, columns, end, {end: rows[known]}, at)
        own, bias = codes[known].astype(int), center[place]
        moved, variance = found.mean[..., place] - bias, found.variance[..., place]

        def score(
            factor: float,
            *,
            moved: Array = moved,
            variance: Array = variance,
            own: Array = own,
            bias: Array = bias,
            weights: Array = found.weights,
        ) -> float:
            yes = probability(bias + factor * moved, factor**2 * variance)
            chance = np.einsum("nk,nkc->nc", weights, class_probabilities(yes))
            return float(np.log(chance[np.arange(len(own)), own] + 1e-12).sum())

        best = max(FACTORS.tolist(), key=score)
        if score(best) > score(1.0) + LEAST_GAIN:
            factors[place] = np.sqrt(best)
    return factors
