"""Base lines that every model must be held against, with a density of their own."""

from typing import Any, Literal, Self

import numpy as np
from jaxtyping import Bool, Float
from sklearn.base import BaseEstimator, RegressorMixin, clone

from gplvm_core.comparison.repeated import gaussian
from gplvm_core.models import ProbabilisticPCA
from gplvm_core.numerics import Array, factorise

INNER_FOLDS = 5
# A residual is at least this share of the outputs' spread: below, a density says nothing more.
LEAST_NOISE = 1e-6
# Sizes of mixture that are tried, and the most columns of one with full covariances.
SIZES, MOST_FULL = (1, 2, 3, 5, 10, 20), 40
# Numbers of principal components that are tried.
COMPONENTS = (1, 2, 3, 5, 10, 20, 30, 50)
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

    scaling: inside, "columns" standardises each, "global" takes one unit for all, so that columns
    that hardly change do not count as much as the others. Densities are of the rows as given.
    """

    def __init__(
        self, random_state: int | None = None, scaling: Literal["global", "columns"] = "columns"
    ) -> None:
        self.scaling = scaling
        self.random_state = random_state

    def fit(self, Y: Float[Array, "N D"]) -> Self:
        """Try every size on parts of the rows in turn, then train the best on all."""
        from sklearn.mixture import GaussianMixture
        from sklearn.model_selection import GridSearchCV, KFold

        self.center_, scale = Y.mean(axis=0), Y.std(axis=0)
        if self.scaling == "global":
            scale = np.full_like(scale, np.sqrt(np.mean(scale**2)))
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

    def complete(
        self, Y: Float[Array, "N D"], *, return_std: bool = False
    ) -> Float[Array, "N D"] | tuple[Float[Array, "N D"], Float[Array, "N D"]]:
        """Rows with what is missing (NaN) at its mean given the rest; return_std: its spread."""
        given = self._standardised(Y)
        mean, std = given.copy(), np.zeros_like(given)
        for row in range(len(given)):
            hidden = np.isnan(given[row])
            if hidden.any():
                mean[row, hidden], std[row, hidden] = self._conditional(given[row], hidden)
        whole = np.where(np.isnan(Y), self.center_ + self.scale_ * mean, Y)
        return (whole, self.scale_ * std) if return_std else whole

    def _conditional(self, row: Float[Array, " D"], hidden: Bool[Array, " D"]) -> Any:
        """Mean and standard deviation of the hidden entries of a row: those of a mixture."""
        seen, mixture = np.logical_not(hidden), self.mixture_
        weights = np.log(mixture.weights_)
        means, variances = np.empty((2, len(weights), int(hidden.sum())))
        for k, covariance in enumerate(mixture.covariances_):
            away = row[seen] - mixture.means_[k, seen]
            means[k] = mixture.means_[k, hidden]
            if covariance.ndim == 1:
                weights[k] += gaussian(away[None], np.sqrt(covariance[seen]))[0]
                variances[k] = covariance[hidden]
                continue
            factor = factorise(covariance[np.ix_(seen, seen)])
            across = factor.solve_lower(covariance[np.ix_(seen, hidden)])
            white = factor.solve_lower(away[:, None])[:, 0]
            constant = factor.log_determinant + len(away) * np.log(2.0 * np.pi)
            weights[k] -= 0.5 * (white @ white + constant)
            means[k] += across.T @ white
            variances[k] = np.diag(covariance)[hidden] - np.sum(across**2, axis=0)
        shares = np.exp(weights - weights.max())
        shares /= shares.sum()
        mean = shares @ means
        spread = shares @ (variances + means**2) - mean**2
        return mean, np.sqrt(np.maximum(spread, 0.0))

    def _standardised(self, Y: Float[Array, "N D"]) -> Array:
        return np.asarray((Y - self.center_) / self.scale_)


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
