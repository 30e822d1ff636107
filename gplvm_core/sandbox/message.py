"""Pass values between two processes as JSON and NPY arrays, without pickle.

The subprocess that reads files is not trusted. Its answers are opened without following links or
waiting for pipes, and with a limit on their size. An answer is a series of NPY arrays, not a zip,
because a zip can unpack to far more than its size.
"""

import json
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np

from gplvm_core.readers.limits import MOST_MEMORY, MOST_TEXT
from gplvm_core.readers.rows.folders import Folder
from gplvm_core.store.atomic import private_file
from gplvm_core.store.decoding import decode
from gplvm_core.store.encoding import encode
from gplvm_core.store.registry import classes_of

REQUEST, ANSWER = "request", "answer"
READY, UNFENCED = "ready", "unfenced"  # the subprocess has started
MORE, LAST = "more", "last"  # whether the subprocess accepts another request
READERS = "gplvm_core.readers"  # whose classes a message may contain
LONGEST_LINE = 16  # maximum length of these lines, in bytes


def write(thing: Any, path: Path) -> None:
    """Write a value that consists of plain types and the readers' classes.

    The file is always new: a link with the same path is removed, not followed. Raises MemoryError
    if `read` would refuse the value.
    """
    encoded = encode(thing, classes_of(READERS))
    content = json.dumps([list(encoded.arrays), encoded.content]).encode("ascii")
    arrays = [np.frombuffer(content, dtype=np.uint8), *encoded.arrays.values()]
    if len(content) > MOST_TEXT or sum(array.nbytes for array in arrays) > MOST_MEMORY:
        raise MemoryError
    path.unlink(missing_ok=True)
    with private_file(path) as file:
        for array in arrays:
            np.lib.format.write_array(file, np.asarray(array), allow_pickle=False)


def read(path: Path) -> Any:
    """Read a value and delete its file. Raises ValueError or OSError for other files."""
    with Folder.opened(path.parent) as folder:
        descriptor = folder.descriptor(path.name)
    with os.fdopen(descriptor, "rb") as file:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode) or state.st_size > MOST_MEMORY + MOST_TEXT:
            raise ValueError(f"{path.name} is not a regular file, or is too large")
        text = np.lib.format.read_array(file, allow_pickle=False)
        if text.nbytes > MOST_TEXT:
            raise ValueError(f"{path.name} has too much text")
        names, content = json.loads(text.tobytes())
        arrays = {name: np.lib.format.read_array(file, allow_pickle=False) for name in names}
    path.unlink()
    return decode(content, arrays, classes_of(READERS))
