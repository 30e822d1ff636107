"""Tests of the likelihood of yes/no entries and counts against its bound, differences and
quadrature.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import log_expit
from scipy.stats import nbinom, norm

from gplvm_core.likelihoods import (
    Count,
    Links,
    Number,
    YesNo,
    count_probabilities,
    probability,
    quadratic,
)
from gplvm_core.likelihoods.counts import log_base
from gplvm_core.likelihoods.logistic import Logistic

SUCCESSES, FAILURES = np.array([1.0, 0.0, 7.0, 0.0, 2.5]), np.array([0.0, 1.0, 3.0, 0.4, 2.5])


@dataclass(frozen=True)
class Tried(Logistic):
    """Any numbers of failures."""

    failures: tuple[float, ...]

    def entries(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return values, np.array(self.failures)


TABLE = Tried(tuple(FAILURES.tolist()))


def log_likelihood(f: np.ndarray) -> np.ndarray:
    f = np.asarray(f)[..., None]
    return SUCCESSES * log_expit(f) + FAILURES * log_expit(-f)


@pytest.mark.parametrize("xi", [0.0, 3e-4, 0.7, 5.0, 40.0])
def test_the_quadratic_is_below_and_touches_at_both_signs_of_xi(xi: float) -> None:
    found = quadratic(SUCCESSES, FAILURES, np.full(5, xi))
    grid = np.linspace(-60.0, 60.0, 2401)

    def below(f: np.ndarray) -> np.ndarray:
        f = np.asarray(f)[..., None]
        return -0.5 * found.weight * f**2 + found.slope * f + found.offset

    assert (below(grid) <= log_likelihood(grid) + 1e-10).all()
    ends = np.array([-xi, xi])
    np.testing.assert_allclose(below(ends), log_likelihood(ends), rtol=1e-12, atol=1e-12)


def test_missing_entries_have_no_influence() -> None:
    found = quadratic(np.zeros(1), np.zeros(1), np.ones(1))
    assert found.weight[0] == found.slope[0] == found.offset[0] == 0.0


def test_a_rows_value_is_the_best_quadratic_and_its_gradients_are_differences() -> None:
    mean, variance = np.array([0.3, -1.2, 2.0, 0.0, -0.4]), np.array([0.5, 2.0, 0.1, 1.0, 0.0])
    square = mean**2 + variance
    value, d_mean, d_square = TABLE.expected(SUCCESSES, mean, square)

    def at(xi: np.ndarray) -> np.ndarray:
        found = quadratic(SUCCESSES, FAILURES, xi)
        return -0.5 * found.weight * square + found.slope * mean + found.offset

    np.testing.assert_allclose(value, at(np.sqrt(square)), rtol=1e-12)
    assert (at(1.05 * np.sqrt(square)) <= value).all()
    assert (at(0.95 * np.sqrt(square)) <= value).all()
    step = 1e-6

    def moved(m: float, s: float) -> np.ndarray:
        return TABLE.expected(SUCCESSES, mean + m, square + s)[0]

    np.testing.assert_allclose(d_mean, (moved(step, 0) - moved(-step, 0)) / (2 * step), rtol=1e-7)
    np.testing.assert_allclose(d_square, (moved(0, step) - moved(0, -step)) / (2 * step), rtol=1e-6)


@pytest.mark.parametrize(("mean", "variance"), [(0.4, 0.3), (-3.0, 6.0), (1.0, 1e-8)])
def test_quadrature_is_the_integral(mean: float, variance: float) -> None:
    std = np.sqrt(variance)
    for a, b in [(1.0, 0.0), (0.0, 1.0), (40.0, 3.0), (0.0, 12.0)]:

        def integrand(f: float, a: float = a, b: float = b) -> float:
            return float(np.exp(a * log_expit(f) + b * log_expit(-f)) * norm.pdf(f, mean, std))

        wide = (mean - 10.0 * std, mean + 10.0 * std)
        exact = quad(integrand, *wide, limit=400, points=(mean,))[0]
        tried = Tried((b,))
        own = tried.log_probability(*(np.array([x]) for x in (a, mean, variance)))[0]
        assert own == pytest.approx(np.log(exact), abs=2e-4)
        if (a, b) == (1.0, 0.0):
            yes = probability(np.array([mean]), np.array([variance]))[0]
            assert yes == pytest.approx(exact, abs=1e-4)


def test_counts_are_negative_binomials() -> None:
    f, size = 0.7, 2.3
    counts = np.arange(40)
    exact = nbinom.pmf(counts, size, 1.0 / (1.0 + np.exp(f)))
    own = log_base(counts.astype(float), np.full(40, size))
    np.testing.assert_allclose(
        np.exp(own + counts * log_expit(f) + size * log_expit(-f)), exact, rtol=1e-10
    )
    found = count_probabilities(np.array([f]), np.array([1e-14]), size, 39)[0]
    np.testing.assert_allclose(found, exact, rtol=1e-6)
    levels = np.linspace(0.01, 0.99, 99)
    at = Count(size).quantiles(levels, np.ones((1, 1)), np.full((1, 1), f), np.zeros((1, 1)))
    np.testing.assert_array_equal(at[:, 0], nbinom.ppf(levels, size, 1.0 / (1.0 + np.exp(f))))


def test_quantiles_of_a_mixture_are_where_its_probabilities_say() -> None:
    weights, size = np.array([[0.3, 0.7]]), 4.0
    mean, variance = np.array([[-1.0, 2.0]]), np.array([[0.2, 0.05]])
    each = count_probabilities(mean, variance, size, 400)
    below = np.cumsum(np.einsum("nk,nkc->nc", weights, each)[0])
    for level in (0.1, 0.29, 0.5, 0.9):
        at = Count(size).quantiles(np.array([level]), weights, mean, variance)[0, 0]
        assert at == np.argmax(below >= level)


def test_the_size_parameter_of_counts_is_found() -> None:
    generator = np.random.default_rng(0)
    f = 0.5 * generator.standard_normal(4000)
    counts = generator.negative_binomial(2.0, 1.0 / (1.0 + np.exp(f))).astype(float)
    best, shift = Count(2.0).learnt(counts, f, np.full_like(f, 1e-6))
    assert best.size == pytest.approx(2.0, rel=0.2)
    assert shift == pytest.approx(np.log(best.size / 2.0), abs=1e-12)


def test_moments_and_draws_agree() -> None:
    links = Links((Number(), YesNo(), Count(3.0)))
    mean, variance = np.array([[0.5, -0.8, 0.4]]), np.array([[0.3, 0.9, 0.2]])
    generator = np.random.default_rng(1)
    f = mean + np.sqrt(variance) * generator.standard_normal((200_000, 3))
    drawn = links.draw(f, generator)
    own_mean, own_variance = links.moments(mean, variance)
    error = 4.0 * drawn.std(axis=0) / np.sqrt(len(drawn))
    assert (np.abs(drawn.mean(axis=0) - own_mean[0]) < error).all()
    np.testing.assert_allclose(drawn.var(axis=0), own_variance[0], rtol=0.03)
    assert set(drawn[:, 1]) == {0.0, 1.0}
