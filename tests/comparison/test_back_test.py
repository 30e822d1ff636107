"""Tests of forecasts of held-out ends: simple rules computed by hand, and models."""

from itertools import product
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from gplvm_core import DynamicalGPLVM
from gplvm_core.comparison import back_test
from gplvm_core.models.estimators.back_test import MODEL
from gplvm_core.models.estimators.forecaster import choose_forecaster
from gplvm_core.prediction.simple_forecasts import (
    LAST,
    LINEAR,
    SEASONAL,
    SMOOTHING,
    TREND,
    autoregression,
    period_of,
    simple_forecasts,
    smoothing,
    without_gaps,
)
from gplvm_core.readers import DataError


def wave(count: int, period: float, noise: float = 0.0) -> np.ndarray:
    angle = 2.0 * np.pi * np.arange(count)[:, None] / period + np.array([0.0, 1.0, 2.0])
    return np.sin(angle) + noise * np.random.default_rng(0).normal(size=(count, 3))


class Known(BaseEstimator):
    """A model that forecasts the true wave, plus a constant error."""

    seen: ClassVar[list[tuple[np.ndarray, np.ndarray]]] = []

    def __init__(self, period: float = 10.0, error: float = 0.0, std: float = 0.1) -> None:
        self.period, self.error, self.std = period, error, std

    def fit(self, Y: Any, *, times: Any, sequences: Any, callback: Any) -> "Known":
        Known.seen.append((np.asarray(times), np.asarray(sequences)))
        return self

    def forecast(self, times: Any, *, sequence: Any, return_std: bool) -> Any:
        mean = wave(200, self.period)[np.asarray(times, dtype=int)] + self.error
        return mean, np.full_like(mean, self.std)


@pytest.mark.parametrize("period", [6, 12, 25])
def test_the_period_is_that_of_the_series(period):
    assert period_of(wave(100, period, 0.2)) == period
    assert period_of(wave(100, period) + 0.05 * np.arange(100)[:, None]) == period


def test_noise_lines_and_short_series_have_no_period():
    assert period_of(np.random.default_rng(0).normal(size=(200, 3))) is None
    assert period_of(np.arange(50.0)[:, None]) is None
    assert period_of(np.ones((50, 2))) is None
    assert period_of(wave(30, 25)) is None  # not two periods


def test_the_last_value_is_wrong_by_the_slope_of_a_line():
    found = {each.name: each for each in simple_forecasts(2.0 * np.arange(40.0)[:, None], 3)}
    last = found[LAST]
    np.testing.assert_allclose(last.mean[:, 0], [78.0, 78.0, 78.0])
    np.testing.assert_allclose(last.std[:, 0], [2.0, 4.0, 6.0])
    assert SEASONAL not in found
    # A line is autoregressive, so ridge regression continues it almost exactly.
    np.testing.assert_allclose(found[LINEAR].mean[:, 0], [80.0, 82.0, 84.0], atol=0.1)


def simulated(kind: str, generator: np.random.Generator) -> np.ndarray:
    noise, frames = generator.normal(size=120), np.arange(120.0)
    if kind == "walk":
        return np.cumsum(noise)
    return noise + (0.1 * frames if kind == "trend" else 3.0 * np.sin(np.pi * frames / 6.0))


@pytest.mark.parametrize("kind", ["trend", "walk", "season"])
def test_bands_hold_what_they_promise_and_never_narrow(kind):
    generator = np.random.default_rng(0)
    hits: dict[str, list[np.ndarray]] = {}
    series = np.column_stack([simulated(kind, generator) for _ in range(24)])
    for columns in np.split(series, 24, axis=1):
        for rule in simple_forecasts(columns[:60], 60, 12 if kind == "season" else None):
            assert (np.diff(rule.std, axis=0) >= 0.0).all()
            inside = np.abs(rule.mean - columns[60:]) < 1.96 * rule.std
            hits.setdefault(rule.name, []).append(inside[[0, 19, 59], 0])
    for name, each in hits.items():
        assert np.mean(each, axis=0).min() > 0.78, name  # of 24; three sigma below 95 % is 0.82
        assert np.mean(each) > 0.88, name


def test_columns_without_values_or_with_one_have_finite_forecasts():
    series = np.full((29, 3), np.nan)
    series[3, 0], series[:, 2] = 5.0, np.arange(29.0)
    for columns, period in product((series, series[:, :1], series[:, 1:2]), (None, 4)):
        for rule in simple_forecasts(columns, 40, period):
            assert np.isfinite(rule.mean).all() and np.isfinite(rule.std).all(), rule.name


