"""Tests of Train through AppTest: a table with words and counts."""

from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Toggle

from gplvm_core import Dataset, Drawing
from gplvm_core.store import Library, workspace
from pages.ui.train.goal_form import COLUMN, GOAL, MAP
from pages.ui.train.model_choices import CHOICES, unfilled_gap
from tests.app.apptest import estimated, kind_of, press, run_page, said, started, upload
from tests.app.uploads import soils

pytestmark = pytest.mark.usefixtures("home")

KINDS_OF_WHOLE = ("Kind of a", "Kind of b")


def all_counts(at: AppTest) -> Toggle:
    return next(each for each in at.toggle if each.label.endswith("from 0 are counts"))


def birds() -> bytes:
    generator = np.random.default_rng(0)
    lines = ["name,species,sex,size,colour,mass,eggs,year"]
    for n in range(40):
        heavy = n % 3 == 0
        size = ("small", "medium", "large")[int(generator.integers(0, 2)) + heavy]
        sex = ("", "male", "female", "male", "female")[n % 5]
        mass = 3000 + 900 * heavy + 100 * generator.standard_normal()
        colour = ("grey", "black", "white")[int(generator.integers(3))]
        eggs = generator.poisson(0.5 + heavy)
        lines.append(
            f"bird {n},{'Gentoo' if heavy else 'Adelie'},{sex},{size},{colour},{mass:.0f},{eggs},"
            f"{2007 + n % 3}"
        )
    return "\n".join(lines).encode()


def test_a_column_can_be_the_exposure_of_the_counts():
    at = upload(run_page("train"), "birds.csv", birds())
    exposure = next(each for each in at.selectbox if each.label == "Exposure of the counts")
    assert exposure.value is None and exposure.options == ["mass"]
    exposure.set_value("mass").run()
    assert not at.exception and not at.error
    assert "“mass” is known in every row, and does not affect the map" in said(at)
    # At the next upload of a table with these columns, the app makes the same choice.
    again = upload(run_page("train"), "birds.csv", birds())
    known = next(each for each in again.selectbox if each.label == "Exposure of the counts")
    assert known.value == "mass"


def test_a_table_with_words_says_what_it_will_do_trains_and_opens():
    at = upload(run_page("train"), "birds.csv", birds())
    assert not at.exception and not at.error
    words = said(at)
    assert "40 rows, 7 columns, 2 labels" in words
    assert "sex** :small[two values: female, male, 8 gaps]" in words
    assert "size** :small[words in an order: small, medium, large]" in words
    assert (
        "one map for all columns: 1 column of numbers, 2 yes/no columns, 1 category, 2 grades and "
        "1 column of counts." in words
    )
    assert "Reasons for these suggestions: name: text, different in every row." in words
    table = at.dataframe[0].value
    assert "label" not in table and table["size"].iloc[0] in ("small", "medium", "large")
    # Train offers only models that learn words, and gives the reason.
    assert at.radio(key="form_model").options == ["Bayesian GP-LVM", "Bayesian PCA"]
    assert "encoders learn only numbers" in words
    titles = {each.label for each in at.segmented_control}
    assert not {"Layers", "Noise", "How new rows find their place"} & titles
    at.number_input(key="form_max_iter").set_value(12).run()
    job = started(at)
    model = Library(workspace() / "library").model(job.entry)
    kinds = {column.name: column.kind for column in model.columns_.columns}
    assert kinds == {
        "species": "yes/no",
        "sex": "yes/no",
        "size": "grade",
        "colour": "category",
        "mass": "number",
        "eggs": "count",
        "year": "grade",
    }
    assert Library(workspace() / "library").dataset(job.entry).columns == model.columns_.columns


def test_the_time_is_foreseen_and_a_model_of_more_than_an_hour_is_not_left_without_advice(
    monkeypatch,
):
    monkeypatch.setattr("pages.ui.train.foreseen.HOUR", 0.0)
    monkeypatch.setattr("gplvm_core.training.comparing._RUNS", {})  # no estimate of another test
    at = upload(run_page("train"), "birds.csv", birds())
    words = estimated(at)
    assert "What this will take" in words and "of memory if it needs all steps" in words
    assert "No model learns all these data in an hour. Use fewer rows or columns." in words


def test_the_label_of_many_rows_colours_the_map_so_that_a_sample_trains(monkeypatch):
    monkeypatch.setattr("gplvm_core.models.problems.many_rows.MANY", 30)
    monkeypatch.setattr("gplvm_core.training.foresee.SAMPLES", (20,))
    monkeypatch.setattr("gplvm_core.training.foresee.TRIED", 20)
    lines = ["mass,length,tree", *(f"{n}.5,{n * n % 7},{('oak', 'elm')[n % 2]}" for n in range(40))]
    at = upload(run_page("train"), "trees.csv", "\n".join(lines).encode())
    words = estimated(at)
    assert "40 rows, 2 values each, 2 labels" in words
    assert "With words to learn, the map shows a sample of the 40 rows" in words
    assert "About 20 of 40 rows train the model" in words
    assert "Then 20 more rows are placed on the map" in words
    words = estimated(kind_of(at, "tree", "yes/no"))
    assert "The map shows a sample of the rows." in words
    assert "The other 20 rows are streamed once" in words


