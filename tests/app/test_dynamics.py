"""Tests of the tab Time through Streamlit's AppTest: texts, inputs and messages."""

import csv
import io
import threading
import time
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from gplvm_core import (
    BayesianGPLVM,
    DynamicalGPLVM,
    ManifoldRelevance,
    StateSpaceGPLVM,
    load_dataset,
)
from gplvm_core.datasets import Dataset, Drawing, read_motion
from gplvm_core.figures.cells import choices, columns_of
from gplvm_core.prediction.intervals import Intervals
from gplvm_core.readers import DataError
from gplvm_core.readers.bodies.kinematics import joint_frames
from gplvm_core.readers.calendar_steps import dates_at
from gplvm_core.store import Library, workspace
from gplvm_core.wire.sequence import Reel, SequencePanel
from pages.ui.explore import inference
from pages.ui.explore.inference import FillWork
from pages.ui.explore.time import player
from pages.ui.explore.time.export import chosen_frames, sequence_bvh, sequence_csv, sequence_gif
from pages.ui.explore.time.model import (
    EVERYTHING,
    OWN_GAPS,
    hidden_rows,
    parts_of,
    played,
    sequence_titles,
    with_gap,
)
from pages.ui.explore.time.plan import lacks
from pages.ui.shared.intervals import ENDS, GAPS
from tests.app.apptest import go_to, press, run_page, stores

STEP = 0.1


def some_poses() -> Dataset:
    """Return thirty frames of one recording and twenty of another."""
    whole = load_dataset("poses")
    rows = np.r_[0:30, 300:320]
    return replace(
        whole,
        name="some-poses",
        targets=whole.targets[rows],
        labels=np.repeat([0, 1], [30, 20]),
        times=np.concatenate([STEP * np.arange(30), STEP * np.arange(20)]),
        sequences=np.repeat([0, 1], [30, 20]),
        covariates={},
    )


pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture(scope="module")
def poses() -> Dataset:
    return some_poses()


@pytest.fixture(scope="module")
def model(poses: Dataset) -> DynamicalGPLVM:
    fresh = DynamicalGPLVM(3, 15, time_kernel="matern32", max_iter=25, random_state=0)
    return fresh.fit(poses.values, times=poses.times, sequences=poses.sequences)


@pytest.fixture(scope="module")
def halves(poses: Dataset) -> Dataset:
    """Return the same bodies as two views: the legs and the rest."""
    values = poses.values[:, 3:]  # the root of the body does not move
    views = {name: (block, Drawing.of_vector(block.shape[1])) for name, block in (
        ("lower", values[:, :27]), ("upper", values[:, 27:]),
    )}  # fmt: skip
    return Dataset.of_views("halves", "Halves", views, times=poses.times, sequences=poses.sequences)


@pytest.fixture(scope="module")
def of_views(halves: Dataset) -> ManifoldRelevance:
    fresh = ManifoldRelevance(3, n_inducing=15, time_kernel="matern32", max_iter=25, random_state=0)
    return fresh.fit(halves.view_values, times=halves.times, sequences=halves.sequences)


@pytest.fixture
def keep(poses: Dataset) -> Callable[..., str]:
    """Add a model to the library; return its key."""

    def added(model: object, dataset: Dataset = poses) -> str:
        return "library:" + Library(workspace() / "library").add(model, dataset, "My bodies")

    return added


def app(key: str | None = None) -> AppTest:
    return run_page("time", model=key)


def reel(at: AppTest) -> tuple[dict, dict]:
    return stores(at)["reel"]


def choose_task(at: AppTest, task: str) -> AppTest:
    return (
        next(each for each in at.button_group if "dynamics_task" in each.key).set_value(task).run()
    )


def progress(at: AppTest) -> list[str]:
    """Return the texts above all progress bars."""
    return [bar.proto.text for bar in at.get("progress")]


def filled(at: AppTest) -> tuple[dict, dict]:
    """Return the data of the player after the thread that fills a gap has ended."""
    for _ in range(200):
        header, arrays = reel(at)
        if header["panels"][0]["title"] == "Filled in":
            return header, arrays
        time.sleep(0.1)
        at.run()
    raise AssertionError("the gap was not filled")


