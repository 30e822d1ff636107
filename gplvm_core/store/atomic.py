"""Write files atomically: completely or not at all."""

import contextlib
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import IO

from gplvm_core.store.errors import StoreError
from gplvm_core.store.private import private_file


def write_atomically(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Let ``write`` fill a temporary file beside ``path``, then rename it to ``path``.

    At ``path`` there is always the complete old or new file, even after a power cut.
    After a failure the old file is unchanged and the temporary file is removed; an OSError becomes
    a StoreError that names the path. Only the user can access the file.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        if not path.parent.is_dir():
            raise StoreError(
                f"Cannot write {path}: the folder {path.parent} does not exist. Create it."
            )
        try:
            with private_file(temporary) as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink()
    except OSError as error:
        raise StoreError(
            f"Cannot write {path}: {error.strerror or error}. Nothing was changed; free some disk "
            "space, or choose a folder that you have the right to write to."
        ) from error
    sync_folder(path.parent)


def clear_temporary(folder: Path) -> None:
    """Remove the temporary files of a killed `write_atomically`; call this only while no process
    writes.
    """
    for path in folder.glob(".*.tmp"):
        with contextlib.suppress(OSError):
            path.unlink()


def sync_folder(folder: Path) -> None:
    """Flush a folder's list of names to the disk."""
    # A new name is on disk only after its folder is flushed; not every system supports this.
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
