"""Every public estimator, fitted to twelve rows, and the things that Python does with any object.

`python -m tests.every` tries them and a page of the app with the packages of this environment
(`tests/versions.py` makes such environments). It needs only what the app needs.
"""

import copy
import inspect
import os
import pickle
import warnings
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import gplvm_core


def estimators() -> list[tuple[Any, tuple[Any, ...]]]:
    """Return every estimator, with two iterations, and twelve rows of data for its `fit`."""
    short = {"max_iter": 2, "random_state": 0}
    inputs = np.linspace(0.0, 3.0, 12)[:, None]
    rows = np.hstack([np.sin(inputs), np.cos(inputs), inputs])
    views, labels = {"a": rows, "b": rows[:, :2]}, np.arange(12) % 2
    small = gplvm_core.ProbabilisticPCA(1)
    return [
        (gplvm_core.GPLVM(2, **short), (rows,)),
        (gplvm_core.BayesianGPLVM(2, 5, **short), (rows,)),
        (gplvm_core.DynamicalGPLVM(2, 5, **short), (rows,)),
        (gplvm_core.StateSpaceGPLVM(2, 5, **short), (rows,)),
        (gplvm_core.BayesianPCA(2, **short), (rows,)),
        (gplvm_core.ProbabilisticPCA(2), (rows,)),
        (gplvm_core.SparseGPRegression(5, **short), (inputs, rows)),
        (gplvm_core.SemiDescribedGPRegression(5, **short), (inputs, rows)),
        (gplvm_core.DeepGP(1, 5, **short), (inputs, rows)),
        (gplvm_core.DeepGPLVM((1, 2), 5, **short), (rows,)),
        (gplvm_core.ManifoldRelevance(2, 5, **short), (views,)),
        (gplvm_core.DeepManifoldRelevance((1, 2), 5, **short), (views,)),
        (gplvm_core.AutoregressiveGP(2, 5, **short), (rows[:, 0],)),
        (gplvm_core.Model({"x": 2}, [gplvm_core.Edge("x", "y", n_inducing=5)], **short), (rows,)),
        (gplvm_core.GenerativeClassifier(small), (rows, labels)),
        (gplvm_core.SemiSupervisedClassifier(small, random_state=0), (rows, labels)),
        (
            gplvm_core.AverageOfStarts(gplvm_core.DynamicalGPLVM(2, 5, **short), random_state=0),
            (rows,),
        ),
    ]


def fitted_models() -> dict[str, BaseEstimator]:
    """Return every estimator, fitted, by the class's name."""
    return {type(model).__name__: model.fit(*data) for model, data in estimators()}


def check_object(model: Any) -> None:
    """Do what notebooks, debuggers and scikit-learn do with an object, fitted or not."""
    assert set(model.get_params(deep=False)) <= set(dir(model))
    assert type(model).__name__ in repr(model)
    assert type(model).__name__ in model._repr_html_()
    assert inspect.getmembers(model)
    for name, _ in inspect.getmembers(type(model), lambda each: isinstance(each, property)):
        hasattr(model, name)  # raises what is no AttributeError
    attributes = set(vars(model))
    for again in (pickle.loads(pickle.dumps(model)), copy.copy(model), copy.deepcopy(model)):  # noqa: S301
        assert set(vars(again)) == attributes
        assert repr(again) == repr(model)
    assert repr(clone(model)) == repr(model)
    assert type(model).__name__ in make_pipeline(StandardScaler(), model)._repr_html_()
    # The data themselves are no metadata.
    asked = model.get_metadata_routing().consumes("fit", inspect.signature(model.fit).parameters)
    assert not {"X", "Y", "views", "series"} & set(asked)
    if hasattr(model, "latent_mean_") and hasattr(model, "get_feature_names_out"):
        names = [f"{type(model).__name__.lower()}{q}" for q in range(model.latent_mean_.shape[1])]
        assert model.get_feature_names_out().tolist() == names


def _check_page() -> None:
    from tests.app.apptest import run_page, said  # imports the app's packages

    page = run_page("explore", model="gallery:digits")
    assert not page.exception, page.exception
    assert "Digits" in said(page)


if __name__ == "__main__":
    for category in (DeprecationWarning, FutureWarning, PendingDeprecationWarning, RuntimeWarning):
        warnings.filterwarnings("error", category=category, module=r"gplvm_core|pages")
    warnings.filterwarnings("ignore", category=UserWarning, module="gplvm_core")
    for fitted in fitted_models().values():
        check_object(fitted)
    with TemporaryDirectory() as home:
        os.environ["MANIFOLIO_HOME"] = home
        _check_page()
