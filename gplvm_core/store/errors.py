"""The store's one kind of error, and the boundaries where every other kind becomes it."""

import contextlib
import zipfile
from collections.abc import Iterator

_LONGEST = 300


class StoreError(ValueError):
    """Something could not be written to disk or read back; says what, and what to do."""


class ChangedError(StoreError):
    """A file can be read, but it is not what was saved: it was edited, or another lies there."""


@contextlib.contextmanager
def reading(what: str) -> Iterator[None]:
    """While ``what`` is read: whatever damaged bytes make a parser raise becomes a StoreError.

    Zip, NumPy, JSON and the classes' constructors raise errors of many kinds, and new ones with
    every version; they are all one thing to the reader.
    """
    try:
        yield
    except StoreError:
        raise
    except zipfile.BadZipFile as error:
        raise StoreError(
            f"{what} is not a .gplvm file, or was damaged or cut off ({_short(error)}). Copy or "
            "export it again."
        ) from error
    except OSError as error:
        raise StoreError(
            f"{what} cannot be read: {error.strerror or _short(error)}. Check that you may read "
            "it and that it is whole."
        ) from error
    except MemoryError as error:
        raise StoreError(
            f"{what} needs more memory than there is. Close other programs or models."
        ) from error
    except Exception as error:
        raise StoreError(
            f"{what} is damaged ({type(error).__name__}: {_short(error)}). Restore a copy."
        ) from error


@contextlib.contextmanager
def changing(what: str) -> Iterator[None]:
    """While files are changed: what the system refuses becomes a StoreError."""
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"{what}: {error.strerror or error}. Nothing was lost; check the disk's space and "
            "your rights."
        ) from error


def _short(error: BaseException) -> str:
    words = " ".join(str(error).split())
    return words if len(words) <= _LONGEST else words[:_LONGEST] + " …"
