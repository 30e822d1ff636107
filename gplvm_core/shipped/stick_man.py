"""The run of a stick man, from an optional file that users provide."""

import os
import zipfile
from pathlib import Path

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.errors import DataError

SETTING = "MANIFOLIO_DATA"
BESIDE = Path(__file__).resolve().parents[2].parent / "shared" / "data"
LEGS = ("THI", "KNE", "SHN", "ANK", "HEE", "MT5", "TOE")


def stick_man_file() -> Path | None:
    """The path of stick_man.npz in the folder MANIFOLIO_DATA (by default shared/data); or None."""
    path = Path(os.environ.get(SETTING, BESIDE)) / "stick_man.npz"
    return path if path.is_file() else None


def load_stick_man(path: Path) -> tuple[Float[Array, "N D"], tuple[str, ...]]:
    """The frames of the run, with x, y, z in cm of each marker that is visible in all frames, and
    the marker names.

    Raises DataError for other files. Source: Ohio State University ACCAD motion capture.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            values, names = np.asarray(file["Y"], dtype=np.float64), file["markers"]
        places = values.reshape(len(values), len(names), 3)
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        raise DataError(
            f"{path.name} in the folder {SETTING} is not the stick man's run ({error}); "
            "put the right file there, or remove it."
        ) from error
    whole = ~np.isnan(places).any(axis=(0, 2))
    return 100.0 * places[:, whole].reshape(len(values), -1), tuple(map(str, names[whole]))
