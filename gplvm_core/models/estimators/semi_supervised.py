"""Semi-supervised classification: features from all rows, a classifier from the labelled ones."""

from typing import Any, Self

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from gplvm_core.models.data.labels import UNLABELLED, labelled_rows
from gplvm_core.models.data.rows import checked_rows
from gplvm_core.models.estimators.bayesian import BayesianGPLVM
from gplvm_core.models.estimators.estimator import LatentVariableModel
from gplvm_core.models.estimators.fitted import Saved
from gplvm_core.models.estimators.settings import Seed
from gplvm_core.models.estimators.trained import whole
from gplvm_core.models.training.run import as_random_state
from gplvm_core.numerics import Array


class SemiSupervisedClassifier(Saved, ClassifierMixin, BaseEstimator):
    """A latent variable model of all rows, and a classifier on draws from q(x) of labelled ones.

    estimator : an unfitted model of this package (default: BayesianGPLVM())
    classifier : an unfitted scikit-learn classifier that has predict_proba (default:
        LogisticRegression)
    n_samples : draws from q(x_n) of each labelled row, all with its label, and of each row to
        predict, over which probabilities are averaged
    random_state : of the draws, and of the default estimator

    The classifier is given latent points in units of the lengthscales, so that dimensions that
    are off vanish. `embedding_` is the fitted model, `classifier_` the fitted classifier. `save`
    takes both where the classifier is a LogisticRegression; with another classifier save
    `embedding_` alone. Source: Damianou (2015), §4.3.3.
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
        """Fit to all rows of X (N × D; NaN = missing) and the labels y (N) that there are.

        −1 marks a row without label (scikit-learn's convention), as do NaN and None. Raises
        ValueError when no row is labelled, or all that are have one class.
        """
        if self.n_samples < 1:
            raise ValueError(f"n_samples must be at least 1; got {self.n_samples!r}")
        rows = checked_rows(self, X, reset=True)
        labelled, labels = labelled_rows(y, type(self).__name__)
        check_consistent_length(rows, labelled)
        self.classes_, which = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                "a classifier needs at least two classes; the labelled rows have one class, "
                f"{self.classes_.tolist()[0]!r} ({UNLABELLED} marks a row without label, no class)"
            )
        generator, classifier = as_random_state(self.random_state), self._base_classifier()
        # Frozen models and pipelines want a y, if only None.
        self.embedding_ = self._embedding(generator).fit(rows, None)
        relevance = self.embedding_.relevance_
        # In units of the lengthscales, the least of which is 1: where a dimension changes the
        # outputs little, or is off, classes cannot differ either.
        self.feature_scale_ = np.sqrt(relevance / relevance.max())
        mean = self.embedding_.latent_mean_[labelled]
        std = np.sqrt(self.embedding_.latent_variance_[labelled])
        noise = generator.standard_normal((self.n_samples, *mean.shape))
        points = (self.feature_scale_ * (mean + std * noise)).reshape(-1, mean.shape[1])
        self.classifier_ = classifier.fit(points, np.tile(which, self.n_samples))
        half = generator.standard_normal((-(-self.n_samples // 2), mean.shape[1]))
        # Pairs on opposite sides of the mean; the same for every row to predict, so that what is
        # said of a row depends on no other.
        self.draws_ = np.vstack([half, -half])[: self.n_samples]
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The most probable class of each row."""
        probability = self.predict_proba(X)
        return np.asarray(self.classes_[np.argmax(probability, axis=1)])

    def predict_proba(self, X: ArrayLike) -> Float[Array, "N K"]:
        """The probability of every class for each row, averaged over draws from its q(x*)."""
        check_is_fitted(self)
        rows = checked_rows(self, X, reset=False)
        mean, std = self.embedding_.transform(rows, return_std=True)
        points = [self.feature_scale_ * (mean + std * draw) for draw in self.draws_]
        return np.asarray(np.mean([self.classifier_.predict_proba(at) for at in points], axis=0))

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
                f"the classifier must have predict_proba, since probabilities are averaged over "
                f"draws; got {self.classifier!r}"
            )
        return clone(self.classifier)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        estimator = BayesianGPLVM() if self.estimator is None else self.estimator
        tags.input_tags.allow_nan = get_tags(estimator).input_tags.allow_nan
        return tags
