"""Tests that the browser gets a table without exposures, and counts at a typical exposure."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from gplvm_core import BayesianGPLVM
from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.likelihoods import TableColumns
from gplvm_core.new_rows import Answers, Reason
from gplvm_core.readers.kinds import TableColumn
from gplvm_core.wire.frame import unframe
from gplvm_core.wire.model import Chart, pack_model
from gplvm_core.wire.new_rows import pack_new_rows


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_exposures_are_not_drawn() -> None:
    generator = np.random.default_rng(0)
    counts = generator.poisson(4.0, (30, 3))
    table = pd.DataFrame({"size": generator.uniform(1.0, 9.0, 30)}).join(
        pd.DataFrame(counts, columns=["a", "b", "c"])
    )
    kinds = {"size": "exposure"} | dict.fromkeys("abc", "count")
    dataset = Dataset.of_table("cells", "Cells", table, kinds)
    model = BayesianGPLVM(2, 8, kinds=kinds, max_iter=5).fit(dataset.in_own_values())
    header, arrays = unframe(pack_model(Chart.of_top(model, dataset), "store"))
    drawing, links = header["drawing"], header["links"]
    assert drawing["columns"] == [each["name"] for each in drawing["table"]] == ["a", "b", "c"]
    assert [each["start"] for each in links["columns"]] == [1, 2, 3]
    np.testing.assert_array_equal(np.reshape(arrays["items"], (30, -1)), counts)


def test_new_rows_have_their_values_at_the_drawn_columns_with_the_words_of_the_model() -> None:
    columns = (
        TableColumn("size", "exposure"),
        TableColumn("eggs", "count"),
        TableColumn("bird", "category", ("gull", "swan")),
        TableColumn("mass", "number"),
    )
    rows = np.array([[2.0, 5.0, 0.0, 1.5], [3.0, 7.0, 1.0, 2.5]])
    dataset = Dataset("birds", "Birds", rows, Drawing.of_vector(4), columns=columns)
    # The model orders words by their frequency in its own training rows.
    learnt = TableColumns((*columns[:2], replace(columns[2], words=("swan", "gull")), columns[3]))
    given = np.array([[4.0, 6.0, np.nan, 15.0], [np.nan, 8.0, 1.0, 2.0]])
    filled = np.array([[4.0, 6.0, 0.0, 15.0], [2.0, 8.0, 1.0, 2.0]])
    nothing, few = np.full((2, 4, 1), np.nan), np.array([0.01, 0.5])
    answers = Answers(
        places=np.zeros((2, 1)),
        place_std=np.ones((2, 1)),
        explanations=nothing,
        weights=np.array([[1.0, 0.0, 0.0, 0.0]] * 2),
        filled=filled,
        std=np.where(np.isnan(given), 0.3, 0.0),
        p=few,
        p_cell=few,
        oddness=-few,
        unlike=np.zeros(2, dtype=bool),
        reasons=((Reason(3, 15.0, 1.5, 0.1, None, None, 0.5),), ()),
        nearest=np.zeros((2, 1), dtype=np.intp),
        known=100,
    )
    header, arrays = unframe(pack_new_rows(answers, given, ["a", "b"], [[], []], dataset, learnt))
    assert header["width"] == 3
    shown = np.reshape(arrays["filled"], (2, 3))
    np.testing.assert_array_equal(shown, [[6.0, 1.0, 15.0], [8.0, 0.0, 2.0]])  # eggs, bird, mass
    np.testing.assert_array_equal(np.reshape(arrays["missing"], (2, 3)), [[0, 1, 0], [0, 0, 0]])
    np.testing.assert_allclose(np.reshape(arrays["std"], (2, 3)), [[0, 0.3, 0], [0, 0, 0]])
    assert [each["gaps"] for each in header["rows"]] == [1, 0]
    (reason,) = header["rows"][0]["reasons"]
    assert reason["column"] == 2 and reason["short"].startswith("mass 15: expected 1.30 to 1.70")
