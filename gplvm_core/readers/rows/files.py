"""Read rows from .npy and Parquet files in parts, so that they need not fit into memory."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray

from gplvm_core.numerics import Array, IntArray
from gplvm_core.readers.errors import DataError, plural
from gplvm_core.readers.limits import LARGEST
from gplvm_core.readers.rows.file_state import FilePath
from gplvm_core.readers.rows.folder_file import FolderFile
from gplvm_core.readers.rows.npy import NpyRows
from gplvm_core.readers.rows.parquet import ParquetRows

ROWS_AT_ONCE = 16_384
# Every part has an overhead of milliseconds.
MOST_PARTS = 4096
READERS: dict[str, Callable[[FilePath], "RowFile"]] = {
    ".npy": NpyRows.of,
    ".parquet": ParquetRows.of,
}

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str] | FolderFile]


class RowFile(Protocol):
    """A table in one file. `ends` are row numbers at which to divide the table; `blocks` yields
    rows in blocks.
    """

    @property
    def path(self) -> FilePath: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def n_columns(self) -> int: ...
    def ends(self, size: int) -> list[int]: ...
    def blocks(self, first: int, last: int, size: int) -> Iterator[NDArray[Any]]: ...


@dataclass(frozen=True)
class RowFiles:
    """The rows of one or several tables with the same columns, in order, as float64.

    `RowFiles.of` takes a path, a list of paths, or a folder, whose tables are read in the order of
    their names. Files are .npy (float32 or float64) or Parquet (needs pyarrow,
    "manifolio[parquet]"); NaN and null are missing. The object contains only paths and positions,
    so it can be sent to other processes.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from gplvm_core import RowFiles
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/a.npy", np.zeros((3, 2)))
    ...     np.save(f"{folder}/b.npy", np.ones((2, 2)))
    ...     files = RowFiles.of(folder)
    >>> len(files)
    5
    """

    files: tuple[RowFile, ...]

    @classmethod
    def of(cls, paths: Paths) -> Self:
        """Open the files. Raises DataError for other files, and for files whose columns differ."""
        files = tuple(_file(path) for path in _listed(paths))
        if not files:
            raise DataError("no files were given; pass at least one path")
        for each in files[1:]:
            if each.n_columns != files[0].n_columns:
                raise DataError(
                    f"{each.path.name} has {plural(each.n_columns, 'column')}, but "
                    f"{files[0].path.name} has "
                    f"{files[0].n_columns}: all files must have the same columns"
                )
        named = [each for each in files if isinstance(each, ParquetRows)]
        for other in named[1:]:
            if other.names != named[0].names:
                raise DataError(
                    f"{other.path.name} and {named[0].path.name} have different column names, or "
                    "another order of columns: all files must have the same"
                )
        return cls(files)

    def __len__(self) -> int:
        return sum(each.n_rows for each in self.files)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), self.files[0].n_columns

    @property
    def column_names(self) -> tuple[str, ...] | None:
        """The column names of the Parquet files; None if all files are .npy."""
        return next((each.names for each in self.files if isinstance(each, ParquetRows)), None)

    def parts(self, size: int | None = None) -> list[tuple[int, int]]:
        """Return (first row, last row + 1) of each part, of at most `size` rows if files allow it.

        A part is read at once. The parts depend only on the files. By default their size grows with
        the table, so that their number is small.
        """
        size = size or max(ROWS_AT_ONCE, -(-len(self) // MOST_PARTS))
        parts, before = [(0, 0)], 0
        for each in self.files:
            for end in each.ends(size):
                begin, middle = parts[-1]
                if before + end - begin <= size or begin == middle:
                    parts[-1] = (begin, before + end)
                else:
                    parts.append((middle, before + end))
            before += each.n_rows
        return parts

    def chunks(
        self, size: int | None = None, first: int = 0, last: int | None = None
    ) -> Iterator[tuple[int, Float[Array, "_N D"]]]:
        """Yield (number of the first row, rows) in order, with at most `size` rows at a time.

        Raises DataError if a file was changed or removed since it was opened, and for infinite
        values.
        """
        last, before = len(self) if last is None else last, 0
        for each in self.files:
            begin, end = max(first - before, 0), min(last - before, each.n_rows)
            if begin < end:
                for block in each.blocks(begin, end, size or ROWS_AT_ONCE):
                    rows = block.astype(np.float64)
                    _refuse_large(rows, before + begin, each.path)
                    yield before + begin, rows
                    begin += len(block)
            before += each.n_rows

    def take(self, chosen: Int[IntArray, " n"]) -> Float[Array, "n D"]:
        """Return the rows with these numbers, which must be in ascending order."""
        parts = []
        for first, rows in self.chunks():
            edges = np.searchsorted(chosen, [first, first + len(rows)])
            parts.append(rows[chosen[slice(*edges)] - first])
        return np.concatenate(parts)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Return all rows in memory, for functions that need an array."""
        whole = np.concatenate([rows for _, rows in self.chunks()])
        return whole if dtype is None else whole.astype(dtype)


def _refuse_large(rows: Float[Array, "n D"], first: int, path: FilePath) -> None:
    large = np.argwhere(np.abs(rows) > LARGEST)  # False for NaN
    if len(large):
        row, column = large[0]
        raise DataError(
            f"row {first + row:,} (counted from 0, in {path.name}) has an infinite value, or one "
            f"beyond ±{LARGEST:g}, in column {column}: leave the row out, or save NaN there"
        )


def _listed(paths: Paths) -> Sequence[FilePath]:
    if not isinstance(paths, str | os.PathLike):
        return [each if isinstance(each, FolderFile) else Path(each) for each in paths]
    path = Path(paths)
    if not path.is_dir():
        return [path]
    found = sorted(each for each in path.iterdir() if each.suffix.lower() in READERS)
    if not found:
        raise DataError(f"the folder {path} has no .npy and no .parquet files")
    return found


def _file(path: FilePath) -> RowFile:
    whole = path.absolute() if isinstance(path, Path) else path
    return READERS.get(path.suffix.lower(), NpyRows.of)(whole)
