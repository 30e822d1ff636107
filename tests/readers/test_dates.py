"""Tests of columns of dates against datetime: formats, times, and derived columns."""

import datetime as dt
import io
import math
import re

import numpy as np
import openpyxl
import pyarrow as pa
import pytest
from pyarrow import parquet

from gplvm_core.readers import DataError, inspect_table, read_table
from gplvm_core.readers.new_rows import read_rows
from gplvm_core.readers.sources import NamedBytes
from gplvm_core.readers.tables.dates import times_since_first

FIRST = dt.datetime(2023, 12, 27, 6, 30)
MOMENTS = [FIRST + dt.timedelta(days=9 * i, minutes=7 * i) for i in range(12)]
MIDNIGHTS = [moment.replace(hour=0, minute=0) for moment in MOMENTS]
EXCEL = dt.datetime(1899, 12, 30)
BERLIN = dt.timezone(dt.timedelta(hours=1))
SUMMER = dt.timezone(dt.timedelta(hours=2))


def table(cells: list, name: str = "day") -> bytes:
    lines = [f"{name};a;b", *(f"{cell};{i};{i * i % 7}" for i, cell in enumerate(cells))]
    return "\n".join(lines).encode()


def days(moments: list[dt.datetime]) -> list[float]:
    return [(moment - min(moments)).total_seconds() / 86_400 for moment in moments]


def utc(moment: dt.datetime) -> float:
    return moment.replace(tzinfo=dt.UTC).timestamp()


def in_zone(moment: dt.datetime, summer: int) -> dt.datetime:
    return moment.replace(tzinfo=dt.UTC).astimezone((BERLIN, SUMMER)[summer])


