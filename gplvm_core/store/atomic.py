"""Files that are there whole or not at all."""

import contextlib
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import IO

from gplvm_core.store.codec import StoreError


def write_atomically(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Let ``write`` fill a temporary file beside ``path``, then put it in place in one step.

    Whoever reads ``path`` meanwhile, or after a power cut, finds the old file or the new one,
    never a part. On any failure the old file stays and the temporary one goes; an OSError becomes
    a StoreError that names the path.
    """
    if not path.parent.is_dir():
        raise StoreError(
            f"Cannot write {path}: the folder {path.parent} does not exist. Create it."
        )
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        try:
            with open(temporary, "xb") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink()
    except OSError as error:
        raise StoreError(
            f"Cannot write {path}: {error.strerror or error}. Nothing was changed; free some space "
            "or choose a folder that you may write to."
        ) from error
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    # The new name itself is only on disk once its folder is; not every system lets one ask for it.
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
