"""Tests of kinds of columns: choice by values, allowed values, and words as yes/no columns."""

import numpy as np
import pandas as pd
import pytest

from gplvm_core.likelihoods import TableColumns, class_probabilities, classes, sticks
from gplvm_core.readers import DataError


def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "mass": [1.5, 2.5, np.nan, 4.0, 1.1, 2.1, 3.1, 4.1],
            "alive": [True, False, True, True] * 2,
            "sort": ["b", "a", "c", None] * 2,
            "size": pd.Categorical(["m", "s", "l", "s"] * 2, ["s", "m", "l"], ordered=True),
            "where": pd.Categorical(["x", "y", "x", "x"] * 2),
            "eggs": [0, 3, 1, np.nan] * 2,
            "year": np.arange(2000, 2008),
            "male": [0, 1, 1, 0] * 2,
        }
    )


def test_kinds_follow_from_values_and_declared_types_with_a_note() -> None:
    columns, outputs, told = TableColumns.learnt(frame(), "auto")
    kinds = [column.kind for column in columns.columns]
    assert kinds == [
        *("number", "yes/no", "category", "grade", "category", "count", "number", "yes/no")
    ]
    assert columns.columns[2].words == ("a", "b", "c")  # equally frequent words are sorted
    assert columns.columns[3].words == ("s", "m", "l")  # grades keep their given order
    assert outputs.shape == (8, 10)
    assert len(told) == 1
    assert "'eggs' count (whole numbers from 0 to 3)" in told[0]
    assert "'year' number" in told[0]


def test_outputs_go_back_to_the_same_table() -> None:
    table = (
        frame().drop(columns="mass").assign(sort=["b", "a", "c", "b"] * 2, eggs=[0, 3, 1, 1] * 2)
    )
    columns, outputs, _ = TableColumns.learnt(table, "auto")
    back = pd.DataFrame(columns.decoded(np.nan_to_num(outputs)), columns=list(table))
    for name in table:
        assert back[name].tolist() == [
            word in (True, 1) if name == "male" and isinstance(word, bool) else word
            for word in table[name]
        ]


def test_missing_values_of_any_sort_are_gaps() -> None:
    table = [["a", 1, None], ["b", None, 2.0], [" ", 2, float("nan")], ["a", 3, 4.0]]
    columns, outputs, _ = TableColumns.learnt(table, ["category", "count", "number"])
    np.testing.assert_array_equal(np.isnan(outputs), [[0, 0, 1], [0, 1, 0], [1, 0, 1], [0, 0, 0]])
    assert columns.columns[0].words == ("a", "b")


def test_sticks_and_back() -> None:
    codes = np.array([0.0, 1.0, 2.0, np.nan, 3.0])
    yes = sticks(codes, 4)
    np.testing.assert_array_equal(yes[0], [1.0, np.nan, np.nan])
    np.testing.assert_array_equal(yes[2], [0.0, 0.0, 1.0])
    np.testing.assert_array_equal(yes[4], [0.0, 0.0, 0.0])
    assert np.isnan(yes[3]).all()
    seen = ~np.isnan(codes)
    np.testing.assert_array_equal(classes(np.nan_to_num(yes[seen])), codes[seen])
    chance = class_probabilities(np.array([0.2, 0.5, 0.9]))
    np.testing.assert_allclose(chance, [0.2, 0.4, 0.36, 0.04])


def test_a_grade_may_have_its_order_given() -> None:
    columns, outputs, _ = TableColumns.learnt([["m"], ["s"], ["l"]], [["s", "m", "l"]])
    assert columns.columns[0].words == ("s", "m", "l")
    np.testing.assert_array_equal(outputs, [[0.0, 1.0], [1.0, np.nan], [0.0, 0.0]])


@pytest.mark.parametrize(
    ("values", "kind", "said"),
    [
        (["a", None, None], "category", "has 1 value in 3 rows"),
        ([None, 1.5, None], "number", "has 1 value in 3 rows"),
        ([None, None, None], "category", "has 0 values in 3 rows"),
        ([f"w{n}" for n in range(10_000)], "category", "10,000 different words"),
        ([0, 2, -1], "count", "row 2 (counted from 0) has -1"),
        ([0, 2, 0.5], "count", "has 0.5: counts are whole numbers"),
        ([0, 2, 2**64], "count", "has 18446744073709551616: counts are whole numbers"),
        (["s", "m", "xl"], ["s", "m", "l"], "has 'xl' in row 2"),
        (["s", "m", "l"], "grade", "the order of its words"),
        (["a", "b", "c"], "yes/no", "has 3 values"),
        (["a", "b", 1.0], "number", "row 0 (counted from 0) has 'a'"),
        ([1.0, float("inf"), 2.0], "number", "has inf"),
        ([1.0, 2.0, 3.0], "colour", "kind must be one of number, robust, yes/no"),
    ],
)
def test_impossible_values_are_reported(values: list[object], kind: object, said: str) -> None:
    with pytest.raises(DataError) as error:
        TableColumns.learnt([[value] for value in values], [kind])
    assert said in str(error.value)
    assert "'0'" in str(error.value)


def test_new_rows_are_checked() -> None:
    columns, _, _ = TableColumns.learnt(frame(), "auto")
    rows = frame().assign(sort=["b", "z", "b", "a"] * 2)
    with pytest.raises(DataError, match=r"'sort' \(category\) has 'z' in row 1"):
        columns.encoded(rows)
    with pytest.raises(DataError, match="the rows have 7 columns"):
        columns.encoded(frame().drop(columns="mass"))
    with pytest.raises(DataError, match="no column 'weight'"):
        columns.column("weight")


def test_impossible_kinds_are_refused() -> None:
    with pytest.raises(DataError, match="names the column 'weight'"):
        TableColumns.learnt(frame(), {"weight": "number"})
    with pytest.raises(DataError, match="kinds has 2 entries for 8 columns"):
        TableColumns.learnt(frame(), ["number", "number"])
    with pytest.raises(DataError, match='kinds must be None, "auto"'):
        TableColumns.learnt(frame(), "numbers")
