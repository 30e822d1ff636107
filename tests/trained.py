"""Fitted models that several tests use: each is trained once per run, for all processes.

The first process that asks for a model trains it and stores its file in the run's temporary folder.
Every caller gets its own copy, so a test may change it.
"""

import hashlib
import os
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from gplvm_core.store import load, save

SECONDS = 120.0  # the longest wait for another process that trains the same model


def trained(folder: Path, model: Any, *data: Any, **options: Any) -> Any:
    """Return `model.fit(*data, **options)`, from the folder if this run has trained it before.

    data, options: arrays, dicts of arrays, or other arguments of `fit` with a complete repr.
    """
    digest = hashlib.sha256(repr(model.get_params()).encode())
    for part in (type(model).__name__, data, sorted(options.items())):
        _add(digest, part)
    path = folder / f"{digest.hexdigest()}.gplvm"
    lock = path.with_suffix(".lock")
    end = time.monotonic() + SECONDS
    while not path.exists():
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            if time.monotonic() > end:
                raise TimeoutError(f"another process has not trained {model} in time") from None
            time.sleep(0.05)
            continue
        try:
            with warnings.catch_warnings(action="ignore"):
                save(model.fit(*data, **options), lock.with_suffix(".part"))
            lock.with_suffix(".part").rename(path)
        finally:
            lock.unlink()
    return load(path)


def _add(digest: Any, part: Any) -> None:
    """Add the exact content of an argument to a digest."""
    match part:
        case np.ndarray():
            digest.update(f"{part.dtype} {part.shape}".encode())
            digest.update(np.ascontiguousarray(part).tobytes())
        case dict():
            _add(digest, list(part.items()))
        case list() | tuple():
            digest.update(f"{len(part)} parts".encode())
            for each in part:
                _add(digest, each)
        case _:
            digest.update(repr(part).encode())
