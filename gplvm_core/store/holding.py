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
    """One at a time reads and replaces what the folder says; the others wait."""
    with _locked(folder, exclusive=True, wait=True):
        yield


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[bool]:
    """Whether nobody writes below the folder now, nor will before the end of the block.

    False where the system cannot tell: then whatever lies there may have an owner.
    """
    with _locked(folder, exclusive=True, wait=False) as held:
        yield held


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
def _locked(folder: Path, *, exclusive: bool, wait: bool) -> Iterator[bool]:
    """Lock the folder itself, which leaves nothing behind; whether that could be done."""
    if sys.platform == "win32":
        yield False  # folders cannot be opened there
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        yield False
        return
    try:
        how = fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH
        try:
            fcntl.flock(handle, how if wait else how | fcntl.LOCK_NB)
            held = True
        except OSError:
            held = False
        yield held
    finally:
        os.close(handle)
