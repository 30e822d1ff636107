"""Tests that a dated series goes on, and is filled, at the dates of its calendar."""

import numpy as np
import pandas as pd
import pytest

from gplvm_core.readers.calendar_steps import Steps, dates_at, time_column
from gplvm_core.readers.tables.dates import times_since_first

# The aliases of pandas, whose offsets compute the true dates.
CALENDARS = {
    "months": "MS",
    "month ends": "ME",
    "quarters": "QS",
    "quarter ends": "QE",
    "years": "YS",
    "year ends": "YE",
    "business days": "B",
    "first business days of months": "BMS",
    "last business days of months": "BME",
    "Wednesdays": "W-WED",
    "days": "D",
    "six hours": "6h",
    "fortnights": "14D",
}


def steps_of(days: np.ndarray, rows: np.ndarray, given: np.ndarray | None = None) -> Steps:
    """The steps of these rows of the days; given: the rows without a value."""
    times, unit = times_since_first(days.astype("datetime64[ms]"), None, rows)
    step = float(np.median(np.diff(times[rows])))
    return Steps(times[rows], unit, step, np.empty(0) if given is None else times[given])


def written(days: np.ndarray) -> list[str]:
    """The days as text, with a clock if they have one."""
    days = days.astype("datetime64[m]")
    whole = np.all(days == days.astype("datetime64[D]"))
    return [str(each).replace("T", " ") for each in days.astype("M8[D]" if whole else "M8[m]")]


@pytest.mark.parametrize("alias", CALENDARS.values(), ids=CALENDARS)
def test_a_series_goes_on_at_the_dates_of_pandas(alias: str) -> None:
    days = pd.date_range("2015-01-01", periods=60, freq=alias).to_numpy()
    rows = np.delete(np.arange(40), [5, 6, 20])
    steps = steps_of(days, rows)
    assert list(dates_at(steps.after(20), steps.unit)) == written(days[40:])
    assert list(dates_at(steps.to_fill(9), steps.unit)) == written(days[[5, 6, 20]])


@pytest.mark.parametrize(
    ("days", "next_days"),
    [
        (["2014-01-15", "2014-02-15"], ["2014-03-15", "2014-04-15"]),
        # The thirtieth: February has none.
        (["2014-12-30", "2015-01-30", "2015-02-28", "2015-03-30"], ["2015-04-30", "2015-05-30"]),
        (["2013-02-28", "2014-02-28", "2015-02-28"], ["2016-02-29", "2017-02-28"]),
        # Five days of one week do not say that weekends are left out.
        ([f"2024-01-0{day}" for day in range(1, 6)], ["2024-01-06", "2024-01-07"]),
    ],
)
def test_the_day_of_the_month_stays(days: list[str], next_days: list[str]) -> None:
    steps = steps_of(np.array(days, "M8[D]"), np.arange(len(days)))
    assert list(dates_at(steps.after(2), steps.unit)) == next_days


def test_rows_of_the_file_keep_their_own_dates() -> None:
    days = [f"2024-{month:02d}-01" for month in range(1, 9)]
    days[2], days[7] = "2024-03-04", "2024-08-06"
    steps = steps_of(np.array(days, "M8[D]"), np.array([0, 1, 4, 5, 6]), np.array([2, 7]))
    # April is neither a row nor in the file.
    assert dates_at(steps.to_fill(9), steps.unit) == ("2024-03-04", "2024-04-01")
    assert dates_at(steps.after(3), steps.unit) == ("2024-08-06", "2024-09-01", "2024-10-01")


def test_days_without_a_rule_have_no_minutes() -> None:
    # Last days of trade: 28 March 2024 is before a holiday, so no rule has all of these days.
    days = ["2024-01-31", "2024-02-29", "2024-03-28", "2024-04-30", "2024-05-31", "2024-06-28"]
    steps = steps_of(np.array(days, "M8[D]"), np.arange(6))
    months = {each[:7] for each in dates_at(steps.after(4), steps.unit)}
    assert all(len(each) == len("2024-07-31") for each in dates_at(steps.after(4), steps.unit))
    assert months == {"2024-07", "2024-08", "2024-09", "2024-10"}


def test_numbers_go_on_in_equal_steps_and_short_gaps_come_first() -> None:
    steps = Steps(np.array([0.0, 0.5, 1.5, 2.0, 2.5, 4.5]), "seconds", 0.5, np.empty(0))
    np.testing.assert_allclose(steps.after(2), [5.0, 5.5])
    np.testing.assert_allclose(steps.to_fill(4), [1.0, 3.0, 3.5, 4.0])
    np.testing.assert_allclose(steps.to_fill(3), [1.0])
    assert time_column(steps.times, steps.unit)[0] == "time (seconds)"
    # A gap of 10⁹ steps is not laid out in memory.
    assert len(Steps(np.array([0.0, 1.0, 2.0, 1e9]), "", 1.0, np.empty(0)).to_fill(9)) == 0


def test_a_column_of_times_has_dates_where_the_unit_has_a_beginning() -> None:
    title, dates = time_column(np.array([0.0, 36.5]), "hours since 2024-02-28 12:00:00")
    assert (title, *dates) == ("time", "2024-02-28 12:00", "2024-03-01 00:30")
