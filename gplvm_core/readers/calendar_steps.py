"""The dates of times such as "days since 2024-01-03", and the steps of a series in the calendar."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from gplvm_core.numerics import Array, IntArray
from gplvm_core.readers.tables.dates import SECOND, SECONDS, Moments

Days = NDArray[np.datetime64]
WEEK = np.timedelta64(7, "D")
# From days to the number of their step, and back.
Numbering = tuple[Callable[[Days], IntArray], Callable[[IntArray], Days]]


@dataclass(frozen=True, eq=False)
class Steps:
    """The rows of a series in time, and the steps that it lacks.

    times: of the rows, increasing. unit: of all times, in words; "" if unknown. step: the usual one
    between rows, in this unit. given: times of further rows of the file, which have no value.

    Rows at the same day of every month, quarter or year, at its end, at its first or last business
    day, or on business days only, have the steps of the calendar; all others have equal steps.
    """

    times: Float[Array, " T"]
    unit: str
    step: float
    given: Float[Array, " M"]

    def to_fill(self, most: int) -> Float[Array, " m"]:
        """Return the times between the rows that have none, at most `most`; short gaps come first.

        Times of the file are its own; the calendar has the others.
        """
        own = self.given[(self.given > self.times[0]) & (self.given < self.times[-1])]
        own = np.setdiff1d(own, self.times)
        lacking = np.sort(np.append(own, self._apart(self._lacking(most), own)))
        places = np.searchsorted(self.times, lacking)
        counts = np.bincount(places, minlength=len(self.times))
        order = np.argsort(counts, kind="stable")
        kept = order[np.cumsum(counts[order]) <= most]
        return lacking[np.isin(places, kept)]

    def after(self, count: int) -> Float[Array, " count"]:
        """Return the next times after the last row: those of the file first, then further steps."""
        own = np.unique(self.given[self.given > self.times[-1]])
        further, found = np.arange(1, count + len(own) + 1), self._numbered()
        if found is None:
            ahead = self._at_the_clock(self.times[-1] + self.step * further)
        else:
            numbers, step, times_of = found
            ahead = times_of(numbers[-1] + step * further)
        begin = max((*own, self.times[-1]))
        return np.append(own, self._apart(ahead[ahead > begin], own))[:count]

    def _apart(self, times: Float[Array, " n"], own: Float[Array, " k"]) -> Float[Array, " m"]:
        """The times that are at least half a step from all of the file's own."""
        if not len(own):
            return times
        after = np.searchsorted(own, times)
        below, above = own[np.maximum(after - 1, 0)], own[np.minimum(after, len(own) - 1)]
        near = np.minimum(np.abs(times - below), np.abs(times - above))
        return times[near >= 0.5 * self.step]

    def _lacking(self, most: int) -> Float[Array, " m"]:
        """The times of the steps without a row; gaps of more than `most` steps have none."""
        times, found, parts = self.times, self._numbered(), [np.empty(0)]
        numbers, step, times_of = (times, self.step, None) if found is None else found
        counts = np.rint(np.diff(numbers) / step).astype(int) - 1
        for n in np.flatnonzero((counts > 0) & (counts <= most)).tolist():
            inside = np.arange(1, counts[n] + 1)
            if times_of is None:
                between = times[n] + inside / (counts[n] + 1) * (times[n + 1] - times[n])
                parts.append(self._at_the_clock(between))
            else:
                parts.append(times_of(numbers[n] + step * inside))
        return np.concatenate(parts)

    def _at_the_clock(self, times: Float[Array, " n"]) -> Float[Array, " n"]:
        """The times on the nearest days, where steps are longer and all rows have one time of day:
        the last day of trade of a month may be before a holiday, but has no minutes.
        """
        moments, rows = moments_at(times, self.unit), moments_at(self.times, self.unit)
        if moments is None or rows is None:
            return times
        clock, day = rows - rows.astype("datetime64[D]"), np.timedelta64(1, "D")
        if np.any(clock != clock[0]) or np.median(np.diff(rows)) <= day:
            return times
        days = (moments - clock[0] + day // 2).astype("datetime64[D]")
        return times_at(days + clock[0], self.unit)

    def _numbered(self) -> tuple[IntArray, int, Callable[[IntArray], Array]] | None:
        """The number of each row's step in the calendar, the usual step in these numbers, and a
        function from numbers to times; None without steps of the calendar.
        """
        moments = moments_at(self.times, self.unit)
        if moments is None or len(moments) < 2:
            return None
        days = moments.astype("datetime64[D]")
        clock = moments[0] - days[0]
        if np.any(moments - days != clock):
            return None
        for number, day in _numberings(days):
            numbers = number(days)
            steps = np.diff(numbers)
            step = int(np.sort(steps)[len(steps) // 2])
            if steps.min() > 0 and np.all(steps % step == 0) and np.all(day(numbers) == days):
                return numbers, step, lambda at, day=day: times_at(day(at) + clock, self.unit)
        return None


def _numberings(days: Days) -> Iterator[Numbering]:
    """The ways in which the calendar may number the steps of rows on these days."""
    months, of_month = days.astype("datetime64[M]"), lambda at: at.astype("datetime64[D]")
    at_end = np.all(days == of_month(months + 1) - 1)
    # A day that a month does not have is the month's last one, as in pandas.DateOffset.
    day = 30 if at_end else int((days - of_month(months)).astype(int).max())

    def month(at: Days) -> IntArray:
        return at.astype("datetime64[M]").astype(int)

    def business(at: NDArray[np.datetime64], offset: int) -> Days:
        return np.busday_offset(of_month(at), offset, roll="forward")

    def begin(numbers: IntArray) -> NDArray[np.datetime64]:
        return numbers.astype("datetime64[M]")

    yield month, lambda n: np.minimum(of_month(begin(n)) + day, of_month(begin(n) + 1) - 1)
    yield month, lambda n: business(begin(n), 0)
    yield month, lambda n: business(begin(n) + 1, -1)
    # Without a weekend between them, nothing shows whether rows leave weekends out.
    if np.all(np.is_busday(days)) and days[-1] - days[0] >= WEEK:
        zero, steps = days[:1], np.busday_count(days[:-1], days[1:])
        if np.median(steps) == 1:
            yield lambda at: np.busday_count(zero, at), lambda n: np.busday_offset(zero, n)


def moments_at(times: Float[Array, " n"], unit: str) -> Moments | None:
    """Return times in a unit such as "hours since 2024-01-03" as moments; None for other units."""
    begin = _beginning(unit)
    if begin is None:
        return None
    start, seconds = begin
    return start + np.rint(times * seconds * 1000.0).astype("timedelta64[ms]")


def times_at(moments: Moments, unit: str) -> Float[Array, " n"]:
    """Return moments as times in such a unit; the inverse of `moments_at`."""
    begin = _beginning(unit)
    assert begin is not None, unit
    start, seconds = begin
    return np.asarray((moments - start) / SECOND / seconds)


def dates_at(times: Float[Array, " n"], unit: str) -> tuple[str, ...]:
    """Return times as dates, "2024-01-03" or "2024-01-03 12:30"; () for a unit without dates."""
    found = moments_at(times, unit)
    if found is None:
        return ()
    units = ("datetime64[D]", "datetime64[m]", "datetime64[s]", "datetime64[ms]")
    exact = next(each for each in units if (found.astype(each) == found).all())
    return tuple(str(each).replace("T", " ") for each in found.astype(exact))


def time_column(times: Float[Array, " n"], unit: str) -> tuple[str, NDArray[Any]]:
    """Return the title and the values of a column of times: dates, or numbers with their unit."""
    dates = dates_at(times, unit)
    return ("time", np.array(dates)) if dates else (f"time{in_brackets(unit)}", times)


def in_brackets(unit: str) -> str:
    """Return the unit of a duration behind the name of a quantity: " (days)"; "" if unknown."""
    word = unit.partition(" since ")[0]
    return f" ({word})" if word else ""


def _beginning(unit: str) -> tuple[np.datetime64, float] | None:
    """The moment of the time 0, and the seconds in a unit; None for a unit without dates."""
    word, _, start = unit.partition(" since ")
    if word not in SECONDS or not start:
        return None
    return np.datetime64(start.replace(" ", "T"), "ms"), SECONDS[word]
