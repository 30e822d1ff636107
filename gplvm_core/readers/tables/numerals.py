"""Numbers as people write them: decimal commas, separated thousands, units and percent signs; times
of day ("14:35", "2:35 pm") and durations ("25:30:00"), read as hours.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gplvm_core.readers.errors import in_digits, listed

BLANKS = "\u00a0\u2007\u2009\u202f "
GROUPS = f"[{BLANKS}'’]"  # separators of thousands, besides "," or "."
CURRENCIES = (
    "USD|EUR|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|CAD|AUD|NZD|BRL|ZAR|TRY|KRW|MXN|SGD|HKD"
)
# A number with a currency or at most three signs before it, and a short unit after it.
WRITTEN = re.compile(
    rf"(?P<minus>[+-](?=\S))?(?P<before>{CURRENCIES}|[^\w\s.,'’()+-]{{0,3}})\s*"
    rf"(?P<number>[+-]?[\d.,](?:[\d.,'’{BLANKS}]*[\d.,])?(?:[eE][+-]?\d+)?)"
    r"[^\S\n]*(?P<behind>[^\d\s.,+-](?:[^\d,;]|(?<=m)[23]){0,11})?"
)
BELOW_ZERO = re.compile(r"\((.*(?:\d[.,]\d|[€$£¥]).*)\)")  # as accountants write −5.50: (5.50)
MINUS_LAST = re.compile(  # as SAP writes −12.50: 12.50-
    rf"\A([^\d+-]{{0,4}}\d(?:[\d.,'’{BLANKS}]*\d)?)-(\s.*)?\Z"
)
MONEY = re.compile(rf"[€$£¥]|{CURRENCIES}")
LIMIT = re.compile(r"[<>≤≥]=?")  # a limit of detection
SEVERAL_UNITS = "have several units"
LONGEST = 60  # maximum number of characters of a number; longer cells are text
SURE_COMMA = re.compile(
    rf"[+-]?(?:0?,\d+|\d+,(?:\d{{1,2}}|\d{{4,}})|\d{{4,}},\d+|\d{{1,3}}(?:(?:\.|{GROUPS})\d{{3}})+,\d+"
    r"|\d{1,3}(?:\.\d{3}){2,})(?:[eE][+-]?\d+)?"
)
SURE_POINT = re.compile(
    rf"[+-]?(?:0?\.\d+|\d+\.(?:\d{{1,2}}|\d{{4,}})|\d{{4,}}\.\d+|\d{{1,3}}(?:(?:,|{GROUPS})\d{{3}})+\.\d+"
    r"|\d{1,3}(?:,\d{3}){2,}|\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?)(?:[eE][+-]?\d+)?"
)
EITHER_COMMA = re.compile(r"[+-]?\d{1,3},\d{3}")
EITHER_POINT = re.compile(r"[+-]?\d{1,3}\.\d{3}")
WHOLE = re.compile(r"[+-]?\d{3}")  # beside 1.100, 950 is of its size, and 1 is not
GROUPED = {
    sign: re.compile(
        rf"[+-]?(?:\d{{1,3}}(?:(?:{other}|{GROUPS})\d{{3}})+{indian})(?:{re.escape(sign)}\d+)?"
    )
    for sign, other, indian in ((".", ",", r"|\d{1,2}(?:,\d{2})+,\d{3}"), (",", r"\.", ""))
}
SEPARATORS = {sign: re.compile(rf"{other}|{GROUPS}") for sign, other in ((".", ","), (",", r"\."))}
TIME = re.compile(
    r"(?:(?P<minus>-)?(?:(?P<days>\d{1,6})\s*(?:days?|d),?\s+\+?)?)"
    r"(?P<hour>\d{1,6}):(?P<minute>\d{2})(?::(?P<second>\d{2}(?:[.,]\d{1,9})?))?"
    r"(?:\s*(?P<half>[AaPp])\.?[Mm]\.?|\s*(?:Uhr|h))?"
)
# Two dots or a word mark a time, because 14.35 is a number.
WITH_DOTS = re.compile(r"(\d{1,2})\.(\d{2})(?:\.(\d{2})|\s*(?:Uhr|h))")
WITH_H = re.compile(r"(\d{1,6})\s*h\s*(\d{2})")
CLOCK = re.compile(r"\d{1,6}:\d{2}")  # beyond 24:00, hours and minutes or minutes and seconds
LONGEST_TIME = 32  # maximum number of characters of a time of day
# If at least this fraction of a column's cells are times, the other cells are mistakes.
MOSTLY = 0.8


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell  # Python's separator of digits


def looks_numeric(cell: str) -> bool:
    """Whether a cell is a number in any supported notation."""
    return number_in(cell) is not None


def number_in(cell: str) -> float | None:
    """Return the number in a cell of any supported notation, without its unit; else None."""
    if is_number(cell):
        return float(cell)
    found = _written(cell)
    values = (_value(found[0], sign) for sign in (",", ".")) if found else ()
    return next((float(value) for value in values if value is not None), None)


def has_unit(cell: str) -> bool:
    """Whether a cell is a number with a unit or another sign beside it."""
    found = _written(cell)
    return found is not None and any(found[1])


def decimal_sign(cells: Iterable[str], fallback: str = ".", either: str = ".") -> str:
    """Find the decimal sign, "." or ",", from the cells.

    fallback: the result if the cells contain evidence for both signs or for neither. either: the
    result if every comma may separate thousands as well as decimals, as in 1,234.
    """
    numbers = [found[0] for cell in cells if (found := _written(cell))]
    return _sign(numbers, fallback, either)


def _sign(numbers: Sequence[str], fallback: str, either: str) -> str:
    commas = any(SURE_COMMA.fullmatch(number) for number in numbers)
    points = any(SURE_POINT.fullmatch(number) for number in numbers)
    if commas != points:
        return "," if commas else "."
    if commas or any(EITHER_POINT.fullmatch(number) for number in numbers):
        return fallback
    return either if any(EITHER_COMMA.fullmatch(number) for number in numbers) else fallback


def has_points(cells: Iterable[str]) -> bool:
    """Whether a dot of any of the cells can only be a decimal point."""
    return any((found := _written(cell)) and SURE_POINT.fullmatch(found[0]) for cell in cells)


def why_thousands(columns: Iterable[Sequence[str]], delimiter: str | None) -> str:
    """Return why dots separate thousands, as in “€ 1.100”; "" if they are decimal points.

    columns: the cells of each column of a text in which no number decides what a dot means, because
    three digits are behind each.
    """
    for cells in columns:
        written = [(cell, *found) for cell in cells if (found := _written(cell))]
        either = [(cell, beside) for cell, number, beside in written
                  if EITHER_POINT.fullmatch(number)]  # fmt: skip
        if not either or delimiter == ",":
            continue
        cell, beside = either[0]
        if any(map(MONEY.fullmatch, beside)):
            return f"prices such as “{cell}” rarely have three decimals"
        whole = next((other for other, number, _ in written if WHOLE.fullmatch(number)), "")
        if delimiter == ";" and whole:
            return f"“{whole}” beside “{cell}” has no decimals"
    return ""


def has_two_readings(cell: str) -> bool:
    """Whether the only separator may separate thousands as well as decimals: 1,234 or 1.234."""
    found = _written(cell)
    number = found[0] if found else ""
    sure = SURE_COMMA.fullmatch(number) or SURE_POINT.fullmatch(number)
    return not sure and any(each.fullmatch(number) for each in (EITHER_COMMA, EITHER_POINT))


@dataclass(frozen=True)
class Numerals:
    """Cells read as numbers, None for other cells.

    example: a cell that is not a plain number, and its value; notes: on units, limits and
    durations; of_day: whether the numbers are hours since midnight.
    """

    values: list[float | None]
    example: tuple[str, float] | None
    notes: tuple[str, ...] = ()
    of_day: bool = False

    @property
    def problem(self) -> int | None:
        """The row of the first cell that is not a number."""
        return next((i for i, value in enumerate(self.values) if value is None), None)

    @property
    def share(self) -> float:
        """The fraction of numbers among the cells that are not missing."""
        known = [value for value in self.values if value is None or value == value]
        return sum(value is not None for value in known) / max(len(known), 1)


def read_numerals(cells: Sequence[str], decimal: str, missing: frozenset[str]) -> Numerals:
    """Read the cells of a column as numbers. All cells must have the same sign or unit, or no cell
    has any.

    decimal: the decimal sign of the table; a column that clearly uses the other sign overrides it.
    """
    counts = Counter(cells)
    known = [cell for cell in counts if cell.lower() not in missing]
    limits = {cell for cell in known if LIMIT.match(cell) and _written(cell)}
    if len(limits) == len(known):
        limits = set()
    each = {cell: _written(cell) for cell in known if cell not in limits}
    sign = _sign([found[0] for found in each.values() if found], decimal, decimal)
    beside = Counter[tuple[str, str]]()
    for cell, found in each.items():
        if found:
            beside[found[1]] += counts[cell]
    usual = beside.most_common(1)[0][0] if beside else None
    notes = []
    below = next((cell for cell in known if MINUS_LAST.fullmatch(cell) and each.get(cell)), "")
    if below:
        notes.append(f"with a minus at their end are below 0 (“{below}”)")
    if limits:
        notes.append(f"are missing where they only give a limit ({listed(sorted(limits), 3)})")
    units = [" ".join(filter(None, each)) for each in beside if any(each)]
    if len(beside) > 1 and 2 * beside.total() > sum(counts[cell] for cell in each):
        units += ["none"] if ("", "") in beside else []
        notes.append(f"{SEVERAL_UNITS} ({listed(units, 5)}) and stay words")
    elif len(units) == 1:
        notes.append(f"are in {units[0]}")
    read: dict[str, float | None] = dict.fromkeys(counts, float("nan"))
    example = None
    for cell, found in each.items():
        plain = usual == ("", "") and sign == "." and is_number(cell)
        value = float(cell) if plain else None
        if value is None and found and found[1] == usual:
            text = _value(found[0], sign)
            value = None if text is None else float(text)
            plainly = cell.replace(",", ".") if sign == "," else cell
            if value is not None and example is None and text != plainly:
                example = (cell, value)
        read[cell] = value
    return Numerals([read[cell] for cell in cells], example, tuple(notes))


def _written(cell: str) -> tuple[str, tuple[str, str]] | None:
    """Split a cell into a number, and the signs or units before and behind it; None for others."""
    if len(cell) > LONGEST:
        return None
    cell = cell.replace("\u2212", "-")
    below = BELOW_ZERO.fullmatch(cell)
    found = WRITTEN.fullmatch(f"-{below[1]}" if below else MINUS_LAST.sub(r"-\1\2", cell))
    if found is None or (found["minus"] and found["number"][0] in "+-"):
        return None
    return (found["minus"] or "") + found["number"], (found["before"], found["behind"] or "")


def _value(number: str, sign: str) -> str | None:
    """Return a number in Python's notation; None if it is not a number with this decimal sign."""
    if GROUPED[sign].fullmatch(number):
        number = SEPARATORS[sign].sub("", number)
    other = "," if sign == "." else "."
    plain = number.replace(sign, ".")
    return plain if other not in number and is_number(plain) else None


