"""Tables in folders that the operator has opened to visitors, chosen by name and never by a path.

A table's name is the folder's name followed by the path within it. Links and hidden files are
neither listed nor followed, so nothing outside the folders can be reached. Names that are not UTF-8
are not listed, since pages cannot show them.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from gplvm_core.readers.errors import DataError
from gplvm_core.readers.rows.folder_file import Folder, FolderFile

SETTING = "MANIFOLIO_DATA_FOLDERS"
ENDINGS = (".npy", ".parquet")
DEEPEST = 3  # largest number of folder levels below an opened folder
MOST_TABLES = 500


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
