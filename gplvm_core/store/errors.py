"""The errors of the store, and the conversion of all other errors into them."""

import contextlib
import zipfile
from collections.abc import Iterator

_LONGEST = 300


class StoreError(ValueError):
    """Something could not be written or read; the message says what is wrong and how to fix it."""


class ChangedError(StoreError):
    """A file can be read, but it differs from the saved file: it was edited or replaced."""


@contextlib.contextmanager
def reading(what: str) -> Iterator[None]:
    """While ``what`` is read, convert any error into a StoreError.

    On damaged bytes, zipfile, NumPy, JSON and the classes' constructors raise many kinds of errors,
    which change with every version.
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
            f"{what} cannot be read: {error.strerror or _short(error)}. Check that you have the "
            "right to read it and that it is complete."
        ) from error
    except MemoryError as error:
        raise StoreError(
            f"{what} needs more memory than is available. Close other programs or models."
        ) from error
    except Exception as error:
        raise StoreError(
            f"{what} is damaged ({type(error).__name__}: {_short(error)}). Restore a copy."
        ) from error


@contextlib.contextmanager
def changing(what: str) -> Iterator[None]:
    """While files are changed, convert errors of the system into a StoreError."""
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"{what}: {error.strerror or error}. Nothing was lost; check the free disk space and "
            "your access rights."
        ) from error


def _short(error: BaseException) -> str:
    words = " ".join(str(error).split())
    return words if len(words) <= _LONGEST else words[:_LONGEST] + " …"