MONTHS = [dt.datetime(2022 + i // 12, 1 + i % 12, 1) for i in range(16)]
WEEKS = [dt.datetime(2024, 1, 1) + dt.timedelta(weeks=i) for i in range(9)]
FRENCH = ["janvier", "février", "mars", "avril", "mai", "juin"]
FRENCH += ["juil.", "août", "sept.", "octobre", "novembre", "décembre"]
AUSTRIAN = ["Jänner", "Feber", "März", "April", "Mai", "Juni"]
AUSTRIAN += ["Juli", "Aug.", "Sep.", "Oktober", "Nov.", "Dezember"]

WRITTEN = {
    "ISO": ([m.strftime("%Y-%m-%d") for m in MIDNIGHTS], MIDNIGHTS),
    "ISO with time": ([m.isoformat() for m in MOMENTS], MOMENTS),
    "ISO with a blank": ([f"{m:%Y-%m-%d %H:%M:%S}.000" for m in MOMENTS], MOMENTS),
    "ISO with Z": ([m.isoformat() + "Z" for m in MOMENTS], MOMENTS),
    "ISO with one zone": ([m.replace(tzinfo=BERLIN).isoformat() for m in MOMENTS], MOMENTS),
    "ISO with two zones": ([in_zone(m, i % 2).isoformat() for i, m in enumerate(MOMENTS)], MOMENTS),
    "slashes, the year first": ([m.strftime("%Y/%m/%d") for m in MIDNIGHTS], MIDNIGHTS),
    "German": ([m.strftime("%d.%m.%Y") for m in MIDNIGHTS], MIDNIGHTS),
    "German with time": ([m.strftime("%d.%m.%Y %H:%M") for m in MOMENTS], MOMENTS),
    "American": ([m.strftime("%m/%d/%Y") for m in MIDNIGHTS], MIDNIGHTS),
    "American with time": ([m.strftime("%m/%d/%Y %I:%M %p") for m in MOMENTS], MOMENTS),
    "American, two digits": ([m.strftime("%m/%d/%y") for m in MIDNIGHTS], MIDNIGHTS),
    "British": ([m.strftime("%d/%m/%Y") for m in MIDNIGHTS], MIDNIGHTS),
    "Excel's numbers": ([(m - EXCEL).days for m in MIDNIGHTS], MIDNIGHTS),
    "Excel's numbers with time": ([(m - EXCEL) / dt.timedelta(days=1) for m in MOMENTS], MOMENTS),
    "Unix seconds": ([f"{utc(m):.0f}" for m in MOMENTS], MOMENTS),
    "English names, two digits": ([f"{m:%d-%b-%y}" for m in MIDNIGHTS], MIDNIGHTS),
    "English names, the year first": ([f"{m:%Y-%b-%d}" for m in MIDNIGHTS], MIDNIGHTS),
    "as C writes times": ([m.ctime() for m in MOMENTS], MOMENTS),
    "ISO without signs": ([f"{m:%Y%m%dT%H%M%S}" for m in MOMENTS], MOMENTS),
    "German with dots": ([f"{m:%d.%m.%Y %H.%M}" for m in MOMENTS], MOMENTS),
    "German with Uhr": ([f"{m:%d.%m.%Y %H:%M} Uhr" for m in MOMENTS], MOMENTS),
    "French": ([f"{m.day}{'er' * (m.day == 1)} {FRENCH[m.month - 1]} {m.year}" for m in MIDNIGHTS],
               MIDNIGHTS),
    "Austrian": ([f"{m.day}. {AUSTRIAN[m.month - 1]} {m.year}" for m in MIDNIGHTS], MIDNIGHTS),
    "months with a dot": ([f"{m:%m.%Y}" for m in MONTHS], MONTHS),
    "months with a slash": ([f"{m:%m/%Y}" for m in MONTHS], MONTHS),
    "months without signs": ([f"{m:%Y%m}" for m in MONTHS], MONTHS),
    "names of months": ([f"{m:%b-%y}" for m in MONTHS], MONTHS),
    "quarters": ([f"Q{1 + m.month // 3} {m.year}" for m in MONTHS[::3]], MONTHS[::3]),
    "weeks": ([f"{m:%G-W%V}" for m in WEEKS], WEEKS),
    "Unix milliseconds": ([f"{1000 * utc(m):.0f}" for m in MOMENTS], MOMENTS),
}  # fmt: skip


@pytest.mark.parametrize("way", WRITTEN)
def test_dates_of_every_way_of_writing_become_days_since_the_first(way):
    cells, moments = WRITTEN[way]
    source = table(cells, "date")
    column = inspect_table(source).columns[0]
    assert column.is_date and column.role == "time" and column.reason
    data = read_table(source, time_column="date")
    np.testing.assert_allclose(data.times, days(moments), atol=1e-7)
    assert data.time_unit.startswith(f"days since {min(moments):%Y-%m-%d}")
    assert any(note == f"The time of a row is counted in {data.time_unit}." for note in data.notes)
    assert data.column_names == ("a", "b")


def test_real_dates_of_excel_and_parquet():
    book = openpyxl.Workbook()
    for row in [("day", "a"), *((moment, i) for i, moment in enumerate(MOMENTS))]:
        book.active.append(row)
    file = io.BytesIO()
    book.save(file)
    stamps = io.BytesIO()
    parquet.write_table(pa.table({"day": MOMENTS, "a": [float(i) for i in range(12)]}), stamps)
    for source in (file.getvalue(), stamps.getvalue()):
        assert inspect_table(source).time_column == "day"
        np.testing.assert_allclose(read_table(source, time_column="day").times, days(MOMENTS))


@pytest.mark.parametrize(
    ("step", "unit"),
    [
        (dt.timedelta(days=30), "days"),
        (dt.timedelta(hours=1), "hours"),
        (dt.timedelta(minutes=5), "hours"),
        (dt.timedelta(seconds=2), "seconds"),
    ],
)
def test_the_unit_suits_the_steps_and_another_can_be_chosen(step, unit):
    moments = [FIRST + step * i for i in range(9)]
    source = table([moment.isoformat() for moment in moments])
    data = read_table(source, time_column="day")
    seconds = {"days": 86_400, "hours": 3_600, "seconds": 1}
    assert data.time_unit == f"{unit} since 2023-12-27 06:30:00"
    passed = np.arange(9) * step.total_seconds()
    np.testing.assert_allclose(data.times, passed / seconds[unit])
    for other, length in seconds.items():
        chosen = read_table(source, time_column="day", time_unit=other)
        np.testing.assert_allclose(chosen.times, passed / length)
    with pytest.raises(DataError, match="one of days, hours, seconds; got 'weeks'"):
        read_table(source, time_column="day", time_unit="weeks")


def test_day_and_month_that_no_value_decides_are_asked_for():
    source = table(["03/04/2024", "05/04/2024", "07/05/2024"])
    column = inspect_table(source).columns[0]
    assert column.dates.formats == ("day first", "month first") and not column.dates.decided
    with pytest.raises(
        DataError, match="'day': no value decides whether 03/04/2024 begins"
    ) as told:
        read_table(source, time_column="day")
    assert "date_formats={'day': 'day first'}" in str(told.value)
    assert "=" not in told.value.plain
    british = read_table(source, time_column="day", date_formats={"day": "day first"})
    fourth, fifth, seventh = (dt.date(2024, *each) for each in ((4, 3), (4, 5), (5, 7)))
    passed = [0, (fifth - fourth).days, (seventh - fourth).days]
    np.testing.assert_allclose(british.times, passed)
    american = read_table(source, time_column="day", date_formats={"day": "month first"})
    march, may, july = (dt.date(2024, *each) for each in ((3, 4), (5, 4), (7, 5)))
    np.testing.assert_allclose(american.times, [0, (may - march).days, (july - march).days])


def test_dots_are_written_by_people_who_put_the_day_first():
    column = inspect_table(table(["03.04.2024", "05.04.2024"])).columns[0]
    assert column.dates.formats == ("day first",) and "dots" in column.reason


@pytest.mark.parametrize(
    ("place", "cell", "words"),
    [
        (3, "2024-02-30", r"line 5, column 'day': '2024-02-30' is not a date"),
        (4, "soon", r"line 6, column 'day': 'soon' is not a date like the others"),
        (5, "2024-03-01T25:00", r"line 7, column 'day': '2024-03-01T25:00' is not a date"),
        (0, "", r"the time is missing in line 2"),
    ],
)
def test_the_first_cell_that_is_no_date_is_named(place, cell, words):
    cells = [f"{moment:%Y-%m-%d}" for moment in MIDNIGHTS]
    cells[place] = cell
    source = table(cells)
    assert inspect_table(source).columns[0].is_date
    with pytest.raises(DataError, match=words) as told:
        read_table(source, time_column="day")
    assert "=" not in told.value.plain


def test_a_date_without_a_zone_among_others_with_one_is_named():
    cells = [moment.isoformat() + "+01:00" for moment in MOMENTS]
    cells[2] = MOMENTS[2].isoformat()
    with pytest.raises(DataError, match=r"line 4, column 'day': .* has no time zone"):
        read_table(table(cells), time_column="day")


def test_a_day_above_twelve_in_the_months_place_is_named():
    cells = ["31/12/2023", "15/01/2024", "20/01/2024", "28/01/2024", "01/31/2024"]
    with pytest.raises(DataError, match=r"line 6.*'01/31/2024' is not a date with the day first"):
        read_table(table(cells), time_column="day")


def test_dates_become_columns_to_learn():
    moments = [dt.datetime(2023, 1, 1) + dt.timedelta(days=100 * i, hours=5) for i in range(9)]
    data = read_table(table([m.isoformat() for m in moments]), date_columns="day")
    year, sine, cosine, weekday = (
        f"day {part}" for part in ("year", "season sine", "season cosine", "weekday")
    )
    assert data.column_names == ("a", "b", year, sine, cosine, weekday)
    found = dict(zip(data.column_names, data.values.T, strict=True))
    np.testing.assert_array_equal(found[year], [m.year for m in moments])
    np.testing.assert_array_equal(found[weekday], [m.isoweekday() for m in moments])
    starts = [dt.datetime(m.year, 1, 1) for m in moments]
    lengths = [dt.datetime(start.year + 1, 1, 1) - start for start in starts]
    passed = zip(moments, starts, lengths, strict=True)
    turns = [2 * math.pi * ((m - start) / length) for m, start, length in passed]
    np.testing.assert_allclose(found[sine], [math.sin(turn) for turn in turns], atol=1e-9)
    np.testing.assert_allclose(found[cosine], [math.cos(turn) for turn in turns], atol=1e-9)
    assert any("became the columns day year" in note for note in data.notes)


def test_parts_of_dates_that_never_change_are_left_out_and_missing_dates_are_gaps():
    mondays = [dt.date(2024, 1, 1) + dt.timedelta(weeks=i) for i in range(6)]
    cells = [*map(str, mondays), ""]
    data = read_table(table(cells), date_columns=["day"])
    assert data.column_names == ("a", "b", "day season sine", "day season cosine")
    np.testing.assert_array_equal(data.missing[:, 2], [False] * 6 + [True])
    with pytest.raises(DataError, match="every date in 'day' is the same"):
        read_table(table(["2024-01-01"] * 3), date_columns=["day"])


def test_numbers_count_as_dates_by_their_name_only_and_can_stay_numbers():
    seconds = [1_700_000_000 + 60 * i for i in range(9)]
    assert inspect_table(table(seconds, "mass")).columns[0].role == "value"
    plain = read_table(table(seconds, "mass"), time_column="mass")
    np.testing.assert_array_equal(plain.times, seconds)
    dated = read_table(
        table(seconds, "mass"), time_column="mass", date_formats={"mass": "unix seconds"}
    )
    np.testing.assert_allclose(dated.times, np.arange(9) / 60)
    kept = read_table(table(seconds, "time"), time_column="time", date_formats={"time": "numbers"})
    np.testing.assert_array_equal(kept.times, seconds)


def test_a_date_without_a_role_lists_its_possible_roles():
    with pytest.raises(DataError, match="line 2, column 'day': '2023-12-27' is a date") as told:
        read_table(table(WRITTEN["ISO"][0]))
    assert "time_column='day'" in told.value.script and "time_column" not in told.value.plain


def test_a_column_can_be_time_and_label():
    cells = ["2022-01-01", "2022-01-01", "2023-01-01", "2023-01-01"]
    data = read_table(table(cells), time_column="day", label_column="day")
    np.testing.assert_array_equal(data.times, [0, 0, 365, 365])
    np.testing.assert_array_equal(data.labels, [0, 0, 1, 1])
    assert data.label_names == ("2022-01-01", "2023-01-01")


def test_dates_in_no_order_are_left_out_unless_somebody_wants_them():
    cells = [str(day) for day in (dt.date(1999, 5, 1), dt.date(1980, 1, 2), dt.date(1991, 7, 9))]
    column = inspect_table(table(cells, "born")).columns[0]
    assert column.role == "id" and "not in order" in column.reason


def test_new_rows_bring_the_dates_and_not_the_columns_made_of_them():
    cells = WRITTEN["ISO with time"][0]
    data = read_table(table(cells), date_columns="day")
    rows = read_rows(NamedBytes("new.csv", table(cells)), data)
    np.testing.assert_allclose(rows.values, data.values)


def test_times_of_nothing_known():
    times, _ = times_since_first(np.array(["2024-01-02", "NaT"], "datetime64[ms]"))
    np.testing.assert_array_equal(times, [0, np.nan])


def test_moments_a_billionth_of_a_second_apart_have_different_times():
    cells = [f"2024-01-01 00:00:00.{n:09d}" for n in (0, 1, 2, 5_000)]
    source = "\n".join(["date,x", *(f"{cell},{n}" for n, cell in enumerate(cells))]).encode()
    data = read_table(source, time_column="date", time_unit="seconds")
    np.testing.assert_allclose(data.times, [0, 1e-9, 2e-9, 5e-6], rtol=1e-9)


def test_a_number_that_no_calendar_reaches_is_no_date():
    source = b"day,x\n45000,1\n1e300,2\n45002,3\n"
    formats = {"day": "excel days"}
    with pytest.raises(DataError, match=r"line 3, .*'1e300' is too far from 1970 to be a date"):
        read_table(source, time_column="day", date_formats=formats)


@pytest.mark.parametrize(
    "cells",
    [
        ["05-Jan-2024", "06-Jan-2024", "09-Jan-2024"],
        ["5. Januar 2024", "6. Januar 2024", "9. Januar 2024"],
        ["5 janvier 2024", "6 janvier 2024", "9 janvier 2024"],
        ["Jan 5, 2024", "January 6, 2024", "Jan 9, 2024"],
        ["20240105", "20240106", "20240109"],
        ["2024010506", "2024010606", "2024010906"],
    ],
)
def test_names_of_months_and_compact_dates(cells):
    rows = "".join(f"{cell};{n}\n" for n, cell in enumerate(cells))
    data = read_table(f"moment;x\n{rows}".encode(), time_column="moment", time_unit="days")
    np.testing.assert_allclose(data.times, [0, 1, 4])


def test_months_and_quarters_are_dates():
    for cells in (["2024-01", "2024-04", "2024-07"], ["2024Q1", "2024Q2", "2024Q3"]):
        rows = "".join(f"{cell};{n}\n" for n, cell in enumerate(cells))
        data = read_table(f"moment;x\n{rows}".encode(), time_column="moment")
        np.testing.assert_allclose(data.times, [0, 91, 182])


def test_numbers_of_eight_digits_that_are_no_days_stay_numbers():
    report = inspect_table(b"key,x\n20240105,1\n20249999,2\n20240109,4\n")
    assert report.columns[0].dates is None


TWO = "2024-01-05 (6 rows, the first in line 3) and 03.01.2024 (4 rows, the first in line 2)"


def test_dates_in_two_formats_are_named_with_their_rows():
    days = [dt.date(2024, 1, 3) + dt.timedelta(days=2 * i) for i in range(10)]
    cells = [f"{day:%Y-%m-%d}" if i % 3 else f"{day:%d.%m.%Y}" for i, day in enumerate(days)]
    source = table(cells)
    report = inspect_table(source)
    column = report.columns[0]
    said = f"dates in two formats, {TWO}"
    assert column.role == "id" and column.reason.startswith(f"{said}; write all in one format")
    assert report.time_column is None and not column.kinds
    for asked in (
        {},
        {"time_column": "day"},
        {"date_columns": ["day"]},
        {"date_formats": {"day": "iso"}, "time_column": "day"},
        {"kinds": "auto"},
    ):
        with pytest.raises(DataError, match=re.escape(f"column 'day': {said}. Write all dates in")):
            read_table(source, **asked)
    assert read_table(source, id_columns=["day"]).column_names == ("a", "b")


@pytest.mark.parametrize(
    ("cells", "formats"),
    [
        (["5 Jan 2024", "2024-01-06", "07.01.2024"] * 3, "three formats"),
        (["5 Jan 2024", "NA", "06.01.2024"] * 3, "two formats"),
        # A few cells in another format are named too, but the column is one of dates.
        ([*(f"2024-01-{n:02d}" for n in range(1, 10)), "10.01.2024"], "two formats"),
    ],
)
def test_dates_in_other_formats_are_named_when_they_are_the_time(cells, formats):
    with pytest.raises(DataError, match=f"column 'day': dates in {formats}, "):
        read_table(table(cells), time_column="day")


@pytest.mark.parametrize("other", ["soon", "later", "12"])
def test_text_with_a_few_dates_has_no_formats(other):
    cells = ["2024-01-05", "06.01.2024", other, other, "never"] * 3
    assert "formats" not in inspect_table(table(cells)).columns[0].reason
    with pytest.raises(DataError, match="is not a number"):
        read_table(table(cells))
