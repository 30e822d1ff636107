"""Tests of conjugate-computation steps: exact for Gaussian data, stationary at convergence."""

from functools import partial

import numpy as np
import pytest

from gplvm_core import RBF, White
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, evaluate_layer
from gplvm_core.kernels import Matern32
from gplvm_core.priors import kalman, natural, temporal
from gplvm_core.priors.natural import begin, step
from gplvm_core.priors.temporal import Sites, Timeline
from gplvm_core.statistics import Targets

KERNEL = Matern32(1.0, 0.5) + White(0.02)
BACKENDS = pytest.mark.parametrize(
    "smooth", [temporal.smooth, kalman.smooth], ids=["dense", "O(N)"]
)


@pytest.fixture(scope="module")
def timeline() -> Timeline:
    times = np.random.default_rng(41).uniform(0.0, 3.0, (40, 1))
    return Timeline.of(times, np.repeat([0, 1], 20))


@pytest.fixture(scope="module")
def layer_term(problem):
    layer = Layer(
        RBF(float(problem["variance"]), problem["lengthscales"]),
        problem["Z"],
        10.0 * float(problem["noise"]),
    )

    def data(belief: Belief) -> tuple[float, np.ndarray, np.ndarray]:
        at = evaluate_layer(layer, belief, Targets(problem["Y"], 5), jitter=1e-8, relative=False)
        return at.value, at.gradients.mean, at.gradients.variance

    return data


def started(smoother, data, problem, rate: float) -> natural.SiteState:
    precision = 1.0 / problem["S"]
    return begin(Sites(precision * problem["mu"], precision), smoother, data, rate=rate)


@BACKENDS
def test_one_whole_step_solves_a_regression(smooth, timeline) -> None:
    generator = np.random.default_rng(42)
    targets, noise = generator.normal(size=(40, 2)), 0.3

    def data(belief: Belief) -> tuple[float, np.ndarray, np.ndarray]:
        away = targets - belief.mean
        value = -0.5 * np.sum(np.log(2 * np.pi * noise) + (away**2 + belief.variance) / noise)
        return float(value), away / noise, np.full_like(away, -0.5 / noise)

    smoother = partial(smooth, KERNEL, timeline)
    state = begin(Sites(np.zeros((40, 2)), np.ones((40, 2))), smoother, data)
    state = step(state, smoother, data)
    density = 0.0
    for rows in timeline.rows:
        covariance = KERNEL.K(timeline.times[rows]) + noise * np.eye(len(rows))
        solved = np.linalg.solve(covariance, targets[rows])
        density -= 0.5 * float(np.vdot(targets[rows], solved))
        density -= np.linalg.slogdet(2.0 * np.pi * covariance)[1]
    assert state.accepted
    assert state.bound == pytest.approx(density, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("smooth", "rate"), [(temporal.smooth, 0.3), (kalman.smooth, 1.0)], ids=["dense", "O(N)"]
)
def test_the_bound_never_falls_and_ends_stationary(
    smooth, rate, timeline, layer_term, problem
) -> None:
    smoother = partial(smooth, KERNEL, timeline)
    state = started(smoother, layer_term, problem, rate)
    for _ in range(400):
        after = step(state, smoother, layer_term)
        assert after.bound >= state.bound - 1e-8
        if not after.accepted:
            assert after.sites is state.sites
            assert after.rate == 0.5 * state.rate
        state = after
    sites = state.sites
    assert (sites.precision >= 0).all()
    # Absolute tolerances suit precisions and slopes of the order of 10.
    close = {"rtol": 0.0, "atol": 5e-3}
    wanted = np.maximum(-2.0 * state.d_variance, 0.0)
    np.testing.assert_allclose(sites.precision, wanted, **close)
    dual = sites.linear - sites.precision * state.smoothed.belief.mean
    np.testing.assert_allclose(dual, state.d_mean, **close)
    # The prior's own gradients at the same point must be 0.
    pulled = smoother(sites).pullback(state.d_mean, state.d_variance).sites
    np.testing.assert_allclose(pulled.linear, 0.0, **close)
    np.testing.assert_allclose(pulled.precision[sites.precision > 0], 0.0, **close)


def test_both_algebras_take_the_same_steps(timeline, layer_term, problem) -> None:
    bounds = []
    for smooth in (temporal.smooth, kalman.smooth):
        smoother = partial(smooth, KERNEL, timeline)
        state = started(smoother, layer_term, problem, 0.5)
        for _ in range(10):
            state = step(state, smoother, layer_term)
        bounds.append(state.bound)
    assert bounds[0] == pytest.approx(bounds[1], rel=1e-9)


def test_a_data_term_that_wants_more_variance_leaves_no_site(timeline) -> None:
    """With ∂s > 0, λ converges to 0, and the mean still satisfies μ̄ = ∂μ."""
    pull = np.random.default_rng(43).normal(size=(40, 1))

    def data(belief: Belief) -> tuple[float, np.ndarray, np.ndarray]:
        value = np.sum(pull * belief.mean) + 0.1 * np.sum(belief.variance)
        return float(value), pull, np.full_like(pull, 0.1)

    smoother = partial(kalman.smooth, KERNEL, timeline)
    state = begin(Sites(np.zeros((40, 1)), np.ones((40, 1))), smoother, data)
    for _ in range(5):
        state = step(state, smoother, data)
    np.testing.assert_array_equal(state.sites.precision, 0.0)
    for rows in timeline.rows:
        np.testing.assert_allclose(
            state.smoothed.belief.mean[rows], KERNEL.K(timeline.times[rows]) @ pull[rows]
        )
    np.testing.assert_allclose(state.smoothed.belief.variance, 1.02)


def test_a_step_that_lowers_the_bound_is_not_taken(timeline) -> None:
    """The data term −Σμ⁴ has no curvature in s: a full step from far away overshoots, and shorter
    steps converge.
    """

    def data(belief: Belief) -> tuple[float, np.ndarray, np.ndarray]:
        slope = -4.0 * belief.mean**3
        return -float(np.sum(belief.mean**4)), slope, np.zeros_like(slope)

    smoother = partial(kalman.smooth, KERNEL, timeline)
    first = begin(Sites(np.ones((40, 1)), np.ones((40, 1))), smoother, data)
    state = step(first, smoother, data)
    assert not state.accepted
    assert (state.rate, state.bound) == (0.5, first.bound)
    for _ in range(200):
        state = step(state, smoother, data)
    np.testing.assert_allclose(state.smoothed.belief.mean, 0.0, atol=1e-3)
    assert state.bound == pytest.approx(0.0, abs=1e-6)


def test_invalid_starts_are_refused(timeline) -> None:
    smoother = partial(temporal.smooth, KERNEL, timeline)
    sites = Sites(np.zeros((40, 1)), np.ones((40, 1)))
    with pytest.raises(ValueError, match="rate must be above 0"):
        begin(sites, smoother, lambda _: (0.0, sites.linear, sites.linear), rate=0.0)
    with pytest.raises(ValueError, match="at least 0, got -1"):
        begin(Sites(sites.linear, -sites.precision), smoother, lambda _: (0.0,) * 3)
