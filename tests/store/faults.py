"""Simulated faults: the process ends before the k-th file operation, or an operation fails.

A killed process cannot react or clean up. From the k-th operation on, every operation that would
change the disk is therefore refused.
"""

import builtins
import contextlib
import io
import os
import stat
import tempfile
from pathlib import Path

OPERATIONS = ("rename", "replace", "unlink", "remove", "mkdir", "rmdir", "chmod", "fsync")


NOBODY = 65534


@contextlib.contextmanager
def reachable_home():
    """Return a new folder that every user can reach, unlike those of tmp_path."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        home = Path(name) / "home"
        home.mkdir(mode=0o700)
        yield home


@contextlib.contextmanager
def refused(home, folder, rights):
    """Make the system refuse changes: give a folder these rights, even for the superuser.

    A test that runs as root becomes the user nobody, who then owns the folder.
    """
    before = stat.S_IMODE(folder.stat().st_mode)
    user = os.geteuid()
    for path in (home, *home.rglob("*")) if user == 0 else ():
        os.chown(path, NOBODY, NOBODY)
    folder.chmod(rights)
    os.seteuid(NOBODY if user == 0 else user)
    try:
        yield
    finally:
        os.seteuid(user)
        folder.chmod(before)


class Kill(BaseException):
    """Simulates the end of the process."""


class Faults:
    """Count the operations that change the disk; refuse the `at`-th one and all later ones."""

    def __init__(self, monkeypatch, at=None):
        self.count, self.at = 0, at
        for name in OPERATIONS:
            monkeypatch.setattr(os, name, self._counting(name, getattr(os, name)))
        monkeypatch.setattr(os, "open", self._opening(os.open))
        for module in (builtins, io):
            monkeypatch.setattr(module, "open", self._opening_file(builtins.open))

    def _count(self):
        self.count += 1
        if self.at is not None and self.count > self.at:
            raise Kill

    def _counting(self, name, real):
        def operation(*arguments, **options):
            try:
                self._count()
            except Kill:
                # Data that were not flushed may be lost in part, so the file is cut in the middle.
                if name == "fsync" and self.count == self.at + 1:
                    half = os.fstat(arguments[0]).st_size // 2
                    with contextlib.suppress(OSError):  # a folder cannot be truncated
                        os.ftruncate(arguments[0], half)
                raise
            # A killed process loses nothing that it has written, so the test does not wait for
            # disks.
            return None if name == "fsync" else real(*arguments, **options)

        return operation

    def _opening(self, real):
        def operation(path, flags, *arguments, **options):
            if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                self._count()
            return real(path, flags, *arguments, **options)

        return operation

    def _opening_file(self, real):
        def operation(file, mode="r", *arguments, **options):
            # With an opener, Python calls os.open, which is counted.
            if set(mode) & set("wxa+") and not options.get("opener"):
                self._count()
            return real(file, mode, *arguments, **options)

        return operation
