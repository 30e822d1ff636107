"""Values between two processes: JSON that says what they are, and arrays as NPY; no pickle.

The process that reads files is not trusted. What it wrote is opened without following links or
waiting for a pipe, and no more is read than an honest answer can have: NPY after NPY in one file,
since the table of a zip can announce far more than the file's own size.
"""

import json
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np

from gplvm_core.readers.limits import MOST_MEMORY, MOST_TEXT
from gplvm_core.readers.rows.folder_file import Folder
from gplvm_core.store.decoding import decode
from gplvm_core.store.encoding import encode
from gplvm_core.store.private import private_file
from gplvm_core.store.registry import known_classes

REQUEST, ANSWER = "request", "answer"
READY, UNFENCED = "ready", "unfenced"  # the process that answers has started
MORE, LAST = "more", "last"  # whether it takes another request
LONGEST_LINE = 16  # bytes of one of these


def write(thing: Any, path: Path) -> None:
    """Write a value of plain things and the project's own classes.

    The file is always a new one: a link that lies there is removed, not followed. MemoryError
    where `read` would refuse the value.
    """
    encoded = encode(thing, known_classes())
    content = json.dumps([list(encoded.arrays), encoded.content]).encode("ascii")
    arrays = [np.frombuffer(content, dtype=np.uint8), *encoded.arrays.values()]
    if len(content) > MOST_TEXT or sum(array.nbytes for array in arrays) > MOST_MEMORY:
        raise MemoryError
    path.unlink(missing_ok=True)
    with private_file(path) as file:
        for array in arrays:
            np.lib.format.write_array(file, np.asarray(array), allow_pickle=False)


def read(path: Path) -> Any:
    """Read it back, and delete the file. ValueError or OSError where it is no such file."""
    with Folder.opened(path.parent) as folder:
        descriptor = folder.descriptor(path.name)
    with os.fdopen(descriptor, "rb") as file:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode) or state.st_size > MOST_MEMORY + MOST_TEXT:
            raise ValueError(f"{path.name} is no file, or a too large one")
        text = np.lib.format.read_array(file, allow_pickle=False)
        if text.nbytes > MOST_TEXT:
            raise ValueError(f"{path.name} has too much text")
        names, content = json.loads(text.tobytes())
        arrays = {name: np.lib.format.read_array(file, allow_pickle=False) for name in names}
    path.unlink()
    return decode(content, arrays, known_classes())
