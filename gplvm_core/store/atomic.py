"""Write files atomically: completely or not at all.

Also here: write files and folders that only the user can access: files 0600, folders 0700.
"""

import contextlib
import itertools
import os
import secrets
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import IO

from gplvm_core.store.errors import StoreError

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def private_folder(path: Path) -> None:
    """Make a folder and its missing parents, accessible only to the user."""
    missing = itertools.takewhile(lambda folder: not folder.exists(), (path, *path.parents))
    for folder in reversed(list(missing)):
        folder.mkdir(mode=0o700, exist_ok=True)


def private_file(path: Path) -> IO[bytes]:
    """Open a new file for writing, accessible only to the user; FileExistsError if it exists."""
    return open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600))


def private_copy(source: Path, target: Path) -> None:
    """Copy a file, accessible only to the user; FileExistsError if the target exists."""
    with open(source, "rb") as old, private_file(target) as new:
        shutil.copyfileobj(old, new)


def tighten(root: Path) -> None:
    """Remove the rights of others from a folder and all files below it that the user owns."""
    if not hasattr(os, "getuid"):
        return
    for folder, _, files in os.walk(root):
        for path in (folder, *(os.path.join(folder, name) for name in files)):
            # Another process may delete a file meanwhile.
            with contextlib.suppress(OSError):
                found = os.lstat(path)
                mine = found.st_uid == os.getuid() and not stat.S_ISLNK(found.st_mode)
                if mine and found.st_mode & _OTHERS:
                    os.chmod(path, stat.S_IMODE(found.st_mode) & ~_OTHERS)


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
