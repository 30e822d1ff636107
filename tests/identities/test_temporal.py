"""Tests of identities of the prior over time."""

import numpy as np
import pytest

from gplvm_core.beliefs import Belief
from gplvm_core.kernels import RBF, Matern32, White
from gplvm_core.numerics import low_rank
from gplvm_core.priors import StandardNormal
from gplvm_core.priors.temporal import MOST_PRECISE, Block, Sites, SmoothBlock, Timeline, smooth


@pytest.fixture
def sites() -> Sites:
    generator = np.random.default_rng(21)
    return Sites(generator.normal(size=(12, 3)), generator.uniform(0.0, 5.0, (12, 3)))


@pytest.fixture
def times() -> np.ndarray:
    times = np.sort(np.random.default_rng(22).uniform(0.0, 6.0, (12, 1)), axis=0)
    times[6] = times[5]
    return times


def test_independent_points_have_the_standard_normals_kl(sites, times) -> None:
    found = smooth(White(1.0), Timeline.of(times), sites)
    variance = 1.0 / (1.0 + sites.precision)
    np.testing.assert_allclose(found.belief.mean, variance * sites.linear)
    np.testing.assert_allclose(found.belief.variance, variance)
    assert found.kl.sum() == pytest.approx(StandardNormal().kl(found.belief)[0], rel=1e-12)
    d_mean, d_variance = np.random.default_rng(1).normal(size=(2, 12, 3))
    pulled = found.pullback(d_mean, d_variance)
    prior = StandardNormal().kl(found.belief)[1]
    by_mean, by_variance = d_mean - prior.mean, d_variance - prior.variance
    np.testing.assert_allclose(pulled.sites.linear, variance * by_mean)
    # dμ/dλ = −s²ν and ds/dλ = −s².
    slope = -(variance**2) * (sites.linear * by_mean + by_variance)
    np.testing.assert_allclose(pulled.sites.precision, slope)


KERNELS = [RBF(1.3, 0.9) + White(0.1), RBF(1.3, 20.0) + White(0.001), Matern32(0.8, 1.5)]


@pytest.mark.parametrize("kernel", KERNELS)
def test_kl_between_whole_gaussians(kernel, sites, times) -> None:
    # different times make the kernel matrix invertible
    times = times + np.linspace(0.0, 1.0, 12)[:, None]
    gram = kernel.K(times)
    found = smooth(kernel, Timeline.of(times), sites)
    for j in range(3):
        inverse = np.linalg.inv(gram)
        covariance = np.linalg.inv(inverse + np.diag(sites.precision[:, j]))
        mean = covariance @ sites.linear[:, j]
        kl = 0.5 * (
            np.trace(inverse @ covariance)
            + mean @ inverse @ mean
            - 12
            + np.linalg.slogdet(gram)[1]
            - np.linalg.slogdet(covariance)[1]
        )
        assert found.kl[j] == pytest.approx(kl, rel=1e-9)
        np.testing.assert_allclose(found.belief.mean[:, j], mean, rtol=1e-8)
        np.testing.assert_allclose(gram @ found.dual[:, j], mean, rtol=1e-8)
        np.testing.assert_allclose(found.belief.variance[:, j], np.diagonal(covariance), rtol=1e-8)


def test_sequences_are_separate_problems(sites, times) -> None:
    kernel = Matern32(0.8, 1.5) + White(0.02)
    sequences = np.array([2, 2, 0, 2, 0, 0, 2, 7, 7, 0, 2, 7])
    together = smooth(kernel, Timeline.of(times, sequences), sites)
    d_mean, d_variance = np.random.default_rng(3).normal(size=(2, 12, 3))
    pulled = together.pullback(d_mean, d_variance)
    kl, d_white = np.zeros(3), 0.0
    for number in (0, 2, 7):
        rows = sequences == number
        own_sites = Sites(sites.linear[rows], sites.precision[rows])
        alone = smooth(kernel, Timeline.of(times[rows]), own_sites)
        kl += alone.kl
        np.testing.assert_allclose(together.belief.mean[rows], alone.belief.mean)
        np.testing.assert_allclose(together.belief.variance[rows], alone.belief.variance)
        own = alone.pullback(d_mean[rows], d_variance[rows])
        np.testing.assert_allclose(pulled.sites.precision[rows], own.sites.precision)
        d_white += own.kernel.parts[1].variance
    np.testing.assert_allclose(together.kl, kl)
    assert pulled.kernel.parts[1].variance == pytest.approx(d_white)


