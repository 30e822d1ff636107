"""Tests of identities of the prior over time."""

import numpy as np
import pytest

from gplvm_core.beliefs import Belief
from gplvm_core.kernels import RBF, Matern32, White
from gplvm_core.priors import StandardNormal
from gplvm_core.priors.temporal import Path, Timeline, marginals, smoothed


@pytest.fixture
def path() -> Path:
    generator = np.random.default_rng(21)
    return Path(generator.normal(size=(12, 3)), generator.uniform(0.0, 5.0, (12, 3)))


@pytest.fixture
def times() -> np.ndarray:
    times = np.sort(np.random.default_rng(22).uniform(0.0, 6.0, (12, 1)), axis=0)
    times[6] = times[5]
    return times


def test_independent_points_have_the_standard_normals_kl(path, times) -> None:
    found = marginals(White(1.0), Timeline.of(times), path)
    np.testing.assert_allclose(found.belief.mean, path.dual)
    np.testing.assert_allclose(found.belief.variance, 1.0 / (1.0 + path.precision))
    assert found.kl.sum() == pytest.approx(StandardNormal().kl(found.belief)[0], rel=1e-12)
    d_mean, d_variance = np.random.default_rng(1).normal(size=(2, 12, 3))
    pulled = found.pullback(d_mean, d_variance)
    prior = StandardNormal().kl(found.belief)[1]
    np.testing.assert_allclose(pulled.path.dual, d_mean - prior.mean)
    slope = -1.0 / (1.0 + path.precision) ** 2  # this is ds/dλ
    np.testing.assert_allclose(pulled.path.precision, slope * (d_variance - prior.variance))


@pytest.mark.parametrize("kernel", [RBF(1.3, 0.9) + White(0.1), Matern32(0.8, 1.5)])
def test_kl_between_whole_gaussians(kernel, path, times) -> None:
    # different times make the kernel matrix invertible
    times = times + np.linspace(0.0, 1.0, 12)[:, None]
    gram = kernel.K(times)
    found = marginals(kernel, Timeline.of(times), path)
    for j in range(3):
        mean = gram @ path.dual[:, j]
        covariance = np.linalg.inv(np.linalg.inv(gram) + np.diag(path.precision[:, j]))
        inverse = np.linalg.inv(gram)
        kl = 0.5 * (
            np.trace(inverse @ covariance)
            + mean @ inverse @ mean
            - 12
            + np.linalg.slogdet(gram)[1]
            - np.linalg.slogdet(covariance)[1]
        )
        assert found.kl[j] == pytest.approx(kl, rel=1e-9)
        np.testing.assert_allclose(found.belief.mean[:, j], mean, rtol=1e-10)
        np.testing.assert_allclose(found.belief.variance[:, j], np.diagonal(covariance), rtol=1e-8)


def test_sequences_are_separate_problems(path, times) -> None:
    kernel = Matern32(0.8, 1.5) + White(0.02)
    sequences = np.array([2, 2, 0, 2, 0, 0, 2, 7, 7, 0, 2, 7])
    together = marginals(kernel, Timeline.of(times, sequences), path)
    d_mean, d_variance = np.random.default_rng(3).normal(size=(2, 12, 3))
    pulled = together.pullback(d_mean, d_variance)
    kl, d_white = np.zeros(3), 0.0
    for number in (0, 2, 7):
        rows = sequences == number
        alone = marginals(
            kernel, Timeline.of(times[rows]), Path(path.dual[rows], path.precision[rows])
        )
        kl += alone.kl
        np.testing.assert_allclose(together.belief.mean[rows], alone.belief.mean)
        np.testing.assert_allclose(together.belief.variance[rows], alone.belief.variance)
        own = alone.pullback(d_mean[rows], d_variance[rows])
        np.testing.assert_allclose(pulled.path.precision[rows], own.path.precision)
        d_white += own.kernel.parts[1].variance
    np.testing.assert_allclose(together.kl, kl)
    assert pulled.kernel.parts[1].variance == pytest.approx(d_white)


def test_without_precision_it_is_the_prior(path, times) -> None:
    kernel = RBF(1.3, 0.9)
    found = marginals(kernel, Timeline.of(times), Path(0.0 * path.dual, 0.0 * path.precision))
    np.testing.assert_allclose(found.belief.variance, 1.3)
    np.testing.assert_allclose(found.kl, 0.0, atol=1e-12)
    assert isinstance(found.belief, Belief)


@pytest.mark.parametrize("precision", [1e6, 1e12])
def test_sites_far_more_precise_than_the_prior_keep_their_digits(precision: float) -> None:
    """S approaches Λ⁻¹, and the KL equals that of a dense Gaussian in closed form."""
    times = 0.1 * np.arange(12.0)[:, None]
    kernel = RBF(1.0, 0.5) + White(0.1)
    path = Path(np.ones((12, 1)), np.full((12, 1), precision))
    found = smoothed(kernel, Timeline.of(times), path)
    np.testing.assert_allclose(found.belief.variance, 1.0 / precision, rtol=1e-4)
    gram = kernel.K(times)
    mean, inverse = found.belief.mean[:, 0], np.linalg.inv(gram)
    # S equals I/λ up to terms of order 1/λ².
    log_ratio = np.linalg.slogdet(gram)[1] + 12 * np.log(precision)
    expected = 0.5 * (np.trace(inverse) / precision + mean @ inverse @ mean - 12 + log_ratio)
    assert found.kl[0] == pytest.approx(expected, rel=1e-4)
