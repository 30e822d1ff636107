"""The state of a file that is read in parts: a file that changes meanwhile is an error."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Self

from gplvm_core.readers.errors import DataError
from gplvm_core.readers.rows.folders import FolderFile

FilePath = Path | FolderFile
"""The location of a file: a path, whose links are followed, or a file in an opened folder."""

# Number of bytes at either end of a file, where headers and footers are.
ENDS = 4096


@dataclass(frozen=True)
class FileState:
    """Size, time of the last change in nanoseconds, and a digest of both ends of a file."""

    size: int
    changed: int
    ends: str

    @classmethod
    def of(cls, file: BinaryIO) -> Self:
        """Return the present state of an open file."""
        state = os.fstat(file.fileno())
        digest = hashlib.sha256()
        for begin in (0, max(0, state.st_size - ENDS)):
            file.seek(begin)
            digest.update(file.read(ENDS))
        return cls(state.st_size, state.st_mtime_ns, digest.hexdigest())


@contextmanager
def opened(path: FilePath, before: FileState | None = None) -> Iterator[BinaryIO]:
    """Open a file for reading. Raises DataError if the file cannot be read, or differs from
    `before`. The state is compared again at the end. A change during reading is therefore reported
    as a change, even if the change caused another error first.
    """
    try:
        with path.open("rb") as file:
            try:
                yield file
            finally:
                same = before in (None, FileState.of(file))
                if not same:
                    raise DataError(
                        f"{path.name} changed while it was read: use a copy that no other program "
                        "changes"
                    )
    except OSError as error:
        can = "cannot" if before is None else "can no longer"
        raise DataError(f"{path} {can} be read: {error.strerror or error}") from error
