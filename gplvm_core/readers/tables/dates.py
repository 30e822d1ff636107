"""Columns of dates: find their format, read them as moments, and convert these to times since the
first, or to columns to learn.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from typing import Any, Literal

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from gplvm_core.numerics import Array
from gplvm_core.readers.errors import plural
from gplvm_core.readers.tables.columns import MISSING, Column
from gplvm_core.readers.tables.numerals import hour_of

Moments = NDArray[np.datetime64]

DateFormat = Literal[
    "iso",
    "day first",
    "month first",
    "month name",
    "compact",
    "excel days",
    "unix seconds",
    "unix milliseconds",
    "numbers",
]
TimeUnit = Literal["days", "hours", "seconds"]

DATE_FORMATS: dict[DateFormat, str] = {
    "iso": "year, month, day (2024-12-31), or a month or quarter",
    "day first": "day, month, year (31.12.2024)",
    "month first": "month, day, year (12/31/2024)",
    "month name": "the name of a month (5 Jan 2024)",
    "compact": "year, month and day without signs (20241231)",
    "excel days": "days as spreadsheets count them (45657)",
    "unix seconds": "seconds since 1970",
    "unix milliseconds": "milliseconds since 1970",
    "numbers": "plain numbers",
}
"""The formats of dates in words, with an example."""

SECONDS: dict[TimeUnit, float] = {"days": 86_400.0, "hours": 3_600.0, "seconds": 1.0}

# Plain numbers in these ranges, about 1982 to 2119, may be dates.
RANGES: dict[DateFormat, tuple[float, float]] = {
    "excel days": (30_000, 80_000),
    "unix seconds": (3.8e8, 4.7e9),
    "unix milliseconds": (3.8e11, 4.7e12),
}
SECOND = np.timedelta64(1, "s")
MILLISECONDS = {"excel days": 86_400_000.0, "unix seconds": 1000.0, "unix milliseconds": 1.0}
FARTHEST = 9e18  # milliseconds; datetime64 counts in 64 bits
EXCEL_ZERO = np.datetime64("1899-12-30", "ms")
HINT = re.compile(
    r"date|datum|time|zeit|stamp|epoch|unix|created|updated|fecha|month|monat|mois|(^|\W|_)(day|tag)"
)
BEHIND = re.compile(r":\d{2}[.,]\d{6}(\d+)")
LONGEST = 60  # maximum number of characters of a date; longer cells are text
LOOKED_AT = 20  # first cells of a column of numbers that may be months with a dot
# if at least this fraction of a column's cells are dates, the other cells are mistakes
MOSTLY = 0.8

CLOCK = (
    r"(?:(?:T|,?\s+)(?P<hour>\d{1,2})[:.h](?P<minute>\d{2})(?:[:.](?P<second>\d{2})(?:[.,](?P<part>\d+))?)?"
    r"\s*(?P<half>[AaPp]\.?[Mm]\.?)?(?:\s*Uhr)?\s*(?P<zone>Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?"
)
PLAIN = re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2})?)?", re.ASCII)
YEAR = r"(?P<year>\d{4})"
ONE, TWO = r"(?P<one>\d{1,2})", r"(?P<two>\d{1,2})"
YEAR_LAST = re.compile(rf"{ONE}(?P<sign>[-/.]){TWO}(?P=sign)(?P<year>\d{{4}}|\d{{2}}){CLOCK}")
MONTH_DOT = re.compile(r"(?P<one>0[1-9]|1[0-2])[./](?P<year>(?:19|20)\d{2})")
YEAR_FIRST = (
    re.compile(rf"{YEAR}(?P<sign>[-/.]){ONE}(?P=sign){TWO}{CLOCK}"),
    re.compile(rf"{YEAR}(?:-|/|M)(?P<one>\d{{2}})"),
    MONTH_DOT,
    re.compile(rf"{YEAR}[- ]?Q(?P<quarter>[1-4])"),
    re.compile(rf"Q(?P<quarter>[1-4])[-/ ]{YEAR}"),
    re.compile(rf"{YEAR}-?W(?P<week>\d{{2}})"),
    re.compile(
        rf"{YEAR}(?P<one>\d{{2}})(?P<two>\d{{2}})"
        r"T(?P<hour>\d{2})(?P<minute>\d{2})(?P<second>\d{2})?(?P<zone>Z)?"
    ),
)
WEEKDAY, NAME = r"(?:[^\W\d_]{2,10}\.?,?\s+)", r"(?P<name>[^\W\d_]{3,10})\.?"
DAY = rf"{TWO}(?:\.|st|nd|rd|th|er)?"
NAMED = (
    re.compile(rf"{WEEKDAY}??{DAY}[-/ ]*{NAME},?[-/ ]*(?P<year>\d{{4}}|\d{{2}}){CLOCK}"),
    re.compile(rf"{WEEKDAY}??{NAME}[-/ ]+{DAY},?[-/ ]+{YEAR}{CLOCK}"),
    re.compile(rf"{NAME},?[-/ ]*(?P<year>\d{{4}}|(?<=[-'’])\d{{2}})"),
    re.compile(rf"{YEAR}[-/ ]+{NAME}(?:[-/ ]+{TWO})?{CLOCK}"),
    re.compile(  # as C writes times
        rf"{WEEKDAY}{NAME}\s+{TWO}\s+(?P<hour>\d{{2}}):(?P<minute>\d{{2}}):(?P<second>\d{{2}})"
        rf"(?:\s+(?P<zone>UTC|GMT))?\s+{YEAR}"
    ),
)
COMPACT = re.compile(
    rf"{YEAR}(?P<one>\d{{2}})"
    r"(?:(?P<two>\d{2})(?:(?P<hour>\d{2})(?:(?P<minute>\d{2})(?P<second>\d{2})?)?)?)?"
)
SPELLED: tuple[DateFormat, ...] = ("iso", "day first", "month name")  # found in any cell of text
PATTERNS: dict[DateFormat, tuple[re.Pattern[str], ...]] = {
    "iso": YEAR_FIRST,
    "day first": (YEAR_LAST,),
    "month first": (YEAR_LAST,),
    "month name": NAMED,
    "compact": (COMPACT,),
}
EARLIEST, LATEST = 1900, 2100  # years of compact dates
MONTHS = (  # in English, German and French; also their beginnings
    ("january", "januar", "jänner", "janvier"),
    ("february", "februar", "feber", "février", "fevrier"),
    ("march", "märz", "maerz", "mrz", "mars"),
    ("april", "avril"),
    ("may", "mai"),
    ("june", "juni", "juin"),
    ("july", "juli", "juillet"),
    ("august", "août", "aout"),
    ("september", "septembre"),
    ("october", "oktober", "octobre"),
    ("november", "novembre"),
    ("december", "dezember", "décembre", "decembre"),
)


@dataclass(frozen=True)
class Dates:
    """The possible formats of a column of dates.

    formats   the formats that fit, the likeliest first; several if the cells are ambiguous
    decided   whether to use the first format without asking the user
    reason    one line: the evidence for the first format, or what is ambiguous
    """

    formats: tuple[DateFormat, ...]
    decided: bool
    reason: str

    @property
    def usual(self) -> bool:
        """Whether the column is read as dates unless the user says otherwise."""
        return self.formats[0] != "numbers"


class DateError(ValueError):
    """A cell that is not a date: its row, and what is wrong."""

    def __init__(self, row: int, cell: str, what: str) -> None:
        super().__init__(f"{cell!r} {what}")
        self.row = row


def find_dates(column: Column) -> Dates | None:
    """Find the format of the dates of a column; None for a column without dates.

    A column of text holds dates if at least four fifths of its cells look like dates. Numbers may
    be dates if all of them are between about 1982 and 2119, counted in days as in spreadsheets, or
    in seconds or milliseconds since 1970. Such numbers count as dates only if the column's name
    contains a word such as "date" or "timestamp".
    """
    if column.moments is not None:
        known = column.moments[~np.isnat(column.moments)]
        return Dates(("iso",), True, "dates in the file's own form") if len(known) else None
    if column.numbers is not None:
        first = column.texts[:LOOKED_AT] if column.texts else ()
        if first and all(map(MONTH_DOT.fullmatch, first)):
            reason = f"months and years, such as {first[0]}"
            return Dates(("iso", "numbers"), True, reason)
        return _numbers_as_dates(column.name, column.numbers)
    counts = Counter(column.texts or ())
    cells = {cell: n for cell, n in counts.items() if cell.lower() not in MISSING}

    def mostly(fits: Callable[[str], Any]) -> dict[str, int]:
        found = {cell: n for cell, n in cells.items() if len(cell) <= LONGEST and fits(cell)}
        return found if sum(found.values()) >= MOSTLY * sum(cells.values()) else {}

    if found := mostly(lambda cell: _match(cell, "iso")):
        what = "year first" if next(iter(found))[:4].isdecimal() else "month or quarter"
        return Dates(("iso",), True, f"dates with the {what}, such as {next(iter(found))}")
    if found := mostly(YEAR_LAST.fullmatch):
        return _day_and_month(found)
    if found := mostly(lambda cell: _match(cell, "month name")):
        example = next(iter(found))
        return Dates(("month name",), True, f"dates with the month's name, such as {example}")
    return None


def in_several_formats(column: Column, unit: str, places: NDArray[np.int64]) -> str:
    """Describe the formats of a column whose cells are dates, but not all in one format; "" for any
    other column.

    unit, places: what the numbers of the rows count, and these numbers.
    """

    @cache
    def way_of(cell: str) -> DateFormat | None:
        fits = (way for way in SPELLED if len(cell) <= LONGEST and _match(cell, way))
        return next(fits, None)

    cells = column.texts if column.numbers is None and column.moments is None else ()
    known = [(row, cell) for row, cell in enumerate(cells or ()) if cell.lower() not in MISSING]
    if not any(way_of(cell) for _, cell in known[:LOOKED_AT]):
        return ""
    found: dict[DateFormat, list[tuple[int, str]]] = {}
    for row, cell in known:
        if way := way_of(cell):
            found.setdefault(way, []).append((row, cell))
    if len(found) < 2 or sum(map(len, found.values())) < MOSTLY * len(known):
        return ""
    each = [
        f"{rows[0][1]} ({plural(len(rows), 'row')}, the first in {unit} {places[rows[0][0]]})"
        for rows in sorted(found.values(), key=len, reverse=True)
    ]
    return f"dates in {('two', 'three')[len(found) - 2]} formats, {' and '.join(each)}"


def _day_and_month(cells: Mapping[str, int]) -> Dates:
    """Find whether day or month comes first, from numbers above 12 or from dots (day first)."""
    days, months = Counter[str](), Counter[str]()
    for cell, count in cells.items():
        one, two = map(int, re.split(r"[-/.]", cell)[:2])
        if min(one, two) <= 12 < max(one, two):
            (days if one > 12 else months)[cell] = count
    a_day, a_month = (next(iter(each), "") for each in (days, months))
    if days.total() > months.total():
        return Dates(("day first",), True, f"dates with the day first, such as {a_day}")
    if months.total() > days.total():
        return Dates(("month first",), True, f"dates with the month first, such as {a_month}")
    if days:
        open_words = f"{a_day} has the day first, {a_month} the month"
        return Dates(("day first", "month first"), False, open_words)
    cell = next(iter(cells))
    if all("." in each[:3] for each in cells):
        return Dates(("day first",), True, f"dates with dots, such as {cell}: the day first")
    open_words = f"no value decides whether {cell} begins with the day or the month"
    return Dates(("day first", "month first"), False, open_words)


def _match(cell: str, way: DateFormat) -> re.Match[str] | None:
    """Return the parts of a date in one of the forms of a format, with the name of a month."""
    found = (pattern.fullmatch(cell) for pattern in PATTERNS[way])
    return next((each for each in found if each and (way != "month name" or _month(each))), None)


def _month(match: re.Match[str]) -> int:
    """Return the number of a month by its name; 0 for other words."""
    name = match["name"].lower()
    numbers = (n for n, words in enumerate(MONTHS, 1) if any(w.startswith(name) for w in words))
    return next(numbers, 0)


def _compact(number: float) -> str:
    return f"{number:.0f}" if number == number else ""


def _are_compact(numbers: Array) -> bool:
    """Whether all numbers are days or months of the calendar, written as YYYYMMDD, perhaps with a
    time, or as YYYYMM.
    """
    if not ((numbers >= EARLIEST * 1e2) & (numbers < 1e14)).all() or (numbers % 1 != 0).any():
        return False
    cells = list(map(_compact, np.unique(numbers).tolist()))
    if len({len(cell) for cell in cells}) > 1:
        return False
    with suppress(DateError):
        moments = (_moment(COMPACT.fullmatch(cell), cell, 0, "compact") for cell in cells)
        return all(EARLIEST <= moment.year < LATEST for moment in moments)
    return False


def _numbers_as_dates(name: str, numbers: Array) -> Dates | None:
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        return None
    low, high = known.min(), known.max()
    if low == high:
        return None
    if _are_compact(known):
        example = _compact(float(known[0]))
        if len(example) > 6 or HINT.search(name.lower()):
            return Dates(("compact", "numbers"), True, f"days of the calendar, such as {example}")
        return Dates(("numbers", "compact"), True, f"numbers; they could be months ({example})")
    for way, (least, most) in RANGES.items():
        if least <= low and high <= most:
            middle = str(_counted(known[:1], way)[0].astype("datetime64[D]"))
            reason = f"{DATE_FORMATS[way].partition(' (')[0]}, the first is {middle}"
            if HINT.search(name.lower()):
                return Dates((way, "numbers"), True, f"named “{name}”, {reason}")
            return Dates(("numbers", way), True, f"numbers; they could be {reason}")
    return None


def moments_of(column: Column, way: DateFormat) -> tuple[Moments, str]:
    """Read a column's dates as moments, NaT where missing; also a note on time zones.

    Moments of one time zone, or without a zone, are not converted; moments of several zones are
    converted to UTC. Raises DateError for the first cell that is not a date, or that lacks a zone
    if other cells have one.
    """
    words = column.words()
    if column.moments is not None:
        return column.moments, ""
    if way in MILLISECONDS:
        if column.numbers is None:
            row = column.problem or 0
            raise DateError(row, words[row], "is not a number")
        far = np.abs(column.numbers) * MILLISECONDS[way] > FARTHEST
        if far.any():
            row = int(np.argmax(far))
            raise DateError(row, words[row], "is too far from 1970 to be a date")
        return _counted(column.numbers, way), ""
    if way == "iso" and all(not cell or PLAIN.fullmatch(cell) for cell in words):
        with suppress(ValueError):  # such as February 30, which is named below
            return np.array([cell or "NaT" for cell in words], dtype="datetime64[us]"), ""
    if way == "compact" and column.numbers is not None:
        words = list(map(_compact, column.numbers.tolist()))
    found: list[datetime | None] = []
    for row, cell in enumerate(words):
        match = _match(cell, way) if len(cell) <= LONGEST else None
        found.append(_moment(match, cell, row, way) if cell else None)
    zones = {each.utcoffset() for each in found if each is not None}
    note = ""
    if len(zones) > 1 and None in zones:
        row = next(n for n, each in enumerate(found) if each and each.tzinfo is None)
        raise DateError(row, words[row], "has no time zone, and other cells have one")
    if len(zones) > 1:
        found = [each and each.astimezone(UTC) for each in found]
        note = "times of several zones were converted to UTC"
    bare = [None if each is None else each.replace(tzinfo=None) for each in found]
    return _with_billionths(np.array(bare, dtype="datetime64[us]"), words), note


def _with_billionths(moments: Moments, words: Sequence[str]) -> Moments:
    """Add the digits of a second behind the sixth, which Python's datetime does not have."""
    digits = [match[1] if (match := BEHIND.search(cell)) else "" for cell in words]
    if not any(digits):
        return moments
    years = moments.astype("datetime64[Y]").astype(int) + 1970
    far = ~np.isnat(moments) & (
        (years < 1678) | (years > 2261)
    )  # datetime64[ns] reaches no further
    if far.any():
        row = int(np.argmax(far))
        what = "is too far from 1970, beside dates with billionths of a second"
        raise DateError(row, words[row], what)
    more = [int(f"{each:0<3}"[:3]) for each in digits]
    return moments.astype("datetime64[ns]") + np.array(more, dtype="timedelta64[ns]")


