"""Tests that a callback with a method `between` ends training before an iteration ends."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from gplvm_core import BayesianGPLVM
from gplvm_core.optimise import Progress


class Asked:
    """A callback that records all progress and raises an error at the call with a given number."""

    def __init__(self, at: int, error: type[BaseException]) -> None:
        self.at, self.error = at, error
        self.asked = 0
        self.told: list[Progress] = []

    def __call__(self, progress: Progress) -> None:
        self.told.append(progress)

    def between(self) -> None:
        self.asked += 1
        if self.asked == self.at:
            raise self.error


class LeftError(Exception):
    """An error that a callback raises to leave `fit`."""


@pytest.fixture(scope="module")
def digits() -> np.ndarray:
    data = load_digits().data[:80]
    return data[:, data.std(axis=0) > 0]


def small(**settings) -> BayesianGPLVM:
    return BayesianGPLVM(3, 10, **{"random_state": 0, "max_iter": 15} | settings)


def test_the_callback_is_called_before_every_evaluation_and_changes_nothing(digits) -> None:
    alone, asked = small().fit(digits), Asked(-1, LeftError)
    model = small().fit(digits, callback=asked)
    np.testing.assert_array_equal(model.trace_["bound"], alone.trace_["bound"])
    # Before a phase's first evaluation there is no state yet, so the callback is not called.
    evaluations, phases = model.result_.evaluations, len(set(model.trace_["phase"]))
    assert evaluations - phases <= asked.asked <= evaluations


def test_interrupted_training_continues_with_the_same_numbers(digits) -> None:
    whole = small().fit(digits)
    for at in (5, 6, 7):
        asked = Asked(at, LeftError)
        with pytest.raises(LeftError):
            small().fit(digits, callback=asked)
        resumed = small().fit(digits, resume=asked.told[-1].run)
        np.testing.assert_array_equal(resumed.trace_["bound"], whole.trace_["bound"])
        np.testing.assert_array_equal(resumed.latent_mean_, whole.latent_mean_)


def test_a_stop_keeps_the_last_accepted_iteration(digits) -> None:
    for at in (7, 8):
        asked = Asked(at, StopIteration)
        model = small(n_restarts=2).fit(digits, callback=asked)
        assert model.result_.status == "stopped"
        assert asked.asked == at
        assert model.bound_ == pytest.approx(asked.told[-1].bound, rel=1e-9)
        assert len(model.trace_["bound"]) == len(asked.told)
