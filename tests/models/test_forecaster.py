"""Tests of who continues a series by default: a simple rule or the model, and what it says."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from gplvm_core import DynamicalGPLVM, StateSpaceGPLVM, load
from gplvm_core.comparison import back_test
from gplvm_core.models.estimators.back_test import MODEL, even_step
from gplvm_core.models.estimators.forecaster import CLEAR, Forecaster
from gplvm_core.prediction.simple_forecasts import LAST, LINEAR, period_of, simple_forecasts
from gplvm_core.readers import DataError
from tests.cases import quickly

AHEAD = 20
MOST = 6  # iterations
TIMES = 0.5 * np.arange(120 + AHEAD)


def swing(noise: float = 0.02) -> np.ndarray:
    """Two waves whose sum does not repeat, seen through three columns."""
    waves = np.column_stack([np.sin(0.55 * TIMES), np.cos(0.55 * TIMES), np.sin(0.31 * TIMES)])
    mixed = waves @ np.array([[1.0, 0.4, 2.0], [0.2, 1.0, 0.1], [0.5, 0.3, -0.4]])
    return mixed + noise * np.random.default_rng(0).normal(size=mixed.shape)


def trained(kind: type[Any], rows: np.ndarray, times: np.ndarray, **more: Any) -> Any:
    model = kind(2, n_inducing=10, max_iter=MOST, random_state=0)
    return model.fit(rows, times=times, **more).choose_forecaster(rows)


@pytest.mark.parametrize("kind", quickly([DynamicalGPLVM, StateSpaceGPLVM], [StateSpaceGPLVM]))
def test_the_default_follows_an_oscillation_that_has_a_gap(kind, tmp_path):
    rows, known = swing(), np.r_[0:50, 62:120]
    model = trained(kind, rows[known], TIMES[known])
    later, spread = TIMES[120:], rows.std(axis=0)
    mean, std = model.forecast(later, return_std=True)
    wrong = (mean - rows[120:]) / spread
    assert np.sqrt(np.mean(wrong**2)) < 0.3
    assert np.mean(np.abs(mean - rows[120:]) < 2.0 * std) > 0.8
    alone = model.forecast(later, method="model")
    assert np.mean(wrong**2) < np.mean(((alone - rows[120:]) / spread) ** 2)
    reason = model.forecaster_.reason
    assert reason.startswith("Continued by linear autoregression: on the last 40 steps")
    assert "the model's" in reason
    # Within the series, and without the choice, the model answers.
    np.testing.assert_array_equal(
        model.forecast(TIMES[:50]), model.forecast(TIMES[:50], method="model")
    )
    both = model.forecast(TIMES[110:130])
    np.testing.assert_array_equal(both[10:], mean[:10])
    path = tmp_path / "swing.gplvm"
    model.save(path)
    again = load(path)
    np.testing.assert_array_equal(again.forecast(later), mean)
    assert again.forecaster_.reason == reason


@pytest.mark.slow
def test_the_errors_in_the_reason_are_those_of_copies_that_did_not_see_the_frames():
    rows = swing(2.0)[:120]
    model = trained(DynamicalGPLVM, rows, TIMES[:120])
    own, rule = [], []
    kernel = type(model.time_kernel_.parts[0]).__name__.lower()  # the copies do not choose again
    for end in (80, 100):
        copy = DynamicalGPLVM(2, n_inducing=10, time_kernel=kernel, max_iter=MOST, random_state=0)
        copy.fit(rows[:end], times=TIMES[:end])
        truth, known = rows[end : end + 20], rows[:end]
        own.append(copy.forecast(TIMES[end : end + 20]) - truth)
        rules = simple_forecasts(known, 20, period_of(known))
        rule.append(next(each.mean for each in rules if each.name == LINEAR) - truth)
    own_share, share = (
        np.sqrt(np.mean((np.array(e) / rows.std(axis=0)) ** 2)) for e in (own, rule)
    )
    reason = model.forecaster_.reason
    assert f"its error was {100 * share:.0f}\u00a0% of" in reason
    assert f"the model's {100 * own_share:.0f}\u00a0%." in reason


@pytest.mark.parametrize("noise", [0.5, 2.0])
def test_the_test_ends_when_no_forecast_can_change_the_choice(noise):
    rows, shares = swing(noise)[:120], []
    model = trained(DynamicalGPLVM, rows, TIMES[:120])
    whole = back_test(model, rows, TIMES[:120], n_origins=2, calibrate=False)
    clear = whole.error(MODEL) < CLEAR * whole.error(whole.best_rule)
    assert model.forecaster_.name == (MODEL if clear else whole.best_rule)
    rule, own = (100 * each for each in (whole.error(whole.best_rule), whole.errors[MODEL][0]))
    assert f"its error was {rule:.0f}\u00a0% of" in model.forecaster_.reason
    model.choose_forecaster(rows, callback=shares.append)
    # A second forecast without any error halves the model's mean square.
    least = whole.errors[MODEL][0] / np.sqrt(2.0)
    decided = bool(least >= CLEAR * whole.error(whole.best_rule))
    assert decided == (noise == 0.5)
    assert (max(shares) > 0.5) is not decided
    early = f"the model's {own:.0f}\u00a0% on the first 20 steps of them, after which no further"
    assert (early in model.forecaster_.reason) is decided


@pytest.mark.parametrize(
    ("rows", "times", "reason"),
    [
        (12, np.arange(12.0), "The longest series has 12 rows"),
        (40, np.arange(40.0) ** 1.3, "not equally spaced"),
    ],
)
def test_the_model_continues_what_cannot_be_tested_and_says_why(rows, times, reason):
    values = swing()[:rows]
    model = trained(DynamicalGPLVM, values, times)
    assert model.forecaster_.name == MODEL
    assert reason in model.forecaster_.reason
    later = times[-1] + np.arange(1.0, 4.0)
    np.testing.assert_array_equal(model.forecast(later), model.forecast(later, method="model"))


@pytest.mark.parametrize(
    ("months", "unit"),
    [
        (1, "D"),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in ((3, "D"), (12, "D"), (1, "s"))),
    ],
)
def test_months_quarters_and_years_are_equal_steps(months, unit):
    dates = np.datetime64("1998-01") + months * np.arange(90)
    days = dates.astype(f"datetime64[{unit}]").astype(float)
    season = 4 if months == 3 else 12
    values = np.sin(2.0 * np.pi * np.arange(90) / season)[:, None] + 0.01 * np.arange(90)[:, None]
    values += 0.02 * np.random.default_rng(0).normal(size=values.shape)
    known = np.setdiff1d(np.arange(70), [31, 32])  # two dates are missing
    found = trained(DynamicalGPLVM, values[known], days[known])
    assert found.forecaster_.name != MODEL, found.forecaster_.reason
    ahead, one = found.forecast(days[70:]), found.forecast(days[[75]])
    assert np.abs(ahead - values[70:]).max() < 0.2
    np.testing.assert_allclose(ahead, found.forecaster_.mean[0, :20])
    np.testing.assert_allclose(one[0], ahead[5])


@pytest.mark.parametrize("scale", [0.02, 0.05, 0.2])
def test_other_uneven_steps_are_no_calendar(scale):
    times = np.cumsum(1.0 + scale * np.random.default_rng(0).uniform(-1.0, 1.0, 60))
    assert even_step(times, np.zeros(60, dtype=int)) is None
    half_months = np.cumsum(np.tile([14.0, 14.0, 15.0], 20))
    assert even_step(half_months, np.zeros(60, dtype=int)) is None


def test_every_month_of_25_years_is_a_whole_step():
    mean, std = np.arange(1.0, 300.0)[None, :, None], np.ones((1, 299, 1))
    for start, months in product(range(12), (1, 3)):
        dates = np.datetime64("1950-01") + start + months * np.arange(300 // months)
        days = dates.astype("datetime64[D]").astype(float)
        step = even_step(days, np.zeros(len(days), dtype=int))
        np.testing.assert_array_equal(np.round((days - days[0]) / step), np.arange(len(days)))
        ahead = Forecaster(LAST, "", np.array([0]), days[:1], step, mean, std)
        np.testing.assert_allclose(ahead.ahead(0, days[1:])[0][:, 0], np.arange(1, len(days)))


@pytest.mark.slow
def test_short_sequences_beside_a_long_one_are_continued_by_the_model():
    rows, times = swing(), TIMES
    values, when = np.vstack([rows[:100], rows[:5]]), np.r_[times[:100], times[:5]]
    model = trained(DynamicalGPLVM, values, when, sequences=np.repeat(["long", "short"], [100, 5]))
    assert "1 sequence is too short for this rule" in model.forecaster_.reason
    assert model.forecaster_.reach("short") == 0
    later = times[5:8]
    np.testing.assert_array_equal(
        model.forecast(later, sequence="short"),
        model.forecast(later, sequence="short", method="model"),
    )
    assert not np.array_equal(
        model.forecast(times[100:103], sequence="long"),
        model.forecast(times[100:103], sequence="long", method="model"),
    )
    with pytest.raises(DataError, match="for 100 steps, until the time"):
        model.forecast([times[99] + 0.5 * 101], sequence="long")


def test_fit_takes_the_test_as_a_step_of_its_second_stage(two_stages):
    rows = swing()[:60, :1]
    seen = []
    model = DynamicalGPLVM(1, n_inducing=6, max_iter=8, random_state=0)
    model.fit(rows, times=TIMES[:60], callback=lambda progress: seen.append(progress.phase))
    assert "test of forecasts" in seen
    assert model.forecaster_ is not None
    with pytest.raises(ValueError, match='method must be "auto" or "model"'):
        model.forecast([40.0], method="rule")
