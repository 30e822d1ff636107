"""Tests that the trace of a long job stays small and correct at every length."""

import numpy as np
import pytest

from gplvm_core.models.training.run import Work
from gplvm_core.optimise import Progress
from gplvm_core.training.progress import Pace, empty_trace, extended_trace


def told(iteration: int, seconds: float, left: float | None = None, share: float = 0.0) -> Progress:
    nothing = np.zeros(1)
    return Progress(
        phase="all",
        iteration=iteration,
        evaluations=2 * iteration,
        bound=-1.0 / iteration,
        noise_variance=0.1,
        relevance=nothing,
        information=nothing,
        latent_mean=np.zeros((2, 1)),
        seconds=seconds,
        seconds_left=left,
        message="",
        run=None,
        share=share,
    )


def trace_of(length: int, limit: int = 10):
    trace = empty_trace()
    for iteration in range(1, length + 1):
        trace = extended_trace(trace, told(iteration, float(iteration)), limit)
    return trace


@pytest.mark.parametrize("length", [1, 2, 3, 9, 10, 11, 12, 25, 40, 41, 97, 333])
def test_a_thinned_trace_is_evenly_spaced_and_ends_with_the_newest(length):
    trace = trace_of(length)
    iteration = trace["iteration"]
    assert len(iteration) <= 11
    assert iteration[0] == 1
    assert iteration[-1] == length
    assert len(iteration) >= min(length, 5)
    assert len(set(np.diff(iteration[:-1]))) <= 1
    np.testing.assert_array_equal(trace["bound"], -1.0 / iteration)
    np.testing.assert_array_equal(trace["evaluations"], 2 * iteration)


def test_a_trace_can_be_continued_at_any_point():
    whole = trace_of(100)
    for cut in range(1, 100, 7):
        trace = {name: np.array(column) for name, column in trace_of(cut).items()}
        for iteration in range(cut + 1, 101):
            trace = extended_trace(trace, told(iteration, float(iteration)), 10)
        np.testing.assert_array_equal(trace["iteration"], whole["iteration"])


def test_a_published_trace_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        trace_of(3)["bound"][0] = 1.0


def test_the_time_left_follows_the_present_pace():
    pace, seconds = Pace(), 0.0
    for iteration in range(1, 201):
        seconds += 1.0 if iteration <= 100 else 3.0
        # Without Pace, the time left follows from the mean speed. After the loop, 200 of 400
        # iterations remain.
        progress = told(
            iteration, seconds, seconds / iteration * (400 - iteration), iteration / 400
        )
        left = pace.seconds_left(progress)
    assert left == pytest.approx(200 * 3.0)
    # Placing a row takes another time than a training step, so at first the given estimate is
    # returned.
    assert pace.seconds_left(told(200, 401.0, 350.0, 0.55), rows=True) == 350.0
    assert pace.seconds_left(told(200, 411.0, 350.0, 0.60), rows=True) == pytest.approx(80.0)


def test_an_unknown_time_stays_unknown():
    assert Pace().seconds_left(told(3, 3.0, None)) is None


def test_short_starts_of_different_cost_and_the_dearest_that_continues_fill_the_work():
    work = Work(costs=(1.0, 2.0, 3.0))
    whole = 75 * (1.0 + 2.0 + 3.0) + 225 * 3.0  # the best start makes 300 steps, the others 75
    for ended, steps, done in ((0, 75, 75.0), (1, 30, 135.0), (2, 75, 450.0), (2, 100, 525.0)):
        assert work.share(3, 300, ended, steps, 75) == pytest.approx(done / whole)
    assert work.share(3, 300, 2, 300, 75) == work.training(3, 300, 75) == pytest.approx(1.0)
    assert Work().share(2, 100, 1, 50) == pytest.approx(0.75)  # equal starts, all of them long
