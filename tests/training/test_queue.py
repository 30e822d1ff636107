"""Tests that jobs run, wait, pause, end and fail as requested, and that results are stored."""

import os
import threading
from dataclasses import replace

import numpy as np
import pandas
import pytest
from sklearn.base import clone

from gplvm_core import training
from gplvm_core.datasets import Dataset, Drawing, toy_views
from gplvm_core.models import (
    BayesianGPLVM,
    DynamicalGPLVM,
    ManifoldRelevance,
    ProbabilisticPCA,
)
from gplvm_core.models.estimators import with_density
from gplvm_core.models.estimators.second_stage import DENSITY
from gplvm_core.models.problems import many_rows
from gplvm_core.prediction.held_out import HeldOut
from gplvm_core.readers.error_columns import ERRORS
from gplvm_core.readers.rows.folders import OWN, own_table
from gplvm_core.readers.rows.table import TableDataset, Use
from gplvm_core.store import Library, StoreError
from gplvm_core.training import JobError, Limits, Queue
from tests.store.faults import reachable_home, refused

LONG = 100_000


def phase_of(queue, id):
    progress = queue.snapshot(id).progress
    return None if progress is None else progress.phase


def library_of(queue):
    return Library(queue.home / "library")


def test_a_finished_job_is_the_same_as_a_fit(jobs, wave, make_model):
    id = jobs.submit(make_model(), wave, "First\nlight")
    done = jobs.wait(id, 300)
    alone = make_model().fit(wave.values)
    assert (done.status, done.name, done.error) == ("finished", "First light", None)
    assert (done.model_class, done.dataset_name) == ("BayesianGPLVM", "wave")
    assert done.parameters == alone.get_params()
    assert done.reason == alone.result_.reason
    np.testing.assert_array_equal(done.trace["bound"], alone.trace_["bound"])
    library = library_of(jobs)
    assert library.entry(done.entry).title == "First light"
    assert library.model(done.entry).bound_ == alone.bound_
    np.testing.assert_array_equal(library.dataset(done.entry).targets, wave.targets)
    np.testing.assert_array_equal(jobs.dataset(id).targets, wave.targets)


def test_times_and_sequences_reach_the_models_that_take_them(jobs, wave, make_model):
    times = 0.5 * np.tile(np.arange(40.0), 2)
    sequences = np.repeat([3, 7], 40)
    timed = replace(wave, times=times, sequences=sequences)
    settings = {"n_components": 2, "n_inducing": 10, "random_state": 0, "max_iter": 12}
    settings["time_kernel"] = "matern32"
    whole = DynamicalGPLVM(**settings, second_stage="auto")
    done = jobs.wait(jobs.submit(whole, timed, "paths"), 300)
    assert (done.status, done.error) == ("finished", None)
    model = library_of(jobs).model(done.entry)
    alone = DynamicalGPLVM(**settings).fit(wave.values, times=times, sequences=sequences)
    assert model.bound_ == alone.bound_
    np.testing.assert_array_equal(model.times_[:, 0], times)
    np.testing.assert_array_equal(model.sequences_, sequences)
    alone.fit_density(wave.values).calibrate(wave.values)
    for found, wanted in zip(model.intervals_.factors, alone.intervals_.factors, strict=True):
        assert found.asked == wanted.asked
        np.testing.assert_array_equal(found.widened, wanted.widened)
    # Other models train on the same rows without times.
    static = jobs.wait(jobs.submit(make_model(5), timed, "points"), 300)
    assert (static.status, static.error) == ("finished", None)


def test_a_job_learns_the_density_of_the_rows(jobs, wave, make_model):
    done = jobs.wait(jobs.submit(make_model(5, second_stage="auto"), wave, "dense"), 300)
    model = library_of(jobs).model(done.entry)
    alone = make_model(5, second_stage="auto").fit(wave.values)
    more = alone.more_inducing_.sentence()
    assert (done.status, done.notes) == ("finished", (*alone.notes_, more))
    np.testing.assert_array_equal(
        model.score_samples(wave.values, method="density"),
        alone.score_samples(wave.values, method="density"),
    )
    assert model.second_stage == "auto"  # the setting of the user, also while the map is trained
    map_alone = jobs.wait(jobs.submit(make_model(5), wave, "map"), 300)
    assert library_of(jobs).model(map_alone.entry).density_ is None


