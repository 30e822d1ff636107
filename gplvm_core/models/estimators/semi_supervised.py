"""Semi-supervised classification: a latent map of all rows, a classifier of the labelled rows."""

from typing import Any, Self

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from gplvm_core.models.data.labels import UNLABELLED, labelled_rows
from gplvm_core.models.data.rows import checked_rows, take_names
from gplvm_core.models.estimators.bayesian import BayesianGPLVM
from gplvm_core.models.estimators.classifier import Classifier
from gplvm_core.models.estimators.documentation import documented
from gplvm_core.models.estimators.estimator import LatentVariableModel
from gplvm_core.models.estimators.second_stage import map_only
from gplvm_core.models.estimators.settings import Seed
from gplvm_core.models.estimators.trained import whole
from gplvm_core.models.training.run import as_random_state
from gplvm_core.numerics import Array
from gplvm_core.readers.frames import one_table


@documented
class SemiSupervisedClassifier(Classifier):
    """Latent variable model of all rows, and a classifier of the latent points of labelled rows.

    The classifier trains on draws from q(x) in units of the lengthscales, so that dimensions that
    are off have no effect. `save` needs a LogisticRegression; with another classifier, save only
    `embedding_`. With BayesianGPLVM(kinds=…) the rows may have words and counts. Alternatively, use
    ManifoldRelevance with the labels as a view; the labels then also influence the map. Source:
    Damianou (2015), §4.3.3.

    Parameters
    ----------
    estimator : LatentVariableModel or None, default None
        An unfitted model of this package. None: BayesianGPLVM().
    classifier : classifier or None, default None
        An unfitted scikit-learn classifier with predict_proba. None: LogisticRegression.
    n_samples : int, default 10
        The number of draws from q(x) of each row. In training, every draw has the label of its row.
        In prediction, the probabilities are averaged over the draws.
    random_state : int or Generator or RandomState or None, default None
        The seed of the draws and of the default estimator.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The class labels.
    embedding_ : LatentVariableModel
        The fitted model of all rows.
    classifier_ : classifier
        The fitted classifier.
    feature_scale_ : ndarray of shape (Q,)
        The factors from latent points to the inputs of the classifier.
    draws_ : ndarray of shape (n_samples, Q)
        The standard normal draws that predictions use.
    n_features_in_ : int
        The number of columns of the training data.
    feature_names_in_ : ndarray of str, shape (D,)
        The column names of the training data; only defined for a data frame with text names.

    Examples
    --------
    The label −1 marks rows without a label.

    >>> import numpy as np
    >>> from gplvm_core import BayesianGPLVM, SemiSupervisedClassifier
    >>> X = np.random.default_rng(0).standard_normal((40, 3))
    >>> X[20:] += 4.0
    >>> y = np.full(40, -1)
    >>> y[:3], y[20:23] = 0, 1
    >>> embedding = BayesianGPLVM(2, 8, max_iter=20, random_state=0)
    >>> model = SemiSupervisedClassifier(embedding, random_state=0).fit(X, y)
    >>> model.predict([[0.0, 0.0, 0.0], [4.0, 4.0, 4.0]])
    array([0, 1])
    """

    def __init__(
        self,
        estimator: LatentVariableModel | None = None,
        classifier: Any = None,
        n_samples: int = 10,
        random_state: Seed = None,
    ) -> None:
        self.estimator = estimator
        self.classifier = classifier
        self.n_samples = n_samples
        self.random_state = random_state

    @whole
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit the model to all rows, and the classifier to the labelled rows.

        Parameters
        ----------
        X : array_like or DataFrame of shape (N, D)
            Rows; NaN or None marks missing values.
        y : array_like of shape (N,)
            Labels; −1 (scikit-learn's convention), NaN, None or blank text marks a row without a
            label.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            If fewer than two classes have labelled rows, or if a setting is not allowed.
        """
        if self.n_samples < 1:
            raise ValueError(f"n_samples must be at least 1; got {self.n_samples!r}")
        rows = self._rows(X, reset=True)
        labelled, labels = labelled_rows(y, type(self).__name__)
        check_consistent_length(rows, labelled)
        self.classes_, which = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                "a classifier needs at least two classes; the labelled rows have one class, "
                f"{self.classes_.tolist()[0]!r} ({UNLABELLED} is not a class: it marks a row "
                "without a label)"
            )
        generator, classifier = as_random_state(self.random_state), self._base_classifier()
        # The argument y is given because scikit-learn's frozen models and pipelines need it.
        embedding = self._embedding(generator)
        with map_only(embedding):
            self.embedding_ = embedding.fit(rows, None)
        relevance = self.embedding_.relevance_
        # The factors are the inverse lengthscales relative to the smallest lengthscale. Dimensions
        # that barely change the outputs then cannot separate classes.
        self.feature_scale_ = np.sqrt(relevance / relevance.max())
        mean = self.embedding_.latent_mean_[labelled]
        std = np.sqrt(self.embedding_.latent_variance_[labelled])
        noise = generator.standard_normal((self.n_samples, *mean.shape))
        points = (self.feature_scale_ * (mean + std * noise)).reshape(-1, mean.shape[1])
        self.classifier_ = classifier.fit(points, np.tile(which, self.n_samples))
        half = generator.standard_normal((-(-self.n_samples // 2), mean.shape[1]))
        # The draws are antithetic pairs. They are the same for every row, so that the prediction
        # for a row does not depend on other rows.
        self.draws_ = np.vstack([half, -half])[: self.n_samples]
        return self

    def predict_proba(self, X: ArrayLike) -> Float[Array, "N K"]:
        """Return the class probabilities of each row, averaged over draws from its q(x*).

        Parameters
        ----------
        X : array_like of shape (n, D)
            Rows; NaN marks missing values.

        Returns
        -------
        ndarray of shape (n, K)
            Probabilities in the order of `classes_`.
        """
        check_is_fitted(self)
        rows = self._rows(X, reset=False)
        mean, std = self.embedding_.transform(rows, return_std=True)
        points = [self.feature_scale_ * (mean + std * draw) for draw in self.draws_]
        return np.asarray(np.mean([self.classifier_.predict_proba(at) for at in points], axis=0))

    def _rows(self, X: Any, *, reset: bool) -> Any:
        """Check rows of numbers; rows of several kinds are checked by the embedding."""
        if getattr(self.estimator, "kinds", None) is None:
            return checked_rows(self, X, reset=reset)
        given = one_table(X)
        take_names(self, given, reset=reset)
        return given

    def _embedding(self, generator: np.random.RandomState) -> Any:
        if self.estimator is None:
            return BayesianGPLVM(random_state=generator.randint(2**31 - 1))
        return clone(self.estimator)

    def _base_classifier(self) -> Any:
        if self.classifier is None:
            from sklearn.linear_model import LogisticRegression

            return LogisticRegression(max_iter=1000)
        if not hasattr(self.classifier, "predict_proba"):
            raise ValueError(
                f"the classifier must have a method predict_proba, because probabilities are "
                f"averaged over draws; got {self.classifier!r}"
            )
        return clone(self.classifier)
