"""Tests that large texts of plain numbers are read as small ones are, cell by cell."""

import numpy as np
import pytest

from gplvm_core.readers import DataError, read_table
from gplvm_core.readers.tables.plain import LARGE, plain_numbers
from gplvm_core.readers.tables.table import parse_table


def lines(count: int = 60_000) -> list[str]:
    numbers = np.random.default_rng(0).normal(size=(count, 4)) * [1.0, 1e-7, 1e9, 1.0]
    rows = [",".join(map(repr, row)) + f",{n % 7:03d}" for n, row in enumerate(numbers.tolist())]
    return ["a,b,c,d,group", *rows]


def test_a_large_text_has_the_same_cells_places_and_labels_as_its_parts():
    text = "\r\n".join(lines())
    assert len(text) > LARGE
    read = parse_table(text.encode())
    expected = np.array([row.split(",") for row in lines()[1:]], dtype=float)
    np.testing.assert_array_equal(np.column_stack([c.numbers for c in read.columns]), expected)
    np.testing.assert_array_equal(read.places, np.arange(2, 60_002))
    assert read.notes == ("The first line was read as column names.",)
    labelled = read_table(text.encode(), label_column="group")
    assert labelled.label_names == tuple(f"{n:03d}" for n in range(7))


@pytest.mark.parametrize("cell", ["NA", "1_1"])
def test_one_other_cell_is_read_or_named(cell):
    rows = lines()
    rows[50_000] = f"1.5,2.5,3.5,{cell},001"
    assert plain_numbers("\n".join(rows), lambda head: parse_table(head.encode())) is None
    if cell == "NA":
        assert np.isnan(read_table("\n".join(rows).encode()).values[49_999, 3])
    else:
        with pytest.raises(DataError, match=f"line 50001, column 'd': '{cell}' is not a number"):
            read_table("\n".join(rows).encode())
