"""Tests of the guarantees of the optimiser, on the common test problems."""

import io
from dataclasses import fields, replace

import numpy as np
import pytest
from scipy.optimize import minimize

from gplvm_core.optimise import LBFGS


class Counted:
    """An objective that counts its evaluations, and those that were not finite."""

    def __init__(self, objective):
        self.objective = objective
        self.evaluations = self.rejected = 0

    def __call__(self, x):
        value, gradient = self.objective(x)
        self.evaluations += 1
        self.rejected += not np.isfinite(value)
        return value, gradient


def stored_and_loaded(state):
    """Return the state after a round trip through a file of arrays and a list of scalars."""
    loaded = {}
    for field in fields(state):
        value = getattr(state, field.name)
        if isinstance(value, np.ndarray):
            file = io.BytesIO()
            np.save(file, value, allow_pickle=False)
            file.seek(0)
            value = np.load(file, allow_pickle=False)
        else:
            assert type(value) in (int, float, str)
        loaded[field.name] = value
    return type(state)(**loaded)


def assert_identical(a, b):
    for field in fields(a):
        np.testing.assert_array_equal(getattr(a, field.name), getattr(b, field.name), field.name)


def test_finds_the_minimum(problem, optimiser, run):
    state = run(optimiser, problem.objective, problem.start)
    minimum = problem.minimum
    if minimum is None:
        tight = {"ftol": 0.0, "gtol": 1e-8, "maxiter": 10_000}
        minimum = minimize(
            problem.objective, problem.start, jac=True, method="L-BFGS-B", options=tight
        ).fun
    assert state.value == pytest.approx(minimum, rel=1e-9, abs=1e-8)
    assert state.status == "converged"
    assert np.abs(state.gradient).max() <= 1e-5
    assert "gradient" in state.reason


def test_value_and_gradient_are_those_at_x_and_the_value_never_rises(problem, optimiser):
    state = optimiser.start(problem.start, problem.objective)
    for _ in range(15):
        following = optimiser.step(state, problem.objective)
        value, gradient = problem.objective(following.x)
        assert following.value == value <= state.value
        np.testing.assert_array_equal(following.gradient, gradient)
        assert following.iteration == state.iteration + (state.status == "running")
        state = following


def test_counts_every_evaluation(problem, optimiser, run):
    objective = Counted(problem.objective)
    state = run(optimiser, objective, problem.start, limit=40)
    assert state.evaluations == objective.evaluations
    assert state.rejected == objective.rejected


def test_a_stored_state_continues_with_the_same_numbers(problem, optimiser):
    uninterrupted = [optimiser.start(problem.start, problem.objective)]
    for _ in range(30):
        uninterrupted.append(optimiser.step(uninterrupted[-1], problem.objective))
    for interruption in (0, 1, 7, 29):
        state = stored_and_loaded(uninterrupted[interruption])
        for expected in uninterrupted[interruption + 1 :]:
            state = optimiser.step(state, problem.objective)
            assert_identical(state, expected)


def test_a_step_leaves_its_state_as_it_was(problem, optimiser):
    state = optimiser.start(problem.start, problem.objective)
    for _ in range(5):
        state = optimiser.step(state, problem.objective)
    copy = stored_and_loaded(state)
    first = optimiser.step(state, problem.objective)
    assert_identical(state, copy)
    assert_identical(optimiser.step(state, problem.objective), first)
    with pytest.raises(ValueError, match="read-only"):
        state.x[0] = 1.0


def test_a_gradient_buffer_may_be_used_again(problems, optimiser, run):
    problem = problems["rosenbrock 10"]
    buffer = np.empty(10)

    def reusing(x):
        value, buffer[:] = problem.objective(x)
        return value, buffer

    expected = run(optimiser, problem.objective, problem.start, limit=20)
    assert_identical(run(optimiser, reusing, problem.start, limit=20), expected)