def test_a_kind_is_changed_by_a_click_and_remembered():
    at = upload(run_page("train"), "birds.csv", birds())
    kind_of(at, "eggs", "number")
    kind_of(at, "colour", "grade")
    assert "These words are missing: " in at.info[0].value
    assert not any(button.label == "Start training" for button in at.button)
    order = next(box for box in at.multiselect if "Order of the words in “colour”" in box.label)
    order.set_value(["white", "grey", "black"]).run()
    assert not at.exception and "2 columns of numbers" in said(at)
    kind_of(at, "species", "colour")
    again = said(upload(run_page("train"), "birds.csv", birds()))
    assert "6 columns, 2 labels" in again
    assert "2 columns of numbers, 1 yes/no column and 3 grades" in again


def test_remembered_counts_are_numbers_again_when_their_switch_is_off():
    whole = "a,b,c\n" + "\n".join(f"{n % 5},{n * n % 13},{n / 7:.3f}" for n in range(40))

    def shown(at: AppTest) -> list[str]:
        return [each.value for each in at.segmented_control if each.label in KINDS_OF_WHOLE]

    at = upload(run_page("train"), "whole.csv", whole.encode())
    all_counts(at).set_value(True).run()
    assert "1 column of numbers and 2 columns of counts" in said(at)
    again = upload(run_page("train"), "whole.csv", whole.encode())
    assert all_counts(again).value and "are remembered" in said(again)
    all_counts(again).set_value(False).run()
    assert shown(again) == ["number", "number"] and "columns of counts" not in said(again)
    kind_of(again, "a", "count")
    kind_of(again, "b", "count")
    assert shown(again.run()) == ["count", "count"] and not all_counts(again).value
    kind_of(again, "b", "number")
    last = upload(run_page("train"), "whole.csv", whole.encode())
    assert not all_counts(last).value and shown(last) == ["count", "number"]


@pytest.mark.slow
def test_columns_of_numbers_can_be_robust():
    rows = "\n".join(f"{np.sin(n):.3f},{np.cos(n):.3f},{n / 7:.3f}" for n in range(30))
    at = upload(run_page("train"), "numbers.csv", f"a,b,c\n{rows}".encode())
    robust = next(each for each in at.multiselect if each.label == "Robust columns")
    assert robust.options == ["a", "b", "c"] and not robust.value
    robust.set_value(["a", "c"]).run()
    assert not at.exception and not at.error
    assert "one map for all columns: 1 column of numbers and 2 robust columns." in said(at)
    at.number_input(key="form_max_iter").set_value(12).run()
    job = started(at)
    model = Library(workspace() / "library").model(job.entry)
    assert [column.kind for column in model.columns_.columns] == ["robust", "number", "robust"]
    # At the next upload of a table with these columns, the app makes the same choice.
    again = upload(run_page("train"), "numbers.csv", f"a,b,c\n{rows}".encode())
    known = next(each for each in again.multiselect if each.label == "Robust columns")
    assert known.value == ["a", "c"]


def test_tables_of_numbers_may_become_counts_by_a_click():
    rows = "\n".join(f"{n % 5},{n % 3},{n / 7:.3f}" for n in range(30))
    at = upload(run_page("train"), "numbers.csv", f"a,b,c\n{rows}".encode())
    assert "30 rows, 3 values each" in said(at)
    assert "Kinds of columns" not in said(at)
    assert "GP-LVM" in at.radio(key="form_model").options
    next(t for t in at.toggle if t.label.startswith("All 2 columns")).set_value(True).run()
    assert not at.exception
    assert "one map for all columns: 1 column of numbers and 2 columns of counts." in said(at)


def test_a_column_that_cannot_be_learnt_is_named_and_the_form_stays():
    head, *lines = birds().replace(b"female", b"").splitlines()
    lines = [head + b",once", lines[0] + b",7", *(line + b"," for line in lines[1:])]
    at = upload(run_page("train"), "birds.csv", b"\n".join(lines))
    # Train leaves these columns out
    assert "sex: always “male”" in said(at) and "once: always 7" in said(at)
    leave = next(box for box in at.multiselect if box.label == "Columns to leave out")
    assert leave.value == ["name", "sex", "once"]
    leave.set_value(["name", "sex"]).run()
    assert "'once' has 1 value in 40 rows" in at.error[0].value
    leave.set_value(["name", "once"]).run()
    # A column with one word is constant, which is no error.
    assert not at.exception and not at.error
    assert at.file_uploader