def read_hours(cells: Sequence[str], missing: frozenset[str]) -> Numerals | None:
    """Read a column of times of day or durations as hours; None if it holds anything else.

    One time from 24:01 on, below 0 or with days makes the cells durations.
    """
    found = {cell: hours for cell in dict.fromkeys(cells) if (hours := _hours(cell)) is not None}
    if not found:
        return None
    gap = float("nan")
    values = [gap if cell.lower() in missing else found.get(cell) for cell in cells]
    of_day = all(0.0 <= hours <= 24.0 and "d" not in cell for cell, hours in found.items())
    cell, value = next(iter(found.items()))
    note = f"are durations in hours (“{cell}” is {in_digits(value)})"
    read = Numerals(values, (cell, value) if of_day else None, () if of_day else (note,), of_day)
    return read if read.share >= MOSTLY else None


def hour_of(hour: int, half: str) -> int | None:
    """Return an hour of the day; None for one beyond 12 with a half. half: "am", "pm" or ""."""
    if half and not 1 <= hour <= 12:
        return None
    return hour % 12 + (12 if half[0] in "pP" else 0) if half else hour


def _hours(cell: str) -> float | None:
    if len(cell) > LONGEST_TIME:
        return None
    other = WITH_DOTS.fullmatch(cell) or WITH_H.fullmatch(cell)
    match = TIME.fullmatch(":".join(filter(None, other.groups())) if other else cell)
    if match is None:
        return None
    hour, minute = hour_of(int(match["hour"]), match["half"] or ""), int(match["minute"])
    second = float((match["second"] or "0").replace(",", "."))
    if hour is None or minute >= 60 or second >= 60.0:
        return None
    sure = match["second"] or match["days"] or WITH_H.fullmatch(cell)
    if not sure and (hour, minute) > (24, 0):
        return None  # hours and minutes, or minutes and seconds
    days, hours = 24.0 * int(match["days"] or 0), hour + minute / 60.0 + second / 3600.0
    if match["minus"]:  # "-1 days +23:00:00" is one hour below 0
        return hours - days if "+" in cell else -hours - days
    return days + hours
