"""The command `manifolio`, which opens the app as `make run` does in a checkout.

`manifolio table.csv` opens Train on a file, `manifolio model.gplvm` opens Explore on a model.
`manifolio --mcp` serves an assistant over standard input and output, and opens no app.

BLAS reads the environment once, when it is loaded. NumPy loads BLAS, so the environment must be set
before NumPy is imported.
"""

import os
import re
import sys
from importlib import metadata
from pathlib import Path

ASKED = "MANIFOLIO_OPEN"  # as in shared/asked.py, which imports NumPy and the installed `pages`
APP = Path(__file__).resolve().parents[2] / "app.py"
# The core runs its own threads. With additional BLAS threads, products of thin matrices are slow.
ONE_THREAD = (
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


def main() -> None:
    """Open the app. Arguments: a file, then those of `streamlit run`; or --version or --mcp."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        print(f"manifolio {metadata.version('manifolio')}")
        return
    if arguments == ["--mcp"]:
        serve_assistant()
        return
    absent = missing_packages()
    if absent:
        sys.exit(
            f"The app needs {', '.join(absent)}, which the library does not install by itself. "
            "Install: pip install 'manifolio[app]'"
        )
    with_one_thread()
    if arguments and not arguments[0].startswith("-"):
        os.environ[ASKED] = str(readable_file(arguments.pop(0)))
    from streamlit.web import cli

    # Settings come from .streamlit/config.toml beside app.py; arguments take precedence.
    cli.main(["run", str(APP), *arguments], prog_name="manifolio")


def serve_assistant() -> None:
    """Serve models to an assistant; ends the program with a sentence without the extra [mcp]."""
    absent = missing_packages("mcp")
    if absent:
        sys.exit(
            f"The server for assistants needs {', '.join(absent)}, which the library does not "
            "install by itself. Install: pip install 'manifolio[mcp]'"
        )
    with_one_thread()
    from gplvm_core.assistant.server import serve

    serve()


def with_one_thread() -> None:
    for name in ONE_THREAD:
        os.environ.setdefault(name, "1")


def readable_file(name: str) -> Path:
    """Return the file's path; ends the program with a sentence if the app cannot open the file."""
    from gplvm_core.readers.files import ENDINGS

    path = Path(name).absolute()
    known = (*(f".{ending}" for ending in ENDINGS), ".gplvm")
    if path.is_dir():
        sys.exit(f"{path} is a folder. Name one file, such as {path / 'table.csv'}.")
    if not path.exists():
        sys.exit(
            f"There is no file {name} in {Path.cwd()}. Check its name, or give its whole path."
        )
    if path.suffix.lower() not in known:
        sys.exit(
            f"Manifolio cannot open {path.name}. It opens models (.gplvm), and data in files that "
            f"end with {', '.join(known[:-1])}."
        )
    try:
        with path.open("rb"):
            return path
    except OSError as error:
        sys.exit(f"{name} cannot be read: {error.strerror}. Check that you may read the file.")


def missing_packages(extra: str = "app") -> list[str]:
    """Return the packages of an extra that are not installed."""
    lines = [line for line in metadata.requires("manifolio") or () if "extra ==" in line]
    own = re.compile(rf"['\"]{extra}['\"]")
    wanted = [re.split(r"[^\w.-]", line)[0] for line in lines if own.search(line)]
    return [name for name in wanted if not is_installed(name)]


def is_installed(package: str) -> bool:
    try:
        metadata.distribution(package)
    except metadata.PackageNotFoundError:
        return False
    return True