@pytest.fixture(scope="module")
def still(poses: Dataset) -> BayesianGPLVM:
    return BayesianGPLVM(2, n_inducing=10, max_iter=5, random_state=0).fit(poses.values)


def test_a_model_without_time_shows_what_the_page_needs(keep, still):
    at = app(keep(still))
    assert not at.exception
    assert "does not use time" in at.info[0].value
    assert "a movement or a film" in at.info[0].value
    assert any(button.label == "Train a model with time" for button in at.button)
    assert "reel" not in stores(at)  # the page shows only the map


@pytest.mark.parametrize("kind", [StateSpaceGPLVM, DynamicalGPLVM])
def test_rows_that_the_series_lacks_are_played(kind: type[Any], poses: Dataset) -> None:
    rows = np.delete(np.arange(50), [10, 11, 40])
    gaps = replace(
        poses,
        targets=poses.targets[rows],
        labels=poses.labels[rows],
        times=poses.times[rows],
        sequences=poses.sequences[rows],
    )
    model = kind(3, n_inducing=15, max_iter=25, random_state=0)
    if kind is DynamicalGPLVM:
        model.set_params(time_kernel="matern32")
    model.fit(gaps.values, times=gaps.times, sequences=gaps.sequences)
    reel = played(model, f"{kind.__name__} with gaps", gaps, 0, 3)
    assert np.allclose(reel.times, STEP * np.arange(33))
    assert np.flatnonzero(reel.hidden).tolist() == [10, 11]
    assert np.flatnonzero(reel.forecast).tolist() == [30, 31, 32]
    shown, data = (panel.values for panel in reel.panels[:2])
    assert np.flatnonzero(np.isnan(data).all(axis=1)).tolist() == [10, 11, 30, 31, 32]
    np.testing.assert_array_equal(data[[9, 12]], poses.values[[9, 12]])
    between = np.mean([poses.values[9], poses.values[12]], axis=0)
    far = np.linalg.norm(poses.values - between, axis=1).mean()
    assert np.linalg.norm(shown[10] - between) < 0.5 * far
    assert reel.panels[0].std[10].mean() > reel.panels[0].std[9].mean()
    dated = replace(gaps, time_unit="hours since 2026-03-01")
    times = np.rint(reel.times / STEP)
    hours = replace(reel, times=times, dates=dates_at(times, dated.time_unit))
    table = list(csv.DictReader(io.StringIO(sequence_csv(dated, hours).decode())))
    assert [row["kind"] for row in table] == [
        *["observed"] * 10, *["filled"] * 2, *["observed"] * 18, *["forecast"] * 3,
    ]  # fmt: skip
    assert [table[n]["time"] for n in (0, 10, 25)] == [
        "2026-03-01 00:00", "2026-03-01 10:00", "2026-03-02 01:00",
    ]  # fmt: skip
    name, std = poses.column_names[0], reel.panels[0].std
    for n, value, own in ((9, poses.values[9, 0], 0.0), (10, shown[10, 0], std[10, 0])):
        found = [float(table[n][f"{name}{end}"]) for end in ("", *(f" {each}" for each in ENDS))]
        ends = [value, value - 1.96 * own, value + 1.96 * own]
        np.testing.assert_allclose(found, ends, rtol=1e-4, atol=1e-5)
    # The series' own gap is open, and is filled with everything else.
    gap = with_gap(model, gaps, 0, EVERYTHING, (20 * STEP, 21 * STEP))
    np.testing.assert_allclose(gap.times, STEP * np.arange(30))
    assert np.flatnonzero(gap.hidden).tolist() == [10, 11, 20, 21]
    assert np.isnan(gap.panels[1].values).all(axis=1).nonzero()[0].tolist() == [10, 11]
    assert gap.latent_mean.shape == (30, 3) and not np.isnan(gap.latent_mean).any()
    assert parts_of(gaps, lacks(model, gaps, 0))[0] == OWN_GAPS


def test_vector_inputs_cannot_be_played(keep, poses):
    inputs = np.random.default_rng(0).normal(size=(50, 2))
    warped = DynamicalGPLVM(2, n_inducing=10, max_iter=5, random_state=0)
    at = app(keep(warped.fit(poses.values, times=inputs)))
    assert not at.exception
    assert "several observed inputs" in at.info[0].value
    assert stores(at) == {}