@pytest.mark.parametrize("nothing", [np.nan, np.inf, -np.inf])
def test_rejected_evaluations_are_counted_and_survived(optimiser, run, nothing):
    bottoms = np.arange(1.0, 7.0)

    def wells(x):
        """Compute Σ x − b log x, which has its minimum at b and is undefined outside its domain."""
        if (x <= 0.0).any():
            return nothing, x
        return float(np.sum(x - bottoms * np.log(x))), 1.0 - bottoms / x

    objective = Counted(wells)
    state = run(optimiser, objective, np.full(6, 30.0))
    assert state.rejected == objective.rejected > 0
    assert state.evaluations == objective.evaluations
    np.testing.assert_allclose(state.x, bottoms, rtol=1e-4)


def test_a_gradient_that_is_not_finite_is_a_rejection(optimiser, run):
    def objective(x):
        return float(np.abs(x[0])), np.where(x > 0.0, 1.0, np.nan)

    state = run(optimiser, objective, np.array([3.5]), limit=50)
    assert state.rejected > 0
    assert 0.0 < state.x[0] < 3.5
    assert np.isfinite(state.gradient).all()


def test_a_constant_function_has_converged_at_the_start(optimiser):
    state = optimiser.start(np.ones(3), lambda x: (7.0, np.zeros(3)))
    assert (state.status, state.iteration, state.evaluations) == ("converged", 0, 1)
    assert optimiser.step(state, lambda x: pytest.fail("evaluated again")) is state


def test_a_wrong_gradient_ends_as_stalled_with_a_reason(optimiser, run):
    state = run(optimiser, lambda x: (float(x @ x), -2.0 * x), np.ones(4))
    assert state.status == "stalled"
    assert state.iteration == 0
    assert "no step improves the value any more" in state.reason


def test_a_tiny_decrease_converges_when_asked(problems, optimiser, run):
    problem = problems["rosenbrock 10"]
    loose = replace(optimiser, gradient_tolerance=0.0, value_tolerance=1e-3)
    state = run(loose, problem.objective, problem.start)
    assert state.status == "converged"
    assert "lowered the value" in state.reason


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_variables_of_another_scale(optimiser, run, scale):
    target = scale * np.array([1.0, -2.0, 3.0])

    def objective(x):
        apart = (x - target) / scale
        return float(np.sum(np.cosh(apart))), np.sinh(apart) / scale

    tight = replace(optimiser, gradient_tolerance=1e-6 / scale)
    with np.errstate(over="ignore"):
        state = run(tight, objective, np.zeros(3), limit=200)
    np.testing.assert_allclose(state.x, target, rtol=1e-4)


@pytest.mark.parametrize(
    ("start", "objective", "message"),
    [
        (np.array([1.0, np.nan]), lambda x: (0.0, x), "1 of 2 entries that are not finite"),
        (np.ones(2), lambda x: (np.nan, x), "not finite .* at the starting vector"),
        (np.ones(2), lambda x: (0.0, x * np.inf), "not finite .* at the starting vector"),
        (np.ones(2), lambda x: (0.0, np.ones(3)), r"shape \(3,\) at a vector of shape \(2,\)"),
        (np.ones((2, 2)), lambda x: (0.0, x), r"got shape \(2, 2\)"),
        (np.ones(0), lambda x: (0.0, x), r"got shape \(0,\)"),
    ],
)
def test_a_start_that_cannot_be_is_refused(optimiser, start, objective, message):
    with pytest.raises(ValueError, match=message):
        optimiser.start(start, objective)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LBFGS(memory=0), "memory must be at least 1, got 0"),
        (lambda: LBFGS(gradient_tolerance=-1.0), "gradient_tolerance must be at least 0"),
        (lambda: LBFGS(value_tolerance=np.nan), "value_tolerance must be at least 0.0, got nan"),
    ],
)
def test_settings_that_cannot_be_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
