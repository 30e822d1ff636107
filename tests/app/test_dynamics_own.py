"""Tests of a visitor's sequence in the tab Time: it is read, filled, checked and exported."""

import csv
import io
import re
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from gplvm_core import DynamicalGPLVM, load_dataset
from gplvm_core.comparison import back_test
from gplvm_core.datasets import Dataset
from gplvm_core.figures.cells import choices, columns_of
from gplvm_core.models.estimators.back_test import in_percent
from gplvm_core.store import Library, workspace
from gplvm_core.training import comparison_of
from pages.ui.explore.time.export import sequence_csv
from pages.ui.explore.time.model import filled
from pages.ui.explore.time.own import OwnSequence, example, gap_of
from tests.app.apptest import press, query, run_page, said, stores

STEP = 0.1
pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture(scope="module")
def poses() -> Dataset:
    """Return sixty frames of one recording and twenty of another."""
    whole = load_dataset("poses")
    rows, which = np.r_[0:60, 300:320], np.repeat([0, 1], [60, 20])
    return replace(
        whole,
        name="some-poses",
        targets=whole.targets[rows],
        labels=which,
        times=np.concatenate([STEP * np.arange(60), STEP * np.arange(20)]),
        sequences=which,
        covariates={},
    )


@pytest.fixture(scope="module")
def model(poses: Dataset) -> DynamicalGPLVM:
    fresh = DynamicalGPLVM(3, 15, time_kernel="matern32", max_iter=25, random_state=0)
    return fresh.fit(poses.values, times=poses.times, sequences=poses.sequences)


@pytest.fixture
def page(model: DynamicalGPLVM, poses: Dataset) -> Callable[[], AppTest]:
    """Return a function that opens the tab Time with the choice New sequence."""
    key = "library:" + Library(workspace() / "library").add(model, poses, "My bodies")

    def opened() -> AppTest:
        at = run_page("time", model=key)
        task = next(each for each in at.button_group if "dynamics_task" in each.key)
        return task.set_value("own").run()

    return opened


def walk(poses: Dataset, times: np.ndarray, gaps: np.ndarray | None = None) -> bytes:
    """Return frames between the training frames as CSV; gaps: the cells to leave empty."""
    known = np.arange(60) * STEP
    values = [np.interp(times, known, column) for column in poses.values[:60].T]
    table = np.column_stack(values)
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(["seconds", *poses.column_names])
    for n, (when, row) in enumerate(zip(times, table, strict=True)):
        cells = [f"{v:.6f}" for v in row]
        if gaps is not None:
            cells = ["" if gone else c for c, gone in zip(cells, gaps[n], strict=True)]
        writer.writerow([f"{when:.4f}", *cells])
    return file.getvalue().encode()


def bring(at: AppTest, data: bytes) -> AppTest:
    at.file_uploader[0].upload("walk.csv", data).run()
    assert not at.exception
    return at


def done(at: AppTest, text: str) -> AppTest:
    """Wait until the page shows this text, and return the page."""
    for _ in range(200):
        if text in said(at):
            return at
        time.sleep(0.1)
        at.run()
    raise AssertionError(said(at))


def legs_of(poses: Dataset) -> np.ndarray:
    return columns_of(poses.drawing, choices(poses.drawing)["Legs"])


def test_a_walk_without_legs_is_filled_as_complete_fills_it_and_checked(page, model, poses):
    times = 0.05 + STEP * np.arange(30)
    gaps = np.zeros((30, poses.n_outputs), bool)
    gaps[5:10, legs_of(poses)] = True
    gaps[20] = True  # an empty frame
    at = bring(page(), walk(poses, times, gaps))
    at = done(at, "Check:")
    text = said(at)
    assert f"{gaps.sum():,} of {gaps.size:,} values were filled" in text
    assert "in 6 of 30 frames" in text
    share = re.search(r"of ([\d,]+) given values, hidden in the same way, (\d+) % are inside", text)
    assert share is not None
    assert int(share[1].replace(",", "")) >= 0.9 * gaps.sum()  # without constant columns
    header, arrays = stores(at)["reel"]
    assert [panel["title"] for panel in header["panels"]] == ["Filled in", "What the model sees"]
    np.testing.assert_allclose(arrays["times"], times, atol=1e-9)
    given = arrays["values1"].astype(float)
    np.testing.assert_array_equal(np.isnan(given), gaps)
    mean, std = model.complete(given, times=times, return_std=True)
    np.testing.assert_allclose(arrays["values0"], mean, atol=1e-3)
    factor = arrays["std0"][gaps] / std[gaps]
    np.testing.assert_allclose(factor, factor[0], rtol=1e-3)
    assert (f"widened {factor[0]:.2g} times" in text) == (factor[0] > 1.01)
    np.testing.assert_array_equal(arrays["hidden"], gaps.any(axis=1))


def test_a_known_part_is_hidden_and_the_share_inside_is_that_of_the_truth(page, model, poses):
    times = 0.05 + STEP * np.arange(20)
    at = bring(page(), walk(poses, times))
    at = done(at, "nothing was filled")
    next(each for each in at.selectbox if each.label == "Also hide").set_value("Legs").run()
    at = done(at, "You hid")
    _, arrays = stores(at)["reel"]
    truth, legs = arrays["values1"].astype(float), legs_of(poses)
    mean, std = arrays["values0"], arrays["std0"]
    varies = legs & (np.ptp(poses.values, axis=0) > 0.0)
    inside = np.abs(mean - truth)[:, varies] <= 1.96 * std[:, varies]
    assert f"{100 * inside.mean():.0f} % of them are inside" in said(at)
    assert f"{inside.size:,} known values" in said(at)


