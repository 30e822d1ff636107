"""Who is at work on a file or in a folder: locks that the system gives back when a process ends."""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from gplvm_core.store.private import private_folder

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


@contextlib.contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Something is written below the folder: nobody clears it meanwhile. Many may write at once."""
    with _locked(folder, exclusive=False, wait=True):
        yield


@contextlib.contextmanager
def one_by_one(folder: Path) -> Iterator[None]:
    """One at a time reads and replaces what the folder says, or moves it; the others wait."""
    while True:
        with _locked(folder, exclusive=True, wait=True) as held:
            # While this one waited, another may have moved the folder and put a new one there.
            if held is None or _lies_at(folder, held):
                yield
                return


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[bool]:
    """Whether nobody writes below the folder now, nor will before the end of the block.

    False where the system cannot tell: then whatever lies there may have an owner.
    """
    with _locked(folder, exclusive=True, wait=False) as held:
        yield held is not None


def claim(path: Path) -> IO[bytes] | None:
    """Take a file for this process: open, to be kept; None when another process has it."""
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
        # A file system without locks: then only one process may use it, as it always was.
        return file
    return file


@contextlib.contextmanager
def _locked(folder: Path, *, exclusive: bool, wait: bool) -> Iterator[int | None]:
    """Lock the folder itself, which leaves nothing behind: its handle; None if that cannot be."""
    if sys.platform == "win32":
        yield None  # folders cannot be opened there
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
    """Whether the folder that was opened is the one of that name still, or there is none."""
    try:
        return os.path.samestat(os.stat(folder), os.fstat(handle))
    except FileNotFoundError:
        return True