@pytest.mark.parametrize("request_", ["pause", "cancel"])
def test_the_step_of_the_density_can_be_interrupted(
    jobs, wave, make_model, until, monkeypatch, request_
):
    # this search takes longer than any test
    monkeypatch.setattr(with_density, "SIZES", (2,) * 10_000)
    id = jobs.submit(make_model(5, second_stage="auto"), wave, "dense")
    until(lambda: phase_of(jobs, id) == DENSITY)
    until(lambda: jobs.snapshot(id).progress.share > 0.0)
    assert jobs.snapshot(id).progress.share < 1.0
    getattr(jobs, request_)(id)
    ended = jobs.wait(id, 300)
    if request_ == "pause":
        assert ended.status == "paused"
        monkeypatch.setattr(with_density, "SIZES", (2,))
        jobs.resume(id)
        ended = jobs.wait(id, 300)
        assert library_of(jobs).model(ended.entry).density_ is not None
    else:
        assert ended.status == "cancelled"
        assert any("not learnt: training was ended before" in note for note in ended.notes)
    assert library_of(jobs).model(ended.entry).bound_ == make_model(5).fit(wave.values).bound_


def test_a_density_that_fails_is_a_note(jobs, wave, make_model, monkeypatch):
    def fails(*_: object, **__: object) -> None:
        raise MemoryError("no memory left")

    monkeypatch.setattr(with_density.prediction, "derived", fails)
    done = jobs.wait(jobs.submit(make_model(5, second_stage="auto"), wave, "dense"), 300)
    assert (done.status, done.error) == ("finished", None)
    assert any("not learnt: no memory left. The map alone" in note for note in done.notes)
    assert library_of(jobs).model(done.entry).density_ is None


def test_a_calibration_that_fails_is_a_note(jobs, wave, make_model, monkeypatch):
    def fails(*_: object, **__: object) -> None:
        raise MemoryError("no memory left")

    monkeypatch.setattr(HeldOut, "try_forecasts", fails)
    timed = replace(wave, times=np.arange(80.0))
    done = jobs.wait(
        jobs.submit(make_model(3, time_kernel="matern32", second_stage="auto"), timed, "paths"), 300
    )
    assert (done.status, done.error) == ("finished", None)
    assert any("not calibrated: no memory left. Intervals" in note for note in done.notes)
    model = library_of(jobs).model(done.entry)
    assert model.intervals_ is None and model.density_ is not None


def test_words_reach_the_model_and_come_back_after_a_pause(jobs, until):
    letters = np.random.default_rng(0).integers(0, 3, 60)
    rows = [[0.1 * n + letter, "abc"[letter], int(letter > 1)] for n, letter in enumerate(letters)]
    mixed = Dataset.of_table("words", "Words", rows, ["number", "category", "yes/no"])
    model = BayesianGPLVM(2, 8, max_iter=40, random_state=0)
    id = jobs.submit(model, mixed, "words")
    until(lambda: jobs.snapshot(id).progress is not None)
    jobs.pause(id)
    assert jobs.wait(id, 300).status in ("paused", "finished")
    if jobs.snapshot(id).status == "paused":
        jobs.resume(id)
    done = jobs.wait(id, 300)
    assert (done.status, done.error) == ("finished", None)
    alone = clone(model).set_params(kinds=mixed.kinds).fit(rows)
    stored, data = library_of(jobs).model(done.entry), library_of(jobs).dataset(done.entry)
    assert stored.bound_ == alone.bound_
    assert not any("density" in note for note in done.notes)
    assert stored.columns_.columns == data.columns == mixed.columns
    failed = jobs.wait(jobs.submit(ProbabilisticPCA(1), mixed, "straight"), 300)
    assert "also has words or counts. Train a BayesianGPLVM" in failed.error


def test_a_model_of_several_views_gets_the_data_view_by_view(jobs):
    signals = toy_views(40)
    model = ManifoldRelevance(4, 10, kernel="linear", random_state=0, max_iter=12)
    done = jobs.wait(jobs.submit(model, signals, "signals"), 300)
    assert (done.status, done.error) == ("finished", None)
    alone = clone(model).fit(signals.view_values)
    np.testing.assert_array_equal(done.trace["bound"], alone.trace_["bound"])
    library = library_of(jobs)
    assert library.model(done.entry).bounds_ == alone.bounds_
    assert library.dataset(done.entry).views == signals.views


