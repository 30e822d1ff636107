"""Tests of probabilistic PCA against dense algebra and scikit-learn."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.decomposition import PCA

from gplvm_core import BayesianPCA, ProbabilisticPCA
from gplvm_core.bounds.linear_gaussian import Factors, infer
from gplvm_core.datasets import DataError
from gplvm_core.models.problems.principal import fit_partial, fit_whole


@pytest.fixture
def targets() -> np.ndarray:
    generator = np.random.default_rng(0)
    low = generator.normal(size=(60, 2)) @ generator.normal(size=(2, 7))
    return 5.0 + 3.0 * (low + 0.2 * generator.normal(size=(60, 7)))


@pytest.fixture
def gaps(targets: np.ndarray) -> np.ndarray:
    """Return the rows with a quarter of the entries missing, at different positions in each row."""
    missing = np.random.default_rng(1).random(targets.shape) < 0.25
    missing[:, 0] = False
    return np.where(missing, np.nan, targets)


def gaussian(model: ProbabilisticPCA) -> tuple[np.ndarray, np.ndarray]:
    """Compute mean and covariance of y in the user's units from the public attributes."""
    weights = model.inverse_transform(np.eye(model.n_effective_)) - model.center_
    return model.center_, weights.T @ weights + np.diag(model.noise_std_**2)


