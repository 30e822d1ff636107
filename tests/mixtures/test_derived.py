"""Tests of the steps from local Gaussians to a mixture of rows, against known densities."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from gplvm_core.mixtures import Coordinates, LocalGaussians, clustered, fitted, joined, residual
from gplvm_core.mixtures.coordinates import left_out
from gplvm_core.mixtures.derived import MEAN_ROWS, objective
from gplvm_core.mixtures.derived import _updated as updated
from gplvm_core.mixtures.gaussians import shares_of

N, D = 400, 3


@pytest.fixture
def local() -> LocalGaussians:
    """Return two Gaussians that are far apart, each along one direction."""
    means = np.array([[-4.0, 0.0, 1.0], [4.0, 1.0, 0.0]])
    along = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, -1.0]])
    covariances = along[:, :, None] * along[:, None, :] + 1e-3 * np.eye(D)
    return LocalGaussians(np.array([0.4, 0.6]), means, covariances)


LEFT = np.array([[0.5, 0.3, -0.1], [0.3, 0.6, 0.0], [-0.1, 0.0, 0.2]])


@pytest.fixture
def rows(local: LocalGaussians) -> np.ndarray:
    generator = np.random.default_rng(0)
    which = (generator.random(N) > local.weights[0]).astype(int)
    covariances = local.covariances[which] + LEFT
    unit = generator.standard_normal((N, D, 1))
    return local.means[which] + (np.linalg.cholesky(covariances) @ unit)[:, :, 0]


def log_likelihood(rows: np.ndarray, found: LocalGaussians) -> float:
    return float(logsumexp(found.log_each(rows), axis=1).sum())


def test_the_residual_of_the_map_is_found(local: LocalGaussians, rows: np.ndarray) -> None:
    start = 0.3 * np.eye(D)
    found = residual(rows, local, start, updates=200, shrunk=1.0)
    assert found == pytest.approx(LEFT, abs=0.12)


def test_every_update_of_the_residual_raises_the_likelihood(
    local: LocalGaussians, rows: np.ndarray
) -> None:
    found, before = 0.3 * np.eye(D), -np.inf
    for _ in range(8):
        value = log_likelihood(rows, local.with_residual(found))
        assert value > before
        found, before = residual(rows, local, found, updates=1, shrunk=1.0), value


def test_shrinking_keeps_variances_and_reduces_covariances(
    local: LocalGaussians, rows: np.ndarray
) -> None:
    whole = residual(rows, local, np.eye(D), updates=1, shrunk=1.0)
    less = residual(rows, local, np.eye(D), updates=1)
    assert np.diag(less) == pytest.approx(np.diag(whole))
    assert less[0, 1] == pytest.approx(0.9 * whole[0, 1])


def test_every_update_of_the_mixture_raises_its_objective(
    local: LocalGaussians, rows: np.ndarray
) -> None:
    prior = replace(local, means=0.1 * local.means).with_residual(0.3 * np.eye(D))
    found, before = prior, -np.inf
    for _ in range(5):
        shares, log = shares_of(found.log_each(rows), axis=1)
        value = objective(log, found, prior, 5.0)
        assert value > before + 1e-6
        found, before = updated(rows, shares, prior, 5.0), value


def test_the_fitted_mixture_is_a_maximum_of_its_objective(
    local: LocalGaussians, rows: np.ndarray
) -> None:
    prior = local.with_residual(0.3 * np.eye(D))
    found = prior
    for _ in range(200):
        found = updated(rows, shares_of(found.log_each(rows), axis=1)[0], prior, 40.0)

    def value(other: LocalGaussians) -> float:
        return objective(shares_of(other.log_each(rows), axis=1)[1], other, prior, 40.0)

    best = value(found)
    for step in (0.03, -0.03):
        assert value(replace(found, means=found.means * (1.0 + step))) < best
        assert value(replace(found, covariances=found.covariances * (1.0 + step))) < best
        shifted = found.weights * (1.0 + step * np.array([1.0, -1.0]))
        assert value(replace(found, weights=shifted / shifted.sum())) < best


def test_infinite_prior_strength_keeps_the_covariances_of_the_map(
    local: LocalGaussians, rows: np.ndarray
) -> None:
    assert fitted(rows, local, np.inf) is local


def test_without_prior_strength_the_density_is_a_plain_gaussian(rows: np.ndarray) -> None:
    prior = LocalGaussians(np.ones(1), np.zeros((1, D)), np.eye(D)[None])
    found = fitted(rows, prior, 0.0)
    mean = rows.sum(axis=0) / (N + MEAN_ROWS)
    scatter = (rows - mean).T @ (rows - mean) + MEAN_ROWS * np.outer(mean, mean)
    assert found.means[0] == pytest.approx(mean)
    assert found.covariances[0] == pytest.approx(scatter / N)


def test_wide_rows_have_a_density_along_their_principal_axes() -> None:
    """One Gaussian generates the rows; the fitted density is nearly as high as the true one."""
    generator = np.random.default_rng(0)
    directions = np.linalg.qr(generator.standard_normal((300, 4)))[0]
    rows = 5.0 * generator.standard_normal((400, 4)) @ directions.T
    rows += 0.5 * generator.standard_normal(rows.shape)
    train, test = rows[:300], rows[300:]
    units = Coordinates(np.zeros(300), np.full(300, 0.5)).fitted(train)
    inner = units.of(train)
    assert inner.shape == (300, 100)
    own = LocalGaussians(np.ones(1), inner.mean(axis=0)[None], np.cov(inner.T)[None])
    found = units.density(own, inner).score_samples(test).mean()
    variances = np.r_[np.full(4, 25.25), np.full(296, 0.25)]
    truth = -0.5 * (300 * np.log(2.0 * np.pi) + np.log(variances).sum() + 300)
    assert truth - 60.0 < found < truth + 5.0


@pytest.mark.parametrize("most", [6, 3])
def test_the_variance_around_the_axes_is_chosen_by_rows_left_out(most: int) -> None:
    """Against Gaussians of the other rows, one by one, along the axes of all rows."""
    generator = np.random.default_rng(0)
    rows = generator.standard_normal((8, 3)) @ generator.standard_normal((3, 6))
    rows += 0.1 * generator.standard_normal(rows.shape)
    along, values, axes = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    known = axes[:most].T @ axes[:most]
    for around in (0.01, 0.3):
        expected = []
        for at, row in enumerate(rows):
            others = np.delete(rows, at, axis=0)
            covariance = np.cov((others @ known).T, bias=True) + around * np.eye(6)
            expected.append(multivariate_normal(others.mean(axis=0), covariance).logpdf(row))
        found = left_out(along, values, most, 6, around)
        assert found == pytest.approx(np.mean(expected), rel=1e-9)


def test_wide_rows_keep_their_covariance_along_all_axes() -> None:
    """Few wide rows: beyond the leading axes, the covariance is that of the rows + v I."""
    generator = np.random.default_rng(0)
    rows = generator.standard_normal((60, 300)) * np.geomspace(3.0, 0.03, 300)
    units = Coordinates(np.zeros(300), np.ones(300)).fitted(rows)
    inner, axes = units.of(rows), units.axes
    assert axes is not None
    assert inner.shape == (60, 20)
    own = LocalGaussians(np.ones(1), np.zeros((1, 20)), np.cov(inner.T, bias=True)[None])
    found = units.density(own, inner).covariance(0)
    _, values, all_axes = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    along = np.einsum("ed,df,ef->e", all_axes[:59], found, all_axes[:59])
    added = np.r_[np.zeros(20), np.full(39, axes.around)]
    assert along == pytest.approx(values[:59] ** 2 / 60 + added, rel=1e-8)
    # The truth is one Gaussian with these variances; other rows have nearly its density.
    test = generator.standard_normal((200, 300)) * np.geomspace(3.0, 0.03, 300)
    score = units.density(own, inner).only(0).score_samples(test).mean()
    truth = multivariate_normal(np.zeros(300), np.diag(np.geomspace(3.0, 0.03, 300) ** 2))
    leading = replace(axes, common=np.zeros((300, 0)))
    without = replace(units, axes=leading).density(own, inner).only(0).score_samples(test).mean()
    assert without + 20.0 < score < truth.logpdf(test).mean()


def test_a_row_unlike_all_others_has_the_density_of_the_background() -> None:
    generator = np.random.default_rng(0)
    rows = generator.standard_normal((200, 2))
    units = Coordinates(np.zeros(2), np.ones(2))
    narrow = LocalGaussians(np.ones(1), np.zeros((1, 2)), 0.01 * np.eye(2)[None])
    far = np.array([[3.0, -3.0]])
    # The wide Gaussian has eight times the rows' variances, and half of their correlations.
    wide = 8.0 * np.cov(rows.T, bias=True) * np.array([[1.0, 0.5], [0.5, 1.0]])
    expected = np.log(0.01) + multivariate_normal(rows.mean(axis=0), wide).logpdf(far)
    found = units.density(narrow, rows)
    assert found.score_samples(far)[0] == pytest.approx(expected, rel=1e-9)
    near = np.log(0.99) + multivariate_normal(np.zeros(2), 0.01 * np.eye(2)).logpdf([0.0, 0.0])
    assert found.score_samples(np.zeros((1, 2)))[0] == pytest.approx(near, abs=1e-3)


def test_clusters_far_apart_give_their_own_means_and_shares(local: LocalGaussians) -> None:
    """K-means finds groups that are far apart; their common covariance is shrunk."""
    generator = np.random.default_rng(3)
    which = np.arange(N) % 4 == 0
    rows = np.where(which[:, None], 8.0, -8.0) + generator.standard_normal((N, D)) @ np.diag(
        [1.0, 2.0, 3.0]
    )
    found = clustered(rows, 2, 0)
    order = np.argsort(found.weights)
    assert found.weights[order] == pytest.approx([0.25, 0.75])
    assert found.means[order[0]] == pytest.approx(rows[which].mean(axis=0))
    assert np.diagonal(found.covariances[0]) == pytest.approx([1.0, 4.0, 9.0], rel=0.2)


def test_a_mixture_of_mixtures_has_the_mean_density(
    local: LocalGaussians, rows: np.ndarray
) -> None:
    other = local.with_residual(LEFT)
    both = joined([local, other], np.array([0.3, 0.7]))
    each = [np.exp(logsumexp(one.log_each(rows), axis=1)) for one in (local, other)]
    whole = np.exp(logsumexp(both.log_each(rows), axis=1))
    assert whole == pytest.approx(0.3 * each[0] + 0.7 * each[1])
