"""Tables in folders that whoever runs the program has opened: chosen by name, never by a path.

A name is the folder's own, then the way within it. Links and hidden files are neither listed nor
followed, so nothing outside the folders can be reached.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from gplvm_core.datasets.errors import DataError

SETTING = "MANIFOLIO_DATA_FOLDERS"
ENDINGS = (".npy", ".parquet")
DEEPEST = 3  # folders below one that was opened
MOST_TABLES = 500


@dataclass(frozen=True)
class OpenTable:
    """A file, or all files of one kind in a folder, in the order of their names."""

    name: str
    paths: tuple[Path, ...]
    size: int  # bytes


def opened_folders(environment: Mapping[str, str]) -> dict[str, Path]:
    """The folders that the setting names, by their own names; none unless it is set.

    Raises ValueError, in words, for a setting that cannot be meant.
    """
    said = [text for text in environment.get(SETTING, "").split(os.pathsep) if text.strip()]
    found: dict[str, Path] = {}
    for text in said:
        path = Path(text.strip())
        if not path.is_absolute() or ".." in path.parts:
            raise ValueError(f"{SETTING} names “{text}”; write the whole path, without “..”.")
        if path.is_symlink() or not path.is_dir():
            raise ValueError(f"{SETTING} names “{text}”, which is no folder (or a link to one).")
        if path.name in found:
            raise ValueError(
                f"{SETTING} names two folders that are called “{path.name}”: rename one of them."
            )
        found[path.name] = path
    return found


def tables_in(folders: Mapping[str, Path]) -> tuple[OpenTable, ...]:
    """The tables in opened folders, by name, at most `MOST_TABLES`."""
    found = [table for name, folder in folders.items() for table in _tables(folder, name, 0)]
    return tuple(sorted(found, key=lambda table: table.name)[:MOST_TABLES])


def table_named(name: str, folders: Mapping[str, Path]) -> OpenTable:
    """Raises DataError for a name that is not among `tables_in`."""
    found = next((table for table in tables_in(folders) if table.name == name), None)
    if found is None:
        raise DataError(
            f"There is no table {name!r} in the folders that are open here ({SETTING}): it was "
            "moved or renamed, or its folder was closed."
        )
    return found


def _tables(folder: Path, name: str, depth: int) -> Iterator[OpenTable]:
    """Every file alone, and where a folder has several of a kind all of them together."""
    files: dict[str, list[tuple[Path, int]]] = {}
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return  # a folder that cannot be read has no tables
    for entry in entries:
        if entry.name.startswith("."):
            continue
        try:
            state = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        path, own = Path(entry.path), f"{name}/{entry.name}"
        if stat.S_ISDIR(state.st_mode) and depth < DEEPEST:
            yield from _tables(path, own, depth + 1)
        elif stat.S_ISREG(state.st_mode) and path.suffix.lower() in ENDINGS:
            files.setdefault(path.suffix.lower(), []).append((path, state.st_size))
            yield OpenTable(own, (path,), state.st_size)
    for ending, each in files.items():
        if len(each) > 1:
            yield OpenTable(
                f"{name}/*{ending}",
                tuple(path for path, _ in each),
                sum(size for _, size in each),
            )
