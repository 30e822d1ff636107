"""Tests of predicting a column through AppTest: the form of Train, the job, and the tab Predict."""

import warnings

import numpy as np
import pytest

from gplvm_core import SparseGPRegression, load_dataset
from gplvm_core.comparison.one_column import answers, task_of
from gplvm_core.readers import ask_column
from gplvm_core.readers.new_rows import NewRows
from gplvm_core.store import Library, workspace
from pages.ui.explore.predict.new_rows import answers_csv
from tests.app.apptest import finished, go_to, press, query, run_page, said, upload

pytestmark = pytest.mark.usefixtures("home")
GOAL = "A column from others"


def asks(at, goal=GOAL):
    """Choose the prediction of a column in the first question of Train."""
    control = next(c for c in at.segmented_control if c.label == "What do you want?")
    return control.set_value(
        {"A map": "map", GOAL: "column", "Continue a series": "series"}[goal]
    ).run()


def stored() -> str:
    """Store a small model of the progression of diabetes in the library; return its key."""
    asked = ask_column(load_dataset("diabetes"), "progression", ["body mass index", "HDL"])
    _, train, _ = task_of(asked)
    with warnings.catch_warnings(action="ignore"):
        model = SparseGPRegression(8, max_iter=10, random_state=0).fit(train.inputs, train.target)
    return f"library:{Library(workspace() / 'library').add(model, asked, 'Progression')}"


def test_a_column_is_trained_tested_and_opened_with_sliders():
    at = asks(run_page("train"))
    assert not at.exception
    assert "354 rows for training; 88 rows held out" in said(at)
    at.number_input(key="column_max_iter").set_value(10).run()
    press(at, "Start training")
    job = finished(query(at, "job"))
    assert job.status == "finished", job.error
    at.run()
    assert not at.exception
    assert "88 rows kept aside" in said(at) and "Boosted trees" in said(at)
    labels = [button.label for button in at.button]
    assert "Predict" in labels and "Compare" not in labels
    assert "Dimensions on" not in [metric.label for metric in at.metric]
    go_to(at, "mine")
    assert not at.exception
    assert "predicts progression from 10 inputs" in said(at)
    go_to(at, "explore", model=f"library:{job.entry}")
    assert not at.exception
    assert "Is it worth it?" in said(at)
    assert not at.info  # without a tab in the link, the page reports no missing capability


def test_labels_that_are_a_column_are_offered_once_by_its_name():
    lines = [f"{('oak', 'pine')[n % 2]},{n * 37 % 31},{n * n % 17}" for n in range(30)]
    at = upload(asks(run_page("train")), "wood.csv", "\n".join(["wood,a,b", *lines]).encode())
    targets = next(s for s in at.selectbox if s.label == "Column to predict")
    assert "2 labels" in said(at)
    assert targets.options == ["a", "b", "wood"]
    assert "colour the map" not in said(at)  # the model has no map
    assert "colour the map" in said(asks(at, "A map"))


def planks(count: int = 60) -> bytes:
    """Return a table in which the price depends on a number and a word."""
    lines = ["wood,length,price"]
    for n in range(count):
        wood, length = ("oak", "pine", "birch")[n % 3], 1 + n * 37 % 31
        lines.append(f"{wood},{length},{length / 4 + {'oak': 9, 'pine': 2, 'birch': 5}[wood]:.2f}")
    return "\n".join(lines).encode()


def test_words_are_inputs_and_new_rows_have_them_too():
    at = upload(asks(run_page("train")), "planks.csv", planks())
    assert not at.exception
    next(s for s in at.selectbox if s.label == "Column to predict").set_value("price").run()
    inputs = next(m for m in at.multiselect if m.label == "Inputs")
    assert sorted(inputs.value) == ["length", "wood"]
    at.number_input(key="column_max_iter").set_value(40).run()
    press(at, "Start training")
    job = finished(query(at, "job"))
    assert job.status == "finished", job.error
    go_to(at, "explore", model=f"library:{job.entry}")
    assert not at.exception and "predicts price from 2 inputs" in said(at)
    at.file_uploader[0].upload("new.csv", b"length,wood\n20,pine\n20,oak\n20,\n").run()
    assert not at.exception and "3 rows answered" in said(at)
    found = at.dataframe[-1].value
    assert found["wood "].tolist() == ["pine", "oak", "–"]
    assert float(found["price"].iloc[0]) == pytest.approx(7.0, abs=0.5)
    assert float(found["price"].iloc[1]) == pytest.approx(14.0, abs=0.5)
    at.file_uploader[0].upload("bad.csv", b"length,wood\n20,elm\n20,oak\n").run()
    assert not at.exception and not at.error and "2 rows answered" in said(at)
    assert "does not know “elm” (line 2)" in said(at) and "counts as missing" in said(at)


