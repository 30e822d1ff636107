"""Tests of regression with missing inputs: limiting cases, imputation, stages and predictions."""

import numpy as np
import pytest

from gplvm_core import BayesianGPLVM, evaluate_bound
from gplvm_core.models.estimators.regression import SparseGPRegression
from gplvm_core.models.estimators.semi_described import SemiDescribedGPRegression
from gplvm_core.optimise import Progress
from tests.until import Until


def curves(n_points: int, seed: int = 0):
    """Return two inputs and six outputs that depend on both, with noise of 0.05."""
    generator = np.random.default_rng(seed)
    inputs = generator.normal(size=(n_points, 2))
    slopes = np.random.default_rng(99).normal(size=(2, 6))
    outputs = np.sin(inputs @ slopes) + 0.05 * generator.normal(size=(n_points, 6))
    return 2.0 * inputs + 5.0, outputs


def with_gaps(inputs: np.ndarray, first: int, share: float, seed: int = 0) -> np.ndarray:
    """Return inputs of which a fraction is missing, from a given row onwards."""
    hidden = np.random.default_rng(seed).random(inputs.shape) < share
    hidden[:first] = False
    return np.where(hidden, np.nan, inputs)


def small(**settings) -> SemiDescribedGPRegression:
    return SemiDescribedGPRegression(
        **{"n_inducing": 15, "max_iter": 60, "random_state": 0} | settings
    )


def test_with_nothing_missing_it_is_regression() -> None:
    inputs, outputs = curves(50)
    plain = SparseGPRegression(15, max_iter=15, random_state=0).fit(inputs, outputs)
    model = small(max_iter=15).fit(inputs, outputs)
    assert model.bound_ == plain.bound_
    np.testing.assert_array_equal(model.predict(inputs), plain.predict(inputs))


def test_with_everything_missing_it_is_the_bayesian_gplvm() -> None:
    _, outputs = curves(40)
    with pytest.warns(UserWarning, match="complete inputs are in 0 rows"):
        model = small().fit(np.full((40, 2), np.nan), outputs)
    scaled = (outputs - outputs.mean(axis=0)) / outputs.std(axis=0)
    expected, _ = evaluate_bound(
        scaled,
        model.input_mean_,
        model.input_variance_,
        model.inducing_,
        model.kernel_,
        model.noise_variance_,
        model.posterior_.jitter,
    )
    expected -= len(outputs) * np.log(outputs.std(axis=0)).sum()
    assert model.bound_ == pytest.approx(expected, rel=1e-9)
    # The bound is not lower than that of the Bayesian GP-LVM.
    other = BayesianGPLVM(2, 15, scaling="columns", max_iter=60, random_state=0).fit(outputs)
    assert model.bound_ == pytest.approx(other.bound_, abs=1.0)


def test_a_bound_between_the_ends() -> None:
    inputs, outputs = curves(50)
    gaps = with_gaps(inputs, 25, 0.5)
    model = small(max_iter=20).fit(gaps, outputs)
    missing = np.isnan(gaps)
    internal = (model.input_mean_ - model.input_center_) / model.input_scale_
    spread = model.input_variance_ / model.input_scale_**2
    np.testing.assert_allclose(model.input_mean_[~missing], inputs[~missing])
    assert not spread[~missing].any()
    # Rows without any input are left out, and their beliefs equal the prior.
    kept = ~missing.all(axis=1)
    np.testing.assert_allclose(spread[~kept], 1.0)
    missing, internal, spread = missing[kept], internal[kept], spread[kept]
    # Compute F_data by evaluate_bound, with tiny variances for observed entries and without their
    # KL.
    close = np.where(missing, spread, 1e-13)
    scaled = ((outputs - outputs.mean(axis=0)) / outputs.std(axis=0))[kept]
    value, _ = evaluate_bound(
        scaled,
        internal,
        close,
        model.inducing_,
        model.kernel_,
        model.noise_variance_,
        model.posterior_.jitter,
    )
    terms = 0.5 * (internal**2 + close - np.log(close) - 1.0)
    expected = value + terms[~missing].sum() - kept.sum() * np.log(outputs.std(axis=0)).sum()
    assert model.bound_ == pytest.approx(expected, rel=1e-7)


@pytest.mark.slow
def test_missing_inputs_are_inferred_and_the_others_help() -> None:
    inputs, outputs = curves(120)
    gaps = with_gaps(inputs, 15, 0.4)
    model = small(n_inducing=25, max_iter=150).fit(gaps, outputs)
    # One of the two inputs is observed.
    missing = np.isnan(gaps) & ~np.isnan(gaps).all(axis=1, keepdims=True)
    error = (model.input_mean_ - inputs)[missing]
    # The inputs have a standard deviation of 2, so without information the squared error is 4.
    assert np.mean(error**2) < 0.4
    assert 0.2 < np.mean(error**2 / model.input_variance_[missing]) < 8.0
    # With the incomplete rows, predictions are better than with only the 15 complete rows.
    new, truth = curves(200, seed=1)
    alone = SparseGPRegression(25, max_iter=150, random_state=0).fit(inputs[:15], outputs[:15])
    worse = np.mean((alone.predict(new) - truth) ** 2)
    assert np.mean((model.predict(new) - truth) ** 2) < 0.6 * worse