def test_the_first_model_with_time_opens_with_a_sequence_and_a_forecast(keep, model, still, poses):
    keep(model)
    keep(still)
    at = app()
    assert not at.exception
    assert reel(at)[0]["title"].startswith("Jumps and turns")
    stage, (header, arrays) = stores(at)["stage"], reel(at)
    np.testing.assert_allclose(stage[1]["latent"], model.latent_mean_, rtol=1e-5)
    times = STEP * np.arange(33)
    np.testing.assert_allclose(arrays["times"], times)
    np.testing.assert_array_equal(arrays["forecast"], times > times[29])
    mean, std = model.forecast(times, sequence=0, return_std=True)
    np.testing.assert_allclose(arrays["values0"], mean, atol=1e-5)
    np.testing.assert_allclose(arrays["std0"], std, atol=1e-5)
    np.testing.assert_allclose(arrays["values1"][:30], poses.values[:30], atol=1e-6)
    assert np.isnan(arrays["values1"][30:]).all()
    latent = model.forecast_latent(times, sequence=0)
    np.testing.assert_allclose(arrays["latent_mean"], latent[0], atol=1e-5)
    np.testing.assert_allclose(arrays["latent_variance"], latent[1], atol=1e-5)
    assert header["start"] is None  # the player does not start by itself
    # A longer forecast is less certain, and playback begins shortly before it.
    slider = next(each for each in at.slider if each.label == "Forecast beyond the end")
    slider.set_value(20).run()
    header, arrays = reel(at)
    assert len(arrays["times"]) == 50
    spread = arrays["spread"]
    assert spread[30] < spread[35] < spread[49]
    assert arrays["latent_variance"][49].sum() > arrays["latent_variance"][30].sum()
    assert header["start"] == pytest.approx(arrays["times"][25])
    choice = next(each for each in at.selectbox if each.label == "Sequence")
    assert list(choice.options) == [
        "Jumps and turns, 30 frames",
        "Climbing and swinging, 20 frames",
    ]
    choice.set_value(1).run()
    header, arrays = reel(at)
    np.testing.assert_allclose(arrays["values1"][:20], poses.values[30:], atol=1e-6)
    assert header["title"].startswith("Climbing")


@pytest.mark.slow
def test_a_timed_model_of_several_views_is_offered_and_plays_the_chosen_view(
    keep, of_views, halves
):
    key = keep(of_views, halves)
    at = app()
    assert not at.exception and not at.error
    times, paths = STEP * np.arange(33), []
    for view in ("lower", "upper"):
        header, arrays = reel(at)
        alone = of_views.of_view(view)
        mean, std = alone.forecast(times, sequence=0, return_std=True)
        np.testing.assert_allclose(arrays["values0"], mean, atol=1e-5)
        np.testing.assert_allclose(arrays["std0"], std, atol=1e-5)
        np.testing.assert_allclose(arrays["values1"][:30], halves.view_values[view][:30], atol=1e-6)
        paths.append(arrays["latent_mean"])
        if view == "lower":
            menu = next(each for each in at.selectbox if each.label == "View")
            menu.set_value("upper").run()
            assert not at.exception and at.query_params["view"] == "upper"
    np.testing.assert_array_equal(*paths)  # the views share one path
    header, arrays = filled(press(choose_task(at, "fill"), "Fill it in"))
    assert header["panels"][0]["title"] == "Filled in"
    assert np.isfinite(arrays["values0"]).all()
    at = run_page("mine")
    labels = [b.label for b in at.button if b.key and b.key.endswith(key.split(":")[1])]
    assert "See the views" in labels


def test_a_multi_view_model_without_time_shows_what_the_page_needs(keep, halves):
    still = ManifoldRelevance(2, n_inducing=10, max_iter=5, random_state=0)
    at = app(keep(still.fit(halves.view_values), halves))
    assert not at.exception
    assert "does not use time" in at.info[0].value
    assert not [button for button in at.button if button.label.startswith("Open “")]


