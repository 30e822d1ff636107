"""Tests of Train through AppTest: reading files, and the questions about them."""

import io
import zipfile

import numpy as np
import pytest
from PIL import Image

from gplvm_core.readers.rows.folders import SETTING
from gplvm_core.store import Library, workspace
from tests.app.apptest import (
    finished,
    go_to,
    kind_of,
    press,
    query,
    run_page,
    said,
    short,
    started,
    upload,
)

pytestmark = pytest.mark.usefixtures("home")

TABLE = b"id,height,salary,kind\n" + b"\n".join(
    b"%d,%.3f,%d,%s"
    % (i + 1, 1.5 + 0.01 * (i * 7 % 30), 40_000 + 997 * (i * 11 % 30), b"ab"[i % 2 :][:1])
    for i in range(30)
)


def gif(count: int = 16) -> bytes:
    """Return a film of a dot that moves in a circle, at ten frames per second."""
    turn = 2 * np.pi * np.arange(count) / 8
    y, x = np.mgrid[:8, :8]
    centre = 3.5 + 2.5 * np.stack([np.sin(turn), np.cos(turn)])[..., None, None]
    pixels = 255 * np.exp(-0.5 * ((y - centre[0]) ** 2 + (x - centre[1]) ** 2))
    pictures = [Image.fromarray(frame.astype(np.uint8)) for frame in pixels]
    file = io.BytesIO()
    pictures[0].save(file, "GIF", save_all=True, append_images=pictures[1:], duration=100)
    return file.getvalue()


def test_dynamics_are_offered_for_data_with_times_only():
    at = run_page("train")
    at.pills(key="train_built_in").set_value("talking_head").run()
    assert "time 0 to 4.967" in said(at)
    at.radio(key="form_model").set_value("Dynamical GP-LVM").run()
    assert not at.exception
    assert at.radio(key="form_time_kernel").value == "auto"
    at.radio(key="form_time_kernel").set_value("matern32").run()
    assert 'alt="Three samples of “A little rough”' in said(at)
    at.pills(key="train_built_in").set_value("flow").run()
    assert not at.exception
    assert "Dynamical GP-LVM" not in at.radio(key="form_model").options
    assert at.radio(key="form_model").value == "Bayesian GP-LVM"


@pytest.mark.usefixtures("two_stages")
def test_a_state_space_model_is_trained_and_forecasts():
    at = upload(run_page("train"), "round.gif", gif())
    assert "16 rows, 64 pixel values each, 1 sequence, time 0 to 1.5" in said(at)
    at.radio(key="form_model").set_value("State-space GP-LVM").run()
    assert not at.exception
    assert not any(radio.key == "form_time_kernel" for radio in at.radio)
    job = started(short(at))
    model = Library(workspace() / "library").model(job.entry)
    np.testing.assert_allclose(model.times_[:, 0], np.arange(16) / 10)
    ahead = model.forecast(np.arange(16, 20) / 10)
    assert ahead.shape == (4, 64) and ahead.std() > 0.0
    assert model.intervals_ is not None
    at.run()
    at.button(key="job_open").click().run()
    assert not at.exception


def test_a_state_space_model_is_offered_for_equal_steps_only():
    rows = [f"{t},{np.sin(t):.3f},{np.cos(t):.3f}" for t in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9.4)]
    at = upload(run_page("train"), "waves.csv", "\n".join(["t,a,b", *rows]).encode())
    next(box for box in at.selectbox if box.label == "Time column").set_value("t").run()
    assert not at.exception
    options = at.radio(key="form_model").options
    assert "Dynamical GP-LVM" in options and "State-space GP-LVM" not in options


@pytest.mark.slow
def test_a_state_space_model_allows_missing_frames():
    times = np.delete(np.arange(60) / 4.0, [11, 30, 31])
    rows = [f"{t},{np.sin(t):.3f},{np.cos(t):.3f},{np.sin(t + 1.0):.3f}" for t in times]
    at = upload(run_page("train"), "waves.csv", "\n".join(["t,a,b,c", *rows]).encode())
    next(box for box in at.selectbox if box.label == "Time column").set_value("t").run()
    at.radio(key="form_model").set_value("State-space GP-LVM").run()
    at.number_input(key="form_max_iter").set_value(60).run()
    job = started(at)
    assert any("missing in the times: 3 rows" in note for note in job.notes)
    at.run()
    assert "missing in the times: 3 rows" in said(at).lower()
    at.button(key="job_open").click().run()
    assert not at.exception
    at = run_page("explore", model=job.entry, tab="time")
    assert not at.exception