def test_the_bands_of_the_last_value_grow_as_those_of_a_walk():
    walk = np.cumsum(np.random.default_rng(3).normal(size=(4000, 1)), axis=0)
    std = simple_forecasts(walk, 100)[0].std[:, 0]
    np.testing.assert_allclose(std[[0, 3, 99]], [1.0, 2.0, 10.0], rtol=0.2)


def test_the_bands_of_noise_hardly_grow():
    noise = np.random.default_rng(3).normal(size=(4000, 1))
    found = {each.name: each.std[:, 0] for each in simple_forecasts(noise, 60)}
    for name in (LAST, LINEAR):  # smoothing follows a tenth of every error
        assert found[name][59] < 1.4 * found[name][0], name


def test_each_column_continues_from_its_own_last_value():
    frames = np.arange(80.0)
    rows = np.column_stack([0.5 * frames, np.sin(np.pi * frames / 6.0), -0.3 * frames])
    rows += 0.01 * np.random.default_rng(0).normal(size=rows.shape)
    late = rows[:60].copy()
    late[55:, 0] = np.nan
    whole, found = (
        {each.name: each for each in simple_forecasts(known, 12, 12)} for known in (rows[:60], late)
    )
    for name in (TREND, LINEAR):
        wrong = found[name].mean - rows[60:72]
        assert np.abs(wrong).max() < 0.3, name
        assert (np.abs(wrong) < 3.0 * found[name].std).all()
    # Other columns are those of the whole series, and the last known value is five frames older.
    for name in (LAST, SEASONAL, TREND):
        np.testing.assert_allclose(found[name].mean[:, 1:], whole[name].mean[:, 1:])
        np.testing.assert_allclose(found[name].std[:, 1:], whole[name].std[:, 1:])
    np.testing.assert_allclose(found[LAST].mean[:, 0], late[54, 0])
    assert found[LAST].std[0, 0] > 2.0 * whole[LAST].std[0, 0]
    np.testing.assert_allclose(found[SEASONAL].mean[:, 0], np.r_[late[48:55, 0], late[43:48, 0]])


def test_one_period_before_repeats_the_last_period():
    series = np.tile([[1.0], [5.0], [2.0], [8.0]], (10, 1))[:38]
    found = {each.name: each for each in simple_forecasts(series, 6, period=4)}
    np.testing.assert_allclose(found[SEASONAL].mean[:, 0], [2.0, 8.0, 1.0, 5.0, 2.0, 8.0])
    np.testing.assert_allclose(found[SEASONAL].std, 0.0)


def test_the_autoregression_is_a_regression_on_the_last_frames():
    series = wave(120, 11.3, 0.3)
    found = autoregression(series, lags=2)(np.array([120, 60]), 2)
    centred = (series - series.mean(axis=0)) / series.std(axis=0)
    windows = np.hstack([centred[:-2], centred[1:-1]])

    def ridge(alpha: float) -> np.ndarray:
        mean, target = windows.mean(axis=0), centred[2:]
        gram = (windows - mean).T @ (windows - mean) + alpha * np.eye(6)
        slope = np.linalg.solve(gram, (windows - mean).T @ (target - target.mean(axis=0)))
        return np.vstack([slope, target.mean(axis=0) - mean @ slope])

    candidates = []
    for alpha in 10.0 ** np.arange(-4, 5):
        weights = ridge(alpha)
        for end in (120, 60):
            state = np.r_[centred[end - 2], centred[end - 1]]
            for _ in range(2):
                state = np.r_[state[3:], np.r_[state, 1.0] @ weights]
            candidates.append(series.mean(axis=0) + series.std(axis=0) * state[3:])
    two = [np.vstack(candidates[n : n + 2]) for n in range(0, len(candidates), 2)]
    assert min(float(np.abs(each - found[:, 1]).max()) for each in two) < 1e-8


