"""Tests of the dialog "Is there anything here?" on Train, computed in a thread."""

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.training import comparison_of
from pages.ui.train.anything import question
from tests.app.apptest import run_page, said


def lines(related: bool) -> Dataset:
    """Return rows of two numbers and a word that follow one line or are independent."""
    values = np.random.default_rng(3).normal(size=(50, 3))
    if related:
        values = values[:, :1] + 0.1 * values
    table = pd.DataFrame(
        {
            "height": values[:, 0],
            "size": np.where(values[:, 1] > 0.0, "large", "small"),
            "width": values[:, 2],
        }
    )
    return Dataset.of_table("lines", "Lines", table)


def room(related: bool) -> None:
    from pages.ui.train.anything import anything
    from tests.app.test_anything import lines

    anything(lines(related))


@pytest.mark.parametrize("related", [pytest.param(True, marks=pytest.mark.slow), False])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_table_is_tested_and_answered_in_words(related: bool) -> None:
    at = AppTest.from_function(room, args=(related,), default_timeout=300).run()
    at.button(key="anything_start").click().run()
    run = comparison_of(question(lines(related)).key)
    run.wait(300)
    assert run.done and run.problem is None, run.problem
    at = at.run()
    assert not at.exception
    words = [each.value for each in (*at.success, *at.warning)]
    assert len(words) == 1
    assert words[0].startswith("Yes, there is structure" if related else "No structure was found")
    assert ("would show only chance" in said(at)) is not related
    assert at.dataframe[0].value["table"].tolist()[1:] == ["Shuffled copy 1", "Shuffled copy 2"]
    assert at.button(key="anything_start").label == "Test again"


def test_ending_leaves_no_answer() -> None:
    data = lines(related=True)
    asked = question(data)

    def ended(step: object) -> None:
        raise StopIteration

    found = asked.asked(ended)
    assert not found.complete and not found.found
    assert "no answer yet" in found.answer


def test_large_tables_are_tested_in_part_and_constant_columns_left_out() -> None:
    values = np.random.default_rng(0).normal(size=(900, 80))
    values[:, 3] = 1.0
    asked = question(Dataset("t", "T", values, Drawing.of_vector(80)))
    assert len(asked.rows) == 400 and len(asked.columns) == 60 and 3 not in asked.columns
    assert asked.used == (
        "To finish within minutes, the test uses 400 of 900 rows and 60 of 80 columns."
    )


def test_train_asks_it_below_the_preview() -> None:
    at = run_page("train")
    at.button(key="anything").click().run()
    assert not at.exception
    assert at.button(key="anything_start").label == "Find out"
