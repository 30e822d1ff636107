"""Tests that a kill at any file operation loses or duplicates no model, and that leftovers are
removed.
"""

import os
import shutil
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

from gplvm_core.store import Library
from gplvm_core.training import Queue
from gplvm_core.training.checkpoint import JobFiles, stored_jobs
from gplvm_core.training.progress import Snapshot
from tests.store.faults import Faults, Kill


@pytest.fixture(scope="module")
def longer(model, circle):
    return clone(model).set_params(max_iter=4).fit(circle.values)


@pytest.fixture(scope="module")
def before(tmp_path_factory, model, circle):
    """Return a workspace with a model, a model made by a job, a model in the trash, and a job."""
    home = tmp_path_factory.mktemp("before")
    library = Library(home / "library")
    library.add(model, circle, "saved")
    library.add(model, circle, "mine", job="job-1")
    library.delete(library.add(model, circle, "deleted"))
    files = JobFiles(home / "jobs", "job-0")
    files.folder.mkdir()
    digest = files.write_data(circle)
    job = Snapshot("job-0", "A job", "paused", "", "circle", "2026", {}, data=digest)
    files.write_state(job, clone(model))
    return home


def checkpoint(home):
    files = JobFiles(home / "jobs", "job-0")
    job, model = files.read_state()
    files.write_state(replace(job, entry="reached"), model)


def submit(home, model, circle):
    """Submit a job without training it."""
    queue = Queue(home)
    queue._schedule = lambda: None
    queue.submit(model, circle, "new")


def files_of(home, id):
    """Return a model's files, as another process passes them to a library."""
    return {path.name: path.read_bytes() for path in (home / "library" / id).iterdir()}


def fresh_view(home, circle):
    """Return the content that another process finds.

    It consists of the models' bounds (a dictionary by id), the trash, and the jobs.
    """
    library = Library(home / "library")
    found = {}
    for entry in library.entries():
        assert entry.broken is None, entry
        found[entry.id] = library.model(entry.id).bound_
        np.testing.assert_array_equal(library.dataset(entry.id).targets, circle.targets)
    trash = {entry.id: entry.broken for entry in library.trash()}
    jobs = {}
    for files in stored_jobs(home / "jobs"):
        snapshot, _ = files.read_state()
        np.testing.assert_array_equal(files.read_data(snapshot.data).targets, circle.targets)
        jobs[files.id.split("-")[0]] = snapshot.entry
    return found, trash, jobs


def litter(home):
    return [
        os.path.join(folder, name)
        for folder, folders, files in os.walk(home)
        for name in folders + files
        if name.startswith((".new", ".emptied")) or name.endswith(".tmp")
    ]


# Each action takes a workspace, the model, the data, and the model after longer training.
ACTS = {
    "add": lambda home, m, d, _: Library(home / "library").add(m, d, "new", job="job-2"),
    "add again": lambda home, _, d, longer: Library(home / "library").add(
        longer, d, "mine", job="job-1"
    ),
    "take in": lambda home, *_: Library(home / "library").take_in(files_of(home, "saved")),
    "accept": lambda home, *_: Library(home / "library").accept("mine"),
    "rename": lambda home, *_: Library(home / "library").rename("mine", "other"),
    "duplicate": lambda home, *_: Library(home / "library").duplicate("saved"),
    "delete": lambda home, *_: Library(home / "library").delete("mine"),
    "restore": lambda home, *_: Library(home / "library").restore("deleted"),
    "empty trash": lambda home, *_: Library(home / "library").empty_trash(),
    "checkpoint": lambda home, *_: checkpoint(home),
    "submit": lambda home, m, d, _: submit(home, m, d),
    "forget": lambda home, *_: Queue(home).forget("job-0"),
}


@pytest.mark.parametrize("name", ACTS)
def test_a_kill_at_every_file_operation(tmp_path, monkeypatch, before, model, circle, longer, name):
    given = (model, circle, longer)
    act = ACTS[name]
    whole = shutil.copytree(before, tmp_path / "whole")
    with monkeypatch.context() as patch:
        faults = Faults(patch)
        act(whole, *given)
        operations = faults.count
    assert operations > 0
    old, old_trash, _ = fresh_view(before, circle)
    new, new_trash, _ = fresh_view(whole, circle)
    for at in range(operations):
        home = shutil.copytree(before, tmp_path / str(at))
        with monkeypatch.context() as patch:
            Faults(patch, at)
            with pytest.raises(Kill):
                act(home, *given)
        found, trash, jobs = fresh_view(home, circle)
        # Models and trash are as before the action or as after it; each model is only in one of
        # them.
        assert found in (old, new)
        assert trash in (old_trash, new_trash)
        assert name in ("delete", "restore", "empty trash") or trash == old_trash
        assert sorted((*found, *trash)) in (
            sorted((*old, *old_trash)),
            sorted((*new, *new_trash)),
        )
        assert jobs.get("job") in (None, "reached")
        assert "job" in jobs or name == "forget"
        Queue(home).close()  # this happens at the next start
        assert litter(home) == []
        assert {path.name.split("-")[0] for path in (home / "jobs").iterdir()} == set(jobs)
        assert fresh_view(home, circle) == (found, trash, jobs)
        if name in ("add", "add again"):
            with monkeypatch.context() as patch:
                Faults(patch)  # the operations do not wait for the disk
                act(home, *given)
            assert fresh_view(home, circle)[0] == new
