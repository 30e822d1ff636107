"""Tests of autoregression: windows, forecasts against closed forms, futures, error messages."""

import numpy as np
import pytest

import gplvm_core
from gplvm_core import BayesianGPLVM, Linear
from gplvm_core.datasets import DataError
from gplvm_core.models.estimators.autoregressive import AutoregressiveGP
from gplvm_core.optimise import Progress


def wave(length: int = 90) -> np.ndarray:
    times = np.arange(length)
    return 10.0 + 3.0 * np.sin(0.3 * times) + np.sin(0.6 * times + 1.0)


def small(**settings) -> AutoregressiveGP:
    return AutoregressiveGP(
        **{"window": 4, "n_inducing": 20, "max_iter": 60, "random_state": 0} | settings
    )


@pytest.fixture(scope="module")
def model() -> AutoregressiveGP:
    return small().fit(wave())


@pytest.mark.parametrize("propagate", ["full", "moments", "none"])
def test_a_wave_continues(model: AutoregressiveGP, propagate: str) -> None:
    future = wave(105)[90:]
    mean, std = model.forecast(15, propagate=propagate, return_std=True)
    assert mean.shape == std.shape == (15,)
    assert np.sqrt(np.mean((mean - future) ** 2)) < 0.15 * wave().std()


def test_plain_forecasts_feed_back_means_one_by_one(model: AutoregressiveGP) -> None:
    values = list(wave())
    for _ in range(6):
        values.append(model.exact_.predict(np.array([values[-4:]]))[0, 0])
    np.testing.assert_allclose(model.forecast(6, propagate="none"), values[90:], rtol=1e-7)


def test_variances_of_predictions_enter_the_window(model: AutoregressiveGP) -> None:
    values, variances = list(wave()), [0.0] * 90
    for _ in range(6):
        mean, std = model.exact_.predict(
            np.array([values[-4:]]),
            X_variance=np.array([variances[-4:]]),
            noise=True,
            return_std=True,
        )
        values.append(mean[0, 0])
        variances.append(std[0, 0] ** 2)
    mean, std = model.forecast(6, propagate="moments", return_std=True)
    np.testing.assert_allclose(mean, values[90:], rtol=1e-7)
    np.testing.assert_allclose(std**2, variances[90:], rtol=1e-4)


def linear(length: int, decay: float = 0.9, noise: float = 0.5, seed: int = 0) -> np.ndarray:
    generator = np.random.default_rng(seed)
    series = np.zeros(length)
    for t in range(1, length):
        series[t] = decay * series[t - 1] + noise * generator.normal()
    return series


@pytest.mark.parametrize("propagate", ["full", "moments"])
def test_the_uncertainty_of_a_linear_process_follows_its_formula(propagate: str) -> None:
    """The variance is Var y_{t+k} = σ² Σ_{i<k} a^{2i}, and the mean decays as a^k."""
    series = linear(800)
    model = small(window=1, kernel=Linear(1.0), n_inducing=1).fit(series)
    mean, std = model.forecast(15, propagate=propagate, history=[4.0], return_std=True)
    decay = float(np.sum(series[1:] * series[:-1]) / np.sum(series[:-1] ** 2))
    noise = np.std(series[1:] - decay * series[:-1])
    steps = np.arange(1, 16)
    growth = noise * np.sqrt((1.0 - decay ** (2 * steps)) / (1.0 - decay**2))
    np.testing.assert_allclose(std, growth, rtol=0.15)
    # The mean of 200 futures has a standard error of std/√200.
    np.testing.assert_array_less(np.abs(mean - 4.0 * decay**steps), 5.0 * growth / np.sqrt(200))
    naive = model.forecast(15, propagate="none", history=[4.0], return_std=True)[1]
    assert naive[-1] == pytest.approx(naive[0], rel=0.05)


def test_futures_follow_one_function_each() -> None:
    """In y_t = a y_{t−1} + ε, the unknown slope a is the same at all times of a sampled future.

    Given the slope a ~ N(m, v), y_k is a^k y_0 plus noise. The law of total variance gives the
    variance.
    """
    series = linear(25, noise=0.3, seed=1)
    model = small(window=1, kernel=Linear(1.0), n_inducing=1).fit(series, series_variance=0.0)
    exact = model.exact_
    slope, spread = exact.predict(
        [[exact.input_center_[0]], [exact.input_center_[0] + 1.0]], noise=False, return_std=True
    )
    drawn = model.sample_forecast(4, 4000, 0, history=[5.0])
    generator = np.random.default_rng(0)
    centre = exact.input_center_[0]
    # In internal units, the function is a line through the mean of the outputs.
    m, s = slope[1, 0] - slope[0, 0], spread[1, 0]
    values = np.full(4000, 5.0)
    slopes = m + s * generator.standard_normal(4000)
    for _ in range(4):
        noise = exact.noise_std_[0] * generator.standard_normal(4000)
        values = slope[0, 0] + slopes * (values - centre) + noise
    assert drawn.shape == (4000, 4)
    assert drawn[:, -1].mean() == pytest.approx(values.mean(), abs=5 * values.std() / 60)
    assert drawn[:, -1].std() == pytest.approx(values.std(), rel=0.08)


