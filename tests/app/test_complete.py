"""Tests of the tab Fill in through AppTest: texts, inputs, session state and messages."""

import csv
import io
from collections.abc import Callable
from copy import copy
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from gplvm_core import GPLVM, BayesianGPLVM, BayesianPCA, ProbabilisticPCA
from gplvm_core.datasets import Dataset, Drawing, Skeleton
from gplvm_core.store import Library, workspace
from gplvm_core.wire.completion import Question, RowItem, mask_text
from pages.ui.explore.fill import model as complete_model
from pages.ui.explore.fill import typicality as complete_typicality
from pages.ui.explore.fill.files import row_csv, row_png
from pages.ui.explore.fill.items import (
    Board,
    chosen_item,
    data_items,
    hidden_row,
    masks_of,
    own_items,
    question_of,
)
from pages.ui.explore.rows.files import example
from pages.ui.shared import density
from pages.ui.shared.catalogue import Item
from pages.ui.shared.intervals import ENDS
from tests.app.apptest import drawn, go_to, press, query, run_page, said, stores

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture(autouse=True)
def calm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the live fragment from the page during these tests."""
    monkeypatch.setattr(complete_typicality, "SPELL", 60.0)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the page wait for the density, however busy the machine is."""
    monkeypatch.setattr(density, "WAIT", 300.0)


@pytest.fixture(scope="module")
def model(model_of_flow: BayesianGPLVM) -> BayesianGPLVM:
    return model_of_flow


@pytest.fixture
def keep(flow: Dataset) -> Callable[..., str]:
    """Add a model to the library; return its key."""

    def added(model: object, dataset: Dataset = flow) -> str:
        return "library:" + Library(workspace() / "library").add(model, dataset, "My flow")

    return added


def app(key: str | None = None) -> AppTest:
    return run_page("fill", model=key)


def source_of(at: AppTest) -> str:
    """Return the key of the switch between rows of the data and uploaded rows."""
    return next(each.key for each in at.segmented_control if "complete_source" in each.key)


def test_without_a_model_in_the_link_the_tab_opens_the_first(keep, model):
    keep(model)
    opened = app()
    assert not opened.exception
    assert "My flow" in said(opened)
    assert "answer" in stores(opened)


def test_the_model_remains_while_tabs_and_rooms_change(keep, model):
    key = keep(model)
    keep(model)  # this model is newer, so it would be the first in the menu
    at = app(key)
    bar = at.segmented_control(key="explore_tab")
    assert bar.options == ["Map", "Fill in", "New rows"]
    bar.set_value("map").run()
    assert not at.exception
    assert query(at, "model") == key and "tab" not in at.query_params
    go_to(at, "train")
    go_to(at, "explore")
    assert not at.exception
    assert f"|{key}" in at.selectbox[0].key


def test_a_run_does_not_set_the_bar_of_tabs_again(keep, model):
    """Else the browser would undo a click on a tab that arrives during a run."""
    at = app(keep(model))
    at.run()
    assert not at.segmented_control(key="explore_tab").proto.set_value


def test_a_missing_model_is_reported():
    at = app("library:none")
    assert not at.exception
    assert "There is no model" in at.error[0].value


def test_the_page_answers_at_once_with_a_part_hidden(keep, model, flow):
    at = app(keep(model))
    assert not at.exception
    sent = stores(at)
    rows, answer = sent["rows"], sent["answer"]
    assert len(rows[0]["items"]) == 10
    assert "possibilities" not in sent and "Which class" not in said(at)
    header, arrays = answer
    row = flow.values[int(header["item"].split()[1])]
    hidden = np.arange(12) < 6
    assert header["mask"] == mask_text(hidden)
    own = copy(model).fit_density(flow.values)
    mean, std = own.complete(np.where(hidden, np.nan, row)[None], return_std=True)
    np.testing.assert_allclose(arrays["mean"], mean[0], rtol=1e-5)
    np.testing.assert_allclose(arrays["std"], std[0], rtol=1e-5)
    # Columns may have different units, so errors are in units of each column's spread.
    unit = flow.values.std(axis=0)
    error = np.sqrt(np.mean(((mean[0] - row) / unit)[hidden] ** 2))
    assert header["summary"]["error"] == pytest.approx(error)
    expected = np.sqrt(np.mean((std[0] / unit)[hidden] ** 2))
    assert header["summary"]["expected"] == pytest.approx(expected)
    # When the browser has drawn the picture, everything else follows.
    at = drawn(at)
    assert "possibilities" in stores(at)
    words = said(at)
    assert "60 × 12 values" in words
    assert "Filled by the" in words and "In held-out rows with a block of gaps" in words
    assert "all 60 training rows" in words
    assert "without the row's own label" in words


