"""Rows in .npy and Parquet files that need not fit into memory, read a part at a time."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray

from gplvm_core.numerics import Array
from gplvm_core.readers.checks import LARGEST
from gplvm_core.readers.errors import DataError
from gplvm_core.readers.rows.file_state import FilePath
from gplvm_core.readers.rows.folder_file import FolderFile
from gplvm_core.readers.rows.npy import NpyRows
from gplvm_core.readers.rows.parquet import ParquetRows

ROWS_AT_ONCE = 16_384
# Handing out a part costs milliseconds, wherever it is worked on.
MOST_PARTS = 4096
READERS: dict[str, Callable[[FilePath], "RowFile"]] = {
    ".npy": NpyRows.of,
    ".parquet": ParquetRows.of,
}

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str] | FolderFile]


class RowFile(Protocol):
    """A table in one file: where reading may pause, and rows first to last − 1 in blocks."""

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
    """The rows of one table or of several with the same columns, in order, as float64.

    `RowFiles.of("rows.npy")`, of a list of paths, or of a folder: all tables in it by name. Files
    are .npy (float32 is fine) or Parquet (the package pyarrow, "manifolio[parquet]"); NaN and null
    are missing. Only the places of the rows are kept, so that it can be sent to where it is read.
    """

    files: tuple[RowFile, ...]

    @classmethod
    def of(cls, paths: Paths) -> Self:
        """Raises DataError for files that are not such tables, or do not fit together."""
        files = tuple(_file(path) for path in _listed(paths))
        if not files:
            raise DataError("no files were given to read rows from")
        for each in files[1:]:
            if each.n_columns != files[0].n_columns:
                raise DataError(
                    f"{each.path.name} has {each.n_columns} columns, but {files[0].path.name} has "
                    f"{files[0].n_columns}: all files need the same"
                )
        named = [each for each in files if isinstance(each, ParquetRows)]
        for other in named[1:]:
            if other.names != named[0].names:
                raise DataError(
                    f"{other.path.name} and {named[0].path.name} name their columns differently, "
                    "or in another order: all files need the same"
                )
        return cls(files)

    def __len__(self) -> int:
        return sum(each.n_rows for each in self.files)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), self.files[0].n_columns

    @property
    def column_names(self) -> tuple[str, ...] | None:
        """As a Parquet file has them; None: the files are all .npy."""
        return next((each.names for each in self.files if isinstance(each, ParquetRows)), None)

    def parts(self, size: int | None = None) -> list[tuple[int, int]]:
        """(first, last + 1) of what is best read in one go: at most so many rows, if files allow.

        They hang on the files alone. Of very many rows they are larger, so that they stay few.
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
        """(number of the first row, rows) in turn, at most so many at a time.

        Raises DataError when a file changed since it was opened, or is gone, and for infinities.
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

    def take(self, chosen: Int[NDArray[np.intp], " n"]) -> Float[Array, "n D"]:
        """The rows with these numbers, which rise."""
        parts = []
        for first, rows in self.chunks():
            edges = np.searchsorted(chosen, [first, first + len(rows)])
            parts.append(rows[chosen[slice(*edges)] - first])
        return np.concatenate(parts)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """All rows in memory, for what does not read in parts."""
        whole = np.concatenate([rows for _, rows in self.chunks()])
        return whole if dtype is None else whole.astype(dtype)


def _refuse_large(rows: Float[Array, "n D"], first: int, path: FilePath) -> None:
    large = np.argwhere(np.abs(rows) > LARGEST)  # NaN is not
    if len(large):
        row, column = large[0]
        raise DataError(
            f"row {first + row:,} (counted from 0, in {path.name}) holds infinity, or a value "
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
        raise DataError(f"the folder {path} holds no .npy and no .parquet files")
    return found


def _file(path: FilePath) -> RowFile:
    whole = path.absolute() if isinstance(path, Path) else path
    return READERS.get(path.suffix.lower(), NpyRows.of)(whole)