def test_data_without_views_are_no_data_for_a_model_of_several(jobs, wave):
    done = jobs.wait(jobs.submit(ManifoldRelevance(2, 10), wave, "one"), 300)
    assert done.status == "failed"
    assert "learns several views" in done.error and "'Waves' has none" in done.error


@pytest.mark.slow
def test_a_paused_path_continues_with_the_same_numbers(jobs, wave, until):
    timed = replace(wave, times=np.arange(80.0))
    model = DynamicalGPLVM(2, 10, time_kernel="matern32", random_state=0, max_iter=25)
    id = jobs.submit(model, timed, "paths")
    until(lambda: jobs.snapshot(id).progress is not None)
    jobs.pause(id)
    until(lambda: jobs.snapshot(id).status in ("paused", "finished"))
    assert jobs.snapshot(id).status == "paused"
    jobs.resume(id)
    done = jobs.wait(id, 300)
    assert (done.status, done.error) == ("finished", None)
    alone = clone(model).fit(wave.values, times=timed.times)
    np.testing.assert_array_equal(done.trace["bound"], alone.trace_["bound"])


def test_a_pause_before_the_first_step_loses_nothing(jobs, ocean, make_model):
    id = jobs.submit(make_model(5), ocean, "at once")
    jobs.pause(id)
    paused = jobs.wait(id, 300)
    assert paused.status == "paused"
    jobs.resume(id)
    done = jobs.wait(id, 300)
    alone = make_model(5).fit(ocean.values)
    np.testing.assert_array_equal(done.trace["bound"], alone.trace_["bound"])


def test_the_callers_model_does_not_change(jobs, wave, make_model):
    model = make_model(max_iter=3)
    id = jobs.submit(model, wave, "x")
    model.set_params(max_iter=1)
    assert jobs.wait(id, 300).parameters["max_iter"] == 3
    assert not hasattr(model, "bound_")


def test_a_model_in_closed_form_can_be_a_job(jobs, wave):
    done = jobs.wait(jobs.submit(ProbabilisticPCA(n_components=2), wave, "PCA"), 300)
    assert (done.status, done.progress) == ("finished", None)
    assert library_of(jobs).model(done.entry).n_components == 2
    with pytest.raises(JobError, match="no iterations to extend"):
        jobs.extend(done.id, 10)


def test_one_job_trains_and_the_others_wait(jobs, wave, ocean, make_model, until):
    first = jobs.submit(make_model(LONG), ocean, "first")
    second = jobs.submit(make_model(5), wave, "second")
    third = jobs.submit(make_model(5), wave, "third")
    until(lambda: jobs.snapshot(first).progress is not None)
    assert [job.status for job in jobs.jobs()] == ["running", "queued", "queued"]
    jobs.cancel(third)
    jobs.cancel(first)
    assert jobs.wait(second, 300).status == "finished"
    assert [job.status for job in jobs.jobs()] == ["cancelled", "finished", "cancelled"]
    assert jobs.snapshot(third).entry is None


def test_two_can_train_at_once(open_queue, ocean, make_model, until):
    queue = open_queue(limits=Limits(at_once=2))
    ids = [queue.submit(make_model(LONG), ocean, name) for name in ("a", "b")]
    until(lambda: all(queue.snapshot(id).progress is not None for id in ids))
    assert [queue.snapshot(id).status for id in ids] == ["running", "running"]
    for id in ids:
        queue.cancel(id)
        queue.wait(id, 300)
    assert len(library_of(queue).entries()) == 2


def test_a_paused_job_continues_with_the_same_numbers(jobs, wave, make_model, until):
    id = jobs.submit(make_model(60), wave, "paused")
    until(lambda: jobs.snapshot(id).progress is not None)
    for _ in range(3):
        jobs.pause(id)
        paused = jobs.wait(id, 300)
        if paused.status == "paused":
            assert paused.request is None
            assert jobs.snapshot(id) is paused
            jobs.resume(id)
    done = jobs.wait(id, 300)
    assert done.status == "finished"
    whole = make_model(60).fit(wave.values)
    np.testing.assert_array_equal(done.trace["bound"], whole.trace_["bound"])
    model = library_of(jobs).model(done.entry)
    np.testing.assert_array_equal(model.trace_["bound"], whole.trace_["bound"])
    np.testing.assert_array_equal(model.latent_mean_, whole.latent_mean_)


