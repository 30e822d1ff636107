"""Tests of the facts and columns of a data set that a map can take out."""

import numpy as np
import pandas as pd
import pytest

from gplvm_core.readers import DataError, Dataset, Drawing
from gplvm_core.readers.taken_out import possible_factors, take_out

N = 6
VALUES = np.random.default_rng(0).standard_normal((N, 2))


def table() -> Dataset:
    frame = pd.DataFrame(VALUES, columns=["a", "b"])
    frame["batch"] = ["x", "y", None, "x", "y", "x"]
    return Dataset.of_table("t", "T", frame, ["number", "number", "category"])


def measured() -> Dataset:
    return Dataset(
        "m",
        "M",
        VALUES,
        Drawing.of_vector(2),
        labels=np.array([0, 1, -1, 0, 1, 0]),
        label_names=("control", "case"),
        column_names=("a", "b"),
        times=np.arange(N, dtype=float),
        covariates={"age": np.arange(30.0, 30.0 + N), "position": VALUES},
    )


def test_a_column_that_is_taken_out_is_no_longer_learnt():
    taken = take_out(table(), ["batch"])
    assert taken.column_names == ("a", "b") and taken.kinds is None
    np.testing.assert_array_equal(taken.values, VALUES)
    assert taken.known["batch"].tolist() == ["x", "y", "", "x", "y", "x"]
    few = taken.taken(np.array([4, 0]))
    assert few.known["batch"].tolist() == ["y", "x"]


def test_a_column_of_numbers_leaves_the_columns_of_words_with_their_kinds():
    taken = take_out(table(), ["a"])
    assert taken.kinds == ["number", "category"]
    np.testing.assert_array_equal(taken.known["a"], VALUES[:, 0])


def test_labels_times_and_facts_of_one_value_can_be_taken_out_and_columns_stay():
    data = measured()
    assert possible_factors(data) == ("label", "time", "age", "a", "b")
    taken = take_out(data, ["label", "age"])
    assert taken.n_outputs == 2 and list(taken.known) == ["label", "age"]
    assert taken.known["label"].tolist() == ["control", "case", "", "control", "case", "control"]


def test_what_cannot_be_taken_out_is_named():
    with pytest.raises(DataError, match="no known factor 'plate'; it has a, b, batch"):
        take_out(table(), ["plate"])
    with pytest.raises(DataError, match="nothing is left to learn"):
        take_out(table(), ["a", "b", "batch"])
    with pytest.raises(DataError, match="known factor 'plate' has the shape"):
        Dataset("m", "M", VALUES, Drawing.of_vector(2), known={"plate": np.zeros(2)})
