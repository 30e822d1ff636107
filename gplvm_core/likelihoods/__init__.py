"""Level 3: the likelihoods of columns, and the encoding of words."""

from gplvm_core.likelihoods.column_models import Averages, Beside, ColumnModels
from gplvm_core.likelihoods.counts import Count, count_probabilities, smallest_counts
from gplvm_core.likelihoods.errors import WithErrors
from gplvm_core.likelihoods.likelihood import Likelihood, Quadratic
from gplvm_core.likelihoods.links import Links
from gplvm_core.likelihoods.logistic import (
    YesNo,
    probability,
    quadratic,
)
from gplvm_core.likelihoods.numbers import Exposure, Number
from gplvm_core.likelihoods.robust import Robust
from gplvm_core.likelihoods.table import (
    LIKELIHOODS,
    TableColumns,
    class_probabilities,
    classes,
    n_sticks,
    sticks,
)

__all__ = [
    "LIKELIHOODS",
    "Averages",
    "Beside",
    "ColumnModels",
    "Count",
    "Exposure",
    "Likelihood",
    "Links",
    "Number",
    "Quadratic",
    "Robust",
    "TableColumns",
    "WithErrors",
    "YesNo",
    "class_probabilities",
    "classes",
    "count_probabilities",
    "n_sticks",
    "probability",
    "quadratic",
    "smallest_counts",
    "sticks",
]