def test_the_strip_begins_with_the_row_that_is_kept_on_the_map(keep, model, flow):
    point = ",".join(f"{x:.4f}" for x in model.latent_mean_[43])
    at = run_page("fill", model=keep(model), at=point)
    header, _ = stores(at)["answer"]
    assert header["item"] == "row 43" and not at.exception


@pytest.mark.parametrize(
    "other",
    [
        GPLVM(2, max_iter=15, random_state=0),
        BayesianPCA(2, max_iter=15, random_state=0),
        ProbabilisticPCA(2),
        BayesianGPLVM(1, n_inducing=8, max_iter=15, random_state=0),
    ],
    ids=["GPLVM", "BayesianPCA", "ProbabilisticPCA", "one dimension"],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_every_kind_of_model_completes(keep, flow, other):
    at = app(keep(other.fit(flow.values)))
    assert not at.exception
    assert not at.error
    header, arrays = stores(at)["answer"]
    assert "problem" not in header
    assert np.isfinite(arrays["mean"]).all()
    at = drawn(at)
    assert not at.exception
    assert "typical than" in said(at)


def test_log_densities_are_computed_little_by_little(keep, model, monkeypatch):
    monkeypatch.setattr(complete_typicality, "SPELL", -1.0)
    key = keep(model)
    at = drawn(app(key))
    assert not at.exception
    assert "typical than" not in said(at)
    monkeypatch.setattr(complete_typicality, "SPELL", 60.0)
    at.run()
    assert "typical than" in said(at)


def test_data_without_labels_have_no_class_panel(keep, model, flow):
    at = drawn(app(keep(model, replace(flow, labels=None, label_names=()))))
    assert not at.exception
    assert "Which class" not in said(at)


def test_own_rows_are_those_of_the_tab_new_rows(keep, model, flow):
    at = app(keep(model))
    at.segmented_control(key=source_of(at)).set_value("own").run()
    assert not at.exception
    press(at, "Bring rows")
    at.file_uploader[0].upload("gaps.csv", example(flow)).run()
    assert not at.exception and not at.error
    go_to(at, "fill")
    at.segmented_control(key=source_of(at)).set_value("own").run()
    assert stores(at)["answer"][0]["item"].startswith("own 0 ")
    # After a visit to another page, the uploaded rows are still there.
    go_to(at, "mine")
    go_to(at, "fill")
    assert stores(at)["answer"][0]["item"].startswith("own 0 ")


# --- the parts behind the page ------------------------------------------------------------------


def test_masks_are_kept_per_row_and_an_untouched_row_takes_the_latest(flow):
    items = data_items(flow, 0)
    board = Board()
    first = masks_of(board, items, flow)[items[0].id]
    painted = mask_text(np.arange(12) == 3)
    board = board.painted(Question(items[2].id, painted, 1))
    masks = masks_of(board, items, flow)
    assert masks[items[2].id] == painted
    assert masks[items[0].id] == painted != first
    assert chosen_item(board, items) is items[2]
    assert chosen_item(board.shuffled(), data_items(flow, 1)).id not in {i.id for i in items}
    assert board.shuffled().masks == board.masks
    own = own_items(np.where(np.arange(12) > 8, np.nan, flow.values[:2]), "mark", 0)
    assert masks_of(board, own, flow)[own[0].id] == mask_text(np.zeros(12, dtype=bool))


@pytest.mark.parametrize(
    "act",
    [
        None,
        "text",
        {"item": "row 99999", "mask": ""},
        {"item": "row 1", "mask": "!!"},
        {"item": "row 1", "mask": "AAAAAAAA"},
        {"more": True},
    ],
)
def test_messages_from_elsewhere_are_unchanged(flow, act):
    items = [RowItem("row 1", "row 2", flow.values[1])]
    assert question_of(act, items, flow) is None


def test_a_hidden_cell_is_a_gap_in_all_its_columns():
    skeleton = Drawing("skeleton", (2, 3), skeleton=Skeleton(("Hips", "LeftLeg"), (-1, 0)))
    data = Dataset("s", "S", np.arange(12.0).reshape(2, 6), skeleton)
    row = hidden_row(RowItem("row 0", "", data.values[0]), mask_text(np.array([False, True])), data)
    np.testing.assert_array_equal(np.isnan(row), [False] * 3 + [True] * 3)


def test_classes_come_from_the_neighbourhood_and_sum_to_one(flow, model):
    row = flow.values[7].copy()
    probabilities = complete_model.class_probabilities(model, "m", flow, row, 7)
    assert probabilities.sum() == pytest.approx(1.0)
    assert probabilities.shape == (3,)
    right = [
        complete_model.class_probabilities(model, "m", flow, flow.values[n], n).argmax()
        == flow.labels[n]
        for n in range(0, 60, 4)
    ]
    assert np.mean(right) > 0.7


def test_classes_of_a_row_with_gaps_come_from_its_possible_fills(flow, model):
    dense = copy(model).fit_density(flow.values, 5, prior_strength=3.0)
    right = []
    for n in range(0, 60, 4):
        row = np.where(np.arange(12) % 2 == n % 8 // 4, np.nan, flow.values[n])
        chances = complete_model.class_probabilities(dense, "dense", flow, row, n)
        assert chances.sum() == pytest.approx(1.0)
        right.append(chances.argmax() == flow.labels[n])
    assert np.mean(right) > 0.6


def test_log_densities_are_those_of_rows_with_the_same_gaps(flow, model):
    missing = np.arange(12) < 4
    found = complete_model.log_densities(model, "m", flow, np.packbits(missing).tobytes(), 10)
    rows = np.where(
        missing, np.nan, flow.values[10 : 10 + complete_model.rows_at_once(model, flow)]
    )
    np.testing.assert_allclose(found, model.score_samples(rows))


def test_the_completed_row_is_exported_with_what_was_filled(flow, model):
    item = Item("k", "T", model, flow)
    row = np.where(np.arange(12) < 2, np.nan, flow.values[0])
    answer = complete_model.completed(model, "m", row, flow)
    text = row_csv(item.dataset, RowItem("row 0", "row 1", flow.values[0]), row, answer).decode()
    lines = list(csv.DictReader(io.StringIO(text)))
    assert [line["column"] for line in lines] == list(flow.column_names)
    assert [line["filled"] for line in lines] == ["1", "1"] + ["0"] * 10
    assert float(lines[0]["value"]) == pytest.approx(answer.mean[0], rel=1e-6)
    assert float(lines[0]["truth"]) == pytest.approx(flow.values[0, 0], rel=1e-6)
    ends = [float(lines[0][each]) - answer.mean[0] for each in ENDS]
    np.testing.assert_allclose(
        ends, [-1.959964 * answer.std[0], 1.959964 * answer.std[0]], rtol=1e-4
    )
    assert lines[5]["std"] == lines[5][ENDS[0]] == ""
    assert row_png(flow, answer.mean).startswith(b"\x89PNG")


def test_painting_is_answered_and_kept(keep, model, flow):
    key = keep(model)
    at = app(key)
    header, _ = stores(at)["rows"]
    name = f"{key}|{model.bound_:.10g}"
    item = header["items"][3]["id"]
    mask = mask_text(np.arange(12) == 5)
    at.session_state[f"complete_board|{name}"] = Board().painted(Question(item, mask, 7))
    at.run()
    assert not at.exception
    answer, arrays = stores(at)["answer"]
    assert (answer["item"], answer["mask"], answer["number"]) == (item, mask, 7)
    row = flow.values[int(item.split()[1])]
    assert np.flatnonzero(arrays["std"]).tolist() == [5]
    np.testing.assert_allclose(np.delete(arrays["mean"], 5), np.delete(row, 5), rtol=1e-6)
    at.run()
    assert stores(at)["answer"][0]["mask"] == mask


def test_a_model_of_data_with_gaps_completes_their_rows(keep, flow):
    values = flow.values.copy()
    values[np.random.default_rng(1).uniform(size=values.shape) < 0.15] = np.nan
    data = replace(flow, targets=values)
    model = BayesianGPLVM(3, n_inducing=10, max_iter=20, random_state=0).fit(values)
    at = app(keep(model, data))
    assert not at.exception
    assert not at.error
    answer, arrays = stores(at)["answer"]
    row = values[int(answer["item"].split()[1])]
    assert np.isfinite(arrays["mean"]).all()
    assert np.all(arrays["std"][np.isnan(row)] > 0)
    at = drawn(at)
    assert "with values in the same columns" in said(at)
    # The button fills the gaps of all rows in New rows, without an upload.
    press(at, "Fill all rows in New rows")
    assert not at.exception
    assert f"{len(values)} rows" in said(at)
