"""Tests of Student-t noise: its bound, gradients, integrals, draws and limits."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm, t

from gplvm_core.likelihoods import Likelihood, Links, Number, Robust

VALUES = np.array([0.3, -2.0, 40.0, 0.0])
MEAN, VARIANCE = np.array([0.2, 0.4, -1.0, 0.7]), np.array([0.5, 1e-6, 0.3, 4.0])
NOISE = Robust(0.4, 4.0)


@pytest.mark.parametrize("xi", [0.0, 0.3, 5.0, 2000.0])
def test_the_quadratic_is_below_and_touches_where_the_residual_is_xi(xi: float) -> None:
    grid = np.linspace(-60.0, 60.0, 2401)[:, None] * np.ones(4)
    found = NOISE.factors(VALUES, np.full(4, xi))

    def below(f: np.ndarray) -> np.ndarray:
        return -0.5 * found.weight * f**2 + found.slope * f + found.offset

    exact = t(4.0, grid, 0.4).logpdf(VALUES)
    assert (below(grid) <= exact + 1e-9).all()
    for f in (VALUES - np.sqrt(xi), VALUES + np.sqrt(xi)):
        np.testing.assert_allclose(below(f), NOISE.log_factor(VALUES, f), atol=1e-9)


def test_the_expected_bound_is_highest_at_its_xi_and_its_gradients_are_differences() -> None:
    square = MEAN**2 + VARIANCE
    value, by_mean, by_square = NOISE.expected(VALUES, MEAN, square)
    xi = NOISE.local(VALUES, MEAN, square)
    for factor in (0.95, 1.05):
        at = NOISE.factors(VALUES, factor * xi)
        assert (at.slope * MEAN - 0.5 * at.weight * square + at.offset <= value + 1e-12).all()
    assert (value <= NOISE.log_probability(VALUES, MEAN, VARIANCE) + 1e-5).all()
    step = 1e-6

    def moved(m: float, s: float) -> np.ndarray:
        return NOISE.expected(VALUES, MEAN + m, square + s)[0]

    by = (moved(step, 0.0) - moved(-step, 0.0)) / (2.0 * step)
    np.testing.assert_allclose(by_mean, by, rtol=1e-6, atol=1e-8)
    by = (moved(0.0, 5e-7) - moved(0.0, -5e-7)) / 1e-6
    np.testing.assert_allclose(by_square, by, rtol=1e-5)


def test_probabilities_are_integrals() -> None:
    for value, mean, variance in [(0.3, 0.2, 0.5), (9.0, 0.0, 4.0), (40.0, -1.0, 0.01), (1, 1, 9)]:
        std = np.sqrt(variance)
        f = np.linspace(mean - 12.0 * std, mean + 12.0 * std, 100_001)
        exact = np.trapezoid(t.pdf(value, 4.0, f, 0.4) * norm.pdf(f, mean, std), f)
        own = NOISE.log_probability(*(np.array([float(x)]) for x in (value, mean, variance)))[0]
        assert own == pytest.approx(np.log(exact), abs=1e-5)


@pytest.mark.parametrize("far", [1.0, 30.0, 1e5, 1e12, 1e80])
def test_at_a_known_function_the_probability_is_the_density(far: float) -> None:
    own = NOISE.log_probability(np.array([far]), np.zeros(1), np.full(1, 1e-12))
    np.testing.assert_allclose(own, t.logpdf(far, 4.0, 0.0, 0.4), atol=1e-3)


def test_quantiles_are_those_of_the_mixture() -> None:
    weights, mean, variance = np.array([[0.3, 0.7]]), np.array([[-1.0, 2.0]]), np.full((1, 2), 1e-9)
    for level in (0.001, 0.1, 0.5, 0.95):

        def below(value: float, level: float = level) -> float:
            each = t.cdf(value, 4.0, mean[0], 0.4)
            return float(weights[0] @ each) - level

        own = NOISE.quantiles(np.array([level]), weights, mean, variance)[0, 0]
        assert own == pytest.approx(brentq(below, -50.0, 50.0), abs=2e-3)


def test_with_many_degrees_of_freedom_the_noise_is_gaussian() -> None:
    almost = Robust(0.4, 1e5)
    near = np.array([0.3, -0.4, 0.9, 0.0])
    exact = norm.logpdf(near, MEAN, np.sqrt(VARIANCE + 0.16))
    np.testing.assert_allclose(almost.log_probability(near, MEAN, VARIANCE), exact, atol=1e-3)
    square = MEAN**2 + VARIANCE
    bound = norm.logpdf(near, MEAN, 0.4) - 0.5 * VARIANCE / 0.16
    np.testing.assert_allclose(almost.expected(near, MEAN, square)[0], bound, rtol=1e-3, atol=1e-3)
    weight = almost.factors(near, np.full(4, 0.1)).weight
    np.testing.assert_allclose(weight, 1.0 / 0.16, rtol=1e-4)
    levels, one = np.array([0.1, 0.5, 0.9]), np.ones((1, 1))
    own = almost.quantiles(levels, one, one, 0.2 * one)
    same = Number().quantiles(levels, one, one, 0.36 * one)
    np.testing.assert_allclose(own, same, atol=1e-3)


def test_moments_draws_and_quadrature_agree() -> None:
    noise = Robust(0.4, 9.0)
    generator = np.random.default_rng(0)
    f = MEAN + np.sqrt(VARIANCE) * generator.standard_normal((200_000, 4))
    drawn = noise.draw(f, generator)
    mean, variance = noise.moments(MEAN, VARIANCE)
    assert (np.abs(drawn.mean(axis=0) - mean) < 4.0 * np.sqrt(variance / 200_000)).all()
    np.testing.assert_allclose(drawn.var(axis=0), variance, rtol=0.03)
    assert noise.noise == pytest.approx(variance[1] - VARIANCE[1])
    # For a wide function and wide noise, the quadrature of the base class is exact, too.
    wide = Robust(3.0, 9.0)
    own = wide.log_probability(VALUES, MEAN, VARIANCE)
    plain = Likelihood.log_probability(wide, VALUES, MEAN, VARIANCE)
    np.testing.assert_allclose(own, plain, atol=1e-4)


def test_the_scale_is_found_despite_values_far_off() -> None:
    generator = np.random.default_rng(1)
    values = 0.2 * generator.standard_t(4.0, 20_000)
    found, shift = Robust(3.0).learnt(values, np.zeros(20_000), np.zeros(20_000))
    assert found.scale == pytest.approx(0.2, rel=0.02) and shift == 0.0
    values[:1000] += 1e3
    far, _ = Robust(3.0).learnt(values, np.zeros(20_000), np.zeros(20_000))
    assert far.scale < 0.26
    # Each step raises the bound, also when all values are equal.
    equal, _ = Robust(3.0).learnt(np.ones(50), np.ones(50), np.zeros(50))
    assert equal.scale == pytest.approx(1e-3)
    nothing = np.empty(0)
    assert Robust(3.0).learnt(nothing, nothing, nothing)[0] == Robust(3.0)


def test_units_scale_the_noise() -> None:
    links = Links((Robust(0.4), Number())).in_units(np.array([10.0, 3.0]))
    assert links.columns == (Robust(4.0), Number())
    np.testing.assert_array_equal(links.measured, [True, True])
    one = Links((Robust(4.0),)).log_probabilities(*(np.array([[x]]) for x in (20.0, 3.0, 7.0)))
    other = Links((Robust(0.4),)).log_probabilities(*(np.array([[x]]) for x in (2.0, 0.3, 0.07)))
    np.testing.assert_allclose(one, other - np.log(10.0), rtol=1e-12)


@pytest.mark.parametrize(("scale", "freedom"), [(0.0, 4.0), (-1.0, 4.0), (1.0, 2.0)])
def test_bad_parameters_are_refused(scale: float, freedom: float) -> None:
    with pytest.raises(ValueError, match="Student-t noise needs"):
        Robust(scale, freedom)
