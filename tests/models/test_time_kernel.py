"""Tests that training chooses the kernel over time: `time_kernel="auto"`."""

import warnings

import numpy as np
import pytest

from gplvm_core import DynamicalGPLVM, Edge, ManifoldRelevance, Model, OverTime
from gplvm_core.comparison import back_test
from gplvm_core.kernels import RBF, Matern32, Matern52
from tests.cases import quickly
from tests.until import Until

TIMES = np.arange(80.0)
QUICK = {"max_iter": 60, "random_state": 0, "second_stage": "off"}


def seen(latent: np.ndarray) -> np.ndarray:
    """Five noisy outputs of latent paths."""
    generator = np.random.default_rng(0)
    clean = latent @ generator.standard_normal((latent.shape[1], 5))
    return clean + 0.05 * generator.standard_normal(clean.shape)


@pytest.fixture(scope="module")
def smooth() -> np.ndarray:
    return seen(np.column_stack([np.sin(TIMES / 5), np.cos(TIMES / 5), np.sin(TIMES / 9)]))


@pytest.fixture(scope="module")
def rough() -> np.ndarray:
    return seen(np.cumsum(np.random.default_rng(3).standard_normal((80, 2)), axis=0))


def test_smooth_paths_get_a_smooth_kernel_that_fills_a_gap_better(smooth: np.ndarray) -> None:
    gap = slice(30, 42)
    kept = np.delete(TIMES.astype(int), np.r_[gap])
    errors = {}
    with warnings.catch_warnings(action="error"):  # a choice is no reason to warn
        for name in ("auto", "matern32"):
            model = DynamicalGPLVM(3, 15, time_kernel=name, **QUICK)
            model.fit(smooth[kept], times=TIMES[kept])
            errors[name] = np.abs(model.forecast(TIMES[gap]) - smooth[gap]).mean()
            if name == "auto":
                assert isinstance(model.time_kernel_.parts[0], RBF)
                assert any("kernel over time is rbf" in note for note in model.notes_)
    assert errors["auto"] < 0.6 * errors["matern32"]


def test_rough_paths_get_a_rough_kernel(rough: np.ndarray) -> None:
    model = DynamicalGPLVM(2, 15, **QUICK).fit(rough, times=TIMES)
    assert isinstance(model.time_kernel_.parts[0], Matern32)
    tried = {each.recipe: each.result.iterations for each in model.restarts_}
    assert tried == {"matern32": 60, "matern52": 20, "rbf": 20}


def fresh() -> DynamicalGPLVM:
    return DynamicalGPLVM(2, 8, **QUICK | {"max_iter": 30})


@pytest.fixture(scope="module")
def whole(smooth: np.ndarray) -> DynamicalGPLVM:
    return fresh().fit(smooth[:40], times=TIMES[:40])


@pytest.mark.parametrize("stop", quickly([10, 30, 55, 65], {30, 65}))
def test_a_choice_continues_where_it_was_stopped(
    stop: int, smooth: np.ndarray, whole: DynamicalGPLVM
) -> None:
    runs, stopped = Until(stop), fresh()
    stopped.fit(smooth[:40], times=TIMES[:40], callback=runs)
    assert any("ended before all others" in note for note in stopped.notes_) == (stop <= 40)
    resumed = fresh().fit(smooth[:40], times=TIMES[:40], resume=runs.last.run)
    assert resumed.bound_ == whole.bound_
    assert resumed.time_kernel_ == whole.time_kernel_


def test_long_sequences_try_only_kernels_of_linear_cost() -> None:
    times = np.arange(320.0)
    rows = np.column_stack([np.sin(times / 5), np.cos(times / 5)])
    model = DynamicalGPLVM(1, 5, **QUICK | {"max_iter": 2}).fit(rows, times=times)
    assert {each.recipe for each in model.restarts_} == {"matern32", "matern52"}
    halves = DynamicalGPLVM(1, 5, **QUICK | {"max_iter": 2})
    halves.fit(rows, times=np.tile(times[:160], 2), sequences=np.repeat([0, 1], 160))
    assert len(halves.restarts_) == 3


def test_several_views_and_own_graphs_choose_too(smooth: np.ndarray) -> None:
    views = {"a": smooth[:, :2], "b": smooth[:, 2:]}
    model = ManifoldRelevance(3, 12, time_kernel="auto", **QUICK | {"max_iter": 30})
    model.fit(views, times=TIMES)
    assert isinstance(model.time_kernel_.parts[0], RBF | Matern52)
    assert any("kernel over time is" in note for note in model.notes_)
    own = Model({"path": OverTime(2, "auto")}, [Edge("path", "film")], max_iter=8, random_state=0)
    own.fit({"film": smooth}, times=TIMES)
    assert len(own.restarts_) == 3
    assert any("kernel over time is" in note for note in own.notes_)


def test_a_back_test_uses_the_chosen_kernel(smooth: np.ndarray) -> None:
    """Its copies would otherwise choose again, and take three starts each."""
    rows, times = smooth[:40], TIMES[:40]
    model = DynamicalGPLVM(2, 8, **QUICK | {"max_iter": 20}).fit(rows, times=times)
    named = DynamicalGPLVM(2, 8, time_kernel="rbf", **QUICK | {"max_iter": 20})
    found, same = (back_test(each, rows, times, horizon=5) for each in (model, named))
    np.testing.assert_array_equal(found.errors["This model"], same.errors["This model"])
