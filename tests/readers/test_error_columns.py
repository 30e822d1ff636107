"""Tests of the proposal which columns are the errors of which."""

import pytest

from gplvm_core import error_columns


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
