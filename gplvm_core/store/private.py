"""Write files and folders that only the user can access: files 0600, folders 0700."""

import contextlib
import itertools
import os
import shutil
import stat
from pathlib import Path
from typing import IO

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