def _counted(numbers: Array, way: DateFormat) -> Moments:
    zero = EXCEL_ZERO if way == "excel days" else np.datetime64(0, "ms")
    known = ~np.isnan(numbers)
    passed = np.round(np.where(known, numbers, 0.0) * MILLISECONDS[way]).astype("timedelta64[ms]")
    return np.where(known, zero + passed, np.datetime64("NaT", "ms"))


def _moment(match: re.Match[str] | None, cell: str, row: int, way: DateFormat) -> datetime:
    if match is None:
        raise DateError(row, cell, "is not a date like the others")
    parts = match.groupdict()
    month = int(parts.get("one") or 3 * int(parts.get("quarter") or 1) - 2)
    day = int(parts.get("two") or 1)
    if way == "month name":
        month = _month(match)
    elif way == "day first":
        day, month = month, day
    year = int(match["year"])
    if len(match["year"]) == 2:
        year += 1900 if year >= 69 else 2000  # the POSIX rule for two-digit years
    try:
        if parts.get("week"):
            return datetime.fromisocalendar(year, int(parts["week"]), 1)
        return datetime(year, month, day, *_clock(parts), tzinfo=_zone(parts.get("zone")))
    except ValueError as error:
        what = "is not a date" if month <= 12 else f"is not a date with the {way}"
        raise DateError(row, cell, f"{what} ({error})") from error


