"""Tests of Adam on batches: convergence, its state, and entries that are running means."""

import numpy as np
import pytest

from gplvm_core.models.batches.adam import Adam, AdamState
from tests.optimise.test_optimisers import assert_identical, stored_and_loaded

WANTED = np.array([1.0, -2.0, 0.5])


class Noisy:
    """An objective: half the squared distance from a point, with independent noise in each batch.

    The last entry of the gradient is a natural gradient.
    """

    natural = np.array([False, False, True])
    broken = frozenset[int]()

    def batch(self, x: np.ndarray, number: int) -> tuple[float, np.ndarray]:
        if number in self.broken:
            return np.inf, np.zeros_like(x)
        error = 0.1 * np.random.default_rng(number).normal(size=3)
        gradient = x - WANTED - error
        return 0.5 * float(gradient @ gradient), gradient


def run(adam: Adam, objective: Noisy, state: AdamState | None = None) -> AdamState:
    state = adam.start(np.zeros(3), objective) if state is None else state
    while state.status == "running":
        state = adam.step(state, objective)
    return state


def test_adam_converges_near_the_minimum() -> None:
    ended = run(Adam(0.05, 0.1, iterations=30, batches=10), Noisy())
    assert ended.status == "converged" and ended.iteration == 30
    assert ended.evaluations == 301 and "300 batches" in ended.reason
    np.testing.assert_allclose(ended.x, WANTED, atol=0.08)


def test_natural_entries_are_running_means() -> None:
    adam, objective = Adam(0.05, 0.3, iterations=2, batches=4), Noisy()
    expected = 0.0
    for number in range(1, 9):
        said = WANTED[2] + 0.1 * np.random.default_rng(number).normal(size=3)[2]
        expected = 0.7 * expected + 0.3 * said
    np.testing.assert_allclose(run(adam, objective).x[2], expected, rtol=1e-12)


def test_the_state_can_be_stored_and_resumed() -> None:
    adam, objective = Adam(iterations=6, batches=3), Noisy()
    state = adam.step(adam.start(np.zeros(3), objective), objective)
    kept = state.x.copy()
    assert_identical(run(adam, objective, stored_and_loaded(state)), run(adam, objective))
    np.testing.assert_array_equal(state.x, kept)


def test_batches_that_cannot_be_evaluated_are_skipped() -> None:
    adam, objective = Adam(iterations=4, batches=5), Noisy()
    objective.broken = frozenset({2, 9})
    ended = run(adam, objective)
    assert ended.status == "converged" and (ended.rejected, ended.steps) == (2, 18)
    objective.broken = frozenset(range(1, 99))
    ended = run(adam, objective)
    assert ended.status == "stalled" and "cannot be evaluated" in ended.reason
    with pytest.raises(ValueError, match="batches must be at least 1, got 0"):
        Adam(batches=0)
