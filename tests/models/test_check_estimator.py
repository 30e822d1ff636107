"""Run scikit-learn's own checks for every estimator of the package."""

from collections.abc import Callable
from typing import Any

import pytest
from sklearn.base import BaseEstimator
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import gplvm_core
from gplvm_core import (
    GPLVM,
    RBF,
    AutoregressiveGP,
    AverageOfStarts,
    BayesianGPLVM,
    BayesianPCA,
    DeepGP,
    DeepGPLVM,
    DeepManifoldRelevance,
    DynamicalGPLVM,
    Edge,
    GenerativeClassifier,
    ManifoldRelevance,
    Model,
    ProbabilisticPCA,
    SemiDescribedGPRegression,
    SemiSupervisedClassifier,
    SparseGPRegression,
    StateSpaceGPLVM,
)
from gplvm_core.models.problems import regression

# `make test` checks one estimator of each face: a latent variable model, views, a regression, a
# series, and a classifier.
QUICK = [
    AutoregressiveGP(2, 5, max_iter=2, random_state=0),
    BayesianGPLVM(2, 5, max_iter=2, random_state=0),
    GenerativeClassifier(ProbabilisticPCA(1)),
    ManifoldRelevance(2, 8, max_iter=2, random_state=0),
    SparseGPRegression(8, kernel=RBF(1.0, 2.0), max_iter=2, random_state=0),
]
OTHERS = [
    AverageOfStarts(BayesianGPLVM(2, 8, max_iter=2), 2, random_state=0),
    BayesianGPLVM(2, 8, max_iter=2, random_state=0, noise="per_output"),
    BayesianGPLVM(2, 8, max_iter=2, random_state=0, encoder="kernel"),
    BayesianGPLVM(2, 8, max_iter=2, random_state=0, encoder="network"),
    BayesianPCA(2, max_iter=2, random_state=0),
    DeepGP((1,), 5, max_iter=2, random_state=0),
    DeepGPLVM((2, 3), 8, max_iter=2, random_state=0),
    DeepManifoldRelevance((2, 3), 8, max_iter=2, random_state=0),
    DynamicalGPLVM(2, 8, max_iter=2, random_state=0),
    GPLVM(2, max_iter=2, random_state=0),
    GPLVM(2, 8, max_iter=2, random_state=0),
    Model({"x": 2}, [Edge("x", "y", n_inducing=8)], max_iter=2, random_state=0),
    ProbabilisticPCA(2),
    SemiDescribedGPRegression(8, max_iter=2, random_state=0),
    SemiSupervisedClassifier(BayesianGPLVM(2, 8, max_iter=2, random_state=0), random_state=0),
    SemiSupervisedClassifier(
        BayesianGPLVM(2, 8, max_iter=2, random_state=0, encoder="kernel"),
        KNeighborsClassifier(3),
        random_state=0,
    ),
    StateSpaceGPLVM(2, 8, max_iter=2, random_state=0),
]
ESTIMATORS = QUICK + OTHERS

# The density of a regression is that of outputs given inputs, so checks that pass only X cannot use
# it.
NEEDS_OUTPUTS = {
    "check_methods_sample_order_invariance": "score_samples takes X and Y",
    "check_methods_subset_invariance": "score_samples takes X and Y",
}
# These are the checks that an estimator does not pass, each with its reason.
EXPECTED: dict[type, dict[str, str]] = {
    AutoregressiveGP: {"check_fit1d": "a series may have one dimension"},
    DeepGP: NEEDS_OUTPUTS,
    SemiDescribedGPRegression: NEEDS_OUTPUTS,
    SemiSupervisedClassifier: {
        "check_classifiers_classes": "its last part takes −1 for a class; here it is no label"
    },
    SparseGPRegression: NEEDS_OUTPUTS,
}
# The data of these estimators are dicts of tables; scikit-learn's only check for them is cloning.
OF_SEVERAL_TABLES = {DeepManifoldRelevance, ManifoldRelevance, Model}


@pytest.fixture
def quick_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the training of the shallow regression at the start."""
    monkeypatch.setattr(regression, "SUBSET_ITERATIONS", 1)
    monkeypatch.setattr(regression, "SUBSET", 10)


def checked(estimators: list[BaseEstimator]) -> pytest.MarkDecorator:
    return parametrize_with_checks(
        estimators,
        expected_failed_checks=lambda estimator: EXPECTED.get(type(estimator), {}),
        xfail_strict=True,
    )


@pytest.mark.usefixtures("quick_starts")
@pytest.mark.filterwarnings("ignore::UserWarning")
@checked(QUICK)
def test_estimator(estimator: BaseEstimator, check: Callable[[Any], None]) -> None:
    check(estimator)


@pytest.mark.slow
@pytest.mark.usefixtures("quick_starts")
@pytest.mark.filterwarnings("ignore::UserWarning")
@checked(OTHERS)
def test_other_estimator(estimator: BaseEstimator, check: Callable[[Any], None]) -> None:
    check(estimator)


def test_every_estimator_is_checked() -> None:
    public = {getattr(gplvm_core, name) for name in gplvm_core.__all__}
    estimators = {
        each for each in public if isinstance(each, type) and issubclass(each, BaseEstimator)
    }
    assert estimators == {type(each) for each in ESTIMATORS}
    dicts = {
        type(each) for each in ESTIMATORS if not each.__sklearn_tags__().input_tags.two_d_array
    }
    assert dicts == OF_SEVERAL_TABLES
