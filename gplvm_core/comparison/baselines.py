"""Baselines for comparisons, with a density of rows or outputs."""

from typing import Any, Literal, Self

import numpy as np
from jaxtyping import Float
from sklearn.base import BaseEstimator, RegressorMixin, clone

from gplvm_core.comparison.repeated import gaussian
from gplvm_core.models import ProbabilisticPCA
from gplvm_core.numerics import Array

INNER_FOLDS = 5
# The smallest noise, as a fraction of the outputs' standard deviation. Smaller noise gives
# meaningless densities.
LEAST_NOISE = 1e-6
# Candidate numbers of principal components.
COMPONENTS = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200)


class WithNoise(RegressorMixin, BaseEstimator):
    """A regressor with Gaussian noise around its predictions, one variance per output.

    The variance is computed from residuals in cross-validation on the training rows, because
    residuals of a flexible model on its own training rows are too small.
    """

    def __init__(self, regressor: Any, random_state: int | None = None) -> None:
        self.regressor = regressor
        self.random_state = random_state

    def fit(self, X: Float[Array, "N Q"], y: Float[Array, "N D"]) -> Self:
        """Train on all rows, and estimate the noise by cross-validation."""
        from sklearn.model_selection import KFold, cross_val_predict

        outputs = y[:, 0] if y.shape[1] == 1 else y
        folds = KFold(INNER_FOLDS, shuffle=True, random_state=self.random_state)
        predicted = cross_val_predict(clone(self.regressor), X, outputs, cv=folds)
        wrong = y - predicted.reshape(y.shape)
        least = LEAST_NOISE * np.maximum(y.std(axis=0), np.finfo(float).tiny)
        self.std_ = np.maximum(np.sqrt(np.mean(wrong**2, axis=0)), least)
        self.regressor_ = clone(self.regressor).fit(X, outputs)
        return self

    def predict(self, X: Float[Array, "N Q"]) -> Float[Array, "..."]:
        return np.asarray(self.regressor_.predict(X))

    def score_samples(self, X: Float[Array, "N Q"], y: Float[Array, "N D"]) -> Float[Array, " N"]:
        """Return log p(y | x) of each row in nats."""
        return gaussian(y - self.predict(X).reshape(y.shape), self.std_)


class ChosenPCA(BaseEstimator):
    """Probabilistic PCA that chooses its number of components by cross-validation."""

    def __init__(
        self,
        scaling: Literal["global", "columns", "none"] = "global",
        random_state: int | None = None,
    ) -> None:
        self.scaling = scaling
        self.random_state = random_state

    def fit(self, Y: Float[Array, "N D"]) -> Self:
        """Choose the number of components by cross-validation, then train on all rows."""
        from sklearn.model_selection import GridSearchCV, KFold

        folds = KFold(3, shuffle=True, random_state=self.random_state)
        # The rank of a training part limits the number of components.
        most = min(2 * len(Y) // 3, Y.shape[1]) - 1
        numbers = [number for number in COMPONENTS if number <= max(most, 1)]
        search = GridSearchCV(
            ProbabilisticPCA(scaling=self.scaling), {"n_components": numbers}, cv=folds
        )
        self.model_ = search.fit(Y).best_estimator_
        return self

    def score_samples(self, Y: Float[Array, "N D"]) -> Float[Array, " N"]:
        """Return log p(y) of each row in nats."""
        return np.asarray(self.model_.score_samples(Y))

    def complete(self, Y: Float[Array, "N D"], *, return_std: bool = False) -> Any:
        """Fill missing values; see `ProbabilisticPCA.complete`."""
        return self.model_.complete(Y, return_std=return_std)

    def sample(self, n_samples: int = 1, random_state: int | None = None) -> Float[Array, "S D"]:
        """Draw rows from the model."""
        return np.asarray(self.model_.sample(n_samples, random_state=random_state))
