"""Tests of the dialog "Is depth worth it here?" in the Library, computed in a thread."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from gplvm_core.comparison import depth
from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.models.problems import regression
from gplvm_core.training import ComparisonRun, begin_comparison, comparison_of
from pages.ui.compare import depth_worth
from pages.ui.compare.depth_worth import DepthQuestion, asked_for
from pages.ui.shared.running import progress_in_words, rows_used
from tests.app.apptest import said


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"N_INDUCING": 4, "MAX_ITER": 2, "SPLITS": 2}.items():
        monkeypatch.setattr(depth_worth, name, value)
    monkeypatch.setattr(regression, "SUBSET_ITERATIONS", 1)
    monkeypatch.setattr(depth, "N_TREES", 2)


def table(n_rows: int = 24, seed: int = 0) -> Dataset:
    rows = np.random.default_rng(seed).normal(size=(n_rows, 3))
    names = ("height", "width", "age")
    return Dataset("table", "A table", rows, Drawing.of_vector(3), column_names=names)


def room(seed: int) -> None:
    from pages.ui.compare.depth_worth import depth_worth
    from tests.app.test_depth_worth import table

    depth_worth(table(seed=seed))


@pytest.mark.usefixtures("quick")
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_column_is_asked_for_and_answered() -> None:
    at = AppTest.from_function(room, args=(1,), default_timeout=300).run()
    assert not at.exception and "Uses 24 rows." in said(at)
    at = at.selectbox(key="depth_worth_column").select(2).run()
    assert at.selectbox(key="depth_worth_column").options[3] == "age from the other columns"
    at.button(key="depth_worth_start").click().run()
    run = comparison_of(DepthQuestion(table(seed=1), 2, np.arange(24)).key)
    run.wait(300)
    assert run.done and run.problem is None, run.problem
    at = at.run()
    assert not at.exception
    assert "Depth " in at.info[0].value and "boosted trees" in str(at.dataframe[0].value)
    # The result remains, also for another visitor. A comparison of whole rows has its own result.
    again = AppTest.from_function(room, args=(1,), default_timeout=300).run()
    assert not again.info
    again = again.selectbox(key="depth_worth_column").select(2).run()
    assert again.info[0].value == at.info[0].value
    assert again.button(key="depth_worth_start").label == "Ask again"


def test_an_end_is_requested_and_an_error_reported() -> None:
    def work(callback):
        raise ValueError("9 rows are too few")

    run = begin_comparison("an error", work)
    run.wait(10)
    assert run.problem == "9 rows are too few" and run.result is None and run.done
    run.end()
    assert progress_in_words(run) == "Ending …"


def test_a_run_that_waits_for_others_says_so() -> None:
    run = ComparisonRun(lambda callback: None)
    assert progress_in_words(run).startswith("Waiting for other calculations")


def test_rows_with_gaps_and_too_many_rows_are_reported() -> None:
    data = table(900)
    values = data.values.copy()
    values[::3, 0] = np.nan
    question = asked_for(Dataset("t", "T", values, Drawing.of_vector(3)))
    assert len(question.rows) == 400 and not np.isnan(values[question.rows]).any()
    assert rows_used(question.dataset, question.rows, "minutes") == (
        "Uses 400 rows out of 600, to finish within minutes; "
        "leaves out 300 rows with missing values."
    )
