"""Errors of the readers, and the conversion of parser errors into them."""

import contextlib
from collections.abc import Collection, Iterator, Sequence

# maximum number of characters of a message, because text from a file can be of any length
LONGEST = 900
LONGEST_SCRIPT = 300  # maximum number of characters of the sentence for scripts


class DataError(ValueError):
    """Data that cannot be used; the message says what is wrong and how to fix it.

    script: a further sentence for Python users that names the argument that helps. `str(error)`
    includes this sentence; `plain` is the message without it, for the app.
    """

    def __init__(self, message: str, *, script: str = "") -> None:
        self.plain = shortened(message, LONGEST)
        self.script = shortened(script, LONGEST_SCRIPT)
        super().__init__(f"{self.plain} {self.script}".rstrip())


def told(error: BaseException) -> str:
    """Return an error's message for the app, without the sentence for scripts; never empty."""
    return getattr(error, "plain", "") or str(error) or type(error).__name__


class DataTypeError(DataError, TypeError):
    """Data whose elements are not numbers."""


class EmptyRowsError(DataError):
    """Some rows have no observed value; the data can be used without these rows."""


@contextlib.contextmanager
def parsing(
    name: str, problem: str = "is damaged or cut off", advice: str = "Save it again."
) -> Iterator[None]:
    """Convert any exception that a parser raises on damaged bytes into a DataError.

    Parsers raise many kinds of exceptions, which change with every version. A MemoryError is not
    converted: a file that is too large is not damaged.
    """
    try:
        yield
    except (DataError, MemoryError):
        raise
    except Exception as error:
        reason = shortened(str(error) or type(error).__name__, 200)
        raise DataError(f"{name} {problem}: {reason}. {advice}") from error


POWERS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def in_digits(value: float, digits: int = 4) -> str:
    """Return a number with this many digits; a power of ten only if it is very large or small."""
    text = f"{value:.{digits}g}"
    if "e+" in text and abs(value) < 1e9:
        return f"{float(text):,.0f}"
    factor, _, power = text.partition("e")
    return f"{factor} × 10{str(int(power)).translate(POWERS)}" if power else text


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun, such as "1 row" or "2 rows"."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def numbered(noun: str, numbers: Collection[object], limit: int = 5) -> str:
    """Return a noun with the first few numbers, such as "row 3" or "rows 3, 8"."""
    return f"{noun}{'s' * (len(numbers) > 1)} {listed([str(each) for each in numbers], limit)}"


def by_count(count: int, one: str, many: str) -> str:
    """Return the words for one or for several, such as "is" in "1 of 3 columns is constant"."""
    return one if count == 1 else many


def shortened(text: str, most: int = 60) -> str:
    """Return the text; in a long text, "…" replaces the middle."""
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-(most // 2) :]}"


def listed(items: Sequence[str], limit: int = 5) -> str:
    """Return the first few items, separated by commas, and the number of further items."""
    shown = ", ".join(shortened(item) for item in items[:limit])
    more = len(items) - limit
    return f"{shown} and {more} more" if more > 0 else shown
