"""The test problems, and a function that runs an optimiser on a problem."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der
from scipy.special import expit

from gplvm_core.optimise import LBFGS, Objective, State


@dataclass(frozen=True)
class Problem:
    """A function, a starting point, and the smallest value (None: computed by SciPy)."""

    objective: Objective
    start: np.ndarray
    minimum: float | None


def rosenbrock(size: int) -> Problem:
    start = np.tile([-1.2, 1.0], size)[:size]
    return Problem(lambda x: (float(rosen(x)), rosen_der(x)), start, 0.0)


def quadratic(size: int, condition: float) -> Problem:
    """Return a rotated quadratic whose eigenvalues are spread evenly on a log scale."""
    random = np.random.default_rng(1)
    axes, _ = np.linalg.qr(random.normal(size=(size, size)))
    hessian = (axes * np.geomspace(1.0, condition, size)) @ axes.T
    centre = random.normal(size=size)

    def objective(x: np.ndarray) -> tuple[float, np.ndarray]:
        gradient = hessian @ (x - centre)
        return 0.5 * float((x - centre) @ gradient), gradient

    return Problem(objective, np.zeros(size), 0.0)


def logistic_regression() -> Problem:
    random = np.random.default_rng(2)
    inputs = random.normal(size=(300, 20)) * np.geomspace(1.0, 10.0, 20)
    noise = random.normal(size=300)
    labels = np.where(inputs @ random.normal(size=20) / 10 + noise > 0, 1.0, -1.0)

    def objective(weights: np.ndarray) -> tuple[float, np.ndarray]:
        margins = labels * (inputs @ weights)
        value = np.logaddexp(0.0, -margins).sum() + 0.05 * weights @ weights
        return float(value), -inputs.T @ (labels * expit(-margins)) + 0.1 * weights

    return Problem(objective, np.zeros(20), None)


def beale() -> Problem:
    targets, powers = np.array([1.5, 2.25, 2.625]), np.arange(1, 4)

    def objective(p: np.ndarray) -> tuple[float, np.ndarray]:
        x, y = p
        residuals = targets - x + x * y**powers
        slopes = np.array([y**powers - 1.0, x * powers * y ** (powers - 1)])
        return float(residuals @ residuals), 2.0 * slopes @ residuals

    return Problem(objective, np.ones(2), 0.0)


def well() -> Problem:
    """Return a function of one variable that is undefined for x ≤ 0."""

    def objective(x: np.ndarray) -> tuple[float, np.ndarray]:
        if x[0] <= 0.0:
            return np.nan, np.full(1, np.nan)
        return float(x[0] - np.log(x[0])), 1.0 - 1.0 / x

    return Problem(objective, np.array([20.0]), 1.0)


PROBLEMS: dict[str, Problem] = {
    "rosenbrock 2": rosenbrock(2),
    "rosenbrock 10": rosenbrock(10),
    "rosenbrock 100": rosenbrock(100),
    "quadratic, condition 1e3": quadratic(30, 1e3),
    "quadratic, condition 1e6": quadratic(30, 1e6),
    "logistic regression": logistic_regression(),
    "beale": beale(),
    "one variable": well(),
}
OPTIMISERS = {
    "LBFGS": LBFGS(value_tolerance=0.0),
    "LBFGS, memory 5": LBFGS(memory=5, value_tolerance=0.0),
}
Run = Callable[..., State]


@pytest.fixture(params=PROBLEMS)
def problem(request: pytest.FixtureRequest) -> Problem:
    return PROBLEMS[request.param]


@pytest.fixture(params=OPTIMISERS)
def optimiser(request: pytest.FixtureRequest) -> LBFGS:
    return OPTIMISERS[request.param]


@pytest.fixture
def problems() -> dict[str, Problem]:
    return PROBLEMS


@pytest.fixture
def run() -> Run:
    """Run steps until the optimiser ends by itself or has made `limit` iterations."""

    def until_the_end(
        optimiser: LBFGS, objective: Objective, start: np.ndarray, limit: int = 20_000
    ) -> State:
        state = optimiser.start(start, objective)
        while state.status == "running" and state.iteration < limit:
            state = optimiser.step(state, objective)
        return state

    return until_the_end