@pytest.mark.slow
def test_a_repeating_path_needs_a_period_and_warns_if_it_exceeds_the_data():
    at = upload(run_page("train"), "round.gif", gif())
    at.radio(key="form_model").set_value("Dynamical GP-LVM").run()
    at.radio(key="form_time_kernel").set_value("periodic").run()
    period = next(box for box in at.number_input if box.label.startswith("Period"))
    assert not any("longer than the time span" in warning.value for warning in at.warning)
    period.set_value(2.0).run()
    assert any(
        "2 is longer than the time span of the data, 1.5" in warning.value for warning in at.warning
    )
    next(box for box in at.number_input if box.label.startswith("Period")).set_value(0.8).run()
    assert not any("longer than the time span" in warning.value for warning in at.warning)
    short(at)
    kernel = started(at).parameters["time_kernel"]
    assert any(getattr(part, "period", None) == 0.8 for part in kernel.parts)


@pytest.mark.slow
def test_a_path_that_repeats_with_changes_holds_their_share():
    at = upload(run_page("train"), "round.gif", gif())
    at.radio(key="form_model").set_value("Dynamical GP-LVM").run()
    at.radio(key="form_time_kernel").set_value("changing").run()
    assert not at.exception
    assert 'alt="Three samples of “Repeating, with changes”' in said(at)
    next(box for box in at.number_input if box.label.startswith("Period")).set_value(0.8).run()
    at.slider(key="form_changes").set_value(20).run()
    at.number_input(key="form_max_iter").set_value(10).run()
    job = started(at)
    model = Library(workspace() / "library").model(job.entry)
    for kernel in (job.parameters["time_kernel"], model.time_kernel_):
        periodic, smooth, _ = kernel.parts
        assert periodic.variance == pytest.approx(0.8) and smooth.variance == pytest.approx(0.2)
    assert model.time_kernel_.parts[0].period != 0.8  # training adjusts it


def test_data_at_a_single_time_have_no_path():
    table = b"time,a,b\n" + b"".join(b"3,%d,%d\n" % (i, i * i % 7) for i in range(12))
    at = upload(run_page("train"), "moment.csv", table)
    next(box for box in at.selectbox if box.label == "Time column").set_value("time").run()
    at.radio(key="form_model").set_value("Dynamical GP-LVM").run()
    assert not at.exception
    assert any("All rows have the same time" in warning.value for warning in at.warning)


@pytest.mark.slow
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


def test_uploaded_table_suggests_roles_survives_a_visit_and_offers_a_noise_per_column():
    at = upload(run_page("train"), "people.csv", TABLE)
    assert "30 rows, 3 columns, 2 labels" in said(at)  # the model also learns the label
    assert "issing" not in said(at)  # complete data do not mention gaps
    go_to(at, "mine")
    go_to(at, "train")
    assert not at.exception
    assert "30 rows, 3 columns" in said(at)
    kind_of(at, "kind", "colour")
    assert not at.exception
    words = said(at)
    assert "30 rows, 2 values each, 2 labels" in words
    assert "different units" in at.warning[0].value
    assert at.warning[0].value.endswith("so its units do not matter.")
    chosen = [control.value for control in at.segmented_control]
    assert "per_output" in chosen


def test_rows_are_drawn_as_pictures_once_their_size_is_given():
    file = io.BytesIO()
    np.save(file, np.random.default_rng(0).integers(0, 256, (30, 48), dtype=np.uint8))
    at = upload(run_page("train"), "rows.npy", file.getvalue())
    size = next(box for box in at.selectbox if box.label == "The rows are")
    assert size.value is None and size.options[:2] == ["numbers", "pictures, 6 high and 8 wide"]
    size.set_value((6, 8)).run()
    assert not at.exception
    assert "pixel values" in said(at)


@pytest.mark.slow
def test_answers_about_columns_are_remembered():
    at = upload(run_page("train"), "people.csv", TABLE)
    label = next(box for box in at.selectbox if box.label == "Label column")
    assert label.value == "kind"
    leave = next(box for box in at.multiselect if box.label == "Columns to leave out")
    leave.set_value(["id", "salary"]).run()
    again = upload(run_page("train"), "people.csv", TABLE)
    leave = next(box for box in again.multiselect if box.label == "Columns to leave out")
    assert leave.value == ["id", "salary"]
    assert "2 columns" in said(again)
    kind_of(again, "kind", "colour")
    assert "1 value each" in said(upload(run_page("train"), "people.csv", TABLE))


def holed_table() -> bytes:
    """Return thirty rows of four columns with 20 gaps, a label, and a column without any value."""
    lines = ["kind,a,b,blank,c,d"]
    for i in range(30):
        a, b, c, d = (f"{np.sin(i * f):.4f}" for f in (0.2, 0.3, 0.5, 0.7))
        lines.append(f"{'xy'[i % 2]},{a},{'NA' if i < 15 else b},,{'' if i % 6 == 1 else c},{d}")
    return "\n".join(lines).encode()


