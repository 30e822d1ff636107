"""Tests of the settings of the estimators: checked before training, and passed by name."""

import inspect
from dataclasses import dataclass

import numpy as np
import pytest

import gplvm_core
from gplvm_core import (
    RBF,
    BayesianGPLVM,
    BayesianPCA,
    DeepGP,
    DynamicalGPLVM,
    ManifoldRelevance,
    SparseGPRegression,
)
from gplvm_core.models.estimators.settings import check_settings
from gplvm_core.readers import DataError

PRESETS = [
    kind
    for kind in (getattr(gplvm_core, name) for name in gplvm_core.__all__)
    if inspect.isclass(kind) and hasattr(kind, "_sentences")
]
QUICK = {"max_iter": 8, "random_state": 0}


@pytest.fixture
def rows() -> np.ndarray:
    generator = np.random.default_rng(3)
    return np.sin(np.outer(np.linspace(0.0, 6.0, 24), [1.0, 1.7, 2.3])) + 0.05 * (
        generator.standard_normal((24, 3))
    )


def test_there_are_presets_to_test() -> None:
    assert len(PRESETS) >= 11


@pytest.mark.parametrize("kind", PRESETS, ids=lambda kind: kind.__name__)
def test_only_the_first_two_settings_have_a_place(kind: type) -> None:
    parameters = inspect.signature(kind).parameters.values()
    assert sum(each.kind is each.POSITIONAL_OR_KEYWORD for each in parameters) <= 2


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (BayesianGPLVM(None), "n_components must be a whole number of at least 1; got None"),
        (BayesianGPLVM(True), "n_components must be a whole number of at least 1; got True"),
        (BayesianGPLVM(0), "n_components must be a whole number of at least 1; got 0"),
        (BayesianGPLVM(2, 2.5), "n_inducing must be a whole number of at least 1; got 2.5"),
        (BayesianGPLVM(max_iter=0), "max_iter must be a whole number of at least 1; got 0"),
        (BayesianGPLVM(jitter=0.0), "jitter must lie between 0 and 1"),
        (BayesianGPLVM(scaling="rows"), "scaling must be one of auto, global, columns, none"),
        (BayesianGPLVM(kernel=3), "kernel must be the name of a kernel or a kernel object"),
        (ManifoldRelevance(kernel={"a": 3}), r"kernel must be .*, such as RBF\(\); got 3"),
        (DeepGP(kernel=("rbf", 4.0)), r"kernel must be .*got 4\.0"),
        (DeepGP(()), r"n_components must be .*, or a tuple of such numbers.*got \(\)"),
        (
            BayesianGPLVM(jitter="small"),
            "jitter must lie between 0 and 1, relative to the diagonal of K",
        ),
        (BayesianGPLVM(noise="each"), "noise must be one of shared, per_output, auto; got 'each'"),
        (BayesianGPLVM(encoder="pca"), "encoder must be None or one of kernel, network"),
        (BayesianGPLVM(time_kernel=2), "time_kernel must be the name of a kernel"),
        (
            BayesianGPLVM(n_jobs="two"),
            "n_jobs must be None or a whole number other than 0",
        ),
        (BayesianGPLVM(n_jobs=0), "n_jobs must be None or a whole number other than 0; got 0"),
        (BayesianGPLVM(random_state="x"), "random_state must be None or a whole number of at"),
        (
            BayesianGPLVM(random_state=-1),
            "random_state must be None or .* at least 0, or .*; got -1",
        ),
        (SparseGPRegression(constrained="yes"), "constrained must be True or False; got 'yes'"),
        (SparseGPRegression(n_restarts=0), "n_restarts must be a whole number of at least 1"),
    ],
)
def test_settings_out_of_range_are_named_before_training(model, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        check_settings(model)


def test_time_is_a_setting(rows: np.ndarray) -> None:
    times = np.linspace(0.0, 6.0, 24)
    named = DynamicalGPLVM(2, 8, **QUICK).fit(rows, times=times)
    by_setting = BayesianGPLVM(2, 8, time_kernel="auto", **QUICK).fit(rows, times=times)
    assert by_setting.bound_ == named.bound_
    np.testing.assert_array_equal(by_setting.forecast([6.2]), named.forecast([6.2]))
    linear = BayesianPCA(2, time_kernel="matern32", **QUICK).fit(rows, times=times)
    assert np.isfinite(linear.forecast([6.2])).all()
    assert not BayesianGPLVM().capabilities.timed and linear.capabilities.timed


def test_a_model_without_time_is_refused(rows: np.ndarray) -> None:
    model = BayesianGPLVM(2, 8, **QUICK).fit(rows, times=np.arange(24.0))
    assert "times and sequences are not used: the model has no time_kernel" in model.notes_
    with pytest.raises(DataError, match="trained without a kernel over time"):
        model.forecast([25.0])
    with pytest.raises(ValueError, match="a time_kernel and an encoder cannot be combined"):
        model.set_params(time_kernel="rbf", encoder="kernel").fit(rows)


class Lost(Exception):
    """An error raised by something outside the model."""


def fails(progress) -> None:
    raise Lost


@pytest.mark.parametrize(
    "model",
    [
        BayesianGPLVM(2, 8, **QUICK),
        ManifoldRelevance(2, 8, **QUICK),
        SparseGPRegression(8, RBF(), **QUICK),
        DeepGP((1,), 8, **QUICK),
        gplvm_core.Model({"x": 2}, [gplvm_core.Edge("x", "data", n_inducing=8)], **QUICK),
        gplvm_core.AutoregressiveGP(2, 8, **QUICK),
        gplvm_core.StateSpaceGPLVM(2, 8, **QUICK),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_model_that_fails_to_train_is_unchanged(model, rows: np.ndarray) -> None:
    kind = type(model).__name__
    data = {"ManifoldRelevance": ({"a": rows[:, :2], "b": rows[:, 2:]},)}.get(kind, (rows,))
    if kind in ("SparseGPRegression", "DeepGP"):
        data = (rows[:, :1], rows[:, 1:])
    model.fit(*data)
    before = dict(vars(model))
    wider = tuple(
        {name: np.tile(each, 2) for name, each in one.items()}
        if isinstance(one, dict)
        else np.tile(one, 2)
        for one in data
    )
    with pytest.raises(Lost):
        model.fit(*wider, callback=fails)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())


@pytest.mark.parametrize(
    ("model", "labels"),
    [
        (gplvm_core.ProbabilisticPCA(2), None),
        (gplvm_core.GenerativeClassifier(gplvm_core.ProbabilisticPCA(1)), True),
        (gplvm_core.SemiSupervisedClassifier(BayesianGPLVM(2, 8, **QUICK)), True),
        (gplvm_core.AverageOfStarts(BayesianGPLVM(2, 8, **QUICK)), None),
    ],
    ids=lambda each: type(each).__name__,
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_refused_fit_changes_nothing(model, labels, rows) -> None:
    known = np.arange(24) % 2 if labels else None
    model.fit(rows, known)
    before = dict(vars(model))
    bad = np.ones((24, 5))  # data of another width, in which nothing varies
    with pytest.raises(ValueError):
        model.fit(bad, known)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())


@dataclass(eq=False)
class AnyInit:
    """A setting as NumPy 2.0 to 2.2 make it: bool is among the types of ArrayLike."""

    init: str | bool | list[float] = "pca"


def test_a_word_is_allowed_where_array_like_contains_bool() -> None:
    check_settings(AnyInit())
    check_settings(AnyInit([0.0, 1.0]))
    with pytest.raises(ValueError, match="input_connections must be True or False; got 'pca'"):
        check_settings(DeepGP(input_connections="pca"))