def test_rows_of_the_library_are_taken_one_sequence_at_a_time(page, poses):
    at = page()
    next(c for c in at.segmented_control if "rows_source" in c.key).set_value("Library").run()
    menu = next(each for each in at.selectbox if "Gallery" in each.label)
    menu.set_value(query(at, "model")).run()
    assert not at.exception
    which = next(each for each in at.selectbox if each.label == "Sequence in the table")
    assert list(which.options) == ["Rows 1 to 60", "Rows 61 to 80"]
    which.set_value(1).run()
    at = done(at, "No value is missing in these 20 frames")
    np.testing.assert_allclose(stores(at)["reel"][1]["values1"], poses.values[60:], atol=1e-6)


@pytest.mark.parametrize(
    ("times", "message"),
    [
        ([0.0, 0.1, 0.3, 0.2, 0.4], "out of order: row 4 (0.2) is before row 3 (0.3)"),
        ([0.0, 0.1, 0.1, 0.2], "Rows 2 and 3 have the same time"),
        ([0.0], "needs at least two"),
    ],
)
def test_times_that_make_no_sequence_are_refused_with_a_remedy(page, poses, times, message):
    at = bring(page(), walk(poses, np.array(times)))
    assert any(message in error.value.replace("\\", "") for error in at.error)
    assert "reel" not in stores(at)
    if len(times) > 1:  # the order of the rows can replace the times
        menu = next(each for each in at.selectbox if each.label == "Times of the frames")
        menu.set_value("").run()
        assert not at.error
        np.testing.assert_allclose(np.diff(stores(at)["reel"][1]["times"]), STEP)


def test_columns_of_another_table_and_empty_tables_are_refused(page, poses):
    at = bring(page(), b"a,b\n1,2\n3,4\n")
    assert "this model has" in at.error[0].value
    count = len(poses.column_names)
    rows = [",".join(["t", *poses.column_names]), *(f"{n}" + ",NA" * count for n in range(3))]
    at = bring(at, "\n".join(rows).encode())
    assert "no row has a value" in at.error[0].value


def test_another_unit_of_time_is_pointed_out(page, poses):
    at = bring(page(), walk(poses, 0.05 + STEP * np.arange(5)).replace(b"seconds", b"t"))
    assert not at.warning
    lines = walk(poses, 0.05 + STEP * np.arange(5)).decode().splitlines()
    slow = [lines[0], *(f"{100 * n}," + line.split(",", 1)[1] for n, line in enumerate(lines[1:]))]
    at = bring(press(at, "Other rows"), "\n".join(slow).encode())
    assert "Two frames are 100 apart, in the training data 0.1" in said(at)


def test_the_table_has_every_frame_and_says_what_was_filled(model, poses):
    rows = list(csv.reader(io.StringIO(example(poses).decode())))
    assert rows[0][0] == "time" and len(rows) == 61
    given = np.array([[np.nan if c == "NA" else float(c) for c in row[1:]] for row in rows[1:]])
    part = np.isnan(given[25])
    np.testing.assert_array_equal(np.isnan(given[20:30]), np.tile(part, (10, 1)))
    assert np.isnan(given[30]).all() and not np.isnan(given[:20]).any()
    own = OwnSequence("x", STEP * np.arange(60), given, given, (), "q")
    reel = filled(model, poses, gap_of(poses, own), lambda step, bound: None)
    (head, *lines) = csv.reader(io.StringIO(sequence_csv(poses, reel, own=own).decode()))
    assert head.pop(0) == "kind" and [line.pop(0) for line in lines][19:31] == [
        "observed", *["partly filled"] * 10, "filled",
    ]  # fmt: skip
    named = dict(zip(head, np.array(lines, float).T, strict=True))
    for d, name in enumerate(poses.column_names):
        flags = named.get(f"{name} filled", np.zeros(60))
        np.testing.assert_array_equal(flags, np.isnan(given[:, d]))
        kept = flags == 0
        np.testing.assert_allclose(named[name][kept], given[kept, d], rtol=1e-6, atol=1e-7)
        assert (named[f"{name} std"][~kept] > 0).all()


@pytest.mark.slow
def test_forecasts_of_held_out_ends_are_compared_with_simple_rules(page, model, poses):
    at = page()
    task = next(each for each in at.button_group if "dynamics_task" in each.key)
    at = press(task.set_value("play").run(), "How good are forecasts?")
    assert not at.exception
    run = comparison_of(f"back test|{query(at, 'model')}|{model.bound_:.10g}")
    assert run is not None
    run.wait(300)
    at.run()
    assert not at.exception and not at.error
    expected = back_test(model, poses.values, poses.times, poses.sequences)
    text = said(at)
    assert expected.sentence() in text
    assert "3 forecasts of 10 steps" in text and "1 sequence too short" in text
    for name in expected.errors:
        inside = 100 * expected.inside[name].mean()
        row = next(line for line in text.splitlines() if line.startswith(f"| {name}"))
        assert in_percent(expected.error(name)) in row
        assert f"| {inside:.0f} % |" in row or inside < 1 or inside > 99.5
