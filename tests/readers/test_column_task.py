"""Tests of the prediction of one column: which rows and columns it uses, and which it refuses."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from gplvm_core.datasets import DataError, Dataset, Drawing
from gplvm_core.readers import ask_column

NAMES = ("a", "b", "spread", "y")


def table(**columns: np.ndarray) -> Dataset:
    """Return thirty rows in which y depends on a.

    Keyword arguments replace columns.
    """
    generator = np.random.default_rng(0)
    values = {name: generator.uniform(0.1, 1.0, 30) for name in NAMES} | columns
    rows = np.column_stack([values[name] for name in NAMES])
    return Dataset("own", "Own", rows, Drawing.of_vector(4), column_names=NAMES)


def test_rows_without_a_target_are_left_out_and_said():
    y = np.arange(30.0)
    y[[3, 7]] = np.nan
    asked = ask_column(table(y=y), "y", ["a", "b"])
    assert asked.column_names == ("a", "b", "y")
    assert asked.n_points == 28 and not np.isnan(asked.values[:, -1]).any()
    assert asked.notes[-1] == "2 rows were left out: no value of “y”."


def test_rows_with_gaps_are_used_or_left_out():
    a = np.arange(30.0)
    a[4] = np.nan
    assert ask_column(table(a=a), "y", ["a", "b"]).n_points == 30
    whole = ask_column(table(a=a), "y", ["a", "b"], gaps=False)
    assert whole.n_points == 29
    assert whole.notes[-1] == "1 row was left out: gaps in the inputs."


def test_training_and_held_out_rows_are_apart_and_stay_the_same():
    asked = ask_column(table(), "y", ["a"])
    train, held = asked.task.rows(30)
    assert len(held) == 6 and sorted([*train, *held]) == list(range(30))
    np.testing.assert_array_equal(held, asked.task.rows(30)[1])


def test_errors_of_inputs_become_variances():
    asked = ask_column(table(), "y", ["a", "b"], errors={"b": "spread"})
    rows = asked.task.of(asked.column_names, asked.values, np.arange(30))
    np.testing.assert_allclose(rows.variance[:, 1], table().values[:, 2] ** 2)
    assert not rows.variance[:, 0].any()


@pytest.mark.parametrize(
    ("data", "target", "inputs", "errors", "words"),
    [
        (table(y=np.ones(30)), "y", ["a"], {}, "“y” has the same value in every row"),
        (table(), "y", ["a", "y"], {}, "cannot be an input, too"),
        (table(), "y", [], {}, "Choose at least one input"),
        (table(), "y", ["c"], {}, "has no column “c”"),
        (table(a=np.ones(30)), "y", ["a"], {}, "Nothing varies in the inputs"),
        (table(y=np.r_[np.arange(9.0), np.full(21, np.nan)]), "y", ["a"], {}, "Only 9 rows"),
        (table(spread=-np.ones(30)), "y", ["a"], {"a": "spread"}, "Row 1 has -1"),
        (table(), "y", ["a", "spread"], {"a": "spread"}, "A column of errors cannot be an input"),
    ],
)
def test_questions_without_an_answer_are_explained(data, target, inputs, errors, words):
    with pytest.raises(DataError, match=words):
        ask_column(data, target, inputs, errors=errors)


def with_words() -> Dataset:
    own = pd.DataFrame(
        {
            "kind": ["x", "y", "z", "x", None] * 6,
            "size": ["small", "medium", "large"] * 10,
            "a": np.arange(30.0),
            "y": np.arange(30.0),
        }
    )
    kinds = {"kind": "category", "size": ["small", "medium", "large"]}
    return Dataset.of_table("own", "Own", own, kinds)


def test_words_are_inputs_of_zeros_and_ones_and_grades_are_numbers():
    asked = ask_column(with_words(), "y", ["kind", "a", "size"])
    rows = asked.task.of(asked.column_names, asked.values, np.arange(5))
    assert asked.task.input_columns.names == ("kind = x", "kind = y", "kind = z", "a", "size")
    expected = [[1, 0, 0, 0, 0], [0, 1, 0, 1, 1], [0, 0, 1, 2, 2], [1, 0, 0, 3, 0]]
    np.testing.assert_array_equal(rows.inputs[:4], expected)
    np.testing.assert_array_equal(rows.inputs[4], [np.nan, np.nan, np.nan, 4, 1])
    assert ask_column(with_words(), "y", ["kind", "a"], gaps=False).n_points == 24


def test_words_are_neither_predicted_nor_errors():
    for target, inputs, errors in (("kind", ["a"], {}), ("y", ["a"], {"a": "kind"})):
        with pytest.raises(DataError, match="“kind” has words"):
            ask_column(with_words(), target, inputs, errors=errors)


def test_a_word_beyond_those_of_its_column_is_refused():
    asked = ask_column(with_words(), "y", ["kind", "a"])
    values = asked.values.copy()
    values[0, 0] = 7.0
    with pytest.raises(DataError, match="numbers of its 3 words"):
        replace(asked, targets=values)


def test_a_task_must_fit_its_columns():
    asked = ask_column(table(), "y", ["a", "b"])
    with pytest.raises(DataError, match="no column “y”"):
        replace(asked, column_names=("a", "b", "z"))


def test_a_column_with_one_value_is_said_to_have_one() -> None:
    frame = pd.DataFrame({"y": np.arange(30.0), "x": np.arange(30.0) ** 2, "k": ["same"] * 30})
    data = Dataset.of_table("t", "T", frame, "auto")
    with pytest.raises(DataError, match="“k” has one value in all rows"):
        ask_column(data, "y", ["x", "k"])
