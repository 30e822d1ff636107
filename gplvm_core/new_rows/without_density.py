"""How typical rows are for a model without a density of rows: its bound with and without a row.

Such a model has words or counts. A row is compared with training rows in the columns where it has
values. The model has seen these rows, so a new row is on average a little less typical.
"""

from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray

from gplvm_core.new_rows.places import rows_for
from gplvm_core.numerics import Array
from gplvm_core.readers import Dataset
from gplvm_core.readers.spread import spread_rows

MOST_SCORED = 100  # training rows to compare with; gives fractions to about 0.05


def scored_rows(
    dataset: Dataset, missing: Bool[NDArray[np.bool_], " D"]
) -> Int[NDArray[np.intp], " K"]:
    """Return the numbers of the training rows to compare with: all, or 100 spread evenly.

    missing: the columns without a value in the asked row. In data with gaps, only rows with values
    in all other columns are compared.
    """
    known = np.flatnonzero(~np.isnan(dataset.values[:, ~missing]).any(axis=1))
    return known[spread_rows(len(known), MOST_SCORED)] if len(known) else known


def log_scores(model: Any, dataset: Dataset, rows: Float[Array, "n D"]) -> Float[Array, " n"]:
    """The gain of the model's bound from each row, in nats: higher for a more typical row."""
    return np.asarray(model.score_samples(rows_for(model, dataset, rows)))


def p_values(
    model: Any, dataset: Dataset, rows: Float[Array, "n D"]
) -> tuple[Float[Array, " n"], int]:
    """(1 + the number of training rows with at most this score) / (1 + their number), for each row.

    The training rows have the same gaps. Also returns the least number of compared rows; a row
    without any to compare with has p NaN.
    """
    found, counts = np.full(len(rows), np.nan), []
    if not len(rows):
        return found, 0
    own = log_scores(model, dataset, rows)
    patterns, which = np.unique(np.isnan(rows), axis=0, return_inverse=True)
    for at, missing in enumerate(patterns):
        same = which.ravel() == at
        compared = dataset.values[scored_rows(dataset, missing)].copy()
        if not len(compared):
            continue
        compared[:, missing] = np.nan
        known = np.sort(log_scores(model, dataset, compared))
        # Scores depend in their last digits on the rows that are scored together.
        below = np.searchsorted(known, own[same] + 1e-6, side="right")
        found[same] = (1.0 + below) / (1.0 + len(known))
        counts.append(len(known))
    return found, min(counts, default=0)
