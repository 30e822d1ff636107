"""Find the project's data files: inside an installed package, or beside it in a checkout."""

from pathlib import Path

from gplvm_core.readers import DataError

HERE = Path(__file__).resolve()
# In a wheel the data are inside this package; in a checkout they are beside the core.
INSTALLED, CHECKED_OUT = HERE.parent / "data", HERE.parents[2] / "assets" / "data"
ASSETS = INSTALLED if INSTALLED.is_dir() else CHECKED_OUT


def vendored(filename: str) -> Path:
    """Return the path of a data file of the project. Raises DataError if it is missing."""
    path = ASSETS / filename
    if not path.is_file():
        raise DataError(
            f"The data file {filename} is missing from {ASSETS}. Install Manifolio again, or "
            "restore assets/data in a checkout."
        )
    return path
