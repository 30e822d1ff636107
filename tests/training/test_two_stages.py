"""Tests that a job's map is in the library while its second stage follows, and is never lost."""

import shutil

import numpy as np
import pytest

from gplvm_core.models.estimators import with_density
from gplvm_core.models.estimators.second_stage import DENSITY
from gplvm_core.store import Library
from gplvm_core.training import Queue


@pytest.fixture
def between(jobs, wave, make_model, until, monkeypatch) -> str:
    """Return the id of a job whose map is ready, and whose second stage takes very long."""
    monkeypatch.setattr(with_density, "SIZES", (2,) * 10_000)
    id = jobs.submit(make_model(5, second_stage="auto"), wave, "waves")
    until(lambda: jobs.snapshot(id).entry is not None)
    until(lambda: jobs.snapshot(id).progress.phase == DENSITY)
    return id


def test_the_map_opens_before_the_second_stage(jobs, between, wave, make_model, monkeypatch):
    library, alone = Library(jobs.home / "library"), make_model(5).fit(wave.values)
    entry = jobs.snapshot(between).entry
    assert jobs.snapshot(between).status == "running"
    assert jobs.snapshot(between).notes[: len(alone.notes_)] == alone.notes_
    stored = library.model(entry)
    assert stored.density_ is None
    np.testing.assert_array_equal(stored.latent_mean_, alone.latent_mean_)
    library.rename(entry, "My waves")
    jobs.pause(between)
    assert jobs.wait(between, 300).status == "paused"
    assert library.model(entry).bound_ == alone.bound_
    monkeypatch.setattr(with_density, "SIZES", (2,))
    jobs.resume(between)
    done = jobs.wait(between, 300)
    assert (done.status, done.entry) == ("finished", entry)
    (only,) = library.entries()
    assert only.title == "My waves"
    assert library.model(entry).density_.typicality is not None
    assert library.model(entry).bound_ == alone.bound_


def test_a_job_that_ends_between_the_stages_keeps_its_map(jobs, between):
    jobs.cancel(between)
    done = jobs.wait(between, 300)
    assert done.status == "cancelled"
    assert any("training was ended before" in note for note in done.notes)
    assert Library(jobs.home / "library").model(done.entry).density_ is None


def test_a_kill_between_the_stages_loses_nothing(jobs, between, tmp_path_factory, monkeypatch):
    steps = jobs.snapshot(between).progress.iteration
    home = tmp_path_factory.mktemp("killed") / "home"
    shutil.copytree(jobs.home, home)  # the disk, as a kill at this moment leaves it
    monkeypatch.setattr(with_density, "SIZES", (2,))
    queue = Queue(home)
    left, library = queue.snapshot(between), Library(home / "library")
    assert left.status == "interrupted"
    assert library.model(left.entry).density_ is None
    queue.resume(between)
    done = queue.wait(between, 300)
    queue.close()
    assert (done.status, done.error, done.entry) == ("finished", None, left.entry)
    assert done.progress.iteration == steps  # the map was not trained again
    assert [each.id for each in library.entries()] == [left.entry]
    assert library.model(left.entry).density_ is not None
