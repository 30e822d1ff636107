"""Tests that a kill between the end of training and the entry in the library loses nothing."""

import atexit
import contextlib
import os
import shutil

import numpy as np
import pandas as pd
import pytest

from gplvm_core.models import BayesianGPLVM
from gplvm_core.readers import Dataset
from gplvm_core.store import Library
from gplvm_core.training import Queue, job
from gplvm_core.training.job import Job
from tests.store.faults import Faults, Kill

ITERATIONS = 3


class Ending:
    """A job whose process ends before the `at`-th file operation after its training."""

    def __init__(self, patch, at=None):
        self.iterations, self.faults = 0, None
        fit, observe = job.fitted_map, Job.__call__

        def counted(own, progress):
            self.iterations += 1
            observe(own, progress)

        def fitted(*given):
            found = fit(*given)
            self.faults = Faults(patch, at)
            return found

        patch.setattr(Job, "__call__", counted)
        patch.setattr(job, "fitted_map", fitted)


@pytest.fixture(scope="module")
def waiting(tmp_path_factory):
    """Return a workspace with a job that has not begun, and the job's id.

    A table with words has no density of its rows, which would take most of the time.
    """
    rng = np.random.default_rng(0)
    table = {"a": rng.normal(size=12), "word": ["x", "y"] * 6}
    waves = Dataset.of_table("waves", "Waves", pd.DataFrame(table))
    home = tmp_path_factory.mktemp("waiting")
    queue = Queue(home)
    queue._schedule = lambda: None
    model = BayesianGPLVM(1, 3, max_iter=ITERATIONS, random_state=0)
    id = queue.submit(model, waves, "waves")
    queue.close()
    return home, id


def train(home, id, patch, at=None):
    """Train a job in this thread until its end or the kill, as a process of its own would."""
    queue = Queue(home, checkpoint_seconds=3600.0)
    ending, job = Ending(patch, at), queue._jobs[id]
    job.publish(status="running")
    with contextlib.nullcontext() if at is None else pytest.raises(Kill):
        job.train()
    job.claim.close()  # the system releases the lock of a process that has ended
    atexit.unregister(queue._at_exit)
    return ending


def test_a_kill_at_every_file_operation_after_training(tmp_path, monkeypatch, waiting):
    before, id = waiting
    whole = shutil.copytree(before, tmp_path / "whole")
    with monkeypatch.context() as patch:
        undisturbed = train(whole, id, patch)
        operations = undisturbed.faults.count
    assert undisturbed.iterations == ITERATIONS
    (entry,) = Library(whole / "library").entries()
    due = Library(whole / "library").model(entry.id)
    again = []
    for at in range(operations):
        home = shutil.copytree(before, tmp_path / str(at))
        with monkeypatch.context() as patch:
            train(home, id, patch, at)
        queue = Queue(home)
        assert all(entry.broken is None for entry in Library(home / "library").entries())
        with monkeypatch.context() as patch:
            resumed = Ending(patch)
            if queue.snapshot(id).status != "finished":
                queue.resume(id)
            done = queue.wait(id, 60)
        queue.close()
        again.append(resumed.iterations)
        assert (done.status, done.error, done.warning) == ("finished", None, None)
        (found,) = Library(home / "library").entries()
        assert (done.entry, found.bound, found.title) == (found.id, entry.bound, "waves")
        model = Library(home / "library").model(found.id)
        np.testing.assert_array_equal(model.latent_mean_, due.latent_mean_)
        assert not [name for name in os.listdir(home / "library") if name.startswith(".new")]
        assert [each.id for each in queue.jobs()] == [id]
    # The first operations write the state at the end of training. A job that resumes from there
    # reports this state once and trains no more; the last operations follow the job's own end.
    assert set(again) == {0, 1, ITERATIONS} and again == sorted(again, reverse=True)
    assert again.count(ITERATIONS) < operations / 2
