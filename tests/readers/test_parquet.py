"""Tests that Parquet files keep their types: nothing passes through text."""

import datetime
import io
import time
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from gplvm_core.readers import DataError, inspect_table, read_table
from gplvm_core.readers.tables.table import parse_table


def written(columns: dict, **options) -> bytes:
    file = io.BytesIO()
    table = columns if isinstance(columns, pa.Table) else pa.table(columns)
    parquet.write_table(table, file, **options)
    return file.getvalue()


def column(values, kind=None):
    """Return one column as the reader sees it, beside a column of numbers."""
    data = written({"x": pa.array(values, kind), "y": np.arange(len(values))})
    return parse_table(data, None, None).columns[0]


@pytest.mark.parametrize(
    ("values", "kind", "numbers"),
    [
        ([1, None, 3], pa.int8(), [1, np.nan, 3]),
        ([0, 2**64 - 1, 5], pa.uint64(), [0, 2.0**64, 5]),
        ([0.5, None, np.nan], pa.float32(), [0.5, np.nan, np.nan]),
        ([0.5, 2.0, None], pa.float16(), [0.5, 2.0, np.nan]),
        ([Decimal("1.25"), None, Decimal("-3")], pa.decimal128(9, 2), [1.25, np.nan, -3]),
        ([True, None, False], pa.bool_(), [1, np.nan, 0]),
        ([5, 7, None], pa.dictionary(pa.int8(), pa.int64()), [5, 7, np.nan]),
        ([datetime.time(14, 30), datetime.time(9), None], None, [14.5, 9, np.nan]),
        ([datetime.timedelta(days=2), datetime.timedelta(0), None], None, [48, 0, np.nan]),
    ],
    ids=str,
)
def test_every_type_of_number_is_read_as_numbers(values, kind, numbers):
    np.testing.assert_array_equal(column(values, kind).numbers, numbers)


def test_words_stay_as_they_are():
    names = ["#1", "# a comment?", None, "a,b;c", 'a "quote"', "line\nbreak"]
    for kind in (pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())):
        found = column(names, kind)
        assert found.numbers is None
        assert found.words() == ["" if name is None else name for name in names]
    assert column([True, False, None]).words() == ["True", "False", ""]


def test_long_whole_numbers_keep_their_digits_as_names():
    ids = [2**60 + n for n in range(3)]
    data = read_table(written({"id": ids, "x": [1.0, 2.0, 4.0]}), id_columns=["id"])
    assert data.row_names.tolist() == [str(id) for id in ids]


def test_names_are_those_of_the_file():
    names = ["1", "2", "a", "a", " ", "a.b"]
    table = pa.Table.from_arrays([pa.array([float(n), 9.0]) for n in range(6)], names=names)
    found = parse_table(written(table), None, None)
    assert [each.name for each in found.columns] == ["1", "2", "a", "a (2)", "column 5", "a.b"]
    np.testing.assert_array_equal([each.numbers[0] for each in found.columns], range(6))
    assert any("same name were numbered: a" in note for note in found.notes)


def test_rows_without_values_are_named_and_others_keep_their_places():
    data = written({"x": [1.0, None, 3.0, 4.0], "kind": ["a", None, "b", "oops"]})
    table = parse_table(data, None, None)
    assert table.places.tolist() == [2, 4, 5] and table.blank == (3,)
    assert "Lines without any value were left out: 3." in table.notes
    with pytest.raises(DataError, match=r"line 2, column 'kind': 'a' is not a number"):
        read_table(data)


@pytest.mark.parametrize("unit", ["s", "ms", "us"])
def test_dates_far_from_today_are_read(unit):
    years = np.array(["-2000", "1000", "9999", "20000"], "datetime64[Y]")
    moments = years.astype(f"datetime64[{unit}]")
    data = read_table(written({"date": moments, "x": [1.0, 2, 4, 3]}), time_column="date")
    days = (years - years[0].astype("datetime64[Y]")).astype(int)
    np.testing.assert_allclose(data.times / 365.2425, days, atol=1)
    assert data.time_unit == "days since -2000-01-01"


def test_dates_become_times_and_columns():
    days = [datetime.date(2024, 1, 1), datetime.date(2024, 7, 1), datetime.date(2025, 1, 1)]
    source = written({"date": days, "x": [1.0, 2.0, 4.0]})
    report = inspect_table(source).columns[0]
    assert report.role == "time" and report.dates.decided
    data = read_table(source, date_columns=["date"])
    assert "date year" in data.column_names
    np.testing.assert_array_equal(read_table(source, time_column="date").times, [0, 182, 366])
    missing = written({"date": [None, *days[1:]], "x": [1.0, 2.0, 4.0]})
    with pytest.raises(DataError, match="the time is missing in line 2"):
        read_table(missing, time_column="date")


def test_moments_with_a_zone_are_read_in_utc_with_a_note():
    moments = pa.array([0, 3_600, 7_200], pa.timestamp("s", tz="Europe/Berlin"))
    data = read_table(written({"time": moments, "x": [1.0, 2, 4]}), time_column="time")
    np.testing.assert_array_equal(data.times, [0, 1, 2])
    assert data.time_unit == "hours since 1970-01-01"
    assert "The times of time (Europe/Berlin) were read in UTC." in data.notes


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([[1.0], [2.0]], r"the columns x have nested values"),
        ([{"a": 1}, {"a": 2}], r"the columns x have nested values"),
        ([b"\xff", b"a"], r"column 'x' has values of type binary"),
    ],
)
def test_a_type_that_is_not_read_is_named(values, words):
    with pytest.raises(DataError, match=words):
        column(values)


def test_many_rows_need_no_text():
    values = np.random.default_rng(0).normal(size=(5, 300_000))
    data = written({f"x{n}": each for n, each in enumerate(values)})
    began = time.process_time()
    found = read_table(data)
    assert time.process_time() - began < 2.0  # as text: 5
    np.testing.assert_array_equal(found.values, values.T)


def test_many_columns_are_read_in_blocks():
    count = 12_000
    data = written({f"x{n}": [n, n + 0.5] for n in range(count)})
    table = parse_table(data, None, None)
    assert [each.name for each in table.columns[:2]] == ["x0", "x1"]
    np.testing.assert_array_equal(
        [each.numbers[1] for each in table.columns], np.arange(count) + 0.5
    )
