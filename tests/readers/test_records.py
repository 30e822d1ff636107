"""Tests of rows that are given as records: the same answers as for the rows of a file."""

import numpy as np
import pandas as pd
import pytest

from gplvm_core import Dataset, read_table
from gplvm_core.readers import DataError, NamedBytes
from gplvm_core.readers.new_rows import read_records, read_rows

FRAME = pd.DataFrame(
    {
        "width": [1.25, np.nan, -3.0, 1234.5],
        "sort": ["oak", "elm", None, "oak"],
        "day": ["2024-01-03", "2024-02-29", "2024-07-01", "2023-12-31"],
        "free": ["x", "y", "z", "w"],
    }
)


@pytest.fixture(scope="module")
def trees() -> Dataset:
    days = pd.date_range("2024-01-01", periods=40, freq="9D").strftime("%Y-%m-%d")
    width = np.linspace(0.5, 9.7, 40)
    frame = pd.DataFrame({"width": width, "sort": ["oak", "elm"] * 20, "day": days})
    kinds = {"width": "number", "sort": "category"}
    text = frame.to_csv(index=False).encode()
    return read_table(text, kinds=kinds, date_columns=["day"])


def records() -> list[dict[str, object]]:
    return FRAME.astype(object).where(FRAME.notna(), None).to_dict("records")


def test_records_are_read_like_a_file(trees: Dataset):
    file = read_rows(NamedBytes("rows.csv", FRAME.to_csv(index=False).encode()), trees)
    own = read_records(records(), trees)
    np.testing.assert_array_equal(own.values, file.values)
    assert own.values.shape == (4, 5) and np.isnan(own.values).sum() == 2
    assert "Columns that the model does not have were not used: free." in own.notes


def test_numbers_stay_numbers_beside_text_with_decimal_commas(trees: Dataset):
    """A number is never read as thousands: 1.234 is not 1234."""
    rows = [{"width": "0,5"}, {"width": 1.234}, {"width": "1.000,5"}, {"width": 1e-7}]
    own = read_records(rows, trees)
    np.testing.assert_array_equal(own.values[:, 0], [0.5, 1.234, 1000.5, 1e-7])
    alone = read_records([{"width": 1.234}, {"width": 12.5}], trees)
    np.testing.assert_array_equal(alone.values[:, 0], [1.234, 12.5])
    assert not any("Dots" in note for note in alone.notes)


def test_rows_are_counted_from_one(trees: Dataset):
    with pytest.raises(DataError, match="row 2, column “sort”: the model does not know “ash”"):
        read_records([{"sort": "oak"}, {"sort": "ash"}], trees)
    own = read_records([{"width": 1.0}, {}, {"width": "wide"}, {"sort": "elm", "width": 2}], trees)
    assert [own.number(row) for row in range(len(own.values))] == [1, 4]
    assert "“wide”, row 3" in own.misfits[0].words


def test_columns_are_matched_only_by_name(trees: Dataset):
    with pytest.raises(DataError, match="none of the model's columns"):
        read_records([{"a": 1, "b": "oak", "c": 1, "d": 1, "e": 1}], trees)
    with pytest.raises(DataError, match="no column"):
        read_records([{}], trees)
