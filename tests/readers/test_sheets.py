"""Tests of tables in Excel and Parquet files, written by the usual packages."""

import datetime
import io
import zipfile

import numpy as np
import openpyxl
import pyarrow as pa
import pytest
from openpyxl.utils.datetime import CALENDAR_MAC_1904
from pyarrow import parquet

from gplvm_core.readers import DataError, read_table
from gplvm_core.readers.files import read_file
from gplvm_core.readers.sources import NamedBytes
from gplvm_core.readers.tables import sheets as sheets_module
from gplvm_core.readers.tables.table import rows_with_values

ROWS = [
    ["name", "height", "weight", "kind"],
    ["Ann", 1.62, 61, "a"],
    ["Bob", None, 83.5, "b"],
    ["Cid", 1.81, 75, "a"],
]


def workbook(rows: list[list], *others: list[list]) -> bytes:
    book = openpyxl.Workbook()
    for cells, sheet in zip(
        (rows, *others), (book.active, *(book.create_sheet() for _ in others)), strict=True
    ):
        for row in cells:
            sheet.append(row)
    book.active.title = "People"
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def columns(**named: list) -> bytes:
    file = io.BytesIO()
    parquet.write_table(pa.table(named), file)
    return file.getvalue()


def test_a_workbook_is_read_as_its_text_would_be():
    data = read_file(
        NamedBytes("people.xlsx", workbook(ROWS)), label_column="kind", id_columns="name"
    )
    np.testing.assert_array_equal(data.values, [[1.62, 61.0], [np.nan, 83.5], [1.81, 75.0]])
    assert data.column_names == ("height", "weight")
    assert data.label_names == ("a", "b")
    assert "The sheet 'People' was read." in data.notes


def test_the_first_of_several_sheets_is_read_with_a_note():
    data = read_table(workbook([[1, 2.5], [3, 4.0], [5, 0.1]], [["no", "table"]]))
    np.testing.assert_array_equal(data.values, [[1, 2.5], [3, 4.0], [5, 0.1]])
    assert "Sheets not used: 'Sheet1'." in data.notes


def test_empty_margins_of_a_sheet_do_not_count():
    rows = [[None] * 4, ["a", "b", None, None], [1.0, 2.0, None, None], [3.0, 5.0, None, None]]
    data = read_table(workbook([*rows, [None] * 4]))
    np.testing.assert_array_equal(data.values, [[1.0, 2.0], [3.0, 5.0]])
    assert data.column_names == ("a", "b")


def test_numbers_keep_every_digit():
    values = np.random.default_rng(0).normal(size=(5, 3)) * 10.0 ** np.array([-8, 0, 9])
    stored = columns(**{f"x{j}": values[:, j].tolist() for j in range(3)})
    np.testing.assert_array_equal(read_table(stored).values, values)
    # A workbook stores sixteen digits.
    np.testing.assert_allclose(read_table(workbook(values.tolist())).values, values, rtol=1e-15)


def test_parquet_has_names_gaps_and_labels():
    data = read_file(
        NamedBytes("cells.parquet", columns(a=[1.0, None, 3.0], b=[4, 5, 6], c=["x", "y", "x"])),
        label_column="c",
    )
    np.testing.assert_array_equal(data.values, [[1.0, 4.0], [np.nan, 5.0], [3.0, 6.0]])
    assert data.column_names == ("a", "b") and data.label_names == ("x", "y")


def test_cells_of_a_workbook_are_no_text_to_split_again():
    rows = [["Protein", "S1"], ["sp|P1|A", 1.5], ["#sp|P2|B", -2.0], ["a;b,c", 0.0]]
    data = read_table(workbook(rows), id_columns=["Protein"])
    assert list(data.row_names) == ["sp|P1|A", "#sp|P2|B", "a;b,c"]
    np.testing.assert_array_equal(data.values[:, 0], [1.5, -2.0, 0.0])
    assert data.column_names == ("S1",)


@pytest.mark.parametrize("epoch", [None, CALENDAR_MAC_1904])
def test_dates_times_and_durations_keep_their_types(epoch):
    hour = datetime.timedelta(hours=1)
    book = openpyxl.Workbook()
    book.epoch = epoch or book.epoch
    for row in (
        ["day", "long", "clock", "shown", "yes"],
        [datetime.datetime(2024, 1, 5), 25.5 * hour, datetime.time(14, 30), 1.0625, True],
        [datetime.datetime(2024, 1, 7), 12 * hour, datetime.time(0, 0), 0.5, False],
        [datetime.datetime(2024, 1, 8), None, datetime.time(6, 0), 2.5, True],
    ):
        book.active.append(row)
    for place in ("D2", "D3", "D4"):
        book.active[place].number_format = "hh:mm"  # 25:30 is then a date of 1900 or 1904
    file = io.BytesIO()
    book.save(file)
    data = read_table(file.getvalue(), time_column="day")
    np.testing.assert_array_equal(data.times, [0, 2, 3])
    expected = [[25.5, 14.5, 25.5, 1], [12, 0, 12, 0], [np.nan, 6, 60, 1]]
    np.testing.assert_allclose(data.values, expected)
    assert "Durations in long were read as hours." in data.notes


