"""Tests that isolated values are found, explained and left out, and that ordinary tails are not."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from gplvm_core.datasets import Dataset, Drawing, load_dataset
from gplvm_core.readers.isolated import isolated_values, without

HEIGHTS = np.random.default_rng(0).normal(170.0, 9.0, 60)


def table(**changed: float) -> Dataset:
    """Return heights and weights; changed: new heights by row, such as row3=1650."""
    values = np.column_stack([HEIGHTS, 0.9 * (HEIGHTS - 100.0)])
    for row, value in changed.items():
        values[int(row.removeprefix("row")), 0] = value
    return Dataset("t", "T", values, Drawing("bars", (2,)), column_names=("height", "weight"))


@pytest.mark.parametrize(
    ("value", "corrected"), [(1650.0, 165.0), (-172.0, 172.0), (1.7, 170.0), (40_000.0, None)]
)
def test_a_slip_is_found_with_its_correction(value: float, corrected: float | None) -> None:
    found = isolated_values(table(row3=value))
    assert [(each.row, each.column, each.value) for each in found] == [(3, 0, value)]
    assert found[0].low == np.delete(HEIGHTS, 3).min()
    assert found[0].corrected == pytest.approx(corrected)


@pytest.mark.parametrize(("value", "corrected"), [(26, None), (30, 3.0), (75, None), (400, 4.0)])
def test_the_correction_of_a_count_is_another_whole_number(
    value: int, corrected: float | None
) -> None:
    frame = pd.DataFrame({"eggs": [*([0, 1, 2, 3, 4] * 6), value], "mass": HEIGHTS[:31]})
    data = Dataset.of_table("t", "T", frame, {"eggs": "count", "mass": "number"})
    (found,) = isolated_values(data)
    assert (found.value, found.corrected) == (value, corrected)


def test_a_tenth_of_a_value_is_found_on_the_scale_of_logarithms() -> None:
    waists = np.r_[np.random.default_rng(2).uniform(60.0, 104.0, 40), 8.0]
    data = Dataset(
        "t", "T", np.column_stack([waists, -waists, waists - 8.0]), Drawing("bars", (3,))
    )
    (found,) = isolated_values(data)
    assert (found.row, found.column, found.corrected) == (40, 0, 80.0)
    honest = np.r_[waists[:40], 30.0][:, None]
    assert isolated_values(Dataset("t", "T", honest, Drawing("bars", (1,)))) == ()


def test_several_errors_of_a_column_do_not_hide_each_other() -> None:
    found = isolated_values(table(row3=1650.0, row8=1720.0, row9=-999.0))
    assert sorted(each.row for each in found) == [3, 8, 9]


def test_ordinary_tails_are_kept() -> None:
    rng = np.random.default_rng(1)
    tails = np.column_stack([np.exp(rng.normal(size=400)), rng.standard_t(3, size=400)])
    assert isolated_values(Dataset("t", "T", tails, Drawing("bars", (2,)))) == ()
    swarms = pd.DataFrame({"birds": [*([0, 1, 5, 46] * 6), 1631], "mass": HEIGHTS[:25]})
    kinds = {"birds": "count", "mass": "number"}
    assert isolated_values(Dataset.of_table("t", "T", swarms, kinds)) == ()
    for name in ("wine", "diabetes", "countries", "flow"):
        assert isolated_values(load_dataset(name)) == ()


def test_a_value_that_is_left_out_is_missing_and_noted() -> None:
    data = table(row3=1650.0)
    cleaned = without(data, [(3, 0)])
    assert np.isnan(cleaned.values[3, 0]) and np.isnan(cleaned.values).sum() == 1
    assert data.values[3, 0] == 1650.0
    assert cleaned.notes[-1].startswith("Values far from all others count as missing: ")
    assert cleaned.notes[-1].endswith(" 1,650 in row 4.")
    assert isolated_values(cleaned) == () and without(data, []) is data


def test_only_numbers_of_tables_are_checked() -> None:
    frame = pd.DataFrame({"height": [*HEIGHTS[:59], 1650.0], "sex": ["f", "m"] * 30})
    mixed = Dataset.of_table("t", "T", frame)
    assert [(each.row, each.column) for each in isolated_values(mixed)] == [(59, 0)]
    picture = replace(table(row3=1650.0), drawing=Drawing("image", (1, 2)))
    assert isolated_values(picture) == ()
    few = Dataset("t", "T", np.array([[1.0], [2.0], [900.0]]), Drawing("bars", (1,)))
    assert isolated_values(few) == ()
