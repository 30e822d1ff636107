"""A classifier from densities: one latent variable model per class, and Bayes' rule."""

from typing import Any, Self

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax
from sklearn.base import ClassifierMixin, clone
from sklearn.utils import Tags, assert_all_finite, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from gplvm_core.models.data.labels import checked_labels
from gplvm_core.models.data.rows import as_floats, checked_rows
from gplvm_core.models.estimators.base import GPModel
from gplvm_core.models.estimators.bayesian import BayesianGPLVM
from gplvm_core.models.estimators.documentation import documented
from gplvm_core.models.estimators.estimator import LatentVariableModel
from gplvm_core.models.estimators.second_stage import map_only
from gplvm_core.models.estimators.trained import whole
from gplvm_core.numerics import Array
from gplvm_core.readers.errors import plural


class Classifier(ClassifierMixin, GPModel):
    """What the classifiers share; a subclass has `predict_proba`, and copies of an estimator."""

    estimator: Any
    classes_: NDArray[Any]

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the most probable class of each row.

        Parameters
        ----------
        X : array_like of shape (n, D)
            Rows; NaN marks missing values, if the estimator accepts them.

        Returns
        -------
        ndarray of shape (n,)
            Class labels.
        """
        probability = self.predict_proba(X)
        return np.asarray(self.classes_[np.argmax(probability, axis=1)])

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the share of rows whose class is predicted correctly.

        Parameters
        ----------
        X : array_like of shape (n, D)
            Rows; NaN marks missing values, if the estimator accepts them.
        y : array_like of shape (n,)
            The true labels.
        sample_weight : array_like of shape (n,), optional
            The weights of the rows.

        Returns
        -------
        float
            The accuracy, from 0 to 1.
        """
        weights = None if sample_weight is None else as_floats(sample_weight, "sample_weight")
        return float(super().score(X, checked_labels(y, type(self).__name__), weights))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        estimator = BayesianGPLVM() if self.estimator is None else self.estimator
        tags.input_tags.allow_nan = get_tags(estimator).input_tags.allow_nan
        return tags


@documented
class GenerativeClassifier(Classifier):
    """Classifier with one density model per class: p(class | y) ∝ p(class) p(y | class).

    Rows with missing values (NaN) are classified by their observed values, if the estimator accepts
    missing values. All columns must be numbers, because the rows of a class may lack words that
    occur in other classes. For tables with words use SemiSupervisedClassifier or ManifoldRelevance.
    Source: Titsias & Lawrence (2010), §5.3.

    Parameters
    ----------
    estimator : LatentVariableModel or None, default None
        An unfitted model, copied for every class. None: a BayesianGPLVM with 10 latent dimensions,
        30 inducing inputs and 150 iterations.
    prior : {"empirical", "uniform"} or array_like of shape (K,), default "empirical"
        The class probabilities: the proportions of the training rows, equal probabilities, or an
        array in the order of `classes_`.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The class labels.
    class_prior_ : ndarray of shape (K,)
        The prior probabilities of the classes.
    models_ : tuple of LatentVariableModel
        The fitted model of each class.
    n_features_in_ : int
        The number of columns of the training data.
    feature_names_in_ : ndarray of str, shape (D,)
        The column names of the training data; only defined for a data frame with text names.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import GenerativeClassifier, ProbabilisticPCA
    >>> X = np.random.default_rng(0).standard_normal((40, 3))
    >>> X[20:] += 4.0
    >>> model = GenerativeClassifier(ProbabilisticPCA(1)).fit(X, ["near"] * 20 + ["far"] * 20)
    >>> model.predict([[0.0, 0.0, 0.0], [4.0, np.nan, 4.0]]).tolist()
    ['near', 'far']
    """

    def __init__(
        self, estimator: LatentVariableModel | None = None, prior: str | ArrayLike = "empirical"
    ) -> None:
        self.estimator = estimator
        self.prior = prior

    @whole
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit one model to the rows of each class.

        Parameters
        ----------
        X : array_like of shape (N, D)
            Rows; NaN marks missing values, if the estimator accepts them.
        y : array_like of shape (N,)
            Class labels.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            If there are fewer than two classes, or if a class has a single row.
        """
        rows, labels = checked_rows(self, X, reset=True), checked_labels(y, type(self).__name__)
        check_consistent_length(rows, labels)
        assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
        self.classes_, which, counts = np.unique(labels, return_inverse=True, return_counts=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"a classifier needs at least two classes; got 1 class, {_shown(self.classes_[0])}"
            )
        lonely = self.classes_[counts < 2]
        if len(lonely):
            raise ValueError(
                f"every class needs at least 2 rows to fit its density; class {_shown(lonely[0])} "
                f"has 1 row ({len(lonely)} such classes): add rows of such a class, or leave it out"
            )
        self.class_prior_ = self._prior(counts)
        self.models_ = tuple(
            self._fit_class(rows[which == k], label) for k, label in enumerate(self.classes_)
        )
        return self

    def predict_proba(self, X: ArrayLike) -> Float[Array, "N K"]:
        """Return the class probabilities of each row.

        Parameters
        ----------
        X : array_like of shape (n, D)
            Rows; NaN marks missing values, if the estimator accepts them.

        Returns
        -------
        ndarray of shape (n, K)
            Probabilities in the order of `classes_`.
        """
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: ArrayLike) -> Float[Array, "N K"]:
        """Return the logarithms of the class probabilities. They do not underflow.

        Parameters
        ----------
        X : array_like of shape (n, D)
            Rows; NaN marks missing values, if the estimator accepts them.

        Returns
        -------
        ndarray of shape (n, K)
            Log probabilities in the order of `classes_`.
        """
        return np.asarray(log_softmax(self._log_joint(X), axis=1))

    def _log_joint(self, X: ArrayLike) -> Array:
        """log p(row, class)."""
        check_is_fitted(self)
        rows = checked_rows(self, X, reset=False)
        densities = [model.score_samples(rows) for model in self.models_]
        return np.stack(densities, axis=1) + np.log(self.class_prior_)

    def _fit_class(self, rows: Array, label: Any) -> LatentVariableModel:
        try:
            model = self._base()
            with map_only(model):
                return model.fit(rows)
        except ValueError as error:
            raise ValueError(
                f"class {_shown(label)} ({plural(len(rows), 'row')}): {error}"
            ) from error

    def _base(self) -> Any:
        """A fresh copy of the model of one class."""
        if self.estimator is None:
            return BayesianGPLVM(n_components=10, n_inducing=30, max_iter=150, random_state=0)
        return clone(self.estimator)

    def _prior(self, counts: NDArray[np.intp]) -> Float[Array, " K"]:
        if isinstance(self.prior, str):
            if self.prior == "empirical":
                return np.asarray(counts / counts.sum())
            if self.prior == "uniform":
                return np.full(len(counts), 1.0 / len(counts))
            raise ValueError(
                f"prior must be empirical, uniform or an array of probabilities; got {self.prior!r}"
            )
        given = as_floats(self.prior, "prior")
        if given.shape != counts.shape or not (given > 0).all() or not np.isclose(given.sum(), 1):
            raise ValueError(
                f"prior must be {len(counts)} positive probabilities that sum to 1, one per class; "
                f"got {self.prior!r}"
            )
        return given


def _shown(label: Any) -> str:
    """A label as Python text, without NumPy's type: 'round' or 3, for example."""
    return repr(label.item() if isinstance(label, np.generic) else label)
