"""Tests of mixtures of Gaussians against scipy's densities, quadrature and draws."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from gplvm_core.mixtures import Gaussians

D = 3


def spread(seed: int, size: int = D) -> np.ndarray:
    root = np.random.default_rng(seed).standard_normal((size, size))
    return root @ root.T + 0.3 * np.eye(size)


@pytest.fixture
def mixture() -> Gaussians:
    means = np.array([[0.0, 1.0, -1.0], [2.0, -1.0, 0.5]])
    return Gaussians.full(np.array([0.3, 0.7]), means, np.array([spread(0), spread(1)]))


def by_scipy(rows: np.ndarray, seen: list[int]) -> np.ndarray:
    """Compute the density of some columns with scipy."""
    means = ([0.0, 1.0, -1.0], [2.0, -1.0, 0.5])
    each = [
        weight * multivariate_normal(np.array(mean)[seen], spread(k)[np.ix_(seen, seen)]).pdf(rows)
        for k, (weight, mean) in enumerate(zip((0.3, 0.7), means, strict=True))
    ]
    return np.log(sum(each))


ROWS = np.random.default_rng(2).standard_normal((5, D))


def test_the_density_is_that_of_its_gaussians(mixture: Gaussians) -> None:
    assert mixture.score_samples(ROWS) == pytest.approx(by_scipy(ROWS, [0, 1, 2]), rel=1e-10)


def test_missing_values_are_integrated_out(mixture: Gaussians) -> None:
    rows = ROWS.copy()
    rows[:, 1] = np.nan
    rows[2, 0] = np.nan
    found = mixture.score_samples(rows)
    few = [0, 1, 3, 4]
    assert found[few] == pytest.approx(by_scipy(ROWS[few][:, [0, 2]], [0, 2]), rel=1e-10)
    assert found[2] == pytest.approx(by_scipy(ROWS[[2]][:, [2]], [2]), rel=1e-10)


def test_units_change_the_density_by_their_jacobian(mixture: Gaussians) -> None:
    center, scale = np.array([5.0, -2.0, 0.0]), np.array([10.0, 0.1, 3.0])
    found = mixture.in_units(center, scale).score_samples(center + scale * ROWS)
    assert found == pytest.approx(mixture.score_samples(ROWS) - np.log(scale).sum(), rel=1e-9)


def test_a_gap_is_filled_with_the_conditional_mean_and_variance(mixture: Gaussians) -> None:
    rows = ROWS.copy()
    rows[:, 1] = np.nan
    whole, variance = mixture.complete(rows)
    grid = np.linspace(-15.0, 15.0, 3001)
    for row, mean, own in zip(ROWS, whole[:, 1], variance[:, 1], strict=True):
        along = np.tile(row, (len(grid), 1))
        along[:, 1] = grid
        weights = np.exp(by_scipy(along, [0, 1, 2]))
        weights /= weights.sum()
        assert mean == pytest.approx(weights @ grid, rel=1e-6)
        assert own == pytest.approx(weights @ (grid - weights @ grid) ** 2, rel=1e-6)
    assert (variance[:, [0, 2]] == 0.0).all()
    assert (whole[:, [0, 2]] == ROWS[:, [0, 2]]).all()


def test_drawn_completions_have_the_conditional_moments(mixture: Gaussians) -> None:
    rows = ROWS.copy()
    rows[:, 0] = np.nan
    rows[:3, 2] = np.nan
    whole, variance = mixture.complete(rows)
    drawn = mixture.sample_completions(rows, 20_000, np.random.default_rng(0))
    gaps = np.isnan(rows)
    assert (drawn[:, ~gaps] == rows[~gaps]).all()
    error = np.sqrt(variance[gaps] / len(drawn))
    assert np.abs(drawn.mean(axis=0)[gaps] - whole[gaps]).max() < 5.0 * error.max()
    assert drawn.var(axis=0)[gaps] == pytest.approx(variance[gaps], rel=0.05)


def test_draws_have_the_moments_of_the_mixture(mixture: Gaussians) -> None:
    drawn = mixture.sample(40_000, np.random.default_rng(0))
    mean = mixture.weights @ mixture.means
    assert drawn.mean(axis=0) == pytest.approx(mean, abs=0.05)
    within = 0.3 * spread(0) + 0.7 * spread(1)
    apart = mixture.means - mean
    assert np.cov(drawn.T) == pytest.approx(within + (apart.T * mixture.weights) @ apart, abs=0.15)


@pytest.mark.parametrize("width", [0, 3])
def test_gaussians_that_share_axes_may_have_different_variances(width: int) -> None:
    """The same mixture by dense covariances; `width`: the columns of G, which all share."""
    generator = np.random.default_rng(0)
    axes = np.linalg.qr(generator.standard_normal((6, 2)))[0]
    common = generator.standard_normal((6, width)) if width else None
    means, weights, arounds = np.array([[1.0, -2.0], [-1.0, 0.5]]), np.array([0.4, 0.6]), (0.4, 1.1)
    inner = [spread(k, 2) + 2.0 * np.eye(2) for k in (3, 4)]
    wide = Gaussians.mixed(
        [
            Gaussians.full(np.ones(1), mean[None], own[None], around)
            for mean, own, around in zip(means, inner, arounds, strict=True)
        ],
        weights,
    ).along(axes, common)
    scale = np.arange(1.0, 7.0)
    rows = scale * np.random.default_rng(1).standard_normal((4, 6))
    rows[:2, 1:4], rows[2, 5] = np.nan, np.nan
    more = np.zeros((6, 6)) if common is None else common @ common.T / arounds[0]
    whole = [
        axes @ own @ axes.T + around * (np.eye(6) - axes @ axes.T + more)
        for own, around in zip(inner, arounds, strict=True)
    ]
    dense = Gaussians.full(weights, means @ axes.T, np.array(whole))
    wide, dense = (each.in_units(np.zeros(6), scale) for each in (wide, dense))
    assert wide.score_samples(rows) == pytest.approx(dense.score_samples(rows), rel=1e-9)
    for mine, theirs in zip(wide.complete(rows), dense.complete(rows), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-8)
    for k in (0, 1):
        np.testing.assert_allclose(wide.covariance(k), dense.covariance(k), rtol=1e-9, atol=1e-9)
        alone = wide.only(k).score_samples(rows)
        assert alone == pytest.approx(dense.only(k).score_samples(rows), rel=1e-9)
    drawn = wide.sample(40_000, np.random.default_rng(0)) / scale
    second = sum(
        w * (own + np.outer(mean, mean))
        for w, own, mean in zip(weights, whole, means @ axes.T, strict=True)
    )
    np.testing.assert_allclose(drawn.T @ drawn / len(drawn), second, atol=0.15)
    fills = wide.sample_completions(rows, 20_000, np.random.default_rng(0))
    mean, variance = wide.complete(rows)
    np.testing.assert_allclose(fills.mean(axis=0) / scale, mean / scale, atol=0.06)
    np.testing.assert_allclose(fills.std(axis=0), np.sqrt(variance), rtol=0.03, atol=1e-9)


def test_coordinates_along_axes_have_one_variance_in_all_other_directions() -> None:
    axes = np.linalg.qr(np.random.default_rng(0).standard_normal((6, 2)))[0]
    inner, around = spread(3, 2) + np.eye(2), 0.4
    low = Gaussians.full(np.ones(1), np.array([[1.0, -2.0]]), inner[None], around)
    rows = np.random.default_rng(1).standard_normal((4, 6))
    whole = axes @ inner @ axes.T + around * (np.eye(6) - axes @ axes.T)
    expected = multivariate_normal(axes @ [1.0, -2.0], whole).logpdf(rows)
    wide = low.along(axes)
    assert wide.score_samples(rows) == pytest.approx(expected, rel=1e-10)
    # The same Gaussians without shared axes have the same conditionals and draws.
    plain = replace(wide, factors=axes @ wide.factors, axes=None)
    shift, scale = np.arange(6.0), np.arange(1.0, 7.0)
    wide, plain = wide.in_units(shift, scale), plain.in_units(shift, scale)
    rows[:2, 1:4] = np.nan
    for mine, theirs in zip(wide.complete(rows), plain.complete(rows), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-9)
    drawn = [
        each.sample_completions(rows, 20_000, np.random.default_rng(0)) for each in (wide, plain)
    ]
    for moment in (np.mean, np.std):
        np.testing.assert_allclose(*(moment(d, axis=0) for d in drawn), atol=0.15)
    assert wide.sample(10, np.random.default_rng(0)).shape == (10, 6)
