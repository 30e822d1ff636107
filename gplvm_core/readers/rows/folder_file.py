"""Open files in a folder that visitors may read, folder by folder and never through a link.

The system resolves a path again at every use, so someone could put a link into the folder between
two uses. This module therefore opens each folder or file from a folder that is already open
(openat, O_NOFOLLOW). The opened file must be the one that was listed. On systems without folder
descriptors, such as Windows, each part of a path is checked for links before it is opened.
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
# The flags are looked up by name, because no system has all flags. O_NONBLOCK: opening a pipe
# must not block.
FLAGS = ("O_RDONLY", "O_BINARY", "O_NOFOLLOW", "O_NONBLOCK")
FILE = sum(getattr(os, name, 0) for name in FLAGS)
FOLDER = FILE | getattr(os, "O_DIRECTORY", 0)
LINKED = (errno.ELOOP, errno.EMLINK)  # errors for a link under O_NOFOLLOW
SURROGATE = 0x20000000  # the bit in Windows reparse tags of links and junctions


@dataclass(frozen=True)
class Folder:
    """An open folder: its descriptor, or its path on systems without such descriptors."""

    at: int | Path | None  # None stands for the start of absolute paths

    @classmethod
    @contextmanager
    def opened(cls, root: Path) -> Iterator[Self]:
        """Open a folder by its absolute path. Raises OSError, also for a link."""
        with cls(None if DESCRIPTORS else Path()).inner(str(root)) as folder:
            yield folder

    @contextmanager
    def inner(self, name: str) -> Iterator[Self]:
        """Open a folder inside this folder. Raises OSError, also for a link."""
        self.state(name)  # lstat recognises a link; os.open may only report "not a directory"
        if isinstance(self.at, Path):
            yield type(self)(self.at / name)
            return
        descriptor = os.open(name, FOLDER, dir_fd=self.at)
        try:
            yield type(self)(descriptor)
        finally:
            os.close(descriptor)

    def names(self) -> list[str]:
        """Return the sorted names in the folder. Raises OSError."""
        return sorted(os.listdir(self.at))

    def state(self, name: str) -> os.stat_result:
        """Return the state of a file or folder in this folder. Raises OSError, also for a link."""
        if isinstance(self.at, Path):
            state = os.lstat(self.at / name)
        else:
            state = os.stat(name, dir_fd=self.at, follow_symlinks=False)
        if stat.S_ISLNK(state.st_mode) or getattr(state, "st_reparse_tag", 0) & SURROGATE:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
        return state

    def descriptor(self, name: str) -> int:
        """Open a file in this folder for reading. Raises OSError, also for a link."""
        if isinstance(self.at, Path):
            return os.open(self.at / name, FILE)
        return os.open(name, FILE, dir_fd=self.at)


@dataclass(frozen=True)
class FolderFile:
    """A listed file: the opened folder, the names from there to the file, and its identity."""

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
        """Return the name shown to visitors, which does not reveal the location of the folder."""
        return "/".join((self.root.name, *self.parts))

    def open(self, mode: Literal["rb"]) -> BinaryIO:
        """Open the file for reading, as `Path.open` does.

        Raises DataError for a link, for anything but a regular file, and if another file has
        replaced the listed one. Raises OSError for a file that cannot be read.
        """
        try:
            with ExitStack() as way:
                folder = way.enter_context(Folder.opened(self.root))
                for part in self.parts[:-1]:
                    folder = way.enter_context(folder.inner(part))
                # The file is also checked before opening, because opening a device can change its
                # state.
                self._check(folder.state(self.name))
                descriptor = folder.descriptor(self.name)
        except OSError as error:
            if error.errno not in LINKED:
                raise
            raise DataError(
                f"{self} is a link, or is in a linked folder. Links are not followed in folders "
                "that are open to visitors: put the file itself there"
            ) from error
        try:
            self._check(os.fstat(descriptor))
            return os.fdopen(descriptor, mode)
        except BaseException:
            os.close(descriptor)
            raise

    def _check(self, state: os.stat_result) -> None:
        if not stat.S_ISREG(state.st_mode):
            raise DataError(f"{self} is no longer a regular file: put the table back")
        if (state.st_dev, state.st_ino) != (self.device, self.inode):
            raise DataError(
                f"{self} was replaced after it was listed: choose the table again, and do not "
                "change it meanwhile"
            )
