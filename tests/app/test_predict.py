"""Tests of predicting a column through AppTest: the form of Train, the job, and the tab Predict."""

import warnings

import numpy as np
import pytest

from gplvm_core import SparseGPRegression, load_dataset
from gplvm_core.comparison.one_column import answers, task_of
from gplvm_core.readers import ask_column
from gplvm_core.readers.new_rows import NewRows
from gplvm_core.store import Library, workspace
from pages.ui.explore.predict.new_rows import answers_csv, digits_for, shown
from pages.ui.shared.words import significant
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


def test_the_parts_of_a_date_become_inputs_and_are_not_the_question():
    days = np.datetime64("2019-03-01") + 61 * (37 * np.arange(40) % 40)
    lines = [f"{day},{n * 37 % 31},{n * n % 17}" for n, day in enumerate(days)]
    file = "\n".join(["built,area,price", *lines]).encode()

    def dates(at, answer):
        ask = next(s for s in at.selectbox if s.label == "The dates in “built”")
        return ask.set_value(answer).run()

    at = upload(asks(run_page("train")), "homes.csv", file)
    assert inputs_of(at).value == ["area"]
    at = dates(at, "Year, season and weekday")
    every = ["area", "built year", "built season sine", "built season cosine", "built weekday"]
    assert inputs_of(at).value == every
    # What the visitor has taken out stays out.
    at = inputs_of(at).set_value(every[:2]).run()
    at = dates(dates(at, "Left out"), "Year, season and weekday")
    assert not at.exception and not at.warning
    assert inputs_of(at).value[:2] == every[:2]
    at = upload(asks(run_page("train")), "homes.csv", file)
    assert next(s for s in at.selectbox if s.label == "Column to predict").value == "price"


def inputs_of(at):
    return next(m for m in at.multiselect if m.label == "Inputs")


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


def test_new_rows_with_the_column_itself_are_judged_and_far_inputs_are_named():
    key = stored()
    model = Library(workspace() / "library").model(key.split(":")[1])
    rows, truth = np.array([[24.0, 50.0], [30.0, 40.0], [2600.0, 60.0]]), [90.0, 200.0, 150.0]
    mean, std = answers(model, rows)
    file = b"progression,HDL,body mass index\n90,50,24\n200,40,30\n150,60,2600\nlater,45,28\n"
    at = go_to(run_page("train"), "explore", model=key)
    at.file_uploader[0].upload("new.csv", file).run()
    assert not at.exception and not at.error
    assert "1 row far outside the training rows" in said(at) and "with 2600" in said(at)
    error = np.sqrt(np.mean((mean - truth) ** 2))
    inside = int(np.sum(np.abs(mean - truth) <= 1.96 * std))
    assert f"In 3 rows with a value, the typical error is {significant(error)}" in said(at)
    assert f"{inside} of 3 values are between" in said(at)
    assert at.dataframe[-1].value["progression in the file"].tolist() == ["90", "200", "150", "–"]
    # Without the column, nothing is judged.
    at.file_uploader[0].upload("bare.csv", b"HDL,body mass index\n45,28\n").run()
    assert "typical error is" not in said(at) and "far outside" not in said(at)


@pytest.mark.parametrize(
    ("level", "spread", "text"),
    [(2004.3, 2.1, "2004.3"), (242.4, 11.0, "242.4"), (0.5124, 0.3, "0.512")],
)
def test_answers_have_two_digits_of_their_standard_deviation(level, spread, text):
    digits = digits_for(np.full(3, level), np.full(3, spread))
    assert shown(level, digits) == text


def test_the_form_of_a_column_explains_missing_inputs_the_deep_model_and_words():
    at = run_page("train")
    assert not at.exception
    assert [header.value for header in at.header] == ["1 · Data", "2 · Model", "3 · Start"]
    at = asks(at)
    inputs_of(at).set_value([]).run()
    assert at.error[0].value.startswith("Choose at least one input")
    inputs_of(at).set_value(["age", "HDL"]).run()
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
