"""Tests that estimators behave as Python objects: completion of names, HTML, pickle, copies."""

import inspect

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError

import gplvm_core
from gplvm_core import BayesianGPLVM
from tests.every import check_object, fitted_models

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
KINDS = sorted(
    name
    for name in gplvm_core.__all__
    if isinstance(kind := getattr(gplvm_core, name), type) and issubclass(kind, BaseEstimator)
)


@pytest.fixture(scope="module")
def models() -> dict[str, BaseEstimator]:
    return fitted_models()


def test_every_estimator_is_tried(models: dict[str, BaseEstimator]) -> None:
    assert sorted(models) == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_a_fitted_model_is_a_well_behaved_object(kind: str, models: dict) -> None:
    check_object(models[kind])


@pytest.mark.parametrize("kind", KINDS)
def test_an_unfitted_model_is_a_well_behaved_object(kind: str, models: dict) -> None:
    check_object(clone(models[kind]))


def test_a_model_of_words_is_a_well_behaved_object() -> None:
    table = np.array([[0.1 * i, "low" if i < 6 else "high"] for i in range(12)], dtype=object)
    model = BayesianGPLVM(1, 5, kinds=["number", "category"], max_iter=2, random_state=0).fit(table)
    assert model.class_words(1) == ("high", "low")
    check_object(model)


@pytest.mark.parametrize("kind", KINDS)
def test_a_property_is_absent_before_fit_and_says_why(kind: str, models: dict) -> None:
    model = clone(models[kind])
    asked = 0
    for name, _ in inspect.getmembers(type(model), lambda each: isinstance(each, property)):
        if name.endswith("_") and not name.startswith("_") and not hasattr(model, name):
            asked += 1
            with pytest.raises((NotFittedError, AttributeError), match=r"not fitted|has no"):
                getattr(model, name)
    if kind not in {"AverageOfStarts", "GenerativeClassifier", "SemiSupervisedClassifier"}:
        assert asked
