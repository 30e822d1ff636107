"""A classifier from densities: one latent variable model per class, and Bayes' rule."""

from typing import Any, Self

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from gplvm_core.models.data.rows import readable
from gplvm_core.models.estimators.bayesian import BayesianGPLVM
from gplvm_core.models.estimators.estimator import LatentVariableModel
from gplvm_core.models.estimators.fitted import Saved
from gplvm_core.models.estimators.trained import whole
from gplvm_core.numerics import Array


class GenerativeClassifier(Saved, ClassifierMixin, BaseEstimator):
    """p(class | y) ∝ p(class) p(y | the class's rows): a density per class (Bayes' rule).

    estimator : an unfitted model of this package (default: a BayesianGPLVM with 10 latent
        dimensions, 30 inducing inputs and 150 iterations); every class fits a copy of its own
    prior : "empirical" (the classes' shares of the rows), "uniform", or one probability per class
        in the order of `classes_`

    Rows to predict may miss entries (NaN) where the estimator allows them: they are classified by
    what is observed. Source: Titsias & Lawrence (2010), §5.3.
    """

    def __init__(
        self, estimator: LatentVariableModel | None = None, prior: str | ArrayLike = "empirical"
    ) -> None:
        self.estimator = estimator
        self.prior = prior

    @whole
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit one model to the rows of X (N × D) of every class in y (N).

        Raises ValueError for less than two classes, and for a class of a single row.
        """
        rows, labels = validate_data(
            self,
            readable(X),
            y,
            dtype=np.float64,
            ensure_all_finite=self._finite(),
            ensure_min_samples=2,
        )
        check_classification_targets(labels)
        self.classes_, which, counts = np.unique(labels, return_inverse=True, return_counts=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"a classifier needs at least two classes; got 1 class, {_shown(self.classes_[0])}"
            )
        lonely = self.classes_[counts < 2]
        if len(lonely):
            raise ValueError(
                f"every class needs at least 2 rows to fit a density to; class "
                f"{_shown(lonely[0])} has 1 ({len(lonely)} such in all): add rows of it, or leave "
                "it out"
            )
        self.class_prior_ = self._prior(counts)
        self.models_ = tuple(
            self._fit_class(rows[which == k], label) for k, label in enumerate(self.classes_)
        )
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The most probable class of each row."""
        joint = self._log_joint(X)
        return np.asarray(self.classes_[np.argmax(joint, axis=1)])

    def predict_proba(self, X: ArrayLike) -> Float[Array, "N K"]:
        """The probability of every class for each row, in the order of `classes_`."""
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: ArrayLike) -> Float[Array, "N K"]:
        """The logarithms of `predict_proba`, finite also where that underflows."""
        return np.asarray(log_softmax(self._log_joint(X), axis=1))

    def _log_joint(self, X: ArrayLike) -> Array:
        """log p(row, class)."""
        check_is_fitted(self)
        rows = validate_data(
            self, readable(X), reset=False, dtype=np.float64, ensure_all_finite=self._finite()
        )
        densities = [model.score_samples(rows) for model in self.models_]
        return np.stack(densities, axis=1) + np.log(self.class_prior_)

    def _fit_class(self, rows: Array, label: Any) -> LatentVariableModel:
        try:
            return self._base().fit(rows)
        except ValueError as error:
            raise ValueError(f"class {_shown(label)} ({len(rows)} rows): {error}") from error

    def _base(self) -> Any:
        """A fresh copy of the model of one class."""
        if self.estimator is None:
            return BayesianGPLVM(n_components=10, n_inducing=30, max_iter=150, random_state=0)
        return clone(self.estimator)

    def _finite(self) -> bool | str:
        """What validate_data asks of X: gaps are fine where the estimator takes them."""
        return "allow-nan" if get_tags(self._base()).input_tags.allow_nan else True

    def _prior(self, counts: NDArray[np.intp]) -> Float[Array, " K"]:
        if isinstance(self.prior, str):
            if self.prior == "empirical":
                return np.asarray(counts / counts.sum())
            if self.prior == "uniform":
                return np.full(len(counts), 1.0 / len(counts))
            raise ValueError(
                f"prior must be empirical, uniform or an array of probabilities; got {self.prior!r}"
            )
        given = np.asarray(self.prior, dtype=np.float64)
        if given.shape != counts.shape or not (given > 0).all() or not np.isclose(given.sum(), 1):
            raise ValueError(
                f"prior must be {len(counts)} positive probabilities that sum to 1, one per class; "
                f"got {self.prior!r}"
            )
        return given

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = get_tags(self._base()).input_tags.allow_nan
        return tags


def _shown(label: Any) -> str:
    """A label as a person writes it: 'round', or 3."""
    return repr(label.item() if isinstance(label, np.generic) else label)
