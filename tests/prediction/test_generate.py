"""Tests of predictions against Monte Carlo over x*, u and f."""

import numpy as np
import pytest

from gplvm_core import RBF, BayesianGPLVM, Linear
from gplvm_core.prediction import predict, predict_uncertain, sample


@pytest.fixture(scope="module")
def fitted() -> BayesianGPLVM:
    generator = np.random.default_rng(8)
    angle = np.sort(generator.uniform(0, 2 * np.pi, 40))
    targets = np.column_stack([np.cos(angle), np.sin(angle), angle, angle**2])
    targets = 3.0 + 20.0 * targets + generator.normal(size=targets.shape)
    kernel = RBF(1.0, 1.0) + Linear(0.1)
    return BayesianGPLVM(2, 12, kernel=kernel, max_iter=40, random_state=0).fit(targets)


def test_uncertain_points_against_monte_carlo(fitted: BayesianGPLVM) -> None:
    generator = np.random.default_rng(0)
    point, spread = np.array([[0.3, -0.2]]), np.array([[0.4, 0.2]])
    draws = point + np.sqrt(spread) * generator.standard_normal((40_000, 2))
    means, variances = predict(fitted.posterior_, draws, noise=True)
    outputs = means + np.sqrt(variances) * generator.standard_normal(means.shape)
    mean, variance = predict_uncertain(fitted.posterior_, point, spread, noise=True)
    error = outputs.std(axis=0) / np.sqrt(len(outputs))
    assert (np.abs(mean[0] - outputs.mean(axis=0)) < 4 * error).all()
    np.testing.assert_allclose(variance[0], outputs.var(axis=0), rtol=0.03)


def test_no_uncertainty_is_the_certain_prediction(fitted: BayesianGPLVM) -> None:
    points = fitted.latent_mean_[:5]
    for moment, expected in zip(
        predict_uncertain(fitted.posterior_, points, np.zeros_like(points)),
        predict(fitted.posterior_, points),
        strict=True,
    ):
        np.testing.assert_allclose(moment, expected, rtol=1e-5)


def test_samples_have_the_predicted_moments(fitted: BayesianGPLVM) -> None:
    points = fitted.latent_mean_[:3]
    draws = sample(fitted.posterior_, points, 20_000, 1)
    mean, variance = predict(fitted.posterior_, points, noise=True)
    assert draws.shape == (20_000, 3, 4)
    assert (np.abs(draws.mean(axis=0) - mean) < 5 * np.sqrt(variance / 20_000)).all()
    np.testing.assert_allclose(draws.var(axis=0), variance, rtol=0.06)
    # The draws are joint: outputs at neighbouring points are correlated.
    pair = points[:1] + np.array([[0.0, 0.0], [1e-4, 0.0]])
    latent = sample(fitted.posterior_, pair, 500, 1, noise=False)
    assert np.corrcoef(latent[:, 0, 0], latent[:, 1, 0])[0, 1] > 0.9


@pytest.mark.slow
def test_draws_at_uncertain_points_have_their_moments(fitted: BayesianGPLVM) -> None:
    points, spread = fitted.latent_mean_[:1], np.array([[0.3, 0.1]])
    draws = fitted.sample(points, 20_000, 3, X_variance=spread)
    mean, variance = predict_uncertain(fitted.posterior_, points, spread, noise=True)
    assert (np.abs(draws.mean(axis=0) - mean) < 5 * np.sqrt(variance / 20_000)).all()
    np.testing.assert_allclose(draws.var(axis=0), variance, rtol=0.05)
    with pytest.raises(ValueError, match="none may be negative"):
        fitted.sample(points, 2, X_variance=-1.0)


def test_far_away_the_prior_is_back() -> None:
    generator = np.random.default_rng(0)
    targets = generator.normal(size=(30, 3)) * [5.0, 1.0, 1.0]
    model = BayesianGPLVM(2, 10, max_iter=20, random_state=0).fit(targets)
    mean, std = model.inverse_transform(np.full((1, 2), 1e3), return_std=True)
    np.testing.assert_allclose(mean[0], model.center_)
    np.testing.assert_allclose(std[0], np.sqrt(model.kernel_.variance) * model.scale_)