def test_a_paused_job_makes_room_and_waits_when_it_comes_back(jobs, ocean, make_model, until):
    first = jobs.submit(make_model(LONG), ocean, "first")
    until(lambda: jobs.snapshot(first).progress is not None)
    jobs.pause(first)
    assert jobs.wait(first, 300).status == "paused"
    second = jobs.submit(make_model(LONG), ocean, "second")
    until(lambda: jobs.snapshot(second).progress is not None)
    jobs.resume(first)
    assert jobs.snapshot(first).status == "queued"
    jobs.pause(first)
    assert jobs.snapshot(first).status == "paused"
    jobs.resume(first)
    jobs.cancel(second)
    until(lambda: jobs.snapshot(first).status == "running")


@pytest.mark.parametrize("paused_before", [False, True])
def test_a_cancelled_job_keeps_what_it_reached(jobs, ocean, make_model, until, paused_before):
    id = jobs.submit(make_model(LONG), ocean, "stopped")
    until(lambda: jobs.snapshot(id).progress is not None)
    if paused_before:
        jobs.pause(id)
        jobs.wait(id, 300)
    jobs.cancel(id)
    done = jobs.wait(id, 300)
    assert (done.status, done.reason) == ("cancelled", "stopped by the caller")
    model = library_of(jobs).model(done.entry)
    # The scales of the model are optimal, although a phase may have held them.
    assert model.bound_ >= done.progress.bound
    assert model.result_.status == "stopped"
    jobs.cancel(id)
    jobs.pause(id)
    assert jobs.snapshot(id).status == "cancelled"


def test_a_paused_job_is_cancelled_at_once_while_another_trains(jobs, ocean, make_model, until):
    first = jobs.submit(make_model(LONG), ocean, "first")
    until(lambda: jobs.snapshot(first).progress is not None)
    jobs.pause(first)
    jobs.wait(first, 300)
    second = jobs.submit(make_model(LONG), ocean, "second")
    jobs.cancel(first)
    assert jobs.wait(first, 300).status == "cancelled"
    assert jobs.snapshot(second).status == "running"


def test_extending_equals_training_with_more_steps(jobs, wave, make_model):
    id = jobs.submit(make_model(40), wave, "short")
    short = jobs.wait(id, 300)
    library_of(jobs).rename(short.entry, "Renamed meanwhile")
    jobs.extend(id, 80)
    longer = jobs.wait(id, 300)
    assert (longer.status, longer.parameters["max_iter"]) == ("finished", 80)
    np.testing.assert_array_equal(
        longer.trace["bound"][: len(short.trace["bound"])], short.trace["bound"]
    )
    assert len(longer.trace["bound"]) > len(short.trace["bound"])
    assert longer.progress.bound > short.progress.bound
    (entry,) = library_of(jobs).entries()
    assert (entry.id, entry.title) == (short.entry, "Renamed meanwhile")
    assert entry.bound == pytest.approx(longer.progress.bound)


def test_a_cancelled_job_can_be_taken_up_again(jobs, wave, make_model, until):
    id = jobs.submit(make_model(60), wave, "again")
    until(lambda: jobs.snapshot(id).progress is not None)
    jobs.cancel(id)
    jobs.wait(id, 300)
    if jobs.snapshot(id).status == "cancelled":
        jobs.resume(id)
    done = jobs.wait(id, 300)
    assert done.status == "finished"
    whole = make_model(60).fit(wave.values)
    np.testing.assert_array_equal(done.trace["bound"], whole.trace_["bound"])
    assert len(library_of(jobs).entries()) == 1


def test_extending_a_job_whose_model_was_deleted_saves_a_new_one(jobs, wave, make_model):
    id = jobs.submit(make_model(5), wave, "gone")
    library_of(jobs).delete(jobs.wait(id, 300).entry)
    jobs.extend(id, 10)
    done = jobs.wait(id, 300)
    assert [entry.id for entry in library_of(jobs).entries()] == [done.entry]


