"""The errors of loaders, and the one place where a parser's errors become them."""

import contextlib
from collections.abc import Iterator, Sequence

LONGEST = 900  # characters of a message; what a file says of itself can be of any length
LONGEST_SCRIPT = 300  # of its sentence for scripts


class DataError(ValueError):
    """Data that cannot be used: says what was wrong, what was got and what to do.

    script: a further sentence for those who write Python, which names the argument that helps. It
    is a part of the message; `plain` is the message without it, as the app shows it.
    """

    def __init__(self, message: str, *, script: str = "") -> None:
        self.plain = shortened(message, LONGEST)
        self.script = shortened(script, LONGEST_SCRIPT)
        super().__init__(f"{self.plain} {self.script}".rstrip())


class DataTypeError(DataError, TypeError):
    """Data whose elements are not numbers at all."""


class EmptyRowsError(DataError):
    """Rows in which nothing is observed: the data can be used once they are left out."""


@contextlib.contextmanager
def parsing(
    name: str, problem: str = "is damaged or cut off", advice: str = "Save it again."
) -> Iterator[None]:
    """Turn whatever a parser raises on damaged bytes into a DataError.

    Parsers raise errors of many kinds, and new ones with every version. A MemoryError stays one:
    a file that is too large is not damaged.
    """
    try:
        yield
    except (DataError, MemoryError):
        raise
    except Exception as error:
        reason = shortened(str(error) or type(error).__name__, 200)
        raise DataError(f"{name} {problem}: {reason}. {advice}") from error


def plural(count: int, one: str, many: str | None = None) -> str:
    """ "1 row", "2 rows"."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def shortened(text: str, most: int = 60) -> str:
    """The text, with "…" for the middle of a long one."""
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-(most // 2) :]}"


def listed(items: Sequence[str], limit: int = 5) -> str:
    """The first few items in words, and how many more there are."""
    shown = ", ".join(shortened(item) for item in items[:limit])
    more = len(items) - limit
    return f"{shown} and {more} more" if more > 0 else shown
