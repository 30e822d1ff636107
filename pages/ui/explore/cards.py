"""Predicted rows of tables with words and counts, as cards for drawing.

A row has a number per column; for words, it is the index of the word in the data set. A card has a
probability for every word instead.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy import ndarray as Array

from gplvm_core.wire.rows import DrawnData
from gplvm_core.wire.table import drawn

Chances = Mapping[int, Array]


def cards(dataset: DrawnData, rows: Array, chances: Chances) -> Array:
    """Return rows (T, C) as cards (T, W); words without probabilities have the probability 1."""
    parts = []
    for c in drawn(dataset.columns):
        own = rows[:, c : c + 1]
        if c in chances:
            own = chances[c]
        elif dataset.columns[c].is_words:
            same = own == np.arange(len(dataset.columns[c].words))
            own = np.where(np.isnan(own), np.nan, same)
        parts.append(own)
    return np.hstack(parts)


def chances_at(model: Any, dataset: DrawnData, mean: Array, variance: Array) -> dict[int, Array]:
    """Return the probabilities of every column's words at latent points, (T, words) each.

    The words are in the order of the data set.
    """
    found = {}
    for c, column in enumerate(dataset.columns):
        if column.is_words:
            order = [model.class_words(c).index(word) for word in column.words]
            found[c] = model.class_probabilities_at(mean, c, X_variance=variance)[:, order]
    return found
