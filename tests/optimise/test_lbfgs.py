"""Tests of L-BFGS against SciPy's L-BFGS-B, and of its memory, restarts and few evaluations."""

import numpy as np
import pytest
from scipy.optimize import minimize

from gplvm_core.optimise import LBFGS


@pytest.mark.parametrize("memory", [5, 20])
def test_costs_what_scipy_costs_and_ends_where_it_ends(problem, run, memory):
    ours = run(LBFGS(memory=memory, value_tolerance=0.0), problem.objective, problem.start)
    options = {"maxcor": memory, "ftol": 0.0, "gtol": 1e-5, "maxiter": 20_000, "maxfun": 50_000}
    box = [(1e-9, None)] if len(problem.start) == 1 else None
    oracle = minimize(
        problem.objective, problem.start, jac=True, method="L-BFGS-B", bounds=box, options=options
    )
    assert ours.value == pytest.approx(oracle.fun, rel=1e-9, abs=1e-8)
    assert ours.iteration <= 1.3 * oracle.nit + 3
    # SciPy gets the bounds of the domain, so none of its evaluations are rejected.
    assert ours.evaluations - ours.rejected <= 1.3 * oracle.nfev + 3


@pytest.mark.parametrize("name", ["rosenbrock 100", "quadratic, condition 1e6"])
def test_evaluations_per_iteration(problems, run, name):
    state = run(LBFGS(), problems[name].objective, problems[name].start)
    assert state.evaluations <= 1.3 * state.iteration


def test_first_trial_is_one_unit_long(problems):
    problem = problems["rosenbrock 10"]
    tried = []

    def watched(x):
        tried.append(x)
        return problem.objective(x)

    LBFGS().step(LBFGS().start(problem.start, watched), watched)
    assert np.linalg.norm(tried[1] - tried[0]) == pytest.approx(1.0)


def test_memory_holds_the_latest_differences(problems):
    problem, optimiser = problems["rosenbrock 10"], LBFGS(memory=3)
    states = [optimiser.start(problem.start, problem.objective)]
    for _ in range(8):
        states.append(optimiser.step(states[-1], problem.objective))
    last = states[-1]
    assert last.steps.shape == last.changes.shape == (3, 10)
    np.testing.assert_array_equal(last.steps, np.diff([s.x for s in states[-4:]], axis=0))
    np.testing.assert_array_equal(last.changes, np.diff([s.gradient for s in states[-4:]], axis=0))
    np.testing.assert_allclose(last.curvatures, np.sum(last.steps * last.changes, axis=1))


def test_pairs_without_positive_curvature_are_not_remembered():
    def concave(x):
        return float(-(x @ x)), -2.0 * x

    state = LBFGS().start(np.array([1.0, 0.5]), concave)
    for _ in range(4):
        state = LBFGS().step(state, concave)
    assert state.status == "running"
    assert state.iteration == 4
    assert len(state.curvatures) == 0


def test_a_failed_search_clears_the_memory_and_descends():
    """If the function changes during a run, the optimiser's memory is useless."""

    def bowl(x):
        return float(x @ (hessian * x)) / 2, hessian * x

    hessian = np.array([1.0, 100.0])
    state = LBFGS().start(np.array([1.0, 1.0]), bowl)
    for _ in range(3):
        state = LBFGS().step(state, bowl)
    remembered = len(state.curvatures)

    def refusing(x):
        """Return a function with values only along the direction of steepest descent."""
        moved = x - state.x
        across = moved[0] * state.gradient[1] - moved[1] * state.gradient[0]
        size = np.linalg.norm(moved) * np.linalg.norm(state.gradient)
        return bowl(x) if abs(across) < 1e-6 * size else (np.nan, x)

    following = LBFGS().step(state, refusing)
    assert remembered > 1
    assert len(following.curvatures) <= 1
    assert following.value < state.value
    assert following.rejected > state.rejected
    assert following.status == "running"


def test_an_unbounded_function_does_not_hang():
    state = LBFGS().start(np.ones(2), lambda x: (float(x.sum()), np.ones(2)))
    for _ in range(3):
        state = LBFGS().step(state, lambda x: (float(x.sum()), np.ones(2)))
    assert state.value < -1e6
    assert state.evaluations < 70


def test_rescaled_keeps_what_was_learnt() -> None:
    """The rescaled state belongs to the same function in the variables ratio · x.

    This includes the curvature pairs.
    """
    spread = np.array([1.0, 30.0, 900.0])

    def bowl(x: np.ndarray) -> tuple[float, np.ndarray]:
        return 0.5 * float(spread @ x**2) + float(np.sum(x**4)), spread * x + 4.0 * x**3

    ratio = np.sqrt(spread)
    optimiser = LBFGS()
    state = optimiser.start(np.array([1.0, -2.0, 0.5]), bowl)
    for _ in range(4):
        state = optimiser.step(state, bowl)
    moved = optimiser.rescaled(state, ratio)

    def scaled(x: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = bowl(x / ratio)
        return value, gradient / ratio

    value, gradient = scaled(moved.x)
    assert value == pytest.approx(moved.value)
    np.testing.assert_allclose(moved.gradient, gradient, rtol=1e-12)
    pairs = np.sum(moved.steps * moved.changes, axis=1)
    np.testing.assert_allclose(pairs, moved.curvatures, rtol=1e-12)
    while moved.status == "running":
        moved = optimiser.step(moved, scaled)
    assert moved.value == pytest.approx(0.0, abs=1e-9)
