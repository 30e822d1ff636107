"""Tests of limits on training on a shared server, and of the file that pauses all training."""

import os
import sys
import threading

import numpy as np
import pytest

from gplvm_core.training import JobError, Limits
from gplvm_core.training.limits import NICENESS


def test_settings_that_are_not_numbers_are_reported() -> None:
    assert Limits.from_environment({}) == Limits(1, None, None, None)
    said = {"MANIFOLIO_JOBS_AT_ONCE": "2", "MANIFOLIO_JOBS": " 12 ", "MANIFOLIO_VALUES": "1000000"}
    assert Limits.from_environment(said) == Limits(2, 12, None, 1_000_000)
    for wrong in ("0", "-1", "many", "1e6", "٣", "9" * 5000):
        with pytest.raises(
            ValueError, match=r"MANIFOLIO_JOBS_EACH is .* a whole number of at least 1"
        ) as told:
            Limits.from_environment({"MANIFOLIO_JOBS_EACH": wrong})
        assert len(str(told.value)) < 100


def test_no_more_wait_than_are_allowed(open_queue, ocean, make_model) -> None:
    queue = open_queue(limits=Limits(in_all=2))
    first, second = (queue.submit(make_model(5000), ocean, name) for name in "ab")
    with pytest.raises(JobError, match="2 trainings run or wait"):
        queue.submit(make_model(), ocean, "c")
    queue.cancel(second)
    queue.pause(third := queue.submit(make_model(), ocean, "c"))
    fourth = queue.submit(make_model(), ocean, "d")
    with pytest.raises(JobError, match="run or wait"):  # resuming this job would exceed the limit
        queue.resume(third)
    for id in (first, fourth):
        queue.cancel(id)


def test_larger_data_than_are_allowed_are_refused(open_queue, wave, make_model) -> None:
    queue = open_queue(limits=Limits(values=wave.targets.size - 1))
    with pytest.raises(JobError, match="480 numbers; this server trains on at most 479"):
        queue.submit(make_model(), wave, "large")
    assert queue.jobs() == ()


def test_a_file_named_hold_stops_everything_and_nothing_is_lost(
    open_queue, wave, make_model, tmp_path, until
) -> None:
    queue = open_queue()
    running, waiting = (queue.submit(make_model(60), wave, name) for name in ("now", "then"))
    until(lambda: queue.snapshot(running).progress is not None)
    (tmp_path / "hold").touch()
    if queue.wait(running, 300).status == "finished":
        pytest.skip("it had ended by then")
    assert queue.snapshot(running).status == "paused"
    assert queue.wait(waiting, 300).status == "paused"  # the job did not start in its turn
    for refused in (
        lambda: queue.submit(make_model(), wave, "another"),
        lambda: queue.resume(running),
        lambda: queue.extend(running, 500),
    ):
        with pytest.raises(JobError, match="has stopped all training"):
            refused()
    (tmp_path / "hold").unlink()
    queue.resume(running)
    done = queue.wait(running, 300)
    assert done.status == "finished"
    whole = make_model(60).fit(wave.values)
    np.testing.assert_array_equal(done.trace["bound"], whole.trace_["bound"])
    queue.cancel(waiting)


@pytest.mark.skipif(sys.platform != "linux", reason="threads have priorities only on Linux")
def test_training_has_a_lower_priority_than_pages(open_queue, ocean, make_model, until) -> None:
    queue = open_queue()
    id = queue.submit(make_model(5000, n_jobs=2), ocean, "long")
    until(lambda: queue.snapshot(id).progress is not None)
    (worker,) = (thread for thread in threading.enumerate() if thread.name == id)
    own, of_training = (
        os.getpriority(os.PRIO_PROCESS, each)
        for each in (threading.get_native_id(), worker.native_id)
    )
    assert of_training == min(own + NICENESS, 19)
    queue.cancel(id)
    queue.wait(id, 300)
