"""Tests of CSV files: no text is a formula, numbers remain numbers, and words are unchanged."""

import csv
import io

import pytest

from gplvm_core.readers import read_table
from gplvm_core.readers.tables.csv_text import csv_text, html_text, is_risky, unmarked
from tests.spreadsheet import HOSTILE, formulas


@pytest.mark.parametrize("cell", HOSTILE)
def test_text_that_begins_like_a_formula_is_marked(cell: str) -> None:
    text = csv_text([["first", cell, "last"], [cell, "b", -1.5]])
    assert not formulas(text)
    read = list(csv.reader(io.StringIO(text, newline="")))
    assert [len(row) for row in read] == [3, 3]
    assert [unmarked(read[0][1]), unmarked(read[1][0])] == [cell, cell]
    assert is_risky(cell) or not formulas(csv_text([[cell]], as_text=False))
    plain = csv_text([[cell, "b"]], as_text=False)
    assert next(csv.reader(io.StringIO(plain, newline=""))) == [cell, "b"]


@pytest.mark.parametrize(
    "cell", ["-1.5", "+2", "-1e-300", -3.5, "NA", "", "a=b", "'quoted", "-inf", "a;-2"]
)
def test_numbers_and_other_text_stay_as_they_are(cell: object) -> None:
    assert not is_risky(cell)
    text = csv_text([[cell, 1]])
    assert next(csv.reader(io.StringIO(text))) == [str(cell), "1"]


def test_nothing_is_an_empty_cell() -> None:
    assert csv_text([[None, "", 0.1]]) == ",,0.1\n"


def test_words_that_were_marked_are_read_as_they_were() -> None:
    names = ("=a", "-b;+c", "kind")
    table = csv_text([names, (1, 2, "@x"), (-3, 4, "'=y"), (5, -6, "@x")])
    assert "'=a" in table
    read = read_table(table.encode(), label_column="kind")
    assert read.column_names == names[:2]
    assert read.label_names == ("'=y", "@x")


@pytest.mark.parametrize("cell", ["=1+1", "@SUM(1)", "\ufeff=1", "+1+1"])
def test_text_of_pages_is_escaped_and_begins_no_formula(cell: str) -> None:
    assert html_text(f"{cell}<b>") == f"\u2060{cell}&lt;b&gt;"
    assert html_text("-1.5 & more = less") == "\u2060-1.5 &amp; more = less"
    assert html_text("a & b") == "a &amp; b"
