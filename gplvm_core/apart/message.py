"""Values between two processes as NPZ: arrays, and JSON that says what they are; no pickle."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from gplvm_core.store.decoding import decode
from gplvm_core.store.encoding import encode
from gplvm_core.store.registry import known_classes

REQUEST, ANSWER = "request.npz", "answer.npz"
READY = "ready"  # the process that answers has started
MORE, LAST = "more", "last"  # whether it takes another request


def write(thing: Any, path: Path) -> None:
    """Write a value of plain things and the project's own classes."""
    encoded = encode(thing, known_classes())
    content = np.frombuffer(json.dumps(encoded.content).encode("ascii"), dtype=np.uint8)
    with path.open("wb") as file:
        np.savez(file, allow_pickle=False, content=content, **encoded.arrays)


def read(path: Path) -> Any:
    """Read it back, and delete the file."""
    with np.load(path, allow_pickle=False) as members:
        arrays = {name: members[name] for name in members.files}
    path.unlink()
    content = json.loads(arrays.pop("content").tobytes())
    return decode(content, arrays, known_classes())
