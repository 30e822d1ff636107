"""The data files that come with the project: within the package, or beside it in a checkout."""

from pathlib import Path

from gplvm_core.readers import DataError

HERE = Path(__file__).resolve()
# A wheel has the data within this package, a checkout beside the core.
INSTALLED, CHECKED_OUT = HERE.parent / "data", HERE.parents[2] / "assets" / "data"
ASSETS = INSTALLED if INSTALLED.is_dir() else CHECKED_OUT


def vendored(filename: str) -> Path:
    """A data file that comes with the project."""
    path = ASSETS / filename
    if not path.is_file():
        raise DataError(
            f"The data file {filename} is missing: it should lie in {ASSETS}. Install Manifolio "
            "again, or restore assets/data in a checkout."
        )
    return path