@pytest.mark.parametrize("period", [None, 4])
def test_smoothing_is_that_of_its_equations(period):
    generator = np.random.default_rng(2)
    series = np.cumsum(generator.normal(size=40)) + np.tile([0.0, 3.0, 1.0, -2.0], 10)
    units = (series - series.mean()) / series.std()

    def run(alpha: float, beta: float, gamma: float, kept: float) -> tuple[float, np.ndarray]:
        level, slope, season = units[0], 0.0, [0.0]
        if period:
            first, second = units[:4].mean(), units[4:8].mean()
            slope = (second - first) / 4
            level = first - 2.5 * slope
            season = [units[n] - first - slope * (n - 1.5) for n in range(4)]
        errors = []
        for now in units:
            before = season.pop(0)
            error = now - level - kept * slope - before
            level, slope = level + kept * slope + alpha * error, kept * slope + beta * error
            season.append(before + gamma * error)
            errors.append(error)
        damped = [sum(kept**i for i in range(1, h + 1)) for h in range(1, 7)]
        ahead = [level + d * slope + season[h % len(season)] for h, d in enumerate(damped)]
        return sum(e * e for e in errors), series.mean() + series.std() * np.array(ahead)

    tried = [
        run(a, a * b, (1 - a) * c, kept)
        for a, b, c, kept in product(*SMOOTHING)
        if period or c == 0
    ]
    wanted = min(tried, key=lambda each: each[0])[1]
    found = smoothing(series[:, None], period)(np.array([40, 30]), 6)
    np.testing.assert_allclose(found[0, :, 0], wanted)


def test_a_trend_with_a_season_is_continued():
    rows = (0.1 * np.arange(66) + np.tile([0.0, 1.0, -2.0], 22))[:, None]
    gap = rows.copy()
    gap[20:23] = np.nan
    for series in (rows[:60], gap[:60]):
        ahead = smoothing(series, 3)(np.array([60]), 6)[0]
        np.testing.assert_allclose(ahead, rows[60:], atol=0.1)


def test_an_autoregression_does_not_explode():
    series = 1.2 ** np.arange(30.0)[:, None] * np.array([1.0, -0.5])
    ahead = autoregression(series)(np.array([30]), 300)[0]
    assert np.abs(ahead).max() < 300 * np.abs(series).max()


def test_wide_series_are_continued_through_their_components():
    angle = 2.0 * np.pi * np.arange(90) / 9.0
    mixing = np.random.default_rng(1).normal(size=(2, 80))
    whole = np.column_stack([np.sin(angle), np.cos(angle)]) @ mixing
    found = autoregression(whole[:80])(np.array([80]), 10)[0]
    np.testing.assert_allclose(found, whole[80:], atol=0.05)


def test_gaps_are_interpolated_for_the_rules():
    filled = without_gaps(np.array([[np.nan, 0.0], [2.0, np.nan], [np.nan, np.nan], [6.0, 3.0]]))
    np.testing.assert_allclose(filled, [[2.0, 0.0], [2.0, 1.0], [4.0, 2.0], [6.0, 3.0]])


def test_the_model_never_sees_the_frames_that_it_forecasts():
    Known.seen.clear()
    values = np.vstack([wave(80, 10.0), wave(70, 10.0)])
    sequences = np.repeat([4, 7], [80, 70])
    found = back_test(Known(), values, sequences=sequences, horizon=5)
    assert found.n_series == 2 and found.horizon == 5
    for origin, (times, which) in enumerate(Known.seen):
        assert times[which == 4].max() == 80 - 5 * (3 - origin) - 1
        assert times[which == 7].max() == 70 - 5 * (3 - origin) - 1
    assert found.errors[MODEL].max() < 1e-12
    np.testing.assert_allclose(found.inside[MODEL], 1.0)
    assert found.periods == (10,)


def test_errors_are_shares_of_the_spread_over_the_held_out_frames():
    values = wave(80, 10.0)
    found = back_test(Known(error=0.3), values, horizon=4, n_origins=2)
    share = np.sqrt(np.mean((0.3 / values.std(axis=0)) ** 2))
    np.testing.assert_allclose(found.errors[MODEL], share)
    np.testing.assert_allclose(found.inside[MODEL], 0.0)
    for origin, end in enumerate((72, 76)):
        wrong = (values[end : end + 4] - values[end - 1]) / values.std(axis=0)
        assert found.errors[LAST][origin] == pytest.approx(np.sqrt(np.mean(wrong**2)))
        assert found.soon[LAST][origin] == pytest.approx(np.sqrt(np.mean(wrong[:1] ** 2)))
    assert found.errors[SEASONAL].max() < 1e-9
    assert "The rule was better in all 2 forecasts" in found.sentence()
    assert found.best_rule in (SEASONAL, TREND, LINEAR)