def test_new_sequences_are_those_of_the_model_also_after_a_visit_to_another_page(keep, model):
    at = choose_task(app(keep(model)), "sample")
    header, arrays = reel(at)
    times = STEP * np.arange(30)
    np.testing.assert_allclose(arrays["times"], times)
    expected = model.sample_sequence(times, random_state=1)[0]
    np.testing.assert_allclose(arrays["values0"], expected, atol=1e-5)
    assert (header["start"], header["play"]) == (0.0, True)
    press(at, "Another sequence")
    second = reel(at)[1]["values0"]
    expected = model.sample_sequence(times, random_state=2)[0]
    np.testing.assert_allclose(second, expected, atol=1e-5)
    assert np.abs(second - arrays["values0"]).max() > 0.01
    go_to(at, "mine")
    go_to(at, "time")
    np.testing.assert_array_equal(reel(at)[1]["values0"], second)


def test_a_gap_is_hidden_and_filled_as_complete_fills_it(keep, model, poses):
    # New sequences would update the mapping; a training sequence does not update it again.
    calibrated = copy(model)
    calibrated.intervals_ = Intervals((), GAPS)
    at = choose_task(app(keep(calibrated)), "fill")
    header, arrays = reel(at)
    assert [panel["title"] for panel in header["panels"]] == ["What the model sees", "The truth"]
    legs = columns_of(poses.drawing, choices(poses.drawing)["Legs"])
    hidden = np.zeros((30, poses.n_outputs), bool)
    hidden[12:19, legs] = True
    np.testing.assert_array_equal(np.isnan(arrays["values0"]), hidden)
    np.testing.assert_array_equal(arrays["hidden"], hidden.any(axis=1))
    assert header["start"] == pytest.approx(1.5)  # the player shows the gap and does not start
    assert not header["play"]
    header, arrays = filled(press(at, "Fill it in"))
    seen = np.where(hidden, np.nan, poses.values[:30])
    mean, std = model.complete(seen, times=STEP * np.arange(30), adapt=False, return_std=True)
    updated = calibrated.complete(seen, times=STEP * np.arange(30))
    assert np.abs(updated - mean).max() > 1e-3
    np.testing.assert_allclose(arrays["values0"], mean, atol=1e-4)
    np.testing.assert_allclose(arrays["std0"], std, atol=1e-4)
    np.testing.assert_allclose(arrays["values1"], poses.values[:30], atol=1e-6)
    error = np.sqrt(np.mean((mean - poses.values[:30])[hidden] ** 2))
    assert f"Error of the hidden part: {error:.3g}" in header["panels"][0]["words"]


def test_gaps_of_the_data_are_offered_first(poses):
    assert EVERYTHING in parts_of(poses)
    assert OWN_GAPS not in parts_of(poses)
    targets = poses.values.copy()
    targets[3, :6] = np.nan
    gappy = replace(poses, targets=targets)
    assert parts_of(gappy)[0] == OWN_GAPS
    rows = hidden_rows(gappy, targets, poses.times, OWN_GAPS, (0.0, 9.0))
    np.testing.assert_array_equal(rows, targets)


def test_a_stretch_includes_its_ends(poses):
    times = STEP * np.arange(30)
    rows = hidden_rows(poses, poses.values[:30], times, EVERYTHING, (0.5, 0.7000000001))
    assert np.flatnonzero(np.isnan(rows).all(axis=1)).tolist() == [5, 6, 7]


def test_a_sequence_has_its_name_else_its_only_label_else_a_number(poses, model, tmp_path):
    mixed = replace(poses, labels=np.arange(50) % 2)
    assert sequence_titles(model, mixed)[0] == "Sequence 1, 30 frames"
    named = replace(mixed, sequence_names=("day 7", "day 8"))
    key = Library(tmp_path).add(model, named, "Named")
    again = Library(tmp_path).dataset(key)
    assert sequence_titles(model, again)[0] == "day 7, 30 frames"
    assert again.taken(np.arange(4)).sequence_names == named.sequence_names
    with pytest.raises(DataError, match="0 to 1, but there are 1 names"):
        replace(mixed, sequence_names=("day 7",))


