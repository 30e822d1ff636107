"""Labels of a few rows: a view of one category compared with a ±1 view and other classifiers.

Called by `python -m benchmarks.kinds --only labels`. Every method receives all rows and the labels
of a few rows of each class, and returns the probabilities of the classes in the other rows.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from benchmarks.common import benchmark_data
from gplvm_core import (
    BayesianGPLVM,
    ManifoldRelevance,
    SemiSupervisedClassifier,
    label_view,
)
from gplvm_core.numerics import Array

SETTINGS: dict[str, Any] = {
    "n_components": 8,
    "n_inducing": 40,
    "max_iter": 200,
    "random_state": 0,
}
ROWS, LABELS, LEAST = 400, (3, 10), 1e-3
Labels = NDArray[np.intp]
# A method is a function of (rows, labels (−1: none), number of classes). It returns the class
# probabilities of the rows without a label.
Method = Callable[[Array, Labels, int], Array]


def wine() -> tuple[Array, Labels]:
    found = load_wine()
    return StandardScaler().fit_transform(found.data), found.target


def digits() -> tuple[Array, Labels]:
    found = load_digits()
    return found.data, found.target


def oil_flow() -> tuple[Array, Labels]:
    found = benchmark_data("oil_flow")
    return found["train_Y"], found["train_labels"].argmax(axis=1)


def category_view(rows: Array, labels: Labels, n_classes: int) -> Array:
    words = np.array([None if label < 0 else str(label) for label in labels], dtype=object)
    model = ManifoldRelevance(**SETTINGS, kinds={"label": ["category"]})
    model.fit({"rows": rows, "label": words[:, None]})
    chance = model.class_probabilities({"rows": rows[labels < 0]}, "label")
    order = [model.class_words("label").index(str(label)) for label in range(n_classes)]
    return chance[:, order]


def gaussian_view(rows: Array, labels: Labels, n_classes: int) -> Array:
    known = label_view(np.maximum(labels, 0), n_classes)
    known[labels < 0] = np.nan
    model = ManifoldRelevance(**SETTINGS).fit({"rows": rows, "label": known})
    mean = model.transfer({"rows": rows[labels < 0]}, "label", private="prior")
    chance = np.clip(0.5 * (mean + 1.0), 0.01, None)
    return np.asarray(chance / chance.sum(axis=1, keepdims=True))


def map_then_logistic(rows: Array, labels: Labels, n_classes: int) -> Array:
    model = SemiSupervisedClassifier(BayesianGPLVM(**SETTINGS), random_state=0)
    return model.fit(rows, labels).predict_proba(rows[labels < 0])


def logistic(rows: Array, labels: Labels, n_classes: int) -> Array:
    """Train a classifier only on the labelled rows, with all columns in units of their common
    spread.
    """
    scaled, seen = (rows - rows.mean(axis=0)) / rows.std(), labels >= 0
    model = LogisticRegression(max_iter=5000).fit(scaled[seen], labels[seen])
    return np.asarray(model.predict_proba(scaled[~seen]))


METHODS: dict[str, Method] = {
    "a category view": category_view,
    "a Gaussian ±1 view": gaussian_view,
    "map, then logistic regression": map_then_logistic,
    "logistic regression of the labelled rows": logistic,
}


def few_labels(seeds: int) -> dict[str, Any]:
    """Measure accuracy, log loss and CPU seconds of methods by data set and number of labels."""
    results: dict[str, Any] = {}
    for load in (wine, oil_flow, digits):
        rows, truth = load()
        n_classes = int(truth.max()) + 1
        for count in LABELS:
            every: dict[str, list[list[float]]] = {name: [] for name in METHODS}
            for seed in range(seeds):
                order = np.random.default_rng(seed).permutation(len(rows))[:ROWS]
                own, right = rows[order], truth[order]
                labels = np.full(len(own), -1)
                for label in range(n_classes):
                    labels[np.flatnonzero(right == label)[:count]] = label
                asked = right[labels < 0]
                for name, method in METHODS.items():
                    start = time.process_time()
                    chance = method(own, labels, n_classes)
                    seconds = time.process_time() - start
                    said = np.maximum(chance[np.arange(len(asked)), asked], LEAST)
                    hits = np.mean(chance.argmax(axis=1) == asked)
                    every[name].append([float(hits), float(-np.log(said).mean()), seconds])
            for name, measured in every.items():
                mean = np.mean(measured, axis=0)
                results[f"{load.__name__}, {count} a class: {name}"] = {
                    "accuracy": float(mean[0]),
                    "log loss": float(mean[1]),
                    "CPU s": float(mean[2]),
                }
    return results
