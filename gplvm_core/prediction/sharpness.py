"""Corrections of a map's predictions of words and numbers in a table, learnt from training rows.

How wide the intervals of numbers must be is learnt from rows that the layer has not seen. The
following factors say how far the map moves the probabilities of words away from their base rates.
The Gaussian bound of the logistic likelihood makes signals too small. If other columns determine a
column, its predicted probabilities are therefore too far from 0 and 1. How far they are off is
estimated from training rows. Each row is predicted without its own value of the column; then the
best factor for the column's functions is found. The mapping was trained on these rows, so only the
square root of this factor is used.
"""

from dataclasses import replace

import numpy as np
from jaxtyping import Float

from gplvm_core.likelihoods import TableColumns, class_probabilities, probability
from gplvm_core.numerics import Array, IntArray
from gplvm_core.prediction.added import at_optimum, statistics_of
from gplvm_core.prediction.candidates import Report
from gplvm_core.prediction.columns import expected_of, expected_of_others
from gplvm_core.prediction.intervals import Asked, Widening
from gplvm_core.prediction.network import DATA, Network
from gplvm_core.prediction.project import explain
from gplvm_core.readers import DataError
from gplvm_core.readers.spread import spread_rows

FACTORS = np.geomspace(0.4, 4.0, 25)
LEAST_GAIN = 2.0  # in nats over all rows; the factor is 1 if the gain is smaller
# Each column of words needs a prediction of every row. If there are so many columns that fewer than
# LEAST_ROWS rows can be predicted, the functions do not change.
MOST_PREDICTIONS, MOST_ROWS, LEAST_ROWS = 2000, 250, 40
# Rows are held out in up to this many parts; each is predicted twice, without a fifth of its cells.
PARTS, TRIES, HIDDEN = 4, 2, 0.2


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


def number_widths(
    network: Network,
    columns: TableColumns,
    outputs: Float[Array, "T D"],
    report: Report = lambda share: None,
) -> tuple[float, ...]:
    """Return the widths of a table's columns (`TableColumns`).

    outputs: the training rows, in the user's units. Raises DataError for too few rows.
    """
    numbers, end = [at for at, own in enumerate(columns.columns) if own.is_number], DATA
    if len(outputs) < LEAST_ROWS:
        raise DataError(f"the table has {len(outputs)} rows; at least {LEAST_ROWS} are needed")
    edge, belief, every = network.ends[end], network.beliefs[0], np.arange(len(outputs))
    internal = edge.posterior.to_internal(outputs)
    chosen, generator = spread_rows(len(outputs), MOST_ROWS), np.random.default_rng(0)
    parts = min(PARTS, -(-PARTS * len(chosen) // len(outputs)))
    outputs_of = [place.stop - place.start for place in columns.places]
    away, groups = list[Array](), list[IntArray]()
    for first in range(parts):
        report(first / parts)
        part = chosen[first::parts]
        kept = np.setdiff1d(every, part)
        seen = statistics_of(edge.posterior, internal[kept], belief.rows(kept))
        unseen = replace(edge, posterior=at_optimum(edge.posterior, seen)[0])
        here = replace(network, edges=(unseen,))
        for _ in range(TRIES):
            hidden = generator.random((len(part), len(columns.columns))) < HIDDEN
            rows = np.where(np.repeat(hidden, outputs_of, axis=1), np.nan, outputs[part])
            some = ~np.isnan(rows).all(axis=1)
            given = {end: rows[some]}
            found = expected_of(here, columns, end, explain(here, given), rows[some])
            wrong = np.full((int(some.sum()), len(numbers)), np.nan)
            for each, at in enumerate(numbers):
                mean, variance = found.moments(at)
                truth = np.where(hidden[:, at], outputs[part, columns.places[at].start], np.nan)
                wrong[:, each] = np.abs(truth[some] - mean) / np.sqrt(variance)
            away.append(wrong)
            groups.append(part[some])
    tried = np.concatenate(away)
    if np.isnan(tried).all():
        raise DataError("no value could be hidden and predicted")
    widened = Widening.of(Asked("values"), tried, np.concatenate(groups)).widened
    widths = np.ones(len(columns.columns))
    widths[numbers] = np.maximum(widened, 1.0)
    return tuple(widths.tolist())
