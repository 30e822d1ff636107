"""Files in a folder that was opened to visitors: reached step by step, never through a link.

The system looks a path up anew at every use, and whoever may write to the folder can put a link
there meanwhile. Here each step starts at a folder that is already open (openat, O_NOFOLLOW), and
the file that is opened must be the one that was listed. Systems without descriptors of folders,
such as Windows, look at each step before they take it.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, Self

from gplvm_core.readers.errors import DataError

DESCRIPTORS = (
    {os.open, os.stat} <= os.supports_dir_fd
    and os.listdir in os.supports_fd
    and hasattr(os, "O_NOFOLLOW")
)
# By name, since no system has all of them. O_NONBLOCK: a pipe must not hold up who opens it.
FLAGS = ("O_RDONLY", "O_BINARY", "O_NOFOLLOW", "O_NONBLOCK")
FILE = sum(getattr(os, name, 0) for name in FLAGS)
FOLDER = FILE | getattr(os, "O_DIRECTORY", 0)
LINKED = (errno.ELOOP, errno.EMLINK)  # how systems report a link under O_NOFOLLOW
SURROGATE = 0x20000000  # the bit of a Windows reparse tag that leads elsewhere, as a junction does


@dataclass(frozen=True)
class Folder:
    """An open folder: its descriptor, or its path on systems without such descriptors."""

    at: int | Path | None  # None: where whole paths begin

    @classmethod
    @contextmanager
    def opened(cls, root: Path) -> Iterator[Self]:
        """Open a folder that is no link, by its whole path. Raises OSError."""
        with cls(None if DESCRIPTORS else Path()).inner(str(root)) as folder:
            yield folder

    @contextmanager
    def inner(self, name: str) -> Iterator[Self]:
        """Open a folder in this one that is no link. Raises OSError."""
        self.state(name)  # which says that there is a link; the system may call it no folder
        if isinstance(self.at, Path):
            yield type(self)(self.at / name)
            return
        descriptor = os.open(name, FOLDER, dir_fd=self.at)
        try:
            yield type(self)(descriptor)
        finally:
            os.close(descriptor)

    def names(self) -> list[str]:
        """Return the names in it, sorted. Raises OSError."""
        return sorted(os.listdir(self.at))

    def state(self, name: str) -> os.stat_result:
        """Return the state of what has this name and is no link. Raises OSError."""
        if isinstance(self.at, Path):
            state = os.lstat(self.at / name)
        else:
            state = os.stat(name, dir_fd=self.at, follow_symlinks=False)
        if stat.S_ISLNK(state.st_mode) or getattr(state, "st_reparse_tag", 0) & SURROGATE:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
        return state

    def descriptor(self, name: str) -> int:
        """Open what has this name and is no link, to read from. Raises OSError."""
        if isinstance(self.at, Path):
            return os.open(self.at / name, FILE)
        return os.open(name, FILE, dir_fd=self.at)


@dataclass(frozen=True)
class FolderFile:
    """A file as it was listed: the opened folder, the names from there, and which file it was."""

    root: Path
    parts: tuple[str, ...]
    device: int
    inode: int

    @property
    def name(self) -> str:
        return self.parts[-1]

    @property
    def suffix(self) -> str:
        return Path(self.name).suffix

    def __str__(self) -> str:
        """Return how visitors know it, which leaves out where the folder is."""
        return "/".join((self.root.name, *self.parts))

    def open(self, mode: Literal["rb"]) -> BinaryIO:
        """Open the file to read from, as `Path.open` does.

        Raises DataError for a link, for what is no regular file and for another file than the one
        that was listed; OSError for what cannot be read.
        """
        try:
            with ExitStack() as way:
                folder = way.enter_context(Folder.opened(self.root))
                for part in self.parts[:-1]:
                    folder = way.enter_context(folder.inner(part))
                # Checked before, too: to open a device can change it.
                self._check(folder.state(self.name))
                descriptor = folder.descriptor(self.name)
        except OSError as error:
            if error.errno not in LINKED:
                raise
            raise DataError(
                f"{self} is a link, or lies behind one. Links are not followed in folders that are "
                "open to visitors: put the file itself there"
            ) from error
        try:
            self._check(os.fstat(descriptor))
            return os.fdopen(descriptor, mode)
        except BaseException:
            os.close(descriptor)
            raise

    def _check(self, state: os.stat_result) -> None:
        if not stat.S_ISREG(state.st_mode):
            raise DataError(f"{self} is no regular file any more: put the table back")
        if (state.st_dev, state.st_ino) != (self.device, self.inode):
            raise DataError(
                f"{self} was replaced after it was listed: choose the table again, and let nobody "
                "write to it meanwhile"
            )
