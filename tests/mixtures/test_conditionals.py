"""Tests of every value of a row given the others, against dense conditionals."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal, norm

from gplvm_core.mixtures import Conditionals, Gaussians, conditionals

GENERATOR = np.random.default_rng(0)


@pytest.fixture(scope="module", params=["own noise", "common noise"])
def mixture(request: pytest.FixtureRequest) -> Gaussians:
    halves = GENERATOR.standard_normal((3, 5, 5))
    covariances = halves @ halves.transpose(0, 2, 1) + 0.2 * np.eye(5)
    found = Gaussians.full(
        np.array([0.5, 0.3, 0.2]), GENERATOR.standard_normal((3, 5)), covariances
    )
    if request.param == "common noise":
        around = np.repeat([[0.2], [0.5], [0.3]], 5, axis=1)
        common = GENERATOR.standard_normal((5, 2))
        found = replace(found, variances=around, axes=np.eye(5), common=common)
    return found.in_units(np.zeros(5), np.array([1.0, 10.0, 0.01, 1.0, 3.0]))


@pytest.fixture(scope="module")
def rows(mixture: Gaussians) -> np.ndarray:
    found = mixture.sample(12, GENERATOR)
    found[GENERATOR.random(found.shape) < 0.3] = np.nan
    found[0], found[1, 1:] = mixture.means[0], np.nan
    found[1, 0] = 1.0
    return found


def parts_of(mixture: Gaussians, row: np.ndarray, seen: np.ndarray, hidden: np.ndarray) -> tuple:
    """Return the Gaussians' weights given the columns `seen`, and the conditionals of `hidden`."""
    logs, means, covariances = [], [], []
    for k, weight in enumerate(mixture.weights):
        mean = mixture.means[k]
        whole = mixture.covariance(k)
        own = multivariate_normal(mean[seen], whole[np.ix_(seen, seen)]) if len(seen) else None
        logs.append(np.log(weight) + (own.logpdf(row[seen]) if own else 0.0))
        gain = whole[np.ix_(hidden, seen)] @ np.linalg.inv(whole[np.ix_(seen, seen)])
        means.append(mean[hidden] + gain @ (row[seen] - mean[seen]))
        covariances.append(whole[np.ix_(hidden, hidden)] - gain @ whole[np.ix_(seen, hidden)])
    return np.array(logs), np.array(means), np.array(covariances)


@pytest.fixture(params=["dense", "low rank"])
def found(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    mixture: Gaussians,
    rows: np.ndarray,
) -> Conditionals:
    if request.param == "low rank":
        monkeypatch.setattr(conditionals, "MOST_DENSE", 0)
    return Conditionals.of(mixture, rows)


def test_gaps_are_filled_with_conditional_moments(
    mixture: Gaussians, rows: np.ndarray, found: Conditionals
) -> None:
    for at, row in enumerate(rows):
        seen, hidden = np.flatnonzero(~np.isnan(row)), np.flatnonzero(np.isnan(row))
        logs, means, covariances = parts_of(mixture, row, seen, hidden)
        assert found.log_density[at] == pytest.approx(logsumexp(logs), rel=1e-9)
        shares = np.exp(logs - logsumexp(logs))
        mean = shares @ means
        spread = np.diagonal(covariances, axis1=1, axis2=2) + (means - mean) ** 2
        assert found.filled[at, hidden] == pytest.approx(mean, rel=1e-8)
        assert found.variance[at, hidden] == pytest.approx(shares @ spread, rel=1e-8)
        assert (found.filled[at, seen] == row[seen]).all()
        assert (found.variance[at, seen] == 0.0).all()


def test_every_value_is_compared_with_its_distribution_given_the_others(
    mixture: Gaussians, rows: np.ndarray, found: Conditionals
) -> None:
    for at, row in enumerate(rows):
        for d in np.flatnonzero(~np.isnan(row)):
            others = np.setdiff1d(np.flatnonzero(~np.isnan(row)), d)
            logs, means, covariances = parts_of(mixture, row, others, np.array([d]))
            shares = np.exp(logs - logsumexp(logs))
            mean, variance = means[:, 0], covariances[:, 0, 0]
            z = (row[d] - mean) / np.sqrt(variance)
            tail = 2.0 * min(shares @ norm.cdf(z), shares @ norm.cdf(-z))
            expected = shares @ mean
            std = np.sqrt(shares @ (variance + (mean - expected) ** 2))
            assert found.log_tail[at, d] == pytest.approx(np.log(tail), rel=1e-7, abs=1e-7)
            assert found.expected[at, d] == pytest.approx(expected, rel=1e-7)
            assert found.std[at, d] == pytest.approx(std, rel=1e-7)


def test_the_lost_entropy_is_that_of_the_gaps(mixture: Gaussians) -> None:
    """For one Gaussian, compare with the mean of log p(hidden | seen) over draws."""
    one = mixture.only(1)
    rows = one.sample(40_000, np.random.default_rng(1))
    gapped = rows.copy()
    gapped[:, [1, 4]] = np.nan
    found, whole = Conditionals.of(one, gapped), Conditionals.of(one, rows)
    lost = float(np.mean(found.log_density - whole.log_density))
    assert found.lost == pytest.approx(np.full(len(rows), found.lost[0]))
    assert found.lost[0] == pytest.approx(lost, abs=0.02)
    assert (whole.lost == 0.0).all()
    shift = Conditionals.of(mixture.in_units(np.zeros(5), np.full(5, np.e)), np.e * gapped[:5])
    assert shift.lost == pytest.approx(Conditionals.of(mixture, gapped[:5]).lost + 2.0)


def test_a_value_far_out_has_a_finite_logarithm(mixture: Gaussians) -> None:
    row = mixture.means[:1].copy()
    row[0, 2] += 1e6
    found = Conditionals.of(mixture, row)
    assert np.isfinite(found.log_tail).all()
    assert found.log_tail[0, 2] < -1e6
