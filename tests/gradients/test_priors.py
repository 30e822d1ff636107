"""Every prior's KL and its gradient; a prior that is missing fails."""

import numpy as np
import pytest

import gplvm_core.priors as priors
from gplvm_core.beliefs import Belief
from gplvm_core.priors import StandardNormal


def test_every_prior_is_here() -> None:
    assert set(priors.__all__) == {"StandardNormal"}


def test_standard_normal(central_difference) -> None:
    generator = np.random.default_rng(5)
    mean, variance = generator.normal(size=(6, 3)), generator.uniform(0.1, 2.0, (6, 3))
    prior = StandardNormal()
    value, gradient = prior.kl(Belief(mean, variance))
    # Against Monte Carlo over q: log q − log p.
    noise = generator.standard_normal((200_000, 6, 3))
    draws = mean + np.sqrt(variance) * noise
    log_ratio = 0.5 * (draws**2 - noise**2 - np.log(variance))
    totals = log_ratio.sum(axis=(1, 2))
    assert value == pytest.approx(totals.mean(), abs=4 * totals.std() / np.sqrt(len(totals)))
    np.testing.assert_allclose(
        gradient.mean,
        central_difference(lambda m: prior.kl(Belief(m, variance))[0], mean),
        rtol=1e-7,
    )
    np.testing.assert_allclose(
        gradient.variance,
        central_difference(lambda s: prior.kl(Belief(mean, s))[0], variance),
        rtol=1e-6,
        atol=1e-8,
    )


def test_observed_entries_cost_nothing() -> None:
    mean, variance = np.ones((3, 2)), np.full((3, 2), 0.5)
    observed = np.array([[True, False]] * 3)
    fixed = Belief(mean, np.where(observed, 0.0, variance), observed)
    value, gradient = StandardNormal().kl(fixed)
    assert value == pytest.approx(StandardNormal().kl(Belief(mean[:, 1:], variance[:, 1:]))[0])
    assert not gradient.mean[:, 0].any()
    assert not gradient.variance[:, 0].any()


def test_log_density(central_difference) -> None:
    points = np.random.default_rng(2).normal(size=(4, 2))
    prior = StandardNormal()
    value, gradient = prior.log_density(points)
    expected = -0.5 * np.sum(points**2) - 4 * np.log(2 * np.pi)
    assert value == pytest.approx(expected)
    np.testing.assert_allclose(
        gradient, central_difference(lambda x: prior.log_density(x)[0], points), rtol=1e-7
    )