def test_the_form_of_a_column_explains_missing_inputs_the_deep_model_and_words():
    at = run_page("train")
    assert not at.exception
    assert [header.value for header in at.header] == ["1 · Data", "2 · Model", "3 · Start"]
    at = asks(at)
    next(m for m in at.multiselect if m.label == "Inputs").set_value([]).run()
    assert at.error[0].value.startswith("Choose at least one input")
    next(m for m in at.multiselect if m.label == "Inputs").set_value(["age", "HDL"]).run()
    assert not at.error and "4 · Start" in [header.value for header in at.header]
    at.radio(key="column_model").set_value("A function with jumps or bends").run()
    assert not at.exception
    name = next(field for field in at.text_input if field.label == "Name")
    assert name.value == "progression, Diabetes, Deep GP regression"
    at.pills(key="train_built_in_table").set_value("wine").run()
    next(s for s in at.selectbox if s.label == "Column to predict").set_value("The labels").run()
    assert "The labels are words" in said(at)
    assert "Start training" not in [button.label for button in at.button]
    press(at, "Make a map instead")
    assert [header.value for header in at.header][-1] == "3 · Start"


def test_a_series_needs_times_and_a_link_chooses_an_answer_that_may_be_changed():
    at = run_page("train", goal="series")
    assert "have no times" in said(at)
    assert "goal" not in at.query_params
    at.pills(key="train_built_in").set_value("poses").run()
    assert at.radio(key="form_model").value == "Dynamical GP-LVM"
    # Only models over time continue a series.
    assert at.radio(key="form_model").options == ["Dynamical GP-LVM", "State-space GP-LVM"]
    assert "Bayesian PCA" in asks(at, "A map").radio(key="form_model").options
    at = asks(at, GOAL)
    assert at.header[-1].value == "4 · Start"
    assert not run_page("train", goal="nothing").exception


@pytest.mark.slow
def test_compare_explains_that_it_shows_maps():
    at = run_page("compare", models=stored())
    assert not at.exception
    assert "Compare shows maps" in said(at)


def test_a_link_to_the_map_explains_itself_and_new_rows_are_answered_with_intervals():
    key = stored()
    at = run_page("explore", model=key, tab="fill")
    assert not at.exception
    assert "has no map" in at.info[0].value
    assert "Is it worth it?" in said(at)
    go_to(at, "explore", model=key)
    at.file_uploader[0].upload("new.csv", b"HDL,body mass index,other\n50,30,x\n,25,y\n").run()
    assert not at.exception
    assert "2 rows answered" in said(at) and "1 row lacks an input" in said(at)
    assert "not used: other" in said(at)
    at.file_uploader[0].upload("bad.csv", b"HDL,body mass index\n50,thirty\n60,25\n").run()
    assert "is not a number (“thirty”" in said(at) and "2 rows answered" in said(at)


@pytest.mark.slow
def test_the_file_of_answers_has_inputs_and_intervals():
    asked = ask_column(load_dataset("diabetes"), "progression", ["body mass index", "HDL"])
    rows = np.array([[30.0, 50.0], [25.0, np.nan]])
    _, train, _ = task_of(asked)
    with warnings.catch_warnings(action="ignore"):
        model = SparseGPRegression(8, max_iter=10, random_state=0).fit(train.inputs, train.target)
    mean, std = answers(model, rows)
    text = answers_csv(asked.task, NewRows(rows, ()), mean, std).decode()
    head, first, second = text.splitlines()
    assert head == "body mass index,HDL,progression predicted,deviation,95 % from,95 % to"
    numbers = [float(cell) for cell in first.split(",")]
    assert numbers[:2] == [30.0, 50.0]
    assert numbers[4] < numbers[2] < numbers[5]
    assert second.split(",")[1] == "NA"
