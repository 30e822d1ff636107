"""Read rows from .npy and Parquet files in parts, so that they need not fit into memory.

A file that was changed while it is read in parts is an error.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Self

import numpy as np
from jaxtyping import Float, Int
from numpy.lib import format as npy
from numpy.typing import NDArray

from gplvm_core.numerics import Array, IntArray
from gplvm_core.readers.errors import DataError, listed, parsing, plural
from gplvm_core.readers.limits import LARGEST
from gplvm_core.readers.packages import require_packages
from gplvm_core.readers.rows.folders import ENDINGS, FolderFile

FilePath = Path | FolderFile
"""The location of a file: a path, whose links are followed, or a file in an opened folder."""

# Number of bytes at either end of a file, where headers and footers are.
ENDS = 4096
HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
ROWS_AT_ONCE = 16_384
# Every part has an overhead of milliseconds.
MOST_PARTS = 4096
Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str] | FolderFile]


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


@dataclass(frozen=True)
class NpyRows:
    """The position of the rows in a file.

    If the file is cut off, reading raises an error; reading through a memory map would end the
    process.
    """

    path: FilePath
    n_rows: int
    n_columns: int
    dtype: np.dtype[Any]
    begins: int  # byte at which the first row begins
    state: FileState

    @classmethod
    def of(cls, path: FilePath) -> Self:
        """Read the header. Raises DataError unless it is a table of numbers, stored by row."""
        with opened(path) as file:
            with parsing(path.name, "is not an .npy file", "Write it with numpy.save."):
                version = npy.read_magic(file)
                if version not in HEADERS:
                    raise DataError(f"{path.name} has an unknown .npy version {version}")
                shape, by_column, dtype = HEADERS[version](file)
            begins, state = file.tell(), FileState.of(file)
        if dtype.kind not in "fiu" or dtype.hasobject:
            raise DataError(f"{path.name} holds {dtype}, not real numbers: save float32 or float64")
        if len(shape) != 2 or not all(shape):
            raise DataError(
                f"{path.name} holds an array of shape {shape}; a table of N rows and D columns is "
                "needed"
            )
        if by_column:
            raise DataError(
                f"{path.name} is stored column by column, so it cannot be read row by row: save "
                "numpy.ascontiguousarray(table)"
            )
        needed = begins + shape[0] * shape[1] * dtype.itemsize
        if state.size < needed:
            raise DataError(
                f"{path.name} is cut short: {shape[0]:,} rows of {shape[1]} need {needed:,} bytes, "
                f"but it has {state.size:,}"
            )
        return cls(path, *shape, dtype, begins, state)

    def ends(self, size: int) -> list[int]:
        """Return row numbers that divide the file into parts of `size` rows."""
        return [*range(size, self.n_rows, size), self.n_rows]

    def blocks(self, first: int, last: int, size: int) -> Iterator[NDArray[Any]]:
        """Yield rows first to last − 1 in the stored type, at most `size` at a time."""
        for begin in range(first, last, size):
            count = (min(begin + size, last) - begin) * self.n_columns
            at = self.begins + begin * self.n_columns * self.dtype.itemsize
            with opened(self.path, self.state) as file:
                found = np.fromfile(file, self.dtype, count, offset=at)
            yield found.reshape(-1, self.n_columns)


@dataclass(frozen=True)
class ParquetRows:
    """The column names, and the cumulative numbers of rows at the end of each row group."""

    path: FilePath
    names: tuple[str, ...]
    edges: tuple[int, ...]
    state: FileState

    @classmethod
    def of(cls, path: FilePath) -> Self:
        """Read the header; DataError if a column is not of numbers, or without pyarrow."""
        require_packages("Parquet files", ("pyarrow",))
        from pyarrow import parquet, types

        with opened(path) as file:
            with parsing(path.name, "is cut short, or is not a Parquet file", "Write it again."):
                table = parquet.ParquetFile(file)
                about, schema = table.metadata, table.schema_arrow
            state = FileState.of(file)
        other = [
            f"{each.name} ({each.type})"
            for each in schema
            if not (types.is_integer(each.type) or types.is_floating(each.type))
        ]
        if other:
            raise DataError(
                f"{path.name} has columns that are not real numbers: {listed(other)}. Write a file "
                "without them."
            )
        counts = [about.row_group(n).num_rows for n in range(about.num_row_groups)]
        if not sum(counts) or not schema.names:
            raise DataError(f"{path.name} has no rows, or no columns")
        return cls(path, tuple(schema.names), tuple(np.cumsum(counts).tolist()), state)

    @property
    def n_rows(self) -> int:
        return self.edges[-1]

    @property
    def n_columns(self) -> int:
        return len(self.names)

    def ends(self, size: int) -> list[int]:
        """Return the ends of the row groups, for any `size`, so that no group is unpacked twice."""
        return list(self.edges)

    def blocks(self, first: int, last: int, size: int) -> Iterator[NDArray[Any]]:
        """Yield rows first to last − 1 (null becomes NaN), at most `size` at a time.

        This needs memory for one compressed row group and one decompressed block.
        """
        from pyarrow import parquet

        begins = np.array([0, *self.edges[:-1]])
        groups = np.flatnonzero((begins < last) & (np.array(self.edges) > first)).tolist()
        at = int(begins[groups[0]])
        with opened(self.path, self.state) as file, parsing(self.path.name, "is damaged"):
            for batch in parquet.ParquetFile(file).iter_batches(size, groups):
                inner = slice(max(first - at, 0), max(last - at, 0))
                at += len(batch)
                columns = [
                    np.asarray(each.to_numpy(zero_copy_only=False), np.float64)[inner]
                    for each in batch.columns
                ]
                if len(columns[0]):
                    yield np.column_stack(columns)


RowFile = NpyRows | ParquetRows


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
    found = sorted(each for each in path.iterdir() if each.suffix.lower() in ENDINGS)
    if not found:
        raise DataError(f"the folder {path} has no .npy and no .parquet files")
    return found


def _file(path: FilePath) -> RowFile:
    whole = path.absolute() if isinstance(path, Path) else path
    return (ParquetRows if path.suffix.lower() == ".parquet" else NpyRows).of(whole)