def log_densities(mean: np.ndarray, covariance: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Compute log p of each row's observed entries with SciPy."""
    seen = ~np.isnan(rows)
    return np.array(
        [
            multivariate_normal(mean[o], covariance[np.ix_(o, o)]).logpdf(row[o])
            for row, o in zip(rows, seen, strict=True)
        ]
    )


def expectation_maximisation(
    rows: np.ndarray, weights: np.ndarray, noise: float, n_steps: int
) -> tuple[np.ndarray, np.ndarray]:
    """Fit probabilistic PCA to the observed entries by expectation maximisation, row by row.

    weights: D × (Q + 1), with the mean in the last column. The algorithm is that of Tipping &
    Bishop (1999), Appendix B, with sums over the observed entries.
    """
    seen = ~np.isnan(rows)
    n_outputs, n_latent = len(weights), weights.shape[1] - 1
    for _ in range(n_steps):
        left = np.zeros((n_outputs, n_latent + 1, n_latent + 1))
        right = np.zeros((n_outputs, n_latent + 1))
        moments = []
        for row, o in zip(rows, seen, strict=True):
            w = weights[o, :-1]
            covariance = noise * np.linalg.inv(noise * np.eye(n_latent) + w.T @ w)
            mean = np.append(covariance @ w.T @ (row[o] - weights[o, -1]) / noise, 1.0)
            second = np.outer(mean, mean)
            second[:-1, :-1] += covariance
            moments.append((mean, second))
            left[o] += second
            right[o] += row[o, None] * mean
        weights = np.linalg.solve(left, right[:, :, None])[:, :, 0]
        error = 0.0
        for (mean, second), row, o in zip(moments, rows, seen, strict=True):
            w = weights[o]
            error += np.sum(row[o] ** 2 - 2 * row[o] * (w @ mean)) + np.sum((w @ second) * w)
        noise = error / seen.sum()
    return weights[:, -1], weights[:, :-1] @ weights[:, :-1].T + noise * np.eye(n_outputs)


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
    # No other isotropic noise with this subspace has a higher likelihood. scikit-learn's likelihood
    # is lower, because its covariance divides by N − 1.
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


def test_likelihood_with_gaps_is_that_of_the_observed_entries(gaps: np.ndarray) -> None:
    for scaling in ("global", "columns", "none"):
        model = ProbabilisticPCA(2, scaling=scaling).fit(gaps)
        dense = log_densities(*gaussian(model), gaps)
        np.testing.assert_allclose(model.score_samples(gaps), dense, rtol=1e-9)
        assert model.bound_ == pytest.approx(dense.sum())


def test_gaps_are_fitted_by_maximum_likelihood(gaps: np.ndarray) -> None:
    model = ProbabilisticPCA(2, scaling="none").fit(gaps)
    assert model.result_.status == "converged"
    # Expectation maximisation does not improve the likelihood, and other starts do not reach a
    # higher one.
    mean, covariance = gaussian(model)
    weights = np.hstack([model.posterior_.weights.T, mean[:, None]])
    more = expectation_maximisation(gaps, weights, model.noise_variance_, 20)
    np.testing.assert_allclose(more[0], mean, atol=1e-5)
    np.testing.assert_allclose(more[1], covariance, atol=1e-4)
    begin = np.random.default_rng(0).normal(size=weights.shape)
    other = log_densities(*expectation_maximisation(gaps, begin, 1.0, 300), gaps).sum()
    assert model.bound_ - 0.1 < other < model.bound_


def test_without_gaps_the_fit_is_the_closed_form(targets: np.ndarray) -> None:
    centre = targets.mean(axis=0)
    closed = fit_whole(targets - centre, 2)
    # The columns are not centred, so that the fit needs several steps.
    found, result = fit_partial(targets - centre + 1.0, 2, tolerance=1e-6)
    assert result.status == "converged" and result.iterations > 3
    np.testing.assert_allclose(found.center, 1.0, atol=1e-5)
    assert found.noise_variance == pytest.approx(closed.noise_variance, abs=1e-6)
    covariance = closed.weights.T @ closed.weights
    np.testing.assert_allclose(found.weights.T @ found.weights, covariance, rtol=1e-4, atol=1e-4)
    likelihood = [
        infer(each, targets - centre + 1.0).log_density.sum()
        for each in (found, Factors(closed.weights, np.ones(7), closed.noise_variance))
    ]
    assert likelihood[0] == pytest.approx(likelihood[1], abs=1e-6)


def test_directions_with_gaps_are_orthogonal_and_sorted(gaps: np.ndarray) -> None:
    model = ProbabilisticPCA(3).fit(gaps)
    gram = model.posterior_.weights @ model.posterior_.weights.T
    np.testing.assert_allclose(gram, np.diag(model.relevance_), atol=1e-10)
    assert (np.diff(model.relevance_) < 0).all()
    np.testing.assert_allclose(model.transform(gaps), model.latent_mean_, atol=1e-12)
    std = model.transform(gaps, return_std=True)[1]
    np.testing.assert_allclose(std**2, model.latent_variance_)


def test_posterior_of_a_latent_point_from_a_part_of_the_row(gaps: np.ndarray) -> None:
    model = ProbabilisticPCA(2).fit(gaps)
    weights = model.posterior_.weights * model.scale_
    mean, std = model.transform(gaps, return_std=True)
    for n in (0, 7, 20):
        o = ~np.isnan(gaps[n])
        covariance = weights[:, o].T @ weights[:, o] + np.diag(model.noise_std_[o] ** 2)
        gain = weights[:, o] @ np.linalg.inv(covariance)
        np.testing.assert_allclose(mean[n], gain @ (gaps[n] - model.center_)[o], atol=1e-9)
        posterior = np.eye(2) - gain @ weights[:, o].T
        np.testing.assert_allclose(std[n] ** 2, np.diag(posterior), atol=1e-9)


def conditional(model: ProbabilisticPCA, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute mean and covariance of a row's missing entries given the others, by dense algebra."""
    mean, covariance = gaussian(model)
    m = np.isnan(row)
    gain = covariance[np.ix_(m, ~m)] @ np.linalg.inv(covariance[np.ix_(~m, ~m)])
    return (
        mean[m] + gain @ (row - mean)[~m],
        covariance[np.ix_(m, m)] - gain @ covariance[np.ix_(~m, m)],
    )


def test_completion_is_the_conditional_gaussian(gaps: np.ndarray) -> None:
    model = ProbabilisticPCA(2).fit(gaps)
    whole, std = model.complete(gaps, return_std=True)
    same, joint = model.complete(gaps, return_cov=True)
    np.testing.assert_array_equal(whole, same)
    seen = ~np.isnan(gaps)
    np.testing.assert_array_equal(whole[seen], gaps[seen])
    assert (std[seen] == 0).all() and (std[~seen] > 0).all()
    for n, row in enumerate(gaps):
        m = np.isnan(row)
        mean, covariance = conditional(model, row)
        np.testing.assert_allclose(whole[n, m], mean, atol=1e-9)
        np.testing.assert_allclose(joint[n][np.ix_(m, m)], covariance, atol=1e-9)
        np.testing.assert_allclose(std[n, m] ** 2, np.diag(covariance), atol=1e-9)
        assert (joint[n][~m] == 0).all()
    with pytest.raises(ValueError, match="return_std and return_cov cannot be combined"):
        model.complete(gaps, return_std=True, return_cov=True)


def test_drawn_completions_have_the_conditional_moments(gaps: np.ndarray) -> None:
    model = ProbabilisticPCA(2).fit(gaps)
    n = int(np.argmax(np.isnan(gaps).sum(axis=1)))
    draws = model.sample_completions(gaps[n : n + 1], 40_000, random_state=0)[:, 0]
    m = np.isnan(gaps[n])
    np.testing.assert_array_equal(draws[0, ~m], gaps[n, ~m])
    mean, covariance = conditional(model, gaps[n])
    level = np.sqrt(np.diag(covariance).max())
    np.testing.assert_allclose(draws[:, m].mean(axis=0), mean, atol=0.03 * level)
    np.testing.assert_allclose(np.cov(draws[:, m].T), covariance, atol=0.05 * level**2)


def test_denoising_gives_the_expected_clean_row(gaps: np.ndarray) -> None:
    model = ProbabilisticPCA(2).fit(gaps)
    clean, std = model.denoise(gaps, return_std=True)
    np.testing.assert_allclose(clean, model.inverse_transform(model.transform(gaps)), atol=1e-9)
    whole, whole_std = model.complete(gaps, return_std=True)
    m = np.isnan(gaps)
    np.testing.assert_allclose(clean[m], whole[m])
    # The variance of a missing entry is that of its noise-free value plus that of the noise.
    expected = std**2 + model.noise_std_**2
    np.testing.assert_allclose(whole_std[m] ** 2, expected[m])


def test_gaps_beyond_repair_are_named(gaps: np.ndarray) -> None:
    gaps[[3, 8]] = np.nan
    with pytest.raises(DataError, match="nothing is observed in rows 3, 8 of the targets"):
        ProbabilisticPCA(2).fit(gaps)
    empty = np.delete(gaps, [3, 8], axis=0)
    empty[:, 2] = np.nan
    with pytest.raises(DataError, match="nothing is observed in column 2 of the targets"):
        ProbabilisticPCA(2).fit(empty)


@pytest.mark.filterwarnings("ignore:the likelihood")
def test_more_components_than_the_gaps_allow_are_reported(gaps: np.ndarray) -> None:
    with pytest.warns(UserWarning, match="the noise variance ended at its smallest allowed value"):
        model = ProbabilisticPCA(6).fit(gaps[:8])
    assert np.isfinite(model.bound_)


def test_bayesian_pca_finds_the_dimensionality(targets: np.ndarray) -> None:
    model = BayesianPCA(5, max_iter=300, random_state=0).fit(targets)
    assert model.n_effective_ == 2
    # The evidence cannot exceed the maximised likelihood of the same family.
    assert model.bound_ < ProbabilisticPCA(5).fit(targets).bound_
