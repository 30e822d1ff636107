"""No text in a CSV is a formula, numbers stay numbers, and what was marked is read back."""

import csv
import io

import pytest

from gplvm_core.datasets import read_table
from gplvm_core.datasets.csv_text import csv_text, is_risky, unmarked


@pytest.mark.parametrize("cell", ["=1+1", "+cmd|' /C calc'!A0", "-a", "−a", "@SUM(A1)", "\t=1"])
def test_text_that_begins_like_a_formula_is_marked(cell):
    marked = next(csv.reader(io.StringIO(csv_text([[cell, "b"]]))))
    assert marked == [f"'{cell}", "b"]
    assert unmarked(marked[0]) == cell
    assert next(csv.reader(io.StringIO(csv_text([[cell]], as_text=False)))) == [cell]


@pytest.mark.parametrize(
    "cell", ["-1.5", "+2", "-1e-300", -3.5, "NA", "", "a=b", "'quoted", "-inf"]
)
def test_numbers_and_other_text_stay_as_they_are(cell):
    assert not is_risky(cell)
    assert next(csv.reader(io.StringIO(csv_text([[cell, 1]])))) == [str(cell), "1"]


def test_names_that_were_marked_are_read_as_they_were():
    names = ("=a", "-b")
    table = csv_text([names, (1, 2), (-3, 4)])
    assert "'=a" in table
    assert read_table(table.encode()).column_names == names
