"""Where bytes come from: a path, an upload or an archive."""

import io
import os
import stat
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from gplvm_core.readers.errors import DataError, listed, parsing
from gplvm_core.readers.limits import MEGABYTE, MOST_BYTES, MOST_MEMBERS, MOST_UNPACKED


@dataclass(frozen=True)
class NamedBytes:
    """The bytes of a file that is not on this machine, such as an upload, and its name."""

    name: str
    data: bytes


Source = str | os.PathLike[str] | bytes | NamedBytes
"""Input of a reader: a path, or the file's bytes, with or without its name."""


def read_source(source: Source, expected: str) -> tuple[bytes, str]:
    """Return the file's bytes, and a name for the file ("upload" if only bytes were given)."""
    if isinstance(source, NamedBytes):
        data, name = source.data, source.name
    elif isinstance(source, bytes | bytearray | memoryview):
        data, name = bytes(source), "upload"
    else:
        path = Path(source)
        if not path.exists():
            raise DataError(f"There is no file {path}. Check the path; {expected} is expected.")
        if not path.is_file():
            raise DataError(f"{path} is not a file. Pass the path of {expected}.")
        _check_size(path.stat().st_size, path.name)
        data, name = path.read_bytes(), path.name
    if not data[:1000].strip() and not data.strip():
        raise DataError(f"{name} is empty. Pass {expected}.")
    _check_size(len(data), name)
    return data, name


def _check_size(size: int, name: str) -> None:
    if size > MOST_BYTES:
        raise DataError(
            f"{name} has {size / MEGABYTE:.0f} MB; files up to {MOST_BYTES / MEGABYTE:.0f} MB are "
            "read. Leave out rows, or make the images smaller."
        )


def stem(name: str) -> str:
    """Return the name of a data set: its file's name without folder and extensions."""
    return PurePosixPath(name).name.split(".")[0] or "upload"


def named(file: str, what: str) -> dict[str, Any]:
    """Return the name, the title and the source of the data set of a file; what: what it is."""
    own = stem(file)
    return {"name": own, "title": own.replace("_", " "), "source": f"{file}, {what}."}


ENTRY = b"PK\x01\x02"  # precedes each file in a zip's table of contents


@dataclass(frozen=True)
class Archive:
    """A zip file whose names and declared sizes have been checked; nothing is written to disk."""

    file: zipfile.ZipFile
    members: tuple[str, ...]
    skipped: tuple[str, ...]

    def size(self, member: str) -> int:
        """Return the unpacked size, in bytes, that a member declares."""
        return self.file.getinfo(member).file_size

    def read(self, member: str, most: int | None = None) -> bytes:
        """Return a member's first `most` bytes, never more than the declared and checked size."""
        size = self.size(member)
        with (
            parsing(f"{member} in the zip", "is damaged", "Pack it again."),
            self.file.open(member) as file,
        ):
            return file.read(size if most is None else min(size, most))


def open_archive(data: bytes, name: str, *, most_unpacked: int = MOST_UNPACKED) -> Archive:
    """Open a zip, and refuse anything that a normal zip of data does not contain.

    The function refuses empty names, absolute paths and "..", links, encryption, repeated names,
    more than MOST_MEMBERS files, and more than `most_unpacked` declared bytes. A member that
    unpacks to more than it declares is cut off at that size and fails its checksum. Hidden files
    and the files that macOS and Windows add are skipped and listed in `skipped`.
    """
    count = data.count(ENTRY)  # checked before ZipFile makes an object for each file
    if count > MOST_MEMBERS:
        raise DataError(f"{name} holds {count:,} files; up to {MOST_MEMBERS:,} are read. Split it.")
    excel = name.lower().endswith((".xlsx", ".xlsm"))
    kind, remedy = ("an Excel workbook", "Save it") if excel else ("a zip file", "Pack it")
    with parsing(name, f"is not {kind}, or it is cut off", f"{remedy} again."):
        archive = zipfile.ZipFile(io.BytesIO(data))
    infos = archive.infolist()
    if not all(info.filename for info in infos):
        raise DataError(f"{name} was refused: a file in it has no name. Pack it again.")
    unsafe = [info.filename for info in infos if _is_unsafe(info)]
    if unsafe:
        raise DataError(
            f"{name} was refused: {listed(unsafe)} would be unpacked outside its folder "
            '(an absolute path, ".." or a link). Pack it again from inside the folder.'
        )
    encrypted = [info.filename for info in infos if info.flag_bits & 0x1]
    if encrypted:
        raise DataError(f"{name}: {listed(encrypted)} is encrypted. Pack it without a password.")
    names = [info.filename for info in infos]
    if len(set(names)) < len(names):
        raise DataError(f"{name} holds several files of the same name. Pack it again.")
    unpacked = sum(info.file_size for info in infos)
    if unpacked > most_unpacked:
        raise DataError(
            f"{name} was refused: its {len(data) / MEGABYTE:.1f} MB unpack to "
            f"{unpacked / MEGABYTE:.0f} MB, more than the {most_unpacked / MEGABYTE:.0f} MB that "
            "are read. Use fewer or smaller files."
        )
    files = [info.filename for info in infos if not info.is_dir()]
    clutter = [file for file in files if _is_clutter(file)]
    kept = [file for file in files if not _is_clutter(file)]
    if not kept:
        raise DataError(f"{name} holds no files. Pack the files themselves into it.")
    return Archive(archive, tuple(kept), tuple(clutter))


def _is_unsafe(info: zipfile.ZipInfo) -> bool:
    # Check orig_filename, because zipfile rewrites separators on Windows and keeps drive letters.
    path = info.orig_filename.replace("\\", "/")
    has_drive = len(path) > 1 and path[1] == ":"
    is_link = stat.S_ISLNK(info.external_attr >> 16)
    return path.startswith("/") or has_drive or ".." in path.split("/") or is_link


def _is_clutter(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return any(part.startswith(".") or part == "__MACOSX" for part in parts) or parts[
        -1
    ].lower() in ("thumbs.db", "desktop.ini")
