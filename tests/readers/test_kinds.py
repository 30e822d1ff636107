"""A data set whose columns are of any kind: words are stored as their numbers."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from gplvm_core import BayesianGPLVM, load
from gplvm_core.readers import DataError, Dataset
from gplvm_core.store import save

FRAME = pd.DataFrame(
    {
        "width": [1.5, 2.0, np.nan, 4.0, 2.5, 3.0],
        "sex": ["no", "yes", "yes", None, "no", "no"],
        "sort": ["b", "a", "c", "a", "a", "b"],
        "size": ["s", "l", "m", "m", None, "s"],
        "eggs": [0, 3, 1, 2, 0, 1],
    }
)
KINDS = {"sex": "yes/no", "size": ["s", "m", "l"]}


def data() -> Dataset:
    return Dataset.of_table("birds", "Birds", FRAME, KINDS)


def test_words_are_stored_as_their_numbers_and_come_back():
    found = data()
    assert [column.kind for column in found.columns] == [
        "number",
        "yes/no",
        "category",
        "grade",
        "count",
    ]
    assert found.columns[1].words == ("yes", "no")
    assert found.columns[2].words == ("a", "b", "c")  # the most frequent first
    assert found.column_names == tuple(FRAME)
    gap = np.nan
    np.testing.assert_array_equal(found.values[:, 1], [1, 0, 0, gap, 1, 1])
    np.testing.assert_array_equal(found.values[:, 3], [0, 2, 1, 1, gap, 0])
    own = found.in_own_values()
    pd.testing.assert_frame_equal(own.convert_dtypes(), FRAME.convert_dtypes())
    np.testing.assert_array_equal(found.coded(own), found.values)
    assert found.in_own_values(found.values[1:2]).iloc[0].tolist() == [2.0, "yes", "a", "l", 3]
    assert "columns seem to be in different units" not in " ".join(found.warnings)


def test_a_model_learns_the_same_from_the_data_set_and_from_the_frame():
    settings = {"n_components": 2, "n_inducing": 4, "max_iter": 4, "random_state": 0}
    found = data()
    first = BayesianGPLVM(**settings, kinds=KINDS).fit(FRAME)
    second = BayesianGPLVM(**settings, kinds=found.kinds).fit(found.in_own_values())
    assert first.bound_ == second.bound_
    assert second.columns_.columns == found.columns


def test_columns_are_stored_and_numbers_alone_have_none(tmp_path):
    save(data(), tmp_path / "birds.gplvm")
    back = load(tmp_path / "birds.gplvm")
    assert back.columns == data().columns
    assert back.in_own_values().equals(data().in_own_values())
    numbers = Dataset.of_table("numbers", "Numbers", FRAME[["width"]].fillna(0.5))
    assert numbers.columns == () and numbers.kinds is None
    assert numbers.in_own_values().columns.tolist() == ["width"]


def test_values_and_columns_that_do_not_fit_are_refused():
    found = data()
    beyond = found.values.copy()
    beyond[0, 2] = 3.0
    with pytest.raises(DataError, match=r"'sort' .category. must be numbers of its 3 words from 0"):
        replace(found, targets=beyond)
    half = found.values.copy()
    half[0, 4] = 0.5
    with pytest.raises(DataError, match=r"'eggs' .count. must be whole numbers from 0"):
        replace(found, targets=half)
    with pytest.raises(DataError, match="the same column names, and no views"):
        replace(found, column_names=tuple("abcde"))
    wordless = replace(found.columns[1], words=())
    with pytest.raises(DataError, match="'sex' cannot be 'yes/no'"):
        replace(found, columns=(found.columns[0], wordless, *found.columns[2:]))
    with pytest.raises(
        DataError, match=r"'sort' .* has 'z' in row 0 .*its words are 'a', 'b', 'c'"
    ):
        found.coded([[1.0, "yes", "z", "s", 0]])
    with pytest.raises(DataError, match="Views need numbers alone"):
        Dataset.of_views("both", "Both", {"one": found, "two": found})
