"""The tasks that can be performed on a file, in this process or in a subprocess."""

import io
import logging
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gplvm_core.readers import DataError, NamedBytes, inspect_table, read_file
from gplvm_core.readers.bodies.bvh import doubtful_letters
from gplvm_core.readers.limits import MOST_MODEL, MOST_MODEL_TEXT
from gplvm_core.readers.new_rows import read_rows
from gplvm_core.readers.tables.parquet import MAGIC as COLUMNAR
from gplvm_core.readers.tables.table import rows_with_values
from gplvm_core.store.errors import StoreError
from gplvm_core.store.file import read_manifest

SMALL = 256 * 2**10  # bytes
PLAIN = (".csv", ".tsv", ".txt", ".npy", ".bvh")
PACKED = (b"PK", b"\x1f\x8b", *COLUMNAR)


def model_files(source: NamedBytes) -> dict[str, NDArray[np.uint8]]:
    """Convert a model file to the files that `Library.take_in` adds; StoreError for other files."""
    from gplvm_core.store.incoming import check_growth, prepare  # imports all models

    file = io.BytesIO(source.data)
    file.name = source.name
    manifest = read_manifest(file, most_text=MOST_MODEL_TEXT)
    check_growth(manifest, len(source.data), source.name)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(file, folder, max_bytes=MOST_MODEL)
        paths = sorted(folder.iterdir())
        return {path.name: np.frombuffer(path.read_bytes(), dtype=np.uint8) for path in paths}


TASKS: dict[str, Callable[..., Any]] = {
    "read": read_file,
    "letters": doubtful_letters,
    "inspect": inspect_table,
    "rows in use": rows_with_values,
    "new rows": read_rows,
    "model": model_files,
}


def perform(task: str, source: NamedBytes, **options: Any) -> Any:
    """Perform a task; raises only DataError, StoreError or MemoryError.

    Unexpected errors are logged, without content of the file.
    """
    try:
        return TASKS[task](source, **options)
    except (DataError, StoreError, MemoryError):
        raise
    except Exception as error:
        logging.getLogger(__name__).error("Reading a file: %s", places_of(error))
        raise DataError(
            f"{source.name} could not be read ({type(error).__name__}). It may be damaged: save it "
            "again."
        ) from error


def places_of(error: BaseException) -> str:
    """Return an error's type and its lines of code, the innermost first, without data."""
    frames = reversed(traceback.extract_tb(error.__traceback__))
    places = [f"{'/'.join(Path(f.filename).parts[-2:])}:{f.lineno}" for f in frames]
    return f"{type(error).__name__} at {' < '.join(places[:12])}"


def is_small(source: NamedBytes) -> bool:
    """Whether a file is small and simple enough to be read without a subprocess."""
    name, data = source.name.lower(), source.data
    return len(data) <= SMALL and name.endswith(PLAIN) and not data.startswith(PACKED)
