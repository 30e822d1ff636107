"""Gradients of the bound pulled back through every encoder, against central differences."""

from dataclasses import replace

import numpy as np
import pytest

from gplvm_core.beliefs import Belief
from gplvm_core.models.encoded import ENCODERS, Encoded, EncodedProblem
from gplvm_core.models.layers import OneLayer, Start
from gplvm_core.models.run import Phase
from gplvm_core.parameters import leaves, replace_leaves
from gplvm_core.priors import encoder
from gplvm_core.statistics import Targets
from gplvm_core.statistics.executors import serial

# With the ratio of the scales held, the outputs are never explained as noise alone.
HELD = Phase("held", 1, ratio=50.0)


@pytest.fixture(autouse=True)
def few_units(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every unit is like the next: a few show what many do."""
    monkeypatch.setattr(encoder, "HIDDEN_UNITS", 6)


@pytest.fixture(params=[False, True], ids=["whole", "gaps"])
def targets(request: pytest.FixtureRequest) -> np.ndarray:
    generator = np.random.default_rng(1)
    values = generator.normal(size=(12, 2)) @ generator.normal(size=(2, 4))
    values = np.tanh(values) + 0.1 * generator.normal(size=values.shape)
    values -= values.mean(axis=0)
    if request.param:
        values[[2, 5], [0, 3]] = np.nan
    return values


def problem_with(kind: str, targets: np.ndarray) -> tuple[EncodedProblem, Encoded]:
    """A small problem, and parameters of which none is at its start."""
    begin = Start(targets, 2, 4, "rbf", "pca")
    data = OneLayer(begin, Targets.of(targets), 1e-6, serial)
    problem = EncodedProblem.of(data, kind)
    at, generator = problem.start(3), np.random.default_rng(4)
    head = {
        path: value + 0.1 * generator.normal(size=value.shape)
        for path, value in leaves(at.head, "head").items()
    }
    return problem, replace_leaves(at, head)


@pytest.mark.parametrize("kind", ENCODERS)
def test_bound(kind: str, targets: np.ndarray, central_difference) -> None:
    problem, at = problem_with(kind, targets)
    gradient = leaves(problem.evaluate(at, HELD).gradient)
    free = problem.layout(at, HELD).free
    assert {path for path in free if path.startswith("head.")} == set(leaves(at.head, "head"))
    for path in free:
        expected = central_difference(
            lambda value, path=path: (
                problem.evaluate(replace_leaves(at, {path: value}), HELD).bound
            ),
            leaves(at)[path],
        )
        level = np.abs(expected).max()
        np.testing.assert_allclose(
            gradient[path], expected, rtol=1e-5, atol=1e-6 * level, err_msg=path
        )


@pytest.mark.parametrize("kind", ENCODERS)
def test_belief(kind: str, targets: np.ndarray, central_difference) -> None:
    problem, at = problem_with(kind, targets)
    generator = np.random.default_rng(6)
    to_mean, to_variance = generator.normal(size=(2, 12, 2))

    def value(head) -> float:
        belief = head.belief(problem.seen)
        return float(np.sum(to_mean * belief.mean) + np.sum(to_variance * belief.variance))

    belief = at.head.belief(problem.seen)
    gradient = at.head.pullback(problem.seen, belief, Belief(to_mean, to_variance))
    for name, expected in leaves(at.head).items():
        slope = central_difference(
            lambda entry, name=name: value(replace(at.head, **{name: entry})), expected
        )
        np.testing.assert_allclose(getattr(gradient, name), slope, rtol=1e-6, atol=1e-7)
