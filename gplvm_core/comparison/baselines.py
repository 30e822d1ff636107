"""Base lines that every model must be held against, with a density of their own."""

from typing import Any, Literal, Self

import numpy as np
from jaxtyping import Float
from sklearn.base import BaseEstimator, RegressorMixin, clone

from gplvm_core.comparison.repeated import gaussian
from gplvm_core.models import ProbabilisticPCA
from gplvm_core.numerics import Array

INNER_FOLDS = 5
# A residual is at least this share of the outputs' spread: below, a density says nothing more.
LEAST_NOISE = 1e-6
# Numbers of principal components that are tried.
COMPONENTS = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200)


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


class ChosenPCA(BaseEstimator):
    """Probabilistic PCA whose number of components is chosen on rows kept aside in training."""

    def __init__(
        self,
        scaling: Literal["global", "columns", "none"] = "global",
        random_state: int | None = None,
    ) -> None:
        self.scaling = scaling
        self.random_state = random_state

    def fit(self, Y: Float[Array, "N D"]) -> Self:
        """Try every number on parts of the rows in turn, then train the best on all."""
        from sklearn.model_selection import GridSearchCV, KFold

        folds = KFold(3, shuffle=True, random_state=self.random_state)
        # Of a training part with so many rows and columns there are no more.
        most = min(2 * len(Y) // 3, Y.shape[1]) - 1
        numbers = [number for number in COMPONENTS if number <= max(most, 1)]
        search = GridSearchCV(
            ProbabilisticPCA(scaling=self.scaling), {"n_components": numbers}, cv=folds
        )
        self.model_ = search.fit(Y).best_estimator_
        return self

    def score_samples(self, Y: Float[Array, "N D"]) -> Float[Array, " N"]:
        """log p(y) of each row in nats."""
        return np.asarray(self.model_.score_samples(Y))

    def complete(self, Y: Float[Array, "N D"], *, return_std: bool = False) -> Any:
        """As `ProbabilisticPCA.complete`."""
        return self.model_.complete(Y, return_std=return_std)

    def sample(self, n_samples: int = 1, random_state: int | None = None) -> Float[Array, "S D"]:
        """Rows that the model draws."""
        return np.asarray(self.model_.sample(n_samples, random_state=random_state))