def test_futures_cover_the_truth_of_a_noisy_wave() -> None:
    generator = np.random.default_rng(3)
    truth = wave(200)
    model = small(window=8, max_iter=100).fit(truth[:150] + 0.3 * generator.normal(size=150))
    mean, std = model.forecast(50, return_std=True)
    assert np.mean(np.abs(mean - truth[150:]) < 2.0 * std) > 0.8
    assert std[-1] > std[0]


@pytest.mark.slow
def test_several_columns_and_several_series() -> None:
    times = np.arange(60)
    pair = np.column_stack([np.sin(0.3 * times), 2.0 * np.cos(0.3 * times)])
    one = small(window=2).fit(pair)
    mean, std = one.forecast(10, return_std=True)
    assert mean.shape == std.shape == (10, 2)
    later = 0.3 * np.arange(60, 70)
    np.testing.assert_allclose(mean, np.column_stack([np.sin(later), 2 * np.cos(later)]), atol=0.1)
    # With two series, no window spans both series, and the forecast continues the last series.
    two = small(window=2).fit([pair[:20], pair[25:]])
    assert len(two.exact_.input_mean_) == 18 + 33
    assert not (np.abs(two.exact_.input_mean_[:, 2:] - pair[20]).max(axis=1) < 1e-9).any()
    np.testing.assert_allclose(two.forecast(3), mean[:3], atol=0.1)


def test_history_instead_of_the_series_end(model: AutoregressiveGP) -> None:
    np.testing.assert_allclose(
        model.forecast(5, propagate="none", history=wave()[:50]), wave()[50:55], atol=0.1
    )


def test_the_same_forecast_every_time(model: AutoregressiveGP, tmp_path) -> None:
    first = model.forecast(8, return_std=True)
    np.testing.assert_array_equal(model.forecast(8, return_std=True), first)
    np.testing.assert_array_equal(model.sample_forecast(3, 5, 1), model.sample_forecast(3, 5, 1))
    model.save(tmp_path / "series.gplvm")
    again = gplvm_core.load(tmp_path / "series.gplvm")
    np.testing.assert_array_equal(again.forecast(8, return_std=True), first)


@pytest.mark.slow
def test_a_path_in_the_latent_space_of_another_model_is_forecast_and_decoded() -> None:
    """The rows are frames of a rotating picture. The model forecasts the latent path and decodes it
    to frames.
    """
    generator = np.random.default_rng(0)
    phase = 0.25 * np.arange(100)
    circle = np.column_stack([np.cos(phase), np.sin(phase)])
    frames = np.tanh(circle @ generator.normal(size=(2, 12)))
    frames += 0.02 * generator.normal(size=frames.shape)
    space = BayesianGPLVM(2, 20, max_iter=100, random_state=0).fit(frames[:80])
    dynamics = small(window=2, max_iter=100)
    dynamics.fit(space.latent_mean_, series_variance=space.latent_variance_)
    mean, std = dynamics.forecast(20, return_std=True)
    future, spread = space.inverse_transform(mean, X_variance=std**2, return_std=True)
    assert future.shape == spread.shape == (20, 12)
    error = np.sqrt(np.mean((future - frames[80:]) ** 2))
    assert error < 0.3 * frames.std()


def test_variances_of_zero_are_an_exact_series() -> None:
    model = small().fit(wave(), series_variance=0.0)
    assert model.aware_ is model.exact_
    known = small(max_iter=20).fit(wave(), series_variance=0.01)
    np.testing.assert_allclose(known.aware_.input_noise_variance_, 0.01)
    assert known.forecast(1, return_std=True)[1] > model.forecast(1, return_std=True)[1]


def test_resumed_in_either_training() -> None:
    kept: list[Progress] = []
    whole = small(max_iter=20).fit(wave(), callback=kept.append)
    for stop in (7, 25):
        resumed = small(max_iter=20).fit(wave(), resume=kept[stop].run)
        assert resumed.bound_ == whole.bound_
        np.testing.assert_array_equal(resumed.forecast(5), whole.forecast(5))


def test_stopped_early_it_still_forecasts() -> None:
    def stop(progress: Progress) -> None:
        if progress.iteration == 3:
            raise StopIteration

    model = small().fit(wave(), callback=stop)
    assert model.result_.status == "stopped"
    assert np.isfinite(model.forecast(4)).all()


def test_mistakes_in_words(model: AutoregressiveGP) -> None:
    with pytest.raises(DataError, match=r"n_samples = 5 is too short for window = 4: at least 6"):
        small().fit(wave(5))
    with pytest.raises(DataError, match="A series must be complete: fill its gaps in"):
        small().fit(np.where(wave() > 12, np.nan, wave()))
    with pytest.raises(ValueError, match="window must be a whole number of at least 1; got 0"):
        small(window=0).fit(wave())
    with pytest.raises(ValueError, match="steps must be a whole number of at least 1; got 0"):
        model.forecast(0)
    with pytest.raises(ValueError, match="propagate must be one of full, moments, none; got 'all'"):
        model.forecast(3, propagate="all")
    with pytest.raises(DataError, match="too short for window = 4: at least 4"):
        model.forecast(3, history=[1.0, 2.0])
    with pytest.raises(ValueError, match=r"of the series' shape \(90, 1\); got shape \(7,\)"):
        small().fit(wave(), series_variance=np.ones(7))
    with pytest.raises(ValueError, match="none may be negative"):
        small().fit(wave(), series_variance=-1.0)
    with pytest.raises(ValueError, match="2 features"):
        small().fit([np.ones((30, 3)), np.ones((30, 2))])
