"""Tests of untidy spreadsheets: the values that are read, and the notes about them."""

import io
import time

import numpy as np
import openpyxl
import pytest

from gplvm_core.readers import DataError, inspect_table, read_table


def lines(*rows: str) -> bytes:
    return "\n".join(rows).encode()


def test_semicolons_decimal_commas_and_german_thousands():
    data = read_table(lines("Höhe;Preis", "1,5;1.234,50", "0,25;12.345.678,9", "-3;999,00"))
    np.testing.assert_array_equal(data.values, [[1.5, 1234.5], [0.25, 12345678.9], [-3, 999]])
    assert "Commas were read as decimal points." in data.notes
    assert any("Preis (“1.234,50” is 1234.5)" in note for note in data.notes)


def test_only_thousands_follow_the_decimal_sign_of_the_other_columns():
    german = read_table(lines("a;b", "0,5;1.234", "1,25;2.500", "2,5;3.000"))
    np.testing.assert_array_equal(german.values[:, 1], [1234, 2500, 3000])
    english = read_table(lines("a;b", "0.5;1,234", "1.25;2,500", "2.5;3,000"))
    np.testing.assert_array_equal(english.values[:, 1], [1234, 2500, 3000])
    quoted = read_table(lines("a,b", '1,"1,234"', '2,"2,500"', '3,"13,000"'))
    np.testing.assert_array_equal(quoted.values[:, 1], [1234, 2500, 13000])


def test_every_column_may_have_its_own_decimal_sign():
    data = read_table(lines("a;b", "1,5;0.25", "2,5;1.75", "4,25;1,234.5"))
    np.testing.assert_array_equal(data.values, [[1.5, 0.25], [2.5, 1.75], [4.25, 1234.5]])


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("1,234.5", 1234.5),
        ("1 234.5", 1234.5),
        ("1\u202f234.5", 1234.5),
        ("1'234.5", 1234.5),
        ("\u22121234.5", -1234.5),
        ("-1,234,567", -1234567),
        ("1.5e3", 1500),
    ],
)
def test_separated_thousands_of_many_countries(cell, value):
    data = read_table(f'a;b\n1.5;2.5\n"{cell}";3.5\n2.5;1.5\n'.encode())
    assert data.values[1, 0] == value


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["12.5%", "7%", "n/a", "100 %"], [12.5, 7, np.nan, 100]),
        (["€ 1,200", "€ 900.50", "€ 3", "-"], [1200, 900.5, 3, np.nan]),
        (["12 kg", "7.5 kg", "–", "3kg"], [12, 7.5, np.nan, 3]),
        (["36.6 °C", "37 °C", "38.25 °C", ""], [36.6, 37, 38.25, np.nan]),
    ],
)
def test_a_sign_or_unit_in_every_cell_is_removed_with_a_note(cells, values):
    data = read_table(lines("a;b", *(f'"{cell}";{i}' for i, cell in enumerate(cells))))
    np.testing.assert_array_equal(data.values[:, 0], values)
    assert any(f"a (“{cells[0]}” is {values[0]:g})" in note for note in data.notes)


def test_two_units_in_a_column_are_an_error_that_names_the_cell():
    words = r"line 4, column 'a': '300 g' is not in the unit of the others.*several units \(kg, g\)"
    with pytest.raises(DataError, match=words):
        read_table(lines("a;b", "1 kg;1", "2 kg;2", "300 g;3", "4 kg;4"))


def test_titles_above_the_names_are_left_out_with_a_note():
    source = lines("Survey of 2024,,", ",,", "draft,,", "height,weight,age", "1,2,3", "4,5,7")
    data = read_table(source)
    assert data.column_names == ("height", "weight", "age") and data.n_points == 2
    assert "Lines above the table were left out: “Survey of 2024”, “draft”." in data.notes
    ragged = read_table(lines("Survey of 2024", "height,weight,age", "1,2,3", "4,5,7"))
    assert ragged.column_names == data.column_names


def test_merged_headers_and_a_line_of_units_become_names():
    merged = read_table(lines(",Left,,Right,", "id,a,b,a,b", "7,1,2,3,4", "8,5,6,7,9"))
    assert merged.column_names == ("id", "Left a", "Left b", "Right a", "Right b")
    assert any("were read as column names: id, Left a, Left b" in note for note in merged.notes)
    units = read_table(lines("height,weight", "cm,kg", "170,60", "180,75"))
    assert units.column_names == ("height (cm)", "weight (kg)")


