"""Tables in folders that the operator has opened to visitors, chosen by name and never by a path.

A table's name is the folder's name followed by the path within it. Links and hidden files are
neither listed nor followed, so nothing outside the folders can be reached. Names that are not UTF-8
are not listed, since pages cannot show them.

The system resolves a path again at every use, so someone could put a link into the folder between
two uses. This module therefore opens each folder or file from a folder that is already open
(openat, O_NOFOLLOW). The opened file must be the one that was listed. On systems without folder
descriptors, such as Windows, each part of a path is checked for links before it is opened.
"""

import errno
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
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
SETTING = "MANIFOLIO_DATA_FOLDERS"
OWN = "MANIFOLIO_OWN_FILES"  # set at the start of a server, never read from its settings
ENDINGS = (".npy", ".parquet", ".feather", ".arrow", ".ipc", ".csv", ".tsv")
DEEPEST = 3  # largest number of folder levels below an opened folder
MOST_TABLES = 500


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


@dataclass(frozen=True)
class OpenTable:
    """A file, or all files of one kind in a folder, in the order of their names."""

    name: str
    files: tuple[FolderFile, ...]
    size: int  # bytes
    changed: tuple[int, ...]  # when each file was last written, in nanoseconds


def opened_folders(environment: Mapping[str, str]) -> dict[str, Path]:
    """Return the folders in the setting, by their names; empty if the setting is not set.

    Raises ValueError for a wrong setting.
    """
    entries = [text for text in environment.get(SETTING, "").split(os.pathsep) if text.strip()]
    found: dict[str, Path] = {}
    for text in entries:
        path = Path(text.strip())
        if not path.is_absolute() or ".." in path.parts:
            raise ValueError(f"{SETTING} names “{text}”; write the absolute path, without “..”.")
        if path.is_symlink() or not path.is_dir():
            raise ValueError(f"{SETTING} names “{text}”, which is not a folder, or is a link.")
        if path.name in found:
            raise ValueError(
                f"{SETTING} names two folders called “{path.name}”: rename one of them."
            )
        found[path.name] = path
    return found


def tables_in(folders: Mapping[str, Path]) -> tuple[OpenTable, ...]:
    """Return the tables in opened folders, sorted by name, at most `MOST_TABLES`."""
    found: list[OpenTable] = []
    for root in folders.values():
        # Skip a folder that cannot be read or has become a link.
        with suppress(OSError), Folder.opened(root) as folder:
            found += _tables(folder, root, ())
    return tuple(sorted(found, key=lambda table: table.name)[:MOST_TABLES])


def table_named(name: str, folders: Mapping[str, Path]) -> OpenTable:
    """Find a table by its name. Raises DataError for a name that is not among `tables_in`."""
    found = next((table for table in tables_in(folders) if table.name == name), None)
    if found is None:
        raise DataError(
            f"There is no table {name!r} in the folders that are open here ({SETTING}): it was "
            "moved or renamed, or its folder was closed."
        )
    return found


def has_own_files(environment: Mapping[str, str]) -> bool:
    """Whether the files of this machine may be opened: the server has set this at its start."""
    return environment.get(OWN) == "1"


def own_table(path: str, environment: Mapping[str, str]) -> OpenTable:
    """Find a file of this machine. Raises DataError, also on a server that others can use."""
    if not has_own_files(environment):
        raise DataError(
            "Files of this machine are opened only while the app runs on one's own machine."
        )
    if not Path(path).is_absolute():
        raise DataError(f"Write the whole path of the file, such as {Path.home() / 'table.csv'}.")
    place = Path(path)
    if place.suffix.lower() not in ENDINGS:
        raise DataError(
            f"{place.name} is not read from disk. Tables end with {', '.join(ENDINGS)}."
        )
    try:
        place = place.resolve(strict=True)
        state = place.stat()
    except OSError as error:
        raise DataError(f"{path} cannot be opened: {error.strerror}.") from error
    if not stat.S_ISREG(state.st_mode):
        raise DataError(f"{path} is not a file. Name one file, such as {place / 'table.csv'}.")
    file = FolderFile(place.parent, (place.name,), state.st_dev, state.st_ino)
    return OpenTable(str(place), (file,), state.st_size, (state.st_mtime_ns,))


def _tables(folder: Folder, root: Path, parts: tuple[str, ...]) -> Iterator[OpenTable]:
    """Yield a table for every file, and a table for all files of the same kind in a folder.

    parts: the names from the opened folder, `root`, to `folder`.
    """
    tables: dict[str, list[OpenTable]] = {}
    for name in folder.names():
        if name.startswith(".") or not _is_text(name):
            continue
        # Skip a link, or a folder that cannot be read.
        with suppress(OSError):
            state = folder.state(name)
            file = FolderFile(root, (*parts, name), state.st_dev, state.st_ino)
            if stat.S_ISDIR(state.st_mode) and len(parts) < DEEPEST:
                with folder.inner(name) as inner:
                    yield from _tables(inner, root, file.parts)
            elif stat.S_ISREG(state.st_mode) and file.suffix.lower() in ENDINGS:
                table = OpenTable(str(file), (file,), state.st_size, (state.st_mtime_ns,))
                tables.setdefault(file.suffix.lower(), []).append(table)
                yield table
    for ending, each in tables.items():
        if len(each) > 1:
            yield OpenTable(
                "/".join((root.name, *parts, f"*{ending}")),
                tuple(file for table in each for file in table.files),
                sum(table.size for table in each),
                tuple(time for table in each for time in table.changed),
            )


def _is_text(name: str) -> bool:
    """Whether a name can be shown: Python reads bytes that are not UTF-8 as surrogates."""
    return not any("\ud800" <= each <= "\udfff" for each in name)
