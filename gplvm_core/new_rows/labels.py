"""Predict missing labels of rows from the map, and find the row whose label would help most."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy.typing import ArrayLike, NDArray

from gplvm_core.kernels import RBF
from gplvm_core.numerics import Array, BoolArray, Int64Array, IntArray, factorise
from gplvm_core.readers.spread import spread_rows

DRAWS = 10  # of each row's position
STRENGTH = 10.0  # C of the logistic regression
NOISE = 0.01  # variance of a label, relative to the labels' prior
# The fraction of the prior variance from which no labelled row is near. On a map of many dimensions
# all rows are far from each other: rows are near if most labelled rows are as far from the others,
# and there are at least ENOUGH.
FAR, MOST, ENOUGH = 0.9, 0.95, 20
MOST_ROWS = 2000  # unlabelled rows among which the next row is chosen
FOLDS = 10

Labels = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PredictedLabels:
    """Probabilities (n, K) of the K classes for the n rows without a label.

    variance: how little the labelled rows say about each of these rows, from 0 to 1. usual: what 95
    % of the labelled rows do not exceed, given the other labelled rows. gains: by how
    much the label of each of these rows would reduce the sum of the others' variances; NaN for
    rows that were not tried. right, tried: of the `tried` labelled rows, the labels of `right` rows
    are predicted correctly from the other labelled rows.
    """

    classes: Int[Int64Array, " K"]
    rows: Int[IntArray, " n"]
    probabilities: Float[Array, "n K"]
    variance: Float[Array, " n"]
    usual: float
    gains: Float[Array, " n"]
    right: int
    tried: int

    @property
    def best(self) -> Labels:
        """The most probable class of each row."""
        return np.asarray(self.classes[np.argmax(self.probabilities, axis=1)])

    def next_row(self, skipped: tuple[int, ...] = ()) -> int | None:
        """The row to label next, without the skipped rows; None if no row is left."""
        open_rows = ~np.isin(self.rows, skipped)
        if not open_rows.any():
            return None
        gains = np.where(open_rows, np.nan_to_num(self.gains, nan=-1.0), -np.inf)
        return int(self.rows[np.argmax(gains)])

    @property
    def far(self) -> Bool[BoolArray, " n"]:
        """Whether no labelled row is near, so that the probabilities mean little."""
        return np.asarray(self.variance > max(FAR, self.usual))


def predict_labels(model: Any, labels: ArrayLike) -> PredictedLabels:
    """Predict the labels of unlabelled training rows (−1) from the labels of the other rows.

    A logistic regression on the rows' latent positions, in lengthscales; probabilities are
    averaged over draws from q(x). The row to label next is the row whose label would most reduce
    the uncertainty of all other labels (Cohn et al. 1996). For this choice, labels are modelled as
    a Gaussian process over the map, with an RBF kernel of the map's lengthscales. The choice
    depends only on positions, so it also finds groups that no label explains yet.

    Parameters
    ----------
    model : estimator
        A fitted model with a latent map.
    labels : array_like of int, shape (N,)
        Labels of the training rows; −1 for none.

    Raises
    ------
    ValueError
        If fewer than two classes have labelled rows.
    """
    found: Labels = np.asarray(labels, dtype=np.int64)
    mean = np.asarray(model.latent_mean_)
    if found.shape != (len(mean),):
        raise ValueError(f"labels must be {len(mean)} numbers, one for each row; got {found.shape}")
    classes = np.unique(found[found >= 0])
    if len(classes) < 2:
        raise ValueError(
            f"labels must have at least two classes; {len(classes)} has rows. Label a row of "
            "another class first."
        )
    points = mean * model.latent_scale_
    variance = getattr(model, "latent_variance_", None)
    spread = np.zeros_like(points) if variance is None else np.sqrt(variance) * model.latent_scale_
    known, open_rows = np.flatnonzero(found >= 0), np.flatnonzero(found < 0)
    half = np.random.default_rng(0).standard_normal((DRAWS // 2, points.shape[1]))
    draws = np.vstack([half, -half])  # antithetic draws, the same for every row
    learnt = _learnt(points[known], found[known])
    averaged = [learnt(points[open_rows] + spread[open_rows] * draw, classes) for draw in draws]
    probabilities = np.mean(averaged, axis=0)
    variance, usual, gains = _told(points[known], points[open_rows])
    right = _right(points[known], found[known], classes)
    told = probabilities, variance, usual, gains
    return PredictedLabels(classes, open_rows, *told, right, len(known))


def _learnt(points: Float[Array, "n Q"], labels: Labels) -> Any:
    """A function from points and classes to probabilities, (m, K)."""
    from sklearn.linear_model import LogisticRegression

    own = np.unique(labels)
    fitted = None
    if len(own) > 1:
        fitted = LogisticRegression(C=STRENGTH, max_iter=500).fit(points, labels)

    def probabilities(at: Float[Array, "m Q"], classes: Labels) -> Float[Array, "m K"]:
        found = np.zeros((len(at), len(classes)))
        of_own = 1.0 if fitted is None else fitted.predict_proba(at)
        found[:, np.searchsorted(classes, own)] = of_own
        return found

    return probabilities


def _told(
    known: Float[Array, "k Q"], others: Float[Array, "n Q"]
) -> tuple[Float[Array, " n"], float, Float[Array, " n"]]:
    """The variance of the unknown labels given the known labels, what 95 % of the known labels do
    not exceed, and the gain of each unknown label.

    The label of row i reduces the variance of row j by cov(i, j)² / (cov(i, i) + noise). If there
    are many rows, only evenly spaced rows are tried and counted; the gain of the others is NaN.
    """
    kernel = RBF(1.0, np.ones(known.shape[1]))
    factor = factorise(kernel.K(known) + NOISE * np.eye(len(known)))
    half = factor.solve_lower(kernel.K(known, others))
    variance = np.maximum(1.0 - np.sum(half**2, axis=0), 0.0)
    # Given the others, the variance of entry i of a Gaussian is 1 / [C⁻¹]_ii.
    apart = 1.0 / np.diag(factor.inverse()) - NOISE
    usual = float(np.quantile(apart, MOST)) if len(known) >= ENOUGH else FAR
    gains = np.full(len(others), np.nan)
    some = spread_rows(len(others), MOST_ROWS)
    covariance = kernel.K(others[some]) - half[:, some].T @ half[:, some]
    squares = np.sum(covariance**2, axis=1) - variance[some] ** 2
    gains[some] = squares / (variance[some] + NOISE)
    return variance, usual, gains


def _right(points: Float[Array, "k Q"], labels: Labels, classes: Labels) -> int:
    """The number of labelled rows that the others predict correctly, in at most ten parts."""
    parts = np.random.default_rng(0).permutation(len(labels)) % min(FOLDS, len(labels))
    right = 0
    for part in np.unique(parts):
        held = parts == part
        found = _learnt(points[~held], labels[~held])(points[held], classes)
        right += int(np.sum(classes[np.argmax(found, axis=1)] == labels[held]))
    return right
