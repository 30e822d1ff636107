"""Tests of a new sequence's times: the columns that may have them, and errors with a remedy."""

import numpy as np
import pytest

from gplvm_core.readers import DataError
from gplvm_core.readers.new_rows import FileColumn
from gplvm_core.readers.row_times import is_named_time, row_times, sequences_in, time_columns


def column(name: str, *cells: object) -> FileColumn:
    return FileColumn(name, cells=tuple(map(str, cells)))


def test_columns_that_are_named_like_times_come_first_and_text_is_none():
    columns = (
        FileColumn("height", 0),
        column("remark", "good", "bad", "good"),
        column("weight", 70, 71, 69),
        column("same", 5, 5, 5),
        column("day", "2024-01-03", "2024-01-04", "2024-01-05"),
        column("frame", 0, 1, 2),
    )
    assert time_columns(columns) == ("day", "frame", "weight")
    assert [is_named_time(name) for name in ("t", "Time (s)", "weight", "frames", "table")] == [
        True,
        True,
        False,
        True,
        False,
    ]


def test_numbers_dates_and_times_of_day_are_times():
    times, words = row_times(column("t", "0,5", "1,5", "2,5"))
    np.testing.assert_allclose(times, [0.5, 1.5, 2.5])
    assert words == ""
    # The file's other columns have decimal commas.
    commas = FileColumn("t", cells=("1,000", "1,040", "1,080"), decimal=",")
    np.testing.assert_allclose(row_times(commas)[0], [1, 1.04, 1.08])
    dates = column("day", "2024-01-03", "2024-01-04", "2024-01-10")
    np.testing.assert_allclose(row_times(dates)[0], [0, 1, 7])
    hours, words = row_times(dates, "hours since 2020-01-01")
    np.testing.assert_allclose(hours, [0, 24, 168])
    assert words.startswith("hours since 2024-01-03")
    np.testing.assert_allclose(row_times(column("at", "09:30", "10:00"))[0], [9.5, 10.0])


def test_day_and_month_are_told_apart_by_the_order_of_the_rows():
    days = column("day", "11/02/2024", "12/02/2024", "01/03/2024")
    np.testing.assert_allclose(row_times(days)[0], [0, 1, 19])
    with pytest.raises(DataError, match="Write the year first"):
        row_times(column("day", "01/02/2024", "02/02/2024", "03/02/2024"))


def test_a_missing_time_is_named():
    with pytest.raises(DataError, match="the time is missing in row 2"):
        row_times(column("t", 0, "", 2))


def test_times_that_start_again_begin_another_sequence():
    assert sequences_in(np.array([0.0, 1, 2])) == (slice(0, 3),)
    restarted = np.array([0.0, 1, 2, 3, 0, 1, 2])
    assert sequences_in(restarted) == (slice(0, 4), slice(4, 7))


def test_times_out_of_order_and_equal_times_say_what_to_do():
    with pytest.raises(DataError, match=r"row 4 \(1.5\) is before row 3 \(2\). Sort the rows"):
        sequences_in(np.array([0.0, 1, 2, 1.5, 3]), "t")
    with pytest.raises(DataError, match=r"Rows 2 and 3 have the same time in “t” \(1\)"):
        sequences_in(np.array([0.0, 1, 1, 2]), "t")
    with pytest.raises(DataError, match="out of order"):
        sequences_in(np.tile([0.0, 1.0], 60))  # not read as 60 sequences of two frames