def test_durations_of_more_than_a_day_that_are_shown_as_hours_are_no_dates():
    book, file = openpyxl.Workbook(), io.BytesIO()
    book.active.append(["run", "x"])
    for days, x in ((25.5 / 24, 1.0), (2.0, 2.0), (40.25 / 24, 4.0)):
        book.active.append([days, x])
        book.active.cell(book.active.max_row, 1).number_format = "hh:mm"
    book.save(file)
    read = read_table(NamedBytes("runs.xlsx", file.getvalue()))
    np.testing.assert_allclose(read.values[:, 0], [25.5, 48.0, 40.25])
    assert "Durations in run were read as hours." in read.notes


def test_a_workbook_counts_its_rows_as_a_text_does():
    """Row n of a sheet describes what row n of another file does, blank rows included."""
    rows = [["a", "b"], [1, 2], [None, None], [None, None], [5, 3], [6, 4]]
    text = "".join(
        ",".join("" if cell is None else str(cell) for cell in row) + "\n" for row in rows
    )
    for data, unit in ((workbook(rows), "Rows"), (text.encode(), "Lines")):
        read = read_table(data)
        assert f"{unit} without any value were left out: 3, 4." in read.notes
        kept, count = rows_with_values(data)
        assert kept.tolist() == [0, 3, 4] and count == 5
    with pytest.raises(DataError, match=r"sheet 'People'.*row 5, column 'b': 'x7'"):
        read_table(workbook([*rows[:4], [5, "x7"]]))


def test_a_sheet_of_words_before_the_table_is_passed_over():
    readme = [["Read me"], ["made by", "Ann"]]
    data = read_table(workbook(readme, [["a", "b"], [1, 2], [3, 5]]))
    assert data.column_names == ("a", "b")
    assert "Sheets not used: 'People'." in data.notes
    with pytest.raises(DataError, match="sheet 'People'; not read: 'Sheet1'"):
        read_table(workbook([["a", "b"], [1, 2], [3, "x"]], [["c", "d"], [1, 2], [3, 4]]))


def test_cells_that_are_no_numbers_are_named():
    day = datetime.datetime(2020, 1, 31)
    with pytest.raises(DataError, match="2020-01-31"):
        read_table(workbook([["day", "x"], [day, 1.0], [day, 2.0]]))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (workbook(ROWS)[:400], "cut off"),
        (columns(a=[1.0, 2.0])[:60], "damaged or cut off.*Save it again"),
        (b"PAR1 nothing else", "damaged or cut off"),
        (workbook([]), "first sheet holds no table"),
    ],
    ids=["workbook cut", "parquet cut", "no parquet", "no cells"],
)
def test_broken_files_are_explained(data, words):
    with pytest.raises(DataError, match=words):
        read_table(data)


def test_a_workbook_whose_parts_are_no_xml_is_refused():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("xl/workbook.xml", "<x/>")
    with pytest.raises(DataError, match="damaged or cut off"):
        read_table(file.getvalue())


def test_a_bomb_is_refused_before_it_is_unpacked():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("xl/workbook.xml", "<x/>")
        archive.writestr("xl/worksheets/sheet1.xml", bytes(600 * 2**20))
    with pytest.raises(DataError, match=r"was refused: its .* unpack to 600 MB"):
        read_table(file.getvalue())


def test_more_cells_than_are_read_are_refused(monkeypatch):
    monkeypatch.setattr(sheets_module, "MOST_VALUES", 10)
    for data in (workbook(ROWS), columns(a=[1.0] * 6, b=[2.0] * 6)):
        with pytest.raises(DataError, match="cells or more; up to 10 are read"):
            read_table(data)


def test_formulas_without_stored_values_are_named():
    """Programs that write a workbook store no values of formulas; spreadsheets do."""
    rows = [["a", "b"], [1, "=A2*2"], [3, "=A3*2"]]
    words = r"2 cells of the sheet 'People' have a formula without a stored value \(B2, B3\)"
    with pytest.raises(DataError, match=words + r".*Open the file in Excel or LibreOffice"):
        read_table(workbook(rows))
    kept = read_table(workbook(ROWS, rows), label_column="kind", id_columns=["name"])
    assert kept.n_points == 3  # the formulas are in another sheet