def test_a_merged_header_of_excel():
    book = openpyxl.Workbook()
    sheet = book.active
    for row in [
        ("Patients", None, None),
        ("Blood", None, "Age"),
        ("Na", "K", None),
        (1, 2, 3),
        (4, 5, 7),
    ]:
        sheet.append(row)
    sheet.merge_cells("A1:C1")
    sheet.merge_cells("A2:B2")
    file = io.BytesIO()
    book.save(file)
    data = read_table(file.getvalue())
    assert data.column_names == ("Blood Na", "Blood K", "Age")
    np.testing.assert_array_equal(data.values, [[1, 2, 3], [4, 5, 7]])


def test_a_merged_cell_has_its_value_in_each_row():
    book = openpyxl.Workbook()
    for row in [("site", "a"), ("X", 1), (None, 2), ("Y", 3), (None, 5)]:
        book.active.append(row)
    for cells in ("A2:A3", "A4:A5"):
        book.active.merge_cells(cells)
    file = io.BytesIO()
    book.save(file)
    data = read_table(file.getvalue(), label_column="site")
    assert [data.label_word(n) for n in range(4)] == ["X", "X", "Y", "Y"]
    assert any(note.startswith("Merged cells have their value in each row") for note in data.notes)


def test_rows_of_words_below_the_names_are_no_units():
    source = lines("a,b,kind", "1,2,x", "3,5,y", "4,7,x")
    assert inspect_table(source).columns[2].name == "kind"
    first_missing = lines("a,b", "n/a,-", "1,2", "4,7")
    assert read_table(first_missing, skip_empty_rows=True).column_names == ("a", "b")


def test_tabs_a_mark_of_byte_order_and_excels_own_line():
    tabs = "\ufeffa\tb\t\n1,5\t2\t\n2,5\t-\t\n".encode()
    np.testing.assert_array_equal(read_table(tabs).values, [[1.5, 2], [2.5, np.nan]])
    declared = read_table(lines("sep=;", "a;b", "1,5;2", "2,5;4"))
    np.testing.assert_array_equal(declared.values, [[1.5, 2], [2.5, 4]])


def test_a_windows_encoding_is_read_with_a_note():
    data = read_table("Maß;Preis in €\n1,5;2\n2,5;4\n".encode("cp1252"))
    assert data.column_names == ("Maß", "Preis in €")
    assert any("Windows-1252" in note for note in data.notes)


def test_prose_is_called_prose_and_suggested_to_be_left_out():
    remarks = [f"The patient number {i} felt rather well today, thank you" for i in range(8)]
    report = inspect_table(lines("a;remarks", *(f"{i};{text}" for i, text in enumerate(remarks))))
    column = report.columns[1]
    assert column.role == "id" and column.reason == "prose, about 10 words a cell"


def test_a_mistake_in_a_column_of_numbers_is_not_left_out_silently():
    report = inspect_table(lines("a;b", "1;2", "7;3", "3;oops", "4;5"))
    assert report.columns[1].role == "value" and "'oops' in line 4" in report.columns[1].reason
    assert report.id_columns == ()


def test_a_text_is_no_table_and_one_row_is_too_few():
    prose = lines(
        "Dear reader,", "this is a letter, and no table,", "with commas, here, and, there.", "Yours"
    )
    with pytest.raises(DataError, match="looks like text, not a table"):
        read_table(prose)
    with pytest.raises(DataError, match=r"one row\. A table needs at least two rows"):
        read_table(lines("a,b", "1,2"))


def test_rows_are_called_by_their_identifiers():
    source = lines("id;city;a", "k1;Bonn;1", "k2;Bonn;2", "k3;Ulm;4")
    data = read_table(source, id_columns=["id", "city"])
    assert list(data.row_names) == ["k1", "k2", "k3"]
    prose = source.replace(b"Bonn", b"We met her in Bonn")
    assert list(read_table(prose, id_columns=["city", "id"]).row_names) == ["k1", "k2", "k3"]
    cities = read_table(source, id_columns=["city"], label_column="id")
    assert list(cities.row_names) == ["Bonn", "Bonn", "Ulm"]
    assert read_table(source, id_columns=["id", "city"], skip_empty_rows=True).row_names[2] == "k3"


@pytest.mark.parametrize("cell", ["1" + " " * 100_000 + "!1", "1.1.2024" + " " * 100_000 + "!"])
def test_a_long_cell_takes_no_time(cell):
    began = time.process_time()
    inspect_table(lines("a;b", *(f'"{cell}";{i}' for i in range(3))))
    assert time.process_time() - began < 2.0
