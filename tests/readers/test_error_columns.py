"""Tests of the proposal which columns are the errors of which."""

import numpy as np
import pytest

from gplvm_core import error_columns, read_table
from gplvm_core.readers import ask_column
from gplvm_core.readers.error_columns import ERRORS, proposed_errors, with_errors


@pytest.mark.parametrize(
    "name",
    [
        *("x_err", "x_error", "x_std", "x_sd", "x_sigma", "x ±", "x+/-", "x +/-"),
        *("e_x", "err_x", "error_x", "sigma_x", "X err", "x.SD", "x-sigma"),
    ],
)
def test_names_of_errors_are_recognised(name: str) -> None:
    assert error_columns(["y", name, "x"]) == {"x": name}


@pytest.mark.parametrize(
    "names",
    [
        ["flux_err", "redshift"],  # no column flux
        ["x", "xerr", "ex", "x_mean", "stderr", "e", "sigma"],
        ["std", "x_standard", "x_errors_of_y"],
        [],
    ],
)
def test_other_names_are_not(names: list[str]) -> None:
    assert error_columns(names) == {}


def test_every_column_has_one_column_of_errors_in_the_tables_order() -> None:
    names = ["b_sd", "a", "b", "a_err", "e_a", "a_err_sd"]
    assert error_columns(names) == {"a": "a_err", "b": "b_sd"}


def test_columns_of_errors_become_errors_of_a_data_set() -> None:
    text = b"a,a_err,b,b_err,kind\n1,0.1,2,,x\n3,,4,-1,y\n5,0.3,6,0.2,x\n"
    dataset = read_table(text, label_column="kind")
    assert proposed_errors(dataset) == {"a": "a_err"}  # errors are not negative
    found = with_errors(dataset, {"a": "a_err"})
    assert found.column_names == ("a", "b", "b_err")
    np.testing.assert_array_equal(found.values[:, 0], [1.0, 3.0, 5.0])
    errors = found.covariates[ERRORS]
    np.testing.assert_array_equal(errors[:, 0], [0.1, 0.0, 0.3])
    np.testing.assert_array_equal(errors[:, 1:], 0.0)
    np.testing.assert_array_equal(found.labels, dataset.labels)
    assert proposed_errors(found) == {}
    words = text.replace(b"0.1", b"low").replace(b"0.3", b"low")
    assert proposed_errors(read_table(words, kinds="auto")) == {}
    asked = ask_column(found.taken(np.arange(30) % 3), "b", ["a"])
    assert "The known errors of the columns are not used" in asked.notes[-1]


def test_rows_with_errors_only_are_left_out_and_said() -> None:
    dataset = read_table(b"a,a_err,b\n1,0.1,2\n,0.2,\n5,0.3,6\n", label_column=None)
    found = with_errors(dataset, {"a": "a_err"})
    np.testing.assert_array_equal(found.values, [[1.0, 2.0], [5.0, 6.0]])
    np.testing.assert_array_equal(found.covariates[ERRORS][:, 0], [0.1, 0.3])
    assert "1 row with errors but without values left out" in found.notes