def test_hidden_values_and_constant_columns_do_not_count():
    values = np.column_stack([wave(80, 10.0), np.ones(80)])
    values[70:, 0] = np.nan
    found = back_test(_Wider(), values, horizon=5, n_origins=1)
    assert found.errors[MODEL].max() < 1e-12
    assert any("constant" in note for note in found.notes)


def test_a_model_that_forecasts_better_than_all_rules_continues():
    noisy = wave(80, 37.0) + 0.3 * np.random.default_rng(1).normal(size=(80, 3))
    times, one = np.arange(80.0), np.zeros(80, dtype=int)
    found = choose_forecaster(Known(37.0), noisy, times, one, lambda share: None)
    assert found.name == MODEL and found.reach(0) == 0
    assert found.reason.startswith("Continued by the model: on the last 40 steps its error was ")


class _Wider(Known):
    """A model that also forecasts a constant column, with a wrong value."""

    def forecast(self, times: Any, *, sequence: Any, return_std: bool) -> Any:
        mean, std = super().forecast(times, sequence=sequence, return_std=True)
        return np.column_stack([mean, np.full(len(mean), 9.0)]), np.column_stack([std, std[:, 0]])


def test_the_test_ends_between_origins_and_keeps_the_finished_ones():
    shares: list[float] = []

    def end_later(step: Any) -> None:
        shares.append(step.share)
        if step.split > 1:
            raise StopIteration

    found = back_test(Known(), wave(80, 10.0), horizon=5, callback=end_later)
    assert len(found.errors[MODEL]) == 1 and "Ended after 1 of 3 forecasts." in found.notes
    assert shares[0] == 0.0

    def end_now(step: Any) -> None:
        raise StopIteration

    with pytest.raises(ValueError, match="ended before the first forecast"):
        back_test(Known(), wave(80, 10.0), horizon=5, callback=end_now)


def test_short_series_are_refused_with_a_remedy():
    with pytest.raises(DataError, match="The longest series has 14 rows"):
        back_test(Known(), wave(14, 5.0))
    with pytest.raises(DataError, match="view must be one of"):
        back_test(Known(), {"a": wave(14, 5.0)})
    with pytest.raises(DataError, match="one number for each row; got 2 columns"):
        back_test(Known(), wave(80, 10.0), times=np.tile(np.arange(80.0)[:, None], 2))
    broken = wave(80, 10.0)
    broken[3, 0] = np.inf
    with pytest.raises(DataError, match=r"row 3, column 0 .* is infinite"):
        back_test(Known(), broken)
    found = back_test(Known(), wave(80, 10.0), sequences=np.repeat([0, 1], [70, 10]), horizon=5)
    assert found.n_series == 1 and any("too short" in note for note in found.notes)


def test_a_trained_model_is_compared_at_every_origin():
    values = wave(70, 14.0, 0.05)
    values[20:23, 1] = np.nan
    model = DynamicalGPLVM(2, 10, time_kernel="matern32", max_iter=15, random_state=0)
    found = back_test(model, values, times=0.1 * np.arange(70), horizon=4)
    assert set(found.errors) == {MODEL, LAST, SEASONAL, TREND, LINEAR}
    assert all(each.shape == (3,) and np.isfinite(each).all() for each in found.errors.values())
    assert not hasattr(model, "bound_")  # the given model is not trained
    assert "Over the next 4 steps the model's error is" in found.sentence()


@pytest.mark.slow
def test_bands_are_calibrated_if_those_of_the_model_are():
    values = wave(40, 14.0, 0.05)
    model = DynamicalGPLVM(2, 10, time_kernel="matern32", max_iter=15, random_state=0)
    model.fit(values, times=0.1 * np.arange(40))
    plain = back_test(model, values, model.times_, horizon=4, n_origins=1)
    model.calibrate(values)
    found = back_test(model, values, model.times_, horizon=4, n_origins=1)
    np.testing.assert_allclose(found.errors[MODEL], plain.errors[MODEL])
    kept = DynamicalGPLVM(2, 10, time_kernel="matern32", max_iter=15, random_state=0)
    kept.fit(values[:36], times=0.1 * np.arange(36)).calibrate(values[:36])
    mean, std = kept.forecast(0.1 * np.arange(36, 40), return_std=True)
    inside = np.abs(mean - values[36:]) <= 1.96 * std
    assert found.inside[MODEL][0] == pytest.approx(inside.mean())
