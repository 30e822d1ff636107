"""Tests that large texts are read as small ones are, cell by cell."""

import numpy as np
import pytest

from gplvm_core.readers import DataError, read_table
from gplvm_core.readers.tables import text
from gplvm_core.readers.tables.large import LARGE, large_text
from gplvm_core.readers.tables.table import parse_table
from tests.readers.test_any_table import as_csv, table


def lines(count: int = 60_000) -> list[str]:
    numbers = np.random.default_rng(0).normal(size=(count, 4)) * [1.0, 1e-7, 1e9, 1.0]
    rows = [",".join(map(repr, row)) + f",{n % 7:03d}" for n, row in enumerate(numbers.tolist())]
    return ["a,b,c,d,group", *rows]


def fast(data: bytes):
    """Return the table that is read at once, or None."""
    return large_text(data, lambda head: parse_table(head))


def test_a_large_text_has_the_same_cells_places_and_labels_as_its_parts():
    text = "\r\n".join(lines())
    assert len(text) > LARGE
    read = fast(text.encode())
    expected = np.array([row.split(",") for row in lines()[1:]], dtype=float)
    np.testing.assert_array_equal(np.column_stack([c.numbers for c in read.columns]), expected)
    np.testing.assert_array_equal(read.places, np.arange(2, 60_002))
    assert read.notes == ("The first line was read as column names.",)
    labelled = read_table(text.encode(), label_column="group")
    assert labelled.label_names == tuple(f"{n:03d}" for n in range(7))


@pytest.mark.parametrize("cell", ["NA", "1_1"])
def test_one_other_cell_is_read_or_named(cell):
    rows = lines()
    rows[50_000] = f"1.5,2.5,3.5, {cell},001"
    data = "\n".join(rows).encode()
    assert fast(data) is not None
    if cell == "NA":
        read = read_table(data)
        assert np.isnan(read.values[49_999, 3])
        assert "Cells read as missing values (“NA”): 1, in the columns d (1)." in read.notes
    else:
        with pytest.raises(DataError, match=f"line 50001, column 'd': '{cell}' is not a number"):
            read_table(data)


def test_other_rows_are_read_cell_by_cell():
    rows = lines()
    for row in ("", ",,,,", "1,2,3,4", '1,"2\n3",4,5,6', '1,2 "x",3,4,5', "# end"):
        rows[50_000] = row
        assert fast("\n".join(rows).encode()) is None, row


@pytest.mark.parametrize("seed", range(40))
def test_random_tables_are_equal_read_at_once_and_cell_by_cell(seed, monkeypatch):
    # Rows that are repeated to fill the head have the same columns and kinds.
    names, *rows = as_csv(table(seed), seed).split(b"\n")
    data = b"\n".join([names, *(rows[n % (len(rows) - 1)] for n in range(400))]) + b"\n"
    monkeypatch.setattr("gplvm_core.readers.tables.large.LARGE", 0)
    found = fast(data)
    if found is None:
        return
    monkeypatch.setattr(text, "LARGE", 2**40)
    right = parse_table(data)
    assert found.notes == right.notes and found.header == right.header
    np.testing.assert_array_equal(found.places, right.places)
    for one, other in zip(found.columns, right.columns, strict=True):
        assert one.name == other.name and one.words() == other.words()
        assert one.missing_spellings() == other.missing_spellings()
        np.testing.assert_array_equal(one.numbers, other.numbers)
        assert (one.problem, one.share, one.example) == (other.problem, other.share, other.example)