def _clock(match: dict[str, str | None]) -> tuple[int, int, int, int]:
    hour = hour_of(int(match.get("hour") or 0), match.get("half") or "")
    if hour is None:
        raise ValueError("hour must be in 1..12")
    part = int((match.get("part") or "0").ljust(6, "0")[:6])
    return hour, int(match.get("minute") or 0), int(match.get("second") or 0), part


def _zone(text: str | None) -> timezone | None:
    if text is None:
        return None
    if text in ("Z", "UTC", "GMT"):
        return UTC
    hours, minutes = int(text[1:3]), int(text[3:].lstrip(":") or 0)
    return timezone((1 if text[0] == "+" else -1) * timedelta(hours=hours, minutes=minutes))


def unit_for(moments: Moments) -> TimeUnit:
    """Return a unit for the median step between neighbouring moments: days, hours or seconds."""
    steps = np.diff(np.unique(moments[~np.isnat(moments)])) / SECOND
    step = float(np.median(steps)) if len(steps) else SECONDS["days"]
    if step >= SECONDS["days"] / 4:
        return "days"
    return "hours" if step >= SECONDS["hours"] / 100 else "seconds"


def times_since_first(
    moments: Moments, unit: TimeUnit | None = None, rows: Any = slice(None)
) -> tuple[Array, str]:
    """Return times since the earliest moment, and their unit in words: "days since 2024-01-03".

    unit: None chooses one that suits the steps. rows: among which the earliest moment is; all by
    default. Missing moments give NaN.
    """
    unit = unit or unit_for(moments[rows])
    earliest = np.nanmin(moments[rows]) if len(moments[rows]) else np.datetime64(0, "ms")
    times = (moments - earliest) / SECOND / SECONDS[unit]
    whole_day = earliest == earliest.astype("datetime64[D]")
    start = str(earliest.astype("datetime64[D]" if whole_day else "datetime64[s]"))
    return times, f"{unit} since {start.replace('T', ' ')}"


def date_columns(name: str, moments: Moments) -> dict[str, Float[Array, " N"]]:
    """Return columns to learn from dates: year, season (two columns), weekday (Monday is 1).

    The season is the sine and cosine of 2π times the elapsed fraction of the year.
    """
    years = moments.astype("datetime64[Y]")
    starts = years.astype(moments.dtype)
    ends = (years + np.timedelta64(1, "Y")).astype(moments.dtype)
    angle = 2.0 * np.pi * ((moments - starts) / (ends - starts))
    days = moments.astype("datetime64[D]")
    monday = np.datetime64("1970-01-05", "D")
    return {
        f"{name} year": _float(years) + 1970.0,
        f"{name} season sine": np.sin(angle),
        f"{name} season cosine": np.cos(angle),
        f"{name} weekday": _float(days - monday) % 7.0 + 1.0,
    }


def _float(values: NDArray[np.datetime64] | NDArray[np.timedelta64]) -> Array:
    """Convert moments or durations to numbers, NaN where missing."""
    return np.where(np.isnat(values), np.nan, values.astype(np.int64).astype(float))