def test_extending_a_job_leaves_another_model_that_has_got_the_name(jobs, wave, make_model):
    first, library = jobs.submit(make_model(10), wave, "first"), library_of(jobs)
    taken = jobs.wait(first, 300).entry
    library.delete(taken)
    other = make_model(2).fit(wave.values)
    assert library.add(other, wave, "first") == taken
    jobs.extend(first, 20)
    assert jobs.wait(first, 300).entry != taken
    assert library.model(taken).bound_ == other.bound_


def test_running_again_gives_the_same_result(jobs, wave, make_model):
    id = jobs.submit(make_model(8), wave, "twice")
    first = jobs.wait(id, 300)
    second = jobs.wait(jobs.rerun(id), 300)
    assert second.id != first.id
    assert (second.name, second.parameters) == (first.name, first.parameters)
    np.testing.assert_array_equal(second.trace["bound"], first.trace["bound"])


@pytest.mark.parametrize("starts", [2, "auto"])
def test_restarts_go_through_a_pause(starts, jobs, wave, make_model, until):
    id = jobs.submit(make_model(15, n_restarts=starts), wave, "restarts")
    until(lambda: len(jobs.snapshot(id).trace["bound"]) > 16 or jobs.snapshot(id).entry)
    jobs.pause(id)
    if jobs.wait(id, 300).status == "paused":
        jobs.resume(id)
    model = library_of(jobs).model(jobs.wait(id, 300).entry)
    whole = make_model(15, n_restarts=starts).fit(wave.values)
    assert model.restarts_ == whole.restarts_
    assert model.bound_ == whole.bound_


def test_a_failed_job_reports_the_reason_and_the_next_one_runs(jobs, wave, make_model):
    bad = jobs.submit(make_model(init="nonsense"), wave, "bad")
    good = jobs.submit(make_model(3), wave, "good")
    failed = jobs.wait(bad, 300)
    assert failed.status == "failed"
    assert "nonsense" in failed.error
    assert "Traceback" in failed.details
    assert jobs.wait(good, 300).status == "finished"


def test_a_job_that_cannot_be_stored_loses_no_training(jobs, wave, make_model):
    blocker = jobs.home / "library"
    blocker.write_text("a file with the name of the folder")
    id = jobs.submit(make_model(10), wave, "kept")
    failed = jobs.wait(id, 300)
    assert failed.status == "failed"
    assert "Trained, but not added" in failed.error
    assert len(failed.trace["bound"]) > 0
    blocker.unlink()
    jobs.resume(id)
    done = jobs.wait(id, 300)
    assert (done.status, done.error) == ("finished", None)
    assert library_of(jobs).model(done.entry).bound_ == make_model(10).fit(wave.values).bound_


def test_snapshots_do_not_change_afterwards(jobs, ocean, make_model, until):
    id = jobs.submit(make_model(LONG), ocean, "moving")
    until(lambda: jobs.snapshot(id).progress is not None)
    early = jobs.snapshot(id)
    bound, length = early.progress.bound, len(early.trace["bound"])
    until(lambda: len(jobs.snapshot(id).trace["bound"]) > length + 5)
    assert (early.progress.bound, len(early.trace["bound"])) == (bound, length)
    assert early.trace["bound"][-1] == bound


def test_forgetting_removes_the_files_but_not_the_model(jobs, wave, ocean, make_model, until):
    id = jobs.submit(make_model(3), wave, "brief")
    entry = jobs.wait(id, 300).entry
    jobs.forget(id)
    assert jobs.jobs() == ()
    assert list((jobs.home / "jobs").iterdir()) == []
    assert library_of(jobs).entry(entry).title == "brief"
    with pytest.raises(JobError, match="no job"):
        jobs.snapshot(id)
    running = jobs.submit(make_model(LONG), ocean, "running")
    until(lambda: jobs.snapshot(running).progress is not None)
    with pytest.raises(JobError, match="Cancel it first"):
        jobs.forget(running)


