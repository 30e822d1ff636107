"""What told a file that is read in parts from another, so that it is still the same one later."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Self

from gplvm_core.readers.errors import DataError
from gplvm_core.readers.rows.folder_file import FolderFile

FilePath = Path | FolderFile
"""Where a file lies: a path of the user's own, whose links are followed, or in an opened folder."""

# Bytes at either end, where headers and footers are.
ENDS = 4096


@dataclass(frozen=True)
class FileState:
    """Size, time of the last change in nanoseconds, and a digest of both ends of a file."""

    size: int
    changed: int
    ends: str

    @classmethod
    def of(cls, file: BinaryIO) -> Self:
        """Of an open file as it is now."""
        state = os.fstat(file.fileno())
        digest = hashlib.sha256()
        for begin in (0, max(0, state.st_size - ENDS)):
            file.seek(begin)
            digest.update(file.read(ENDS))
        return cls(state.st_size, state.st_mtime_ns, digest.hexdigest())


@contextmanager
def opened(path: FilePath, before: FileState | None = None) -> Iterator[BinaryIO]:
    """The file, to read from. Raises DataError when it cannot be read, or is no longer as before.

    Asked at the end, so that what changed meanwhile is told, too; whatever reading stumbled over
    in a file that changed is told as that.
    """
    try:
        with path.open("rb") as file:
            try:
                yield file
            finally:
                same = before in (None, FileState.of(file))
                if not same:
                    raise DataError(
                        f"{path.name} changed while it was read: work on a copy that nobody "
                        "writes to"
                    )
    except OSError as error:
        can = "cannot" if before is None else "can no longer"
        raise DataError(f"{path} {can} be read: {error.strerror or error}") from error
