"""Base lines that every model must be held against, with a density of their own."""

from typing import Any, Self

import numpy as np
from jaxtyping import Float
from sklearn.base import BaseEstimator, RegressorMixin, clone

from gplvm_core.comparison.repeated import gaussian
from gplvm_core.numerics import Array

INNER_FOLDS = 5
# A residual is at least this share of the outputs' spread: below, a density says nothing more.
LEAST_NOISE = 1e-6
# Sizes of mixture that are tried, and the most columns of one with full covariances.
SIZES, MOST_FULL = (1, 2, 3, 5, 10, 20), 40
# What keeps a component from closing in on single rows, in units of the columns' variance.
LEAST_VARIANCE = 1e-4


class WithNoise(RegressorMixin, BaseEstimator):
    """A regressor with Gaussian noise about its predictions, one variance an output.

    The variance is that of the residuals of predictions by cross-validation within the training
    rows: those on rows that a flexible model was trained on would promise too much.
    """

    def __init__(self, regressor: Any, random_state: int | None = None) -> None:
        self.regressor = regressor
        self.random_state = random_state

    def fit(self, X: Float[Array, "N Q"], y: Float[Array, "N D"]) -> Self:
        """Train on all rows, and find the noise on parts of them in turn."""
        from sklearn.model_selection import KFold, cross_val_predict

        outputs = y[:, 0] if y.shape[1] == 1 else y
        folds = KFold(INNER_FOLDS, shuffle=True, random_state=self.random_state)
        told = cross_val_predict(clone(self.regressor), X, outputs, cv=folds)
        wrong = y - told.reshape(y.shape)
        least = LEAST_NOISE * np.maximum(y.std(axis=0), np.finfo(float).tiny)
        self.std_ = np.maximum(np.sqrt(np.mean(wrong**2, axis=0)), least)
        self.regressor_ = clone(self.regressor).fit(X, outputs)
        return self

    def predict(self, X: Float[Array, "N Q"]) -> Float[Array, "..."]:
        return np.asarray(self.regressor_.predict(X))

    def score_samples(self, X: Float[Array, "N Q"], y: Float[Array, "N D"]) -> Float[Array, " N"]:
        """log p(y | x) of each row in nats."""
        return gaussian(y - self.predict(X).reshape(y.shape), self.std_)


class Mixture(BaseEstimator):
    """A mixture of Gaussians whose size and covariances are chosen on rows kept aside in training.

    Columns are standardised inside; densities are of the rows as given.
    """

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def fit(self, Y: Float[Array, "N D"]) -> Self:
        """Try every size on parts of the rows in turn, then train the best on all."""
        from sklearn.mixture import GaussianMixture
        from sklearn.model_selection import GridSearchCV, KFold

        self.center_, scale = Y.mean(axis=0), Y.std(axis=0)
        self.scale_ = np.where(scale > 0.0, scale, 1.0)
        folds = KFold(3, shuffle=True, random_state=self.random_state)
        kinds = ["full", "diag"] if Y.shape[1] <= MOST_FULL else ["diag"]
        sizes = [size for size in SIZES if size <= len(Y) // 3]
        mixture = GaussianMixture(reg_covar=LEAST_VARIANCE, random_state=self.random_state)
        search = GridSearchCV(mixture, {"n_components": sizes, "covariance_type": kinds}, cv=folds)
        self.mixture_ = search.fit(self._standardised(Y)).best_estimator_
        return self

    def score_samples(self, Y: Float[Array, "N D"]) -> Float[Array, " N"]:
        """log p(y) of each row in nats."""
        density = self.mixture_.score_samples(self._standardised(Y))
        return np.asarray(density - np.sum(np.log(self.scale_)))

    def _standardised(self, Y: Float[Array, "N D"]) -> Array:
        return np.asarray((Y - self.center_) / self.scale_)