def test_wrong_requests_have_clear_messages(jobs, wave, make_model):
    with pytest.raises(JobError, match="got a ndarray"):
        jobs.submit(make_model(), wave.values, "x")
    with pytest.raises(JobError, match="got a str"):
        jobs.submit("BayesianGPLVM", wave, "x")
    id = jobs.submit(make_model(5), wave, "x")
    jobs.wait(id, 300)
    with pytest.raises(JobError, match="extend it to more than that, got 2"):
        jobs.extend(id, 2)
    with pytest.raises(JobError, match="is finished"):
        jobs.resume(id)
    with pytest.raises(JobError, match="no job 'nobody'"):
        jobs.pause("nobody")


def test_a_job_that_cannot_be_written_is_not_queued(jobs, wave, make_model):
    with pytest.raises(ValueError, match=r"init is a set|was not queued"):
        jobs.submit(make_model(init={1, 2}), wave, "x")
    assert jobs.jobs() == ()
    assert list((jobs.home / "jobs").iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs a system with users")
@pytest.mark.parametrize(("place", "rights"), [("jobs", 0o555), (".", 0o555), (".", 0o000)])
def test_a_home_that_the_system_refuses_queues_nothing_and_loses_nothing(
    wave, make_model, place, rights
):
    with reachable_home() as home:
        queue = Queue(home)
        if place == "jobs":
            first = queue.submit(make_model(3), wave, "first")
            queue.wait(first, 300)
        before = {path: path.stat().st_size for path in home.rglob("*")}
        with refused(home, home / place, rights):
            assert not queue.held
            with pytest.raises(
                StoreError, match=r"second was not queued: .*Permission.*your access rights"
            ):
                queue.submit(make_model(3), wave, "second")
        assert {path: path.stat().st_size for path in home.rglob("*")} == before
        assert [job.name for job in queue.jobs()] == ["first"] * (place == "jobs")
        second = queue.submit(make_model(3), wave, "second")
        assert queue.wait(second, 300).status == "finished"
        queue.close()


def test_many_threads_can_use_one_queue(jobs, wave, make_model):
    ids = [jobs.submit(make_model(25), wave, f"job {n}") for n in range(3)]

    def meddle(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for _ in range(30):
            id = ids[rng.integers(3)]
            try:
                [jobs.pause, jobs.resume][rng.integers(2)](id)
            except JobError:
                assert jobs.snapshot(id).status == "finished"

    threads = [threading.Thread(target=meddle, args=(seed,)) for seed in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = make_model(25).fit(wave.values)
    for id in ids:
        while jobs.wait(id, 300).status == "paused":
            jobs.resume(id)
        assert jobs.snapshot(id).status == "finished"
        np.testing.assert_array_equal(jobs.snapshot(id).trace["bound"], expected.trace_["bound"])


def test_the_functions_share_one_queue_per_workspace(monkeypatch, tmp_path, wave, make_model):
    monkeypatch.setenv("MANIFOLIO_HOME", str(tmp_path / "one"))
    id = training.here().submit(make_model(3), wave, "shared")
    assert training.here().wait(id, 300).status == "finished"
    assert [job.id for job in training.here().jobs()] == [id]
    training.here().extend(id, 6)
    assert training.here().wait(id, 300).parameters["max_iter"] == 6
    other = training.here().rerun(id)
    training.here().pause(other)
    training.here().resume(other) if training.here().wait(other, 300).status == "paused" else None
    training.here().cancel(other)
    training.here().wait(other, 300)
    training.here().forget(other)
    np.testing.assert_array_equal(training.here().dataset(id).targets, wave.targets)
    monkeypatch.setenv("MANIFOLIO_HOME", str(tmp_path / "two"))
    assert training.here().jobs() == ()
    monkeypatch.setenv("MANIFOLIO_HOME", str(tmp_path / "one"))
    assert training.here().snapshot(id).status == "finished"


def test_data_of_one_row_fail_in_words(jobs, make_model):
    row = Dataset("row", "Row", np.ones((2, 3)), Drawing.of_vector(3))
    failed = jobs.wait(jobs.submit(make_model(), row, "constant"), 300)
    assert failed.status == "failed"
    assert "constant" in failed.error


@pytest.mark.filterwarnings("ignore")
def test_a_job_knows_the_errors_of_its_data(tmp_path):
    generator = np.random.default_rng(0)
    values, errors = generator.normal(size=(20, 3)), generator.uniform(0.1, 2.0, (20, 3))
    table = Dataset("t", "T", values, Drawing.of_vector(3), covariates={ERRORS: errors})
    settings = {"n_components": 1, "n_inducing": 5, "max_iter": 10, "random_state": 0}
    queue = Queue(tmp_path)
    job = queue.wait(queue.submit(BayesianGPLVM(**settings), table, "Map"), 300)
    assert job.status == "finished", job.error
    stored = Library(tmp_path / "library").model(job.entry)
    own = BayesianGPLVM(**settings).fit(values, errors=errors)
    assert stored.known_errors_ and stored.bound_ == own.bound_
    job = queue.wait(queue.submit(ProbabilisticPCA(1), table, "Plain"), 300)
    assert job.status == "failed" and "takes no known errors, and 'T' has some" in job.error
    queue.close()


def test_a_table_of_words_on_disk_is_trained_on_a_sample(
    jobs, make_model, tmp_path, monkeypatch
) -> None:
    monkeypatch.setenv(OWN, "1")
    monkeypatch.setattr(many_rows, "MANY", 150)
    monkeypatch.setattr(many_rows, "SAMPLES", (20, 20, 40, 60))
    rng = np.random.default_rng(3)
    table = pandas.DataFrame(rng.normal(size=(200, 2)), columns=["a", "b"])
    table["wood"] = np.array(["ash", "elm", "oak"])[np.digitize(table["a"], [-0.5, 0.5])]
    table["day"] = np.datetime64("2024-01-01") + rng.integers(0, 700, 200)
    table.loc[3, "wood"] = None
    table.to_csv(tmp_path / "woods.csv", index=False)
    opened = own_table(str(tmp_path / "woods.csv"), os.environ)
    use = Use(("a", "b", "wood"), "wood", (), "auto", ("day",))
    id = jobs.submit(make_model(3, kinds="auto"), TableDataset.of(opened, use), "Woods")
    done = jobs.wait(id, 300)
    assert done.status == "finished", done.error
    assert any("140 of 200 rows were streamed once" in note for note in done.notes)
    model, stored = library_of(jobs).model(done.entry), library_of(jobs).dataset(done.entry)
    # Train and the Gallery show the bound of the same rows, not that of the last sample.
    assert done.progress.bound == library_of(jobs).entry(done.entry).bound == model.bound_
    assert done.progress.bound != done.trace["bound"][-1]
    assert model.rows_.count == 200 and len(model.latent_mean_) == stored.n_points == 60
    assert stored.columns == model.columns_.columns
    words = table["wood"].fillna("").iloc[model.rows_.kept].tolist()
    assert stored.in_own_values()["wood"].fillna("").tolist() == words
    assert [stored.label_word(row) or "" for row in range(60)] == words
    days = table["day"].iloc[model.rows_.kept]
    assert stored.in_own_values()["day year"].tolist() == days.dt.year.tolist()


def test_a_large_table_of_words_stores_the_rows_on_its_map(jobs, monkeypatch):
    monkeypatch.setattr(many_rows, "MANY", 40)
    monkeypatch.setattr(many_rows, "SAMPLES", (20, 20, 20, 20))
    x = np.random.default_rng(0).standard_normal(60)
    table = pandas.DataFrame(
        {"x": x, "y": x**2, "kind": np.array(["oak", "elm"])[(x > 0.0).astype(int)]}
    )
    names = np.array([f"tree {n}" for n in range(60)])
    dataset = Dataset.of_table("trees", "Trees", table, row_names=names)
    model = BayesianGPLVM(1, 5, random_state=0, max_iter=3)
    done = jobs.wait(jobs.submit(model, dataset, "trees"), 300)
    assert (done.status, done.error) == ("finished", None)
    library = library_of(jobs)
    fitted, stored = library.model(done.entry), library.dataset(done.entry)
    assert len(fitted.latent_mean_) == stored.n_points == 20 and fitted.rows_.count == 60
    kept = fitted.rows_.kept
    assert list(stored.row_names) == list(names[kept])
    assert list(stored.in_own_values()["kind"]) == list(table["kind"][kept])
    assert "20 of the table's 60 rows are stored here" in stored.notes
