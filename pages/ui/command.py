"""The command `manifolio`, which opens the app as `make run` does in a checkout.

BLAS reads the environment once, when it is loaded. NumPy loads BLAS, so the environment must be set
before NumPy is imported.
"""

import os
import re
import sys
from importlib import metadata
from pathlib import Path

APP = Path(__file__).resolve().parents[2] / "app.py"
# The core runs its own threads. With additional BLAS threads, products of thin matrices are slow.
ONE_THREAD = (
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


def main() -> None:
    """Open the app. The command takes the arguments of `streamlit run`."""
    absent = missing_packages()
    if absent:
        sys.exit(
            f"The app needs {', '.join(absent)}, which the library does not install by itself. "
            "Install: pip install 'manifolio[app]'"
        )
    for name in ONE_THREAD:
        os.environ.setdefault(name, "1")
    from streamlit.web import cli

    # Settings come from .streamlit/config.toml beside app.py; arguments take precedence.
    cli.main(["run", str(APP), *sys.argv[1:]], prog_name="manifolio")


def missing_packages() -> list[str]:
    """Return the packages of the extra [app] that are not installed."""
    lines = [line for line in metadata.requires("manifolio") or () if "extra ==" in line]
    wanted = [re.split(r"[^\w.-]", line)[0] for line in lines if re.search(r"['\"]app['\"]", line)]
    return [name for name in wanted if not is_installed(name)]


def is_installed(package: str) -> bool:
    try:
        metadata.distribution(package)
    except metadata.PackageNotFoundError:
        return False
    return True
