"""Locks on files and folders; the system releases them when a process ends."""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from gplvm_core.store.atomic import private_folder

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


def writing(folder: Path) -> contextlib.AbstractContextManager[object]:
    """Hold a shared lock while writing below a folder, so that no other process cleans it up in the
    meantime.
    """
    return _locked(folder, exclusive=False, wait=True)


@contextlib.contextmanager
def one_by_one(folder: Path) -> Iterator[None]:
    """Hold an exclusive lock while changing or moving a folder; other processes wait."""
    while True:
        with _locked(folder, exclusive=True, wait=True) as held:
            # Meanwhile another process may have moved the folder and made a new one.
            if held is None or _lies_at(folder, held):
                yield
                return


@contextlib.contextmanager
def no_writers(folder: Path) -> Iterator[bool]:
    """Yield whether no process writes below the folder, from now until the end of the block.

    Yields False if the system has no such locks, because another process may then be writing.
    """
    with _locked(folder, exclusive=True, wait=False) as held:
        yield held is not None


def claim(path: Path) -> IO[bytes] | None:
    """Lock a file for this process; return it open, or None if another process has locked it."""
    private_folder(path.parent)
    opener = lambda name, flags: os.open(name, flags, 0o600)  # noqa: E731
    file = open(path, "ab", opener=opener)  # noqa: SIM115 (open as long as the claim is held)
    try:
        if sys.platform == "win32":
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        file.close()
        return None
    except OSError:
        # The file system has no locks, so the user must not start a second process in this folder.
        return file
    return file


@contextlib.contextmanager
def _locked(folder: Path, *, exclusive: bool, wait: bool) -> Iterator[int | None]:
    """Lock the folder itself, without a lock file; yields its handle, or None if not possible."""
    if sys.platform == "win32":
        yield None  # this system cannot open folders
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        yield None
        return
    try:
        how = fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH
        try:
            fcntl.flock(handle, how if wait else how | fcntl.LOCK_NB)
            held = handle
        except OSError:
            held = None
        yield held
    finally:
        os.close(handle)


def _lies_at(folder: Path, handle: int) -> bool:
    """Whether the opened folder still has this path, or no folder has this path."""
    try:
        return os.path.samestat(os.stat(folder), os.fstat(handle))
    except FileNotFoundError:
        return True
