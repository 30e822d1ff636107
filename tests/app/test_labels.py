"""Tests of unlabelled rows in the tab Map: predicted labels, and labels by a click."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from gplvm_core import BayesianGPLVM, training
from gplvm_core.datasets import Dataset
from gplvm_core.new_rows.labels import predict_labels
from gplvm_core.store import Library, workspace
from pages.ui.explore.map.given_labels import labelled_data
from pages.ui.explore.map.labels import Given, labels_csv, partly_labelled, table_of
from pages.ui.explore.map.own_labels import labels_csv as labels_of
from pages.ui.shared.catalogue import open_item
from pages.ui.shared.own_labels import OwnLabels, keep_own_labels, own_labels, with_label
from pages.ui.shared.plain import plain
from tests.app.apptest import as_shown, finished, press, query, run_page, said

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture(scope="module")
def partly(flow: Dataset) -> Dataset:
    """Return the flow data; only every fifth row has a label."""
    labels = np.where(np.arange(60) % 5 == 0, flow.labels, -1)
    return replace(flow, labels=labels)


@pytest.fixture(scope="module")
def model(model_of_flow: BayesianGPLVM) -> BayesianGPLVM:
    return model_of_flow


def app(model: BayesianGPLVM, dataset: Dataset) -> AppTest:
    key = "library:" + Library(workspace() / "library").add(model, dataset, "Mine")
    at = run_page("explore", model=key)
    assert not at.exception
    return at


def test_labels_are_predicted_and_a_click_labels_the_row_that_tells_most(model, partly):
    at = app(model, partly)
    found = predict_labels(model, partly.labels)
    text = said(at)
    assert "48 rows without a label." in text
    assert f"Of 12 labelled rows, {found.right} are predicted correctly" in text
    assert f"Row {found.next_row() + 1}." in text
    labels = partly.labels.copy()
    labels[found.next_row()] = 1
    second = predict_labels(model, labels)
    at = press(at, partly.label_names[1])
    assert "47 rows without a label." in said(at) and "You labelled 1 row." in said(at)
    assert f"Row {second.next_row() + 1}." in said(at)
    at = press(at, "Skip")
    assert f"Row {second.next_row((second.next_row(),)) + 1}." in said(at)
    at = press(at, "Undo the last label")
    assert "48 rows without a label." in said(at)
    frame = at.dataframe[0].value
    assert len(frame) == 48 and set(frame.columns) >= {"Row", "Label", "Probability"}


def test_labels_are_stored_with_the_model_and_a_training_learns_them(model, partly):
    at = app(model, partly)
    key = query(at, "model")
    row = predict_labels(model, partly.labels).next_row()
    press(at, partly.label_names[1])
    again = run_page("explore", model=key)
    assert "47 rows without a label." in said(again) and "You labelled 1 row." in said(again)
    at = press(again, "Train with these labels")
    assert not at.exception
    job = finished(query(at, "job"))
    data = training.here().dataset(job.id)
    assert data.label_word(row) == partly.label_names[1] and (data.labels >= 0).sum() == 13
    assert [view.name for view in data.views] == ["values", "labels"]
    assert np.isnan(data.view_values["labels"]).all(axis=1).sum() == 47


def test_a_rule_for_one_table_is_no_path_over_the_numbers_of_the_rows(flow, partly):
    """Labels are a further view, and a model of views has no such rule."""
    kept = BayesianGPLVM(2, 12, time_kernel="rbf", path_over="outputs", max_iter=2, random_state=0)
    item = open_item(query(app(kept.fit(flow.values), partly), "model"))
    learns, _ = labelled_data(item, Given({}))
    assert learns.time_kernel is None and not learns.capabilities.timed


def test_a_label_that_cannot_be_stored_is_kept_for_the_visit_with_the_reason(
    model, partly, monkeypatch: pytest.MonkeyPatch
):
    at = app(model, partly)

    def full(*_):
        raise OSError("No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(Library, "give_labels", full)
        press(at, partly.label_names[1])
    assert not at.exception and "47 rows without a label." in said(at)
    (problem,) = [error.value for error in at.error]
    assert problem.startswith("The label was not stored with the model.")
    press(at, partly.label_names[1])
    assert not at.error and "46 rows without a label." in said(at)


def test_own_labels_are_described_learnt_and_downloaded(model, flow):
    key = "library:" + Library(workspace() / "library").add(model, flow, "Mine")
    assert "They are stored" not in said(run_page("explore", model=key))
    Library(workspace() / "library").keep_labels(key.split(":")[1], [("odd *one*", (3, 5, 40))])
    at = run_page("explore", model=key)
    assert as_shown("1 label on 3 of 60 rows: odd *one* (3). They are stored with the model.") in (
        said(at)
    )
    lines = labels_of(open_item(key), own_labels(open_item(key))).decode().splitlines()
    assert [n for n, line in enumerate(lines) if "odd" in line] == [4, 6, 41]
    assert lines[1] == "1,,NA"
    # A model learns at least two labels, so that a single one gets the other rows beside it.
    data = training.here().dataset(finished(query(press(at, "Train with these labels"), "job")).id)
    words = [data.label_word(n) for n in range(60)]
    assert [n for n, word in enumerate(words) if word == "odd *one*"] == [3, 5, 40]
    assert set(words) == {"odd *one*", "other rows"}
    at = press(run_page("explore", model=key), plain("Delete odd *one*: 3 rows"))
    assert "They are stored" not in said(at)
    assert Library(workspace() / "library").entry(key.split(":")[1]).own_labels == ()


def test_a_row_has_one_label_and_labels_without_rows_go(model, flow):
    before = OwnLabels(("a", "b"), ((0, 1), (2, 3, 4)))
    assert with_label(before, "c", (4, 5)) == {"a": (0, 1), "b": (2, 3), "c": (4, 5)}
    key = "library:" + Library(workspace() / "library").add(model, flow, "Mine")
    keep_own_labels(open_item(key), with_label(before, "b", (1, 0)))
    stored = Library(workspace() / "library").entry(key.split(":")[1]).own_labels
    assert stored == (("b", (0, 1, 2, 3, 4)),)


def test_labels_of_one_kind_are_not_enough_to_predict(model, partly):
    first = int(partly.labels[partly.labels >= 0][0])
    one = replace(partly, labels=np.where(partly.labels == first, first, -1))
    at = app(model, one)
    assert "the same label" in at.info[0].value
    other = next(n for n in range(len(partly.label_names)) if n != first)
    at = press(at, partly.label_names[other])
    assert not at.exception and "without a label." in said(at)


def test_whole_labels_and_none_have_no_such_part(model, partly, flow):
    assert partly_labelled(partly)
    assert not partly_labelled(flow)
    assert not partly_labelled(replace(flow, labels=None, label_names=()))
    assert "Rows without a label" not in said(app(model, flow))


def test_the_table_says_where_every_label_is_from(model, partly):
    row = int(np.flatnonzero(partly.labels < 0)[0])
    given = Given(((row, 2),))
    found = predict_labels(model, given.on(partly.labels))
    lines = list(csv.DictReader(io.StringIO(labels_csv(partly, given, found).decode())))
    assert [line["source"] for line in lines].count("predicted") == 47
    assert lines[row]["source"] == "yours" and lines[row]["label"] == partly.label_names[2]
    assert lines[0]["source"] == "data" and lines[0]["probability"] == "1"
    at = int(found.rows[3])
    assert float(lines[at]["probability"]) == pytest.approx(found.probabilities[3].max(), abs=1e-4)
    table = table_of(partly, found)
    near = [
        chance for chance, note in zip(table["Probability"], table["Note"], strict=True) if not note
    ]
    assert near == sorted(near)
    assert as_shown(table["Row"][0]).startswith("Row ")
    named = replace(partly, row_names=tuple(f"B{n}" for n in range(partly.n_points)))
    assert table_of(named, found)["Row"][0].split(", ")[1].startswith("B")