def test_gaps_of_an_upload_are_counted_mapped_explained_and_trained():
    at = kind_of(upload(run_page("train"), "holed.csv", holed_table()), "kind", "colour")
    assert not at.exception
    words = said(at)
    assert "20 of 120 values are missing (17%), in 17 of 30 rows and 2 of 4 columns." in words
    assert "Training uses the observed values. Afterwards, the tab *Fill in* estimates" in words
    assert "Gaps may slow training down" in words
    assert "Emptiest columns: b (50% missing), c (17% missing)." in words
    assert "Emptiest rows: row 2 (2 of 4 observed)" in words
    assert 'alt="Map of the missing values, 30 rows by 4 columns. 20 of 120' in words
    assert "A grey band is a missing value." in words
    # The text appears once, as an explanation and not as a warning.
    assert not any("are missing" in warning.value for warning in at.warning)
    leave = next(box for box in at.multiselect if box.label == "Columns to leave out")
    assert leave.value == ["blank"]
    table = at.dataframe[0].value
    assert table["b"].isna().sum() == 15 and list(table.index[:2]) == [1, 2]
    short(at)
    press(at, "Start training")
    assert not at.exception
    finished(query(at, "job"))
    at.run()
    at.button(key="job_open").click().run()
    assert not at.exception
    assert not at.error
    assert "30 × 4 values" in said(at)
    go_to(at, "mine")
    assert not at.exception
    assert not at.error


def test_rows_without_any_value_are_left_out_when_wanted():
    at = upload(run_page("train"), "rows.csv", b"id,a,b\n1,4,2\n2,,\n3,1,NA\n4,3,1\n5,2,7\n")
    assert not at.exception
    assert "no value is observed in line 3" in at.error[0].value
    assert not any(button.label == "Start training" for button in at.button)
    label = "Leave out the rows without any usable value"
    next(each for each in at.toggle if each.label == label).set_value(True).run()
    assert not at.exception
    assert not at.error
    words = said(at)
    assert "4 rows, 2 values each" in words
    assert "Left out, without any value: line 3." in words


def test_rows_without_values_in_a_series_are_a_gap_to_fill():
    lines = [f"{t},{np.sin(t / 3):.4f},{t % 4}" if t not in (7, 8) else f"{t},," for t in range(20)]
    at = upload(run_page("train"), "series.csv", "\n".join(["time,a,b", *lines]).encode())
    assert not at.exception
    assert not at.error
    words = said(at)
    assert "18 rows, 2 to fill, 2 values each" in words
    assert "2 steps without any value (lines 9, 10) will be filled by a model over time" in words
    assert at.radio(key="form_model").value == "Dynamical GP-LVM"
    at.radio(key="form_model").set_value("Bayesian GP-LVM").run()  # the visitor may choose another
    assert at.radio(key="form_model").value == "Bayesian GP-LVM"
    assert any(button.label == "Start training" for button in at.button)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("empty.csv", b"", "empty"),
        ("broken.npz", b"PK\x03\x04 cut", "npz"),
        ("still.gif", gif(1), "a single picture"),
    ],
)
def test_unreadable_upload_is_explained_in_words(name: str, data: bytes, words: str):
    at = upload(run_page("train"), name, data)
    assert not at.exception
    assert words in at.error[0].value
    assert not any(button.label == "Start training" for button in at.button)


def test_a_table_in_an_opened_folder_is_looked_at_anew_and_no_longer_as_a_link(
    tmp_path, monkeypatch
):
    folder, rows = tmp_path / "tables", np.random.default_rng(0).standard_normal((40, 3))
    folder.mkdir()
    np.save(folder / "rows.npy", rows)
    monkeypatch.setenv(SETTING, str(folder))
    at = run_page("train")
    at.segmented_control(key="train_source").set_value("table").run()
    at.selectbox(key="train_table").set_value("tables/rows.npy").run()
    assert not at.exception
    assert "40 rows, 3 values each" in said(at)
    np.save(folder / "rows.npy", rows[:30])
    assert "30 rows, 3 values each" in said(at.run())
    (folder / "rows.npy").rename(tmp_path / "rows.npy")
    (folder / "rows.npy").symlink_to(tmp_path / "rows.npy")
    at.run()
    assert not at.exception
    assert "contain no tables yet" in said(at)


def test_columns_that_look_like_errors_are_used_only_if_the_visitor_agrees():
    generator = np.random.default_rng(0)
    table = np.round(generator.uniform(0.1, 2.0, (30, 5)), 3)
    rows = [",".join(map(str, row)) for row in table]
    text = "\n".join(["flux,flux_err,size,colour,colour_err", *rows]).encode()
    at = upload(run_page("train"), "stars.csv", text)
    assert "“flux_err” looks like the errors of “flux”, and 1 more column likewise" in said(at)
    assert "30 rows, 5 values each" in said(at)
    at.toggle(key="upload_errors_stars").set_value(True).run()
    assert not at.exception
    assert "30 rows, 3 values each" in said(at)
    job = started(short(at))
    model = Library(workspace() / "library").model(job.entry)
    assert model.known_errors_ and model.n_features_in_ == 3
    at.run()
    at.button(key="job_open").click().run()
    assert not at.exception
