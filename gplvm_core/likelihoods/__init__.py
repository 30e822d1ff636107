"""Level 3: the encoding and the likelihoods of columns that are not numbers."""

from gplvm_core.likelihoods.counts import (
    best_sizes,
    count_probabilities,
    mixture_quantiles,
)
from gplvm_core.likelihoods.links import EXPOSURE, Links
from gplvm_core.likelihoods.logistic import (
    Quadratic,
    expected_log_likelihood,
    probability,
    quadratic,
)
from gplvm_core.likelihoods.sticks import class_probabilities, classes, n_sticks, sticks
from gplvm_core.likelihoods.table import TableColumns

__all__ = [
    "EXPOSURE",
    "Links",
    "Quadratic",
    "TableColumns",
    "best_sizes",
    "class_probabilities",
    "classes",
    "count_probabilities",
    "expected_log_likelihood",
    "mixture_quantiles",
    "n_sticks",
    "probability",
    "quadratic",
    "sticks",
]
