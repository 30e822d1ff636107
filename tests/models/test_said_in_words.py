"""Tests that data which do not fit a model are refused, or accepted, in the project's own words."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from gplvm_core import (
    GPLVM,
    RBF,
    AutoregressiveGP,
    BayesianGPLVM,
    DeepGP,
    DeepGPLVM,
    ManifoldRelevance,
    SparseGPRegression,
    StateSpaceGPLVM,
)
from gplvm_core.readers import DataError
from gplvm_core.wire.sequence import usual_step
from tests.until import Until

MAP = {"n_components": 2, "n_inducing": 8, "max_iter": 10, "random_state": 0}
REGRESSION = {"n_inducing": 8, "max_iter": 10, "random_state": 0}
ROWS = np.random.default_rng(0).normal(size=(30, 4))
TARGET = np.sin(ROWS[:, 0])
WORDS = pd.DataFrame(ROWS, columns=list("abcd")).assign(w=list("xyz") * 10)
MODELS = {
    "map": (BayesianGPLVM(**MAP), lambda n: (ROWS[:n],)),
    "words": (BayesianGPLVM(kinds="auto", **MAP), lambda n: (WORDS[:n],)),
    "plain": (GPLVM(2, max_iter=10, random_state=0), lambda n: (ROWS[:n],)),
    "views": (ManifoldRelevance(**MAP), lambda n: ({"a": ROWS[:n], "b": ROWS[:n, :2]},)),
    "deep": (DeepGPLVM(**MAP | {"n_components": (2, 2)}), lambda n: (ROWS[:n],)),
    "states": (StateSpaceGPLVM(**MAP), lambda n: (ROWS[:n],)),
    "regression": (SparseGPRegression(**REGRESSION), lambda n: (ROWS[:n], TARGET[:n])),
    "deep regression": (DeepGP(**REGRESSION), lambda n: (ROWS[:n], TARGET[:n])),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_run_is_resumed_with_as_many_rows(name):
    model, data = MODELS[name]
    runs = Until(2)
    clone(model).fit(*data(30), callback=runs)
    with pytest.raises(ValueError, match="run to resume was of 30 rows; got 20"):
        clone(model).fit(*data(20), resume=runs.last.run)
    assert clone(model).fit(*data(30), resume=runs.last.run).n_iter_ >= 2


@pytest.mark.parametrize(
    ("other", "columns", "words"),
    [
        ({"n_components": 3}, 4, "n_components=2; this one has n_components=3"),
        ({"n_inducing": 4}, 4, "n_inducing=5; this one has n_inducing=4"),
        ({"kernel": "matern52"}, 4, "kernel=rbf; this one has kernel=matern52"),
        ({}, 3, "n_features_in_=4; this one has n_features_in_=3"),
    ],
)
def test_a_run_is_resumed_with_the_same_settings(other, columns, words):
    runs = []
    model = BayesianGPLVM(2, 5, max_iter=4, random_state=0)
    model.fit(ROWS, callback=lambda progress: runs.append(progress.run))
    with pytest.raises(ValueError, match=words):
        clone(model).set_params(**other).fit(ROWS[:, :columns], resume=runs[1])
    same = {"max_iter": 6, "kernel": RBF(2.0), "n_inducing": np.int64(5), "random_state": 1}
    whole = clone(model).set_params(**same).fit(ROWS, resume=runs[1])
    assert whole.n_iter_ >= 4


@pytest.mark.parametrize("seed", [None, 0])
def test_a_series_is_resumed_with_more_iterations(seed):
    runs, noise = [], np.random.default_rng(0).normal(size=40)
    series = np.sin(0.4 * np.arange(40.0)) + 0.05 * noise
    model = AutoregressiveGP(2, 5, max_iter=6, random_state=seed)

    runs = Until(8)
    model.fit(series, callback=runs)
    assert np.isfinite(clone(model).set_params(max_iter=9).fit(series, resume=runs.last.run).bound_)


def test_a_regression_is_resumed_with_the_same_settings():
    runs = []
    model = SparseGPRegression(**REGRESSION)
    model.fit(ROWS, TARGET, callback=lambda progress: runs.append(progress.run))
    with pytest.raises(ValueError, match="n_inducing=8; this one has n_inducing=6"):
        clone(model).set_params(n_inducing=6).fit(ROWS, TARGET, resume=runs[0])


@pytest.mark.parametrize("ask", ["transform", "complete", "score_samples", "fit"])
def test_an_infinite_value_is_named_by_row_and_column(ask):
    rows = ROWS[:3].copy()
    rows[1, 2] = -np.inf
    model = BayesianGPLVM(**MAP)
    if ask != "fit":
        model.fit(ROWS)
    with pytest.raises(DataError, match=r"row 1, column 2 \(counted from 0\) is infinite"):
        getattr(model, ask)(rows)
    with pytest.raises(DataError, match=r"row 1, column 'c' \(counted from 0\) is infinite"):
        getattr(model, ask)(pd.DataFrame(rows, columns=list("abcd")))


def test_an_infinite_input_or_target_of_a_regression_is_named():
    rows, target = ROWS.copy(), TARGET.copy()
    rows[4, 1] = target[7] = np.inf
    model = SparseGPRegression(**REGRESSION).fit(ROWS, TARGET)
    with pytest.raises(DataError, match="row 4, column 1"):
        model.predict(rows)
    with pytest.raises(DataError, match="y, row 7"):
        model.fit(ROWS, target)


def test_a_constant_column_beside_words_and_counts_is_named():
    counts = np.random.default_rng(0).negative_binomial(1, 0.05, (30, 2))
    frame = pd.DataFrame(counts, columns=["owls", "jays"]).assign(height=3.5)
    with pytest.warns(UserWarning, match=r"the column 'height' is constant \(3.5\)"):
        model = BayesianGPLVM(kinds=["count", "count", "number"], **MAP).fit(frame)
    assert not any("of 1 columns" in note for note in model.notes_)


@pytest.mark.parametrize("months", [1, 3])
def test_months_and_quarters_are_equal_steps_of_a_state_space_model(months):
    """The model is the same as with the numbers of the months, also for its forecasts."""
    dates = np.datetime64("1990-01") + months * np.arange(60)
    days, count = dates.astype("datetime64[D]").astype(float), np.arange(60.0)
    angle = 2.0 * np.pi * count / 12.0
    rows = np.column_stack([np.sin(angle), np.cos(angle), np.sin(2.0 * angle)])
    rows += 0.05 * np.random.default_rng(0).normal(size=rows.shape)
    known = np.setdiff1d(np.arange(48), [20, 21, 33])  # three dates are missing
    by_date = StateSpaceGPLVM(**MAP).fit(rows[known], times=days[known])
    by_number = StateSpaceGPLVM(**MAP).fit(rows[known], times=count[known])
    assert by_date.bound_ == pytest.approx(by_number.bound_, rel=1e-9)
    for asked in (slice(48, 60), [20, 33]):
        np.testing.assert_allclose(
            by_date.forecast(days[asked], method="model"),
            by_number.forecast(count[asked], method="model"),
            rtol=1e-6,
        )
    with pytest.raises(DataError, match="whole steps after them"):
        by_date.forecast([days[50] + 0.4 * (days[51] - days[50])])
    assert usual_step(days) == pytest.approx(months * 365.2425 / 12.0)


def test_tables_with_words_say_once_that_their_intervals_are_not_calibrated():
    with pytest.warns(UserWarning, match="hidden values: the table has 30 rows; at least 40 are"):
        model = BayesianGPLVM(kinds="auto", second_stage="auto", **MAP).fit(WORDS)
    assert sum("intervals may be too narrow" in note for note in model.notes_) == 1
    numbers = BayesianGPLVM(second_stage="auto", **MAP).fit(ROWS)
    assert not any("not calibrated" in note for note in numbers.notes_)


def test_forecasts_of_an_autoregression_warn_until_they_are_calibrated():
    series = np.sin(np.arange(60.0) / 3.0)
    series += 0.05 * np.random.default_rng(0).normal(size=60)
    model = AutoregressiveGP(3, 8, max_iter=20, random_state=0).fit(series)
    with pytest.warns(UserWarning, match="not calibrated and may be too small"):
        model.forecast(3, return_std=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.forecast(3)
        model.calibrate(series, 5).forecast(3, return_std=True)
