"""Tests of every prior's KL divergence and its gradient; no prior may be left out."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm

import gplvm_core.priors as priors
from gplvm_core.beliefs import Belief
from gplvm_core.priors import StandardNormal, UncertainInputs


def test_every_prior_is_tested() -> None:
    assert set(priors.__all__) == {"StandardNormal", "UncertainInputs"}


def test_standard_normal(central_difference) -> None:
    generator = np.random.default_rng(5)
    mean, variance = generator.normal(size=(6, 3)), generator.uniform(0.1, 2.0, (6, 3))
    prior = StandardNormal()
    value, gradient = prior.kl(Belief(mean, variance))
    # Compare the KL with a Monte Carlo mean of log q − log p under q.
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


def uncertain() -> tuple[UncertainInputs, Belief]:
    generator = np.random.default_rng(7)
    shape = (5, 3)
    prior = UncertainInputs(generator.normal(size=shape), generator.uniform(0.05, 2.0, shape))
    return prior, Belief(generator.normal(size=shape), generator.uniform(0.05, 2.0, shape))


def test_uncertain_inputs_against_quadrature() -> None:
    prior, belief = uncertain()
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    points = belief.mean[..., None] + np.sqrt(belief.variance)[..., None] * nodes
    log_q = norm(belief.mean[..., None], np.sqrt(belief.variance)[..., None]).logpdf(points)
    log_p = norm(prior.center[..., None], np.sqrt(prior.variance)[..., None]).logpdf(points)
    expected = (log_q - log_p) @ weights / weights.sum()
    np.testing.assert_allclose(prior.kl_terms(belief), expected, rtol=1e-10, atol=1e-12)
    assert prior.kl(belief)[0] == pytest.approx(expected.sum())


def test_uncertain_inputs_gradients(central_difference) -> None:
    prior, belief = uncertain()
    _, gradient = prior.kl(belief)
    along_mean = central_difference(lambda m: prior.kl(Belief(m, belief.variance))[0], belief.mean)
    along_variance = central_difference(
        lambda s: prior.kl(Belief(belief.mean, s))[0], belief.variance
    )
    np.testing.assert_allclose(gradient.mean, along_mean, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(gradient.variance, along_variance, rtol=1e-5, atol=1e-7)


def test_missing_inputs_have_the_standard_normal() -> None:
    _, belief = uncertain()
    prior = UncertainInputs(np.zeros((5, 3)), np.ones((5, 3)))
    expected = 0.5 * (belief.mean**2 + belief.variance - np.log(belief.variance) - 1.0)
    np.testing.assert_allclose(prior.kl_terms(belief), expected)
    np.testing.assert_allclose(StandardNormal().kl_terms(belief), expected)


def test_entries_known_exactly_cost_nothing_under_any_prior() -> None:
    prior, belief = uncertain()
    observed = np.zeros((5, 3), dtype=bool)
    observed[:, 1] = True
    fixed = Belief(belief.mean, np.where(observed, 0.0, belief.variance), observed)
    certain = UncertainInputs(prior.center, np.where(observed, 0.0, prior.variance))
    value, gradient = certain.kl(fixed)
    assert value == pytest.approx(prior.kl_terms(belief)[:, [0, 2]].sum())
    assert not gradient.mean[:, 1].any()
    assert not gradient.variance[:, 1].any()


def test_learnt_noise_is_at_its_optimum(central_difference) -> None:
    prior, belief = uncertain()
    # The entries of column 0 share one variance, and so do those of column 1. Column 2 keeps its
    # variances.
    groups = np.tile([0, 1, -1], (5, 1))

    def cost(log_variance: np.ndarray) -> float:
        variance = prior.variance.copy()
        variance[:, :2] = np.exp(log_variance)
        return UncertainInputs(prior.center, variance).kl(belief)[0]

    found = prior.fitted(belief, groups)
    best = minimize(cost, np.zeros(2), tol=1e-12)
    np.testing.assert_allclose(found.variance[:, :2], np.tile(np.exp(best.x), (5, 1)), rtol=1e-5)
    np.testing.assert_array_equal(found.variance[:, 2], prior.variance[:, 2])

    def profiled(variance: np.ndarray) -> float:
        at = Belief(belief.mean, variance)
        return prior.fitted(at, groups).kl(at)[0]

    _, gradient = found.kl(belief)
    np.testing.assert_allclose(
        gradient.variance, central_difference(profiled, belief.variance), rtol=1e-5, atol=1e-7
    )
