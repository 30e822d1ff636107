"""Find data files of installed packages without importing the packages."""

import importlib.metadata
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from gplvm_core.readers.errors import DataError


def not_installed(packages: Sequence[str]) -> tuple[str, ...]:
    """Return the packages, by their names for pip, that are not installed."""
    absent = list(packages)
    for package in packages:
        with suppress(importlib.metadata.PackageNotFoundError):
            importlib.metadata.distribution(package)
            absent.remove(package)
    return tuple(absent)


def require_packages(what: str, packages: Sequence[str]) -> None:
    """Raise a DataError with the pip command unless all packages are installed."""
    absent = not_installed(packages)
    if absent:
        plural = len(absent) > 1
        raise DataError(
            f"{what} need the package{'s' if plural else ''} {' and '.join(absent)}, which "
            f"{'are' if plural else 'is'} not installed. Install: pip install {' '.join(absent)}."
        )


def files_of(package: str, pattern: str) -> dict[tuple[str, ...], Path]:
    """Find an installed package's files whose paths end with a pattern, keyed by its groups.

    Raises DataError if there are none.
    """
    found: dict[tuple[str, ...], Path] = {}
    for file in importlib.metadata.files(package) or []:
        match = re.search(f"{pattern}$", file.as_posix())
        path = Path(str(file.locate()))
        if match and path.is_file():
            found[match.groups("")] = path
    if not found:
        raise DataError(
            f"The installed {package} holds no file {pattern}. Install it again: "
            f"pip install --force-reinstall {package}."
        )
    return found
