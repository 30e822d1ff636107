"""Tests of the average prediction of several starts."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from gplvm_core import (
    AverageOfStarts,
    BayesianGPLVM,
    DynamicalGPLVM,
    ManifoldRelevance,
    ProbabilisticPCA,
    load,
)


def rows() -> np.ndarray:
    return load_iris().data[::2]


@pytest.fixture(scope="module")
def average() -> AverageOfStarts:
    return AverageOfStarts(BayesianGPLVM(2, 10, max_iter=10), 3, random_state=0).fit(rows())


def test_moments_are_those_of_draws_from_the_models():
    gaps = rows()[::15].copy()
    gaps[:, 2:] = np.nan
    average = AverageOfStarts(BayesianGPLVM(1, 5, max_iter=20), 2, random_state=0).fit(rows())
    # Models of different sizes differ clearly, on every processor.
    others = [BayesianGPLVM(1, 3, max_iter=3), BayesianGPLVM(3, 20, max_iter=60)]
    average.estimators_ = tuple(each.set_params(random_state=0).fit(rows()) for each in others)
    mean, std = average.complete(gaps, return_std=True)
    generator, draws, means = np.random.default_rng(1), [], []
    for each in average.estimators_:
        own, spread = each.complete(gaps, return_std=True)
        draws.append(own + spread * generator.standard_normal((40_000, *own.shape)))
        means.append(own)
    assert np.ptp(means, axis=0)[:, 2:].max() > 0.3
    drawn = np.concatenate(draws)
    np.testing.assert_allclose(mean, drawn.mean(axis=0), atol=0.02)
    np.testing.assert_allclose(std, drawn.std(axis=0), rtol=0.01, atol=1e-9)
    assert np.array_equal(average.complete(gaps), mean)
    assert np.array_equal(mean[:, :2], gaps[:, :2])  # observed values stay as they are


def test_seeds_differ_and_the_average_can_be_repeated(average):
    again = AverageOfStarts(BayesianGPLVM(2, 10, max_iter=10), 3, random_state=0).fit(rows())
    assert len({each.random_state for each in again.estimators_}) == 3
    bounds = [each.bound_ for each in again.estimators_]
    assert bounds == [each.bound_ for each in average.estimators_]
    assert again.n_features_in_ == 4


def test_an_average_can_be_saved(average, tmp_path):
    average.save(tmp_path / "average.gplvm")
    found = load(tmp_path / "average.gplvm")
    gaps = np.where(np.arange(4) == 1, np.nan, rows()[:3])
    assert np.array_equal(found.complete(gaps), average.complete(gaps))


@pytest.mark.slow
def test_views_over_time_are_transferred_and_calibrated():
    generator = np.random.default_rng(0)
    times = np.tile(np.arange(15.0), 4)
    phase = np.repeat([0.0, 1.0, 2.0, 3.0], 15) + 0.4 * times
    circle = np.column_stack([np.cos(phase), np.sin(phase)])
    views = {name: circle @ generator.standard_normal((2, 4)) for name in "ab"}
    views = {name: own + 0.05 * generator.standard_normal((60, 4)) for name, own in views.items()}
    sequences = np.repeat(np.arange(4), 15)
    model = ManifoldRelevance(3, 10, time_kernel="matern32", max_iter=30)
    average = AverageOfStarts(model, 2, random_state=0)
    average.fit(views, times=times, sequences=sequences)
    new = {"a": views["a"][:15]}
    before = average.transfer(new, "b", times=times[:15], return_std=True)[1]
    assert all(each.intervals_ is None for each in average.estimators_)
    average.calibrate(views)
    assert all(each.intervals_ is not None for each in average.estimators_)
    mean, wide = average.transfer(new, "b", times=times[:15], return_std=True)
    assert mean.shape == (15, 4) and (wide >= before).all()
    filled = average.complete({"a": views["a"][:2] * [1, 1, 1, np.nan], "b": views["b"][:2]})
    assert set(filled) == {"a", "b"} and not np.isnan(filled["a"]).any()
    with pytest.raises(ValueError, match="no average with n_alternatives"):
        average.transfer(new, "b", n_alternatives=2)


def test_forecasts_are_averaged():
    series = np.column_stack([np.sin(0.3 * np.arange(40)), np.cos(0.3 * np.arange(40))])
    path = AverageOfStarts(DynamicalGPLVM(2, 8, time_kernel="rbf", max_iter=10), 2, random_state=0)
    path.fit(series)
    mean, std = path.forecast([40.0, 41.0], return_std=True)
    assert mean.shape == std.shape == (2, 2)
    each = [own.forecast([40.0, 41.0]) for own in path.estimators_]
    np.testing.assert_allclose(mean, np.mean(each, axis=0))


def test_what_has_no_average_is_refused(average):
    with pytest.raises(ValueError, match="n_starts must be at least 1; got 0"):
        AverageOfStarts(BayesianGPLVM(), 0).fit(rows())
    with pytest.raises(ValueError, match="ProbabilisticPCA has no random_state"):
        AverageOfStarts(ProbabilisticPCA()).fit(rows())
    with pytest.raises(ValueError, match="BayesianGPLVM has no method transfer"):
        average.transfer({"a": rows()}, "b")
    with pytest.raises(ValueError, match="no average with return_cov: leave this out"):
        average.complete(rows(), return_cov=True)
    words = [["red", 1.0], ["blue", 2.0], ["red", 1.5], ["blue", 2.5]] * 5
    model = AverageOfStarts(
        BayesianGPLVM(1, 5, kinds={0: "category"}, max_iter=5), 2, random_state=0
    )
    with pytest.raises(ValueError, match="only numbers can be averaged"):
        model.fit(np.array(words, dtype=object)).complete([["red", None]])
