"""Tests that estimators behave as Python objects: completion of names, HTML, pickle, copies."""

import inspect

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import gplvm_core
from gplvm_core import BayesianGPLVM, Model
from tests.every import check_object, estimators, fitted_models

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


@pytest.mark.parametrize("fitted", [True, False], ids=["fitted", "unfitted"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_model_is_a_well_behaved_object(kind: str, fitted: bool, models: dict) -> None:
    check_object(models[kind] if fitted else clone(models[kind]))


METADATA = {"times": 2.0 * np.arange(12.0), "X_variance": 0.1, "series_variance": 0.01}
WITHOUT = {"ProbabilisticPCA", "GenerativeClassifier", "SemiSupervisedClassifier"}


@pytest.mark.parametrize(("model", "data"), estimators(), ids=lambda each: type(each).__name__)
def test_a_pipeline_passes_metadata_that_are_asked_for(model: BaseEstimator, data: tuple) -> None:
    asking = getattr(model, "estimator", model)  # an average passes what its estimator asks for
    names = METADATA.keys() & inspect.signature(asking.fit).parameters
    if not names:
        assert type(model).__name__ in WITHOUT
        return
    given = {name: METADATA[name] for name in names}
    with config_context(enable_metadata_routing=True):
        asking.set_fit_request(**dict.fromkeys(names, True))
        if isinstance(model, Model):  # its `transform` has times, too
            model.set_transform_request(times=False)
        found = make_pipeline(clone(model)).fit(*data, **given)[-1]
        with pytest.raises(TypeError, match="unexpected argument"):
            make_pipeline(model).fit(*data, other=1)
    expected = model.fit(*data, **given)
    bounds = [getattr(each, "estimators_", [each])[0].bound_ for each in (found, expected)]
    assert bounds[0] == bounds[1]


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