def test_the_table_marks_forecasts(poses):
    times = STEP * np.arange(4)
    panel = SequencePanel("model", poses.values[:4], np.full((4, poses.n_outputs), 0.25))
    table = sequence_csv(poses, Reel("x", times, (panel,), forecast=np.array([0, 0, 0, 1], bool)))
    lines = list(csv.reader(io.StringIO(table.decode())))
    assert lines[0][:3] == ["kind", "time", poses.column_names[0]]
    assert lines[0][-1] == f"{poses.column_names[-1]} upper end (95 %)"
    assert [line[0] for line in lines[1:]] == ["drawn", "drawn", "drawn", "forecast"]
    numbers = np.array([[line[1], "nan", *line[2:]] for line in lines[1:]], float)
    np.testing.assert_allclose(numbers[:, 0], times)
    values, std, *ends = np.split(numbers[:, 2:], 4, axis=1)
    np.testing.assert_allclose(values, poses.values[:4], rtol=1e-6)
    np.testing.assert_allclose(std, 0.25)
    width = np.diff(np.hstack(ends), axis=1)[:, ::2]
    np.testing.assert_allclose(width, 2 * 1.959964 * 0.25, rtol=1e-5)


def test_the_gif_moves_at_the_speed_of_the_times(poses):
    times = 0.25 * np.arange(6)
    told: list[float] = []
    data = sequence_gif(
        poses, Reel("x", times, (SequencePanel("m", poses.values[:6]),)), told.append
    )
    picture = Image.open(io.BytesIO(data))
    assert picture.format == "GIF"
    assert picture.n_frames == 6
    assert picture.info["duration"] == 250
    assert told[0] == 0.0
    assert len(chosen_frames(1000)) == 1000
    assert len(chosen_frames(1500)) == 1000
    assert chosen_frames(1500)[[0, -1]].tolist() == [0, 1499]


def test_the_motion_is_that_of_the_first_picture(poses):
    times = STEP * np.arange(10)
    reel = Reel("x", times, (SequencePanel("m", poses.values[:10]),))
    motion, _ = read_motion(sequence_bvh(poses, reel))
    assert motion.frame_time == pytest.approx(STEP)
    back = np.sort(joint_frames(motion)[0][..., 1].max(axis=1))
    heights = np.sort(poses.values[:10].reshape(10, -1, 3)[..., 1].max(axis=1))
    np.testing.assert_allclose(back, heights, atol=1e-4)


def test_filling_reports_its_progress_and_ends_when_cancelled_or_asked_anew(
    keep, model, monkeypatch
):
    ended, steps = threading.Event(), [(7, -1234.0), (0, -np.inf), (0, -np.inf)]

    def slow(model, dataset, gap, callback, adapt=None, rule="") -> Reel:
        told = steps.pop(0)
        try:
            for _ in range(1000):
                callback(*told)
                time.sleep(0.02)
        except StopIteration:
            ended.set()
        return gap

    monkeypatch.setattr(player, "filled", slow)
    monkeypatch.setattr(inference, "LOOK", 0.05)
    at = press(choose_task(app(keep(model)), "fill"), "Fill it in")
    assert "step 7 of at most 200" in progress(at)[0]
    press(at, "Cancel")
    assert ended.wait(60.0)  # the thread has ended; it is not enough that the progress bar is gone
    assert not at.exception
    assert progress(at) == []
    fill = next(button for button in at.button if button.label == "Fill it in")
    assert not fill.disabled
    ended.clear()
    press(at, "Fill it in")
    assert "Inferring each row separately" in progress(at)[0]
    part = next(each for each in at.selectbox if each.label == "Hide")
    part.set_value("Everything").run()
    press(at, "Fill it in")
    assert ended.wait(60.0)


def test_errors_in_the_thread_are_reported():
    def fails(callback) -> Reel:
        raise ValueError("nothing fits")

    work = FillWork(fails).start()
    for _ in range(3000):  # this loop runs for a minute at most
        if work.done:
            break
        time.sleep(0.02)
    assert work.problem == "nothing fits"
    assert work.result is None


def test_a_table_has_the_place_of_every_frame_by_the_visitors_names(poses: Dataset):
    values = poses.values[:2]
    path, variance = np.array([[0.5, -1.0], [0.25, 2.0]]), np.array([[0.04, 1.0], [0.09, 4.0]])
    reel = Reel("x", np.arange(2.0), (SequencePanel("", values),), path, variance)
    lines = list(
        csv.DictReader(io.StringIO(sequence_csv(poses, reel, True, ("pace", "")).decode()))
    )
    assert [float(lines[1][name]) for name in ("pace", "x2")] == [0.25, 2.0]
    assert [float(lines[1][name]) for name in ("pace std", "x2 std")] == [0.3, 2.0]
