"""Rows of several data sets, divided at random into training rows and held-out rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from sklearn.datasets import load_breast_cancer

from benchmarks.common import benchmark_data
from gplvm_core import load_dataset
from gplvm_core.numerics import Array

N_TRAIN, N_TEST = 500, 60


@dataclass(frozen=True)
class Split:
    """Training rows and held-out rows."""

    train: Float[Array, "N D"]
    test: Float[Array, "n D"]
    labels: Any  # the labels of the training rows, or None

    @property
    def spread(self) -> Float[Array, " D"]:
        return self.train.std(axis=0)


def rows_of(name: str) -> tuple[Array, Any]:
    """Return all rows of a data set, and their labels if there are any."""
    if name == "oil flow":
        data = benchmark_data("oil_flow")
        return data["train_Y"], data["train_labels"]
    if name == "features":
        return benchmark_data("cmu35_features")["Y"], None
    if name == "tumours":
        found = load_breast_cancer()
        return found.data, found.target
    dataset = load_dataset(name)
    return np.asarray(dataset.values), dataset.labels


NAMES = (
    "wine",
    "tumours",
    "oil flow",
    "digits",
    "digits_views",
    "poses",
    "features",
    "heads",
    "faces",
)


def split_of(name: str, seed: int) -> Split:
    values, labels = rows_of(name)
    order = np.random.default_rng(seed).permutation(len(values))
    n_train = min(N_TRAIN, len(order) - N_TEST)
    train, test = order[:n_train], order[n_train : n_train + N_TEST]
    varies = np.ptp(values[train], axis=0) > 0.0
    kept = None if labels is None else np.unique(labels, axis=0, return_inverse=True)[1][train]
    return Split(values[train][:, varies], values[test][:, varies], kept)
