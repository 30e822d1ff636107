"""Tests of numbers with units, limits of detection, and words that look like numbers."""

import numpy as np
import pytest

from gplvm_core.readers import inspect_table, read_table


def test_units_are_removed_and_remembered():
    text = "artikel;preis;anteil\na;1.234,50 €;12,5 %\nb;999,00 €;9,9 %\nc;12,30 €;3,1 %\n"
    data = read_table(text.encode(), id_columns=["artikel"])
    np.testing.assert_allclose(data.values, [[1234.5, 12.5], [999, 9.9], [12.3, 3.1]])
    assert "The values of preis are in €." in data.notes
    far = read_table(b'name,way\na,"1,234 km"\nb,"2,001 km"\nc,7 km\n', id_columns=["name"])
    np.testing.assert_array_equal(far.values[:, 0], [1234, 2001, 7])


def test_two_units_in_a_column_are_named():
    report = inspect_table(b"name,weight\na,12 kg\nb,900 g\nc,3 kg\nd,4 kg\n")
    assert not report.columns[1].numeric
    assert "The values of weight have several units (kg, g) and stay words." in report.notes


def test_digits_with_an_underscore_are_a_word():
    report = inspect_table(b"plot,x\n1_11,2\n1_12,3\n2_11,5\n")
    assert not report.columns[0].numeric and report.columns[1].numeric


@pytest.mark.parametrize("cell", ["<0.05", "n.d.", "< 0.05", "<LOD"])
def test_a_value_below_the_limit_of_detection_is_missing(cell):
    data = read_table(f"lead,zinc\n1,{cell}\n2,0.5\n3,0.3\n4,0.6\n".encode())
    assert data.column_names == ("lead", "zinc")
    np.testing.assert_array_equal(data.values[:, 1], [np.nan, 0.5, 0.3, 0.6])
    assert any(cell in note for note in data.notes)