def test_without_precision_it_is_the_prior(sites, times) -> None:
    kernel = RBF(1.3, 0.9)
    found = smooth(kernel, Timeline.of(times), Sites(0.0 * sites.linear, 0.0 * sites.precision))
    np.testing.assert_allclose(found.belief.variance, 1.3)
    np.testing.assert_allclose(found.kl, 0.0, atol=1e-12)
    assert isinstance(found.belief, Belief)


@pytest.mark.parametrize("precision", [1e6, 1e12])
def test_sites_far_more_precise_than_the_prior_keep_their_digits(precision: float) -> None:
    """S approaches Λ⁻¹, and the KL equals that of a dense Gaussian in closed form."""
    times = 0.1 * np.arange(12.0)[:, None]
    kernel = RBF(1.0, 0.5) + White(0.1)
    sites = Sites(np.full((12, 1), precision), np.full((12, 1), precision))
    found = smooth(kernel, Timeline.of(times), sites)
    np.testing.assert_allclose(found.belief.variance, 1.0 / precision, rtol=1e-4)
    gram = kernel.K(times)
    mean, inverse = found.belief.mean[:, 0], np.linalg.inv(gram)
    # S equals I/λ up to terms of order 1/λ².
    log_ratio = np.linalg.slogdet(gram)[1] + 12 * np.log(precision)
    expected = 0.5 * (np.trace(inverse) / precision + mean @ inverse @ mean - 12 + log_ratio)
    assert found.kl[0] == pytest.approx(expected, rel=1e-4)


def test_a_point_between_far_more_precise_sites_has_a_positive_variance():
    times = np.arange(52.0)[:, None]
    precision = np.full((52, 1), 1e12)
    precision[::4] = 7e-3
    sites = Sites(np.zeros((52, 1)), precision)
    found = smooth(RBF(1.0, 1250.0), Timeline.of(times), sites)
    variance = found.belief.variance
    assert (variance > 0.0).all() and variance.max() < 1e-9


def test_the_two_algebras_agree_where_one_follows_the_other() -> None:
    generator, times = np.random.default_rng(4), np.arange(40.0)[:, None]
    gram, noise = RBF(1.0, 15.0).K(times), np.zeros(40)
    linear, precision = generator.normal(size=40), 10.0 ** generator.uniform(-3.0, 3.0, 40)
    precision[::5] = 0.99 * MOST_PRECISE
    linear *= precision
    full = Block.of(gram, linear, precision)
    found = SmoothBlock.of(low_rank(gram), noise, linear, precision)
    np.testing.assert_allclose(found.mean, full.mean, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(found.variance, full.variance, rtol=1e-6)
    assert found.kl == pytest.approx(full.kl, rel=1e-8)


def test_sites_far_more_precise_than_the_prior_have_full_rank_also_beside_little_noise() -> None:
    generator, times = np.random.default_rng(4), np.arange(40.0)[:, None]
    kernel, precision = RBF(1.0, 15.0) + White(1e-12), 10.0 ** generator.uniform(-3.0, 3.0, (40, 1))
    precision[::5] = 1e17
    sites = Sites(precision * generator.normal(size=(40, 1)), precision)
    full = Block.of(kernel.K(times), sites.linear[:, 0], precision[:, 0])
    found = smooth(kernel, Timeline.of(times), sites)
    np.testing.assert_allclose(found.belief.mean[:, 0], full.mean, rtol=1e-9)
    np.testing.assert_allclose(found.belief.variance[:, 0], full.variance, rtol=1e-9)
