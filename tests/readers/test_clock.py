"""Tests that times of day in tables become hours since midnight, with a note."""

import datetime as dt
import io

import numpy as np
import openpyxl
import pytest

from gplvm_core.readers import DataError, inspect_table, read_table
from gplvm_core.readers.new_rows import read_rows
from gplvm_core.readers.sources import NamedBytes


def table(cells: list[str], name: str = "start") -> bytes:
    lines = [f"{name};a", *(f"{cell};{i * i % 7}" for i, cell in enumerate(cells))]
    return "\n".join(lines).encode()


@pytest.mark.parametrize(
    ("cells", "hours"),
    [
        (["14:35", "9:05", "00:00"], [14 + 35 / 60, 9 + 5 / 60, 0.0]),
        (["09:12:05", "23:59:59", "10:00:00.5"], [9.2013888889, 23.9997222222, 10.0001388889]),
        (["2:35 pm", "12:00 AM", "12:15 p.m."], [14 + 35 / 60, 0.0, 12.25]),
        (["14:35", "", "24:00"], [14 + 35 / 60, np.nan, 24.0]),
    ],
)
def test_times_of_day_are_hours_since_midnight(cells, hours):
    source = table(cells)
    column = inspect_table(source).columns[0]
    assert column.numeric and column.role == "value" and "hours since midnight" in column.reason
    data = read_table(source)
    assert data.column_names == ("start", "a")
    np.testing.assert_allclose(data.values[:, 0], hours, atol=1e-9)
    (note,) = [note for note in data.notes if note.startswith("Times of day")]
    assert f"start (“{cells[0]}” is {hours[0]:.4g})" in note


def test_excel_s_own_times_are_read_too():
    book = openpyxl.Workbook()
    for row in [("start", "a"), (dt.time(14, 35), 1.5), (dt.time(9, 12, 5), 2.0)]:
        book.active.append(row)
    file = io.BytesIO()
    book.save(file)
    data = read_table(file.getvalue())
    np.testing.assert_allclose(data.values[:, 0], [14 + 35 / 60, 9.2013888889])


def test_sorted_times_of_day_are_the_time_of_the_rows():
    source = table(["08:35", "09:00", "10:10:30"], "time")
    assert inspect_table(source).time_column == "time"
    data = read_table(source, time_column="time")
    np.testing.assert_allclose(data.times, [8 + 35 / 60, 9.0, 10.175])
    assert data.time_unit == "hours since midnight"


def test_times_of_day_as_names_or_labels_do_not_change():
    source = table(["14:35", "9:05", "9:05"])
    assert list(read_table(source, id_columns="start").row_names) == ["14:35", "9:05", "9:05"]
    assert read_table(source, label_column="start").label_names == ("9:05", "14:35")


@pytest.mark.parametrize("slip", ["25:10", "10:61", "13:05 pm", "noon"])
def test_a_mistake_among_times_of_day_is_named(slip):
    source = table(["08:35", "09:00", "10:10", "11:15", "12:20", slip])
    column = inspect_table(source).columns[0]
    assert not column.numeric and column.role == "value" and repr(slip) in column.reason
    with pytest.raises(DataError, match=f"line 7, column 'start': '{slip}' is not a time of day"):
        read_table(source)


@pytest.mark.parametrize("cells", [["3:2:1", "4:5:6"], ["36:15", "40:20"], ["a", "14:35", "b"]])
def test_other_text_is_no_time_of_day(cells):
    assert not inspect_table(table(cells)).columns[0].numeric


def test_hours_or_minutes_are_named_with_both_readings():
    with pytest.raises(DataError, match=r"line 2, .*'36:15' .*Write 36:15:00 or 0:36:15\."):
        read_table(table(["36:15", "40:20"]))
    for written, hours in (("36:15:00", 36.25), ("0:36:15", 0.6041666667)):
        data = read_table(table([written, "30:00:00"]))
        assert data.values[0, 0] == pytest.approx(hours)


def test_new_rows_bring_times_of_day():
    cells = ["14:35", "9:05", "00:10"]
    data = read_table(table(cells))
    rows = read_rows(NamedBytes("new.csv", table(cells)), data)
    np.testing.assert_allclose(rows.values, data.values)


@pytest.mark.parametrize(
    ("cells", "hours"),
    [
        (["25:30:00", "1:00:00", ""], [25.5, 1.0, np.nan]),
        (["0 days 12:00:00", "1 days 01:30:00", "NA"], [12.0, 25.5, np.nan]),
        (["1 day, 1:30:00", "-1 days +23:00:00", "-2:00"], [25.5, -1.0, -2.0]),
        (["25h30", "1 h 15", "100h00"], [25.5, 1.25, 100.0]),
    ],
)
def test_durations_are_hours(cells, hours):
    table = "long;x\n" + "".join(f'"{cell}";{n}\n' for n, cell in enumerate(cells))
    data = read_table(table.encode())
    np.testing.assert_allclose(data.values[:, 0], hours)
    assert any(
        note.startswith("The values of long are durations in hours (“") for note in data.notes
    )


@pytest.mark.parametrize("cell", ["14.30.00", "14.30 Uhr", "14:30 Uhr", "14h30", "14:30 h"])
def test_times_of_day_with_dots_and_words(cell):
    data = read_table(f"clock;x\n{cell};1\n{cell.replace('14', '8')};3\n".encode())
    np.testing.assert_allclose(data.values[:, 0], [14.5, 8.5])