def test_predictions_average_over_what_is_missing() -> None:
    inputs, outputs = curves(60)
    model = small(max_iter=20).fit(with_gaps(inputs, 30, 0.3), outputs)
    point = np.array([[6.0, np.nan]])
    mean, std = model.predict(point, return_std=True)
    generator = np.random.default_rng(0)
    draws = model.input_center_[1] + model.input_scale_[1] * generator.standard_normal(100_000)
    means, stds = model.predict(np.column_stack([np.full(len(draws), 6.0), draws]), return_std=True)
    np.testing.assert_allclose(mean[0], means.mean(axis=0), atol=0.02)
    np.testing.assert_allclose(
        std[0] ** 2, means.var(axis=0) + (stds**2).mean(axis=0), rtol=0.02, atol=1e-4
    )


@pytest.mark.slow
def test_a_column_that_no_row_has_is_a_latent_input() -> None:
    inputs, outputs = curves(60)
    inputs[:, 1] = np.nan
    with pytest.warns(UserWarning, match="complete inputs are in 0 rows"):
        model = small(max_iter=200).fit(inputs, outputs)
    seen = SparseGPRegression(15, max_iter=200, random_state=0).fit(inputs[:, :1], outputs)
    assert model.bound_ > seen.bound_ + 20.0
    assert np.isfinite(model.predict(inputs[:3])).all()


def test_noise_of_known_size_and_gaps_together() -> None:
    inputs, outputs = curves(50)
    gaps = with_gaps(inputs, 30, 0.4)
    model = small(max_iter=10).fit(gaps, outputs, X_variance=[0.0, 0.04])
    missing = np.isnan(gaps)
    assert not model.input_variance_[~missing[:, 0], 0].any()
    assert (model.input_variance_[~missing[:, 1], 1] > 0).all()
    assert np.isfinite(model.bound_)


@pytest.mark.parametrize("stop", [5, 37])
def test_resumed_in_either_stage_is_not_interrupted(stop: int) -> None:
    inputs, outputs = curves(50)
    gaps = with_gaps(inputs, 25, 0.4)
    kept: list[Progress] = []
    whole = small(max_iter=30).fit(gaps, outputs, callback=kept.append)
    # Each stage counts its iterations from 1.
    run = kept[stop].run
    resumed = small(max_iter=30).fit(gaps, outputs, resume=run)
    np.testing.assert_array_equal(resumed.predict(inputs), whole.predict(inputs))
    assert resumed.bound_ == whole.bound_


def test_stopped_in_the_first_stage_it_is_still_a_model() -> None:
    inputs, outputs = curves(50)
    gaps = with_gaps(inputs, 25, 0.4)
    told = Until(lambda progress: progress.iteration == 10)
    model = small().fit(gaps, outputs, callback=told)
    assert len(told.reports) == 10
    assert model.result_.status == "stopped"
    assert model.result_.iterations == 10
    assert np.isfinite(model.predict(inputs)).all()
    assert (model.input_variance_[np.isnan(gaps)] > 0).all()


def test_beside_whole_rows_those_without_any_input_change_nothing() -> None:
    inputs, outputs = curves(60)
    gaps = inputs.copy()
    gaps[30:] = np.nan
    with pytest.warns(UserWarning, match="they have no input: 30 of 60 rows"):
        model = small().fit(gaps, outputs)
    np.testing.assert_allclose(model.input_mean_[30:], np.tile(model.input_center_, (30, 1)))
    np.testing.assert_allclose(model.input_variance_[30:], np.tile(model.input_scale_**2, (30, 1)))
    # All rows determine the scale of the outputs, so the two regressions differ only by their
    # units.
    scaled = (outputs - outputs.mean(axis=0)) / outputs.std(axis=0)
    alone = SparseGPRegression(15, max_iter=60, random_state=0, scaling="none")
    alone.fit(inputs[:30], scaled[:30])
    predicted = (model.predict(inputs) - outputs.mean(axis=0)) / outputs.std(axis=0)
    np.testing.assert_allclose(predicted, alone.predict(inputs), atol=0.2)


def test_rows_with_gaps_do_not_change_the_lengthscales() -> None:
    inputs, outputs = curves(60)
    first = SparseGPRegression(15, max_iter=60, random_state=0).fit(inputs[:30], outputs[:30])
    second = small().fit(with_gaps(inputs, 30, 0.6), outputs)
    assert second.relevance_.argmax() == first.relevance_.argmax()
