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


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["USD 5.50", "USD 12.00", "USD 7"], [5.5, 12, 7]),
        (["CHF 1'234.50", "CHF 12.00", "CHF 7"], [1234.5, 12, 7]),
        (["-$5.50", "$12.00", "$7"], [-5.5, 12, 7]),
        (["(5.50)", "12.00", "7"], [-5.5, 12, 7]),
        (["₹1,23,456", "₹12,345", "₹7,00,000"], [123456, 12345, 700000]),
        (["5 km2", "12 km2", "7 km2"], [5, 12, 7]),
    ],
)
def test_currencies_signs_and_powers_of_units(cells, values):
    data = read_table("\n".join(["a;b", *(f"{cell};1" for cell in cells)]).encode())
    np.testing.assert_array_equal(data.values[:, 0], values)
    assert any(f"a (“{cells[0]}” is {values[0]:.10g})" in note for note in data.notes)


@pytest.mark.parametrize("word", ["(1)", "LOT 12", "ABC12", "5A2", "--5"])
def test_numbers_with_other_words_beside_them_stay_words(word):
    report = inspect_table(f"a,b\n{word},1\n3,2\n{word},3\n".encode())
    assert not report.columns[0].numeric
