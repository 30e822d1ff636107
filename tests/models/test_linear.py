"""Probabilistic PCA against dense algebra and scikit-learn."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.decomposition import PCA

from gplvm_core import BayesianPCA, ProbabilisticPCA


@pytest.fixture
def targets() -> np.ndarray:
    generator = np.random.default_rng(0)
    low = generator.normal(size=(60, 2)) @ generator.normal(size=(2, 7))
    return 5.0 + 3.0 * (low + 0.2 * generator.normal(size=(60, 7)))


def test_primal_is_dual(targets: np.ndarray) -> None:
    primal = ProbabilisticPCA(2, method="primal").fit(targets)
    dual = ProbabilisticPCA(2, method="dual").fit(targets)
    assert dual.bound_ == pytest.approx(primal.bound_, rel=1e-10)
    assert dual.noise_variance_ == pytest.approx(primal.noise_variance_, rel=1e-9)
    np.testing.assert_allclose(np.abs(dual.latent_mean_), np.abs(primal.latent_mean_), atol=1e-8)


def test_likelihood_is_that_of_the_gaussian(targets: np.ndarray) -> None:
    model = ProbabilisticPCA(2).fit(targets)
    weights = model.posterior_.weights * model.scale_
    covariance = weights.T @ weights + np.diag(model.noise_std_**2)
    dense = multivariate_normal(model.center_, covariance).logpdf(targets)
    np.testing.assert_allclose(model.score_samples(targets), dense, rtol=1e-9)
    assert model.bound_ == pytest.approx(dense.sum())
    # No other isotropic noise with this subspace is likelier: scikit-learn's covariance, unbiased
    # in N − 1, is not.
    assert dense.sum() >= PCA(2).fit(targets).score_samples(targets).sum()


def test_posterior_of_the_latent_points(targets: np.ndarray) -> None:
    model = ProbabilisticPCA(2).fit(targets)
    weights = model.posterior_.weights
    internal = (targets - model.center_) / model.scale_
    inner = np.linalg.inv(np.eye(2) + weights @ weights.T / model.noise_variance_)
    expected = internal @ weights.T @ inner / model.noise_variance_
    mean, std = model.transform(targets, return_std=True)
    np.testing.assert_allclose(mean, expected, atol=1e-10)
    np.testing.assert_allclose(std[0], np.sqrt(np.diagonal(inner)), rtol=1e-9)
    np.testing.assert_allclose(mean, model.latent_mean_, atol=1e-10)


def test_too_many_components_are_capped_in_words(targets: np.ndarray) -> None:
    with pytest.warns(UserWarning, match="n_components = 10 is capped at 6"):
        ProbabilisticPCA(10).fit(targets)


def test_bayesian_pca_finds_the_dimensionality(targets: np.ndarray) -> None:
    model = BayesianPCA(5, max_iter=300, random_state=0).fit(targets)
    assert model.n_effective_ == 2
    # Its evidence cannot exceed the maximised likelihood of the same family.
    assert model.bound_ < ProbabilisticPCA(5).fit(targets).bound_