def test_a_table_of_counts_is_proposed_as_counts():
    generator = np.random.default_rng(0)
    values = generator.negative_binomial(0.3, 0.02, (60, 6))
    rows = "\n".join(",".join(map(str, row)) for row in values)
    at = upload(run_page("train"), "sites.csv", f"ant,bee,fly,moth,wasp,bug\n{rows}".encode())
    assert not at.exception
    assert "one map for all columns: 6 columns of counts." in said(at)
    assert "It predicts probabilities for counts." in said(at)
    every = next(t for t in at.toggle if t.label.startswith("All 6 columns"))
    assert every.value
    # Without it, every column is asked for by itself, with the same proposals.
    every.set_value(False).run()
    assert not at.exception
    assert "one map for all columns: 6 columns of counts." in said(at)


def test_a_state_space_model_says_that_it_leaves_a_long_gap_open():
    times = np.delete(np.arange(60.0), np.arange(20, 32))
    rows = Dataset("s", "S", np.sin(times)[:, None] * [1.0, 2.0], Drawing.of_vector(2), times=times)
    said = {choice.title: unfilled_gap(choice, rows) for choice in CHOICES}
    (title, words), *others = [each for each in said.items() if each[1]]
    assert "does not fill the gap of 12 steps" in words and "tate" in title and not others
    short = replace(rows, times=np.delete(np.arange(56.0), np.arange(20, 28)))
    assert not any(unfilled_gap(choice, short) for choice in CHOICES)


def test_fractions_are_on_and_words_beside_them_only_colour_the_map():
    rows = soils().decode().splitlines()
    words = ["site", *(("wet", "dry")[n % 2] for n in range(len(rows) - 1))]
    text = "\n".join(f"{row},{word}" for row, word in zip(rows, words, strict=True)).encode()

    def switch(at: AppTest) -> Toggle:
        return next(each for each in at.toggle if "fractions of one whole" in each.label)

    at = upload(run_page("train"), "soils.csv", text)
    assert not at.exception and switch(at).value is True
    assert "Proposed, because they have the same sum in every row." in said(at)
    assert "It only colours the map, because fractions can only be beside numbers." in said(at)
    assert "2 columns of numbers and 3 fractions" in said(at) and "2 labels" in said(at)
    factors = next(each for each in at.multiselect if each.label == "Take out")
    factors.set_value(factors.options[:1]).run()
    assert "Fractions cannot be combined with known factors" in at.error[0].value
    assert not any(button.label == "Start training" and not button.disabled for button in at.button)
    kind_of(at, "site", "yes/no")
    assert "“sand”, “silt”, “clay” are fractions of one whole? Here the model learns" in said(at)
    alone = upload(run_page("train"), "plain.csv", soils())
    assert "It predicts means with standard deviations for numbers." in said(alone)
    switch(alone).set_value(False).run()
    assert not alone.exception and "fractions." not in said(alone)
    # The answer belongs to this content, whatever the name of the file.
    for content, on in ((soils(), False), (soils() + b"\n0,0,50,25,25", True)):
        assert switch(upload(run_page("train"), "other.csv", content)).value is on


def test_choices_belong_to_one_file_and_task_are_named_and_can_be_undone():
    at = upload(run_page("train"), "birds.csv", birds())
    assert "are remembered" not in said(at) and "7 columns, 2 labels" in said(at)
    kind_of(at, "species", "colour")
    assert "Your choices for this file and this task are remembered." in said(at)
    more = birds() + b"\n" + birds().splitlines()[-1]
    for name, content, goal in (("birds.csv", more, MAP), ("birds.csv", birds(), COLUMN)):
        other = run_page("train")
        other.segmented_control(key=GOAL).set_value(goal).run()
        other = upload(other, name, content)
        assert not other.exception and "are remembered" not in said(other)
        species = next(c for c in other.segmented_control if c.label == "Kind of species")
        assert species.value == "yes/no"
    again = upload(run_page("train"), "same birds.csv", birds())
    assert "6 columns, 2 labels" in said(again) and "are remembered" in said(again)
    again = press(again, "Use the proposals")
    assert "7 columns, 2 labels" in said(again) and "are remembered" not in said(again)
    assert "are remembered" not in said(upload(run_page("train"), "birds.csv", birds()))


def test_rows_that_lack_two_of_their_fractions_are_named_before_training():
    rows = [row.split(",", 2)[2] for row in soils().decode().splitlines()]  # only fractions
    rows[6] = ",41.5,"
    at = upload(run_page("train"), "parts.csv", "\n".join(rows).encode())

    def switch(words: str) -> Toggle:
        return next(each for each in at.toggle if words in each.label)

    assert switch("fractions of one whole").value is True
    assert "1 row (line 7) cannot train, because two or more fractions" in at.error[0].value
    assert not any(button.label == "Start training" for button in at.button)
    switch("Leave out the rows without any usable value").set_value(True).run()
    assert not at.exception and not at.error
    assert "to use because two or more fractions are missing: line 7." in said(at)
    assert any(button.label == "Start training" for button in at.button)
