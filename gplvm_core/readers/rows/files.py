"""Read rows of tables in parts, so that they need not fit into memory."""

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Self

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray

from gplvm_core.numerics import Array, IntArray
from gplvm_core.readers.errors import DataError, listed, parsing, plural
from gplvm_core.readers.kinds import TableColumn, kinds_of
from gplvm_core.readers.limits import LARGEST
from gplvm_core.readers.rows.coded import Coded, Unknown, coded_as, learnt_from, unknown_in_words
from gplvm_core.readers.rows.columns import ArrowRows, NamedRows, ParquetRows, TextRows
from gplvm_core.readers.rows.folders import FolderFile
from gplvm_core.readers.rows.state import FilePath, FileState, opened
from gplvm_core.readers.tables.arrays import npy_version
from gplvm_core.readers.tables.dates import DateFormat
from gplvm_core.readers.tables.mixed import Kinds

ROWS_AT_ONCE = 16_384
# Every part has an overhead of milliseconds.
MOST_PARTS = 4096
Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str] | FolderFile]
TABLES: dict[str, type[ParquetRows | ArrowRows | TextRows]] = {
    ".parquet": ParquetRows,
    **dict.fromkeys((".feather", ".arrow", ".ipc"), ArrowRows),
    **dict.fromkeys((".csv", ".tsv", ".txt"), TextRows),
}
WHOLE_FOLDER = (".npy", ".parquet")  # the files of a folder that are one table


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
    by_column: bool = False
    learnt: ClassVar[None] = None
    coded: ClassVar[tuple[Coded, ...]] = ()

    @classmethod
    def of(cls, path: FilePath) -> Self:
        """Read the header. Raises DataError unless it is a table of numbers."""
        with opened(path) as file:
            with parsing(path.name, "is not an .npy file", "Write it with numpy.save."):
                version, read = npy_version(file)
                if read is None:
                    raise DataError(f"{path.name} has an unknown .npy version {version}")
                shape, by_column, dtype = read(file)
            begins, state = file.tell(), FileState.of(file)
        if dtype.kind not in "fiu" or dtype.hasobject:
            raise DataError(f"{path.name} holds {dtype}, not real numbers: save float32 or float64")
        if len(shape) != 2 or not all(shape):
            raise DataError(
                f"{path.name} holds an array of shape {shape}; a table of N rows and D columns is "
                "needed"
            )
        needed = begins + shape[0] * shape[1] * dtype.itemsize
        if state.size < needed:
            raise DataError(
                f"{path.name} is cut short: {shape[0]:,} rows of {shape[1]} need {needed:,} bytes, "
                f"but it has {state.size:,}"
            )
        n_rows, n_columns = shape
        return cls(path, n_rows, n_columns, dtype, begins, state, by_column)

    def ends(self, size: int) -> list[int]:
        """Return row numbers that divide the file into parts of `size` rows."""
        return [*range(size, self.n_rows, size), self.n_rows]

    def blocks(
        self, first: int, last: int, size: int, unknown: Unknown | None = None
    ) -> Iterator[NDArray[Any]]:
        """Yield rows first to last − 1 in the stored type, at most `size` at a time."""
        for begin in range(first, last, size):
            count = min(begin + size, last) - begin
            with opened(self.path, self.state) as file:
                if self.by_column:
                    starts = range(begin, self.n_rows * self.n_columns, self.n_rows)
                    found = [self._numbers(file, each, count) for each in starts]
                    block = np.column_stack(found)
                else:
                    width = self.n_columns
                    block = self._numbers(file, begin * width, count * width).reshape(-1, width)
            yield block

    def _numbers(self, file: BinaryIO, begin: int, count: int) -> NDArray[Any]:
        file.seek(self.begins + begin * self.dtype.itemsize)
        return np.fromfile(file, self.dtype, count)


@dataclass(frozen=True, eq=False)
class MemoryRows:
    """The rows of a table in memory, in which a word is its number, as those of a file."""

    values: Array
    columns: tuple[TableColumn, ...]
    path: ClassVar[Path] = Path("the table")

    @property
    def n_rows(self) -> int:
        return len(self.values)

    @property
    def n_columns(self) -> int:
        return len(self.columns)

    @property
    def learnt(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def coded(self) -> tuple[Coded, ...]:
        return tuple(Coded(column.name, (column,)) for column in self.columns)

    @property
    def state(self) -> str:
        """A digest of the values."""
        return hashlib.sha256(np.ascontiguousarray(self.values).tobytes()).hexdigest()

    def ends(self, size: int) -> list[int]:
        return [*range(size, self.n_rows, size), self.n_rows]

    def blocks(
        self, first: int, last: int, size: int, unknown: Unknown | None = None
    ) -> Iterator[NDArray[Any]]:
        for begin in range(first, last, size):
            yield self.values[begin : min(begin + size, last)]


RowFile = NpyRows | NamedRows | MemoryRows


@dataclass(frozen=True)
class RowFiles:
    """The rows of one or several tables with the same columns, in order, as float64.

    `RowFiles.of` takes a path, a list of paths, or a folder, whose .npy and Parquet files are read
    in the order of their names. Files are .npy, Parquet, Feather or CSV (all but .npy need pyarrow,
    "manifolio[parquet]"); NaN, null and empty cells are missing. The object contains only paths and
    positions, so it can be sent to other processes.

    With `kinds` or `date_columns`, `RowFiles.of` reads columns of words, counts and dates as
    `read_table` reads a sample of them. A word is then its number among the words of its
    column; words that the sample does not have are missing. notes: how these columns are read.

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
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        paths: Paths,
        columns: Sequence[str] | None = None,
        *,
        kinds: Kinds = None,
        date_columns: Sequence[str] = (),
        date_formats: Mapping[str, DateFormat] | None = None,
    ) -> Self:
        """Open the files. Raises DataError for other files, and for files whose columns differ.

        columns: the names of the columns to read; None: all columns. kinds, date_columns,
        date_formats: as `read_table` takes them; by default, all columns are numbers.
        """
        given = _listed(paths)
        if not given:
            raise DataError("no files were given; pass at least one path")
        if kinds is None and not date_columns:
            return cls._of(tuple(_file(path, columns) for path in given))
        files = named_files(given)
        names = files[0].known if columns is None else columns
        sample = files[0].sample(files)
        coded, notes = coded_as(sample, names, kinds, date_columns, date_formats or {})
        if not coded:
            return cls.of(given, columns)
        return replace(cls._of(tuple(each.reading(coded) for each in files)), notes=notes)

    @classmethod
    def read_as(cls, paths: Paths, coded: tuple[Coded, ...]) -> Self:
        """Open the files, whose columns are read as another call of `of` has found."""
        return cls._of(tuple(each.reading(coded) for each in named_files(_listed(paths))))

    @classmethod
    def in_memory(cls, columns: Sequence[TableColumn], values: Float[Array, "N C"]) -> Self:
        """Return the rows of a table in memory; a word is its number among the column's words."""
        return cls((MemoryRows(values, tuple(columns)),))

    @classmethod
    def _of(cls, files: tuple[RowFile, ...]) -> Self:
        for each in files[1:]:
            if each.n_columns != files[0].n_columns:
                raise DataError(
                    f"{each.path.name} has {plural(each.n_columns, 'column')}, but "
                    f"{files[0].path.name} has "
                    f"{files[0].n_columns}: all files must have the same columns"
                )
        named = [each for each in files if each.learnt is not None]
        for other in named[1:]:
            if other.learnt != named[0].learnt:
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
        """The column names; None if all files are .npy."""
        return next((each.learnt for each in self.files if each.learnt is not None), None)

    @property
    def coded(self) -> tuple[Coded, ...]:
        """How columns of words, counts and dates are read; () if all are numbers of the files."""
        return self.files[0].coded

    @property
    def columns(self) -> tuple[TableColumn, ...]:
        """The columns with their kinds and words, as a data set has them; () if all are numbers."""
        found = learnt_from(self.coded)
        return () if all(column.kind == "number" for column in found) else found

    @property
    def kinds(self) -> list[Any] | None:
        """The argument `kinds` of a model for these columns; None if all are numbers."""
        return kinds_of(self.columns) or None

    def parts(self, size: int | None = None) -> list[tuple[int, int]]:
        """Return (first row, last row + 1) of each part, of at most `size` rows if files allow it.

        A part is read at once. The parts depend only on the files. By default their size grows with
        the table, so that their number is small.
        """
        size = size or ROWS_AT_ONCE * max(1, -(-len(self) // (ROWS_AT_ONCE * MOST_PARTS)))
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
        self,
        size: int | None = None,
        first: int = 0,
        last: int | None = None,
        unknown: Unknown | None = None,
    ) -> Iterator[tuple[int, Float[Array, "_N D"]]]:
        """Yield (number of the first row, rows) in order, with at most `size` rows at a time.

        unknown: counts the words that do not occur in the sample.

        Raises DataError if a file was changed or removed since it was opened, and for infinite
        values.
        """
        last, before = len(self) if last is None else last, 0
        for each in self.files:
            begin, end = max(first - before, 0), min(last - before, each.n_rows)
            if begin < end:
                for block in each.blocks(begin, end, size or ROWS_AT_ONCE, unknown):
                    rows = block.astype(np.float64)
                    _refuse_large(rows, before + begin, each.path)
                    yield before + begin, rows
                    begin += len(block)
            before += each.n_rows

    def take(self, chosen: Int[IntArray, " n"]) -> Float[Array, "n D"]:
        """Return the rows with these numbers, which must be in ascending order."""
        return self.taken(chosen)[0]

    def taken(
        self, chosen: Int[IntArray, " n"], watch: Callable[[], None] | None = None
    ) -> tuple[Float[Array, "n D"], Int[IntArray, " _e"], tuple[str, ...]]:
        """Return the chosen rows, the numbers of all rows without any value, and a note on words
        that the sample does not have.

        watch: called for every block; an exception that it raises ends the reading.
        """
        parts, empty, unknown = [], [], Unknown()
        for first, rows in self.chunks(unknown=unknown):
            if watch is not None:
                watch()
            edges = np.searchsorted(chosen, [first, first + len(rows)])
            parts.append(rows[chosen[slice(*edges)] - first])
            empty.append(first + np.flatnonzero(np.isnan(rows).all(axis=1)))
        return np.concatenate(parts), np.concatenate(empty), unknown_in_words(unknown)

    def cells(self, column: str, chosen: Int[IntArray, " n"] | None = None) -> list[str]:
        """Return the cells of any column in the chosen rows (None: all) as text, "" if missing."""
        found: list[str] = []
        before = 0
        for each in self.files:
            assert isinstance(each, NamedRows)
            inside = None if chosen is None else chosen - before
            found += each.cells(column, inside)
            before += each.n_rows
        return found

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
    found = sorted(each for each in path.iterdir() if each.suffix.lower() in WHOLE_FOLDER)
    if not found:
        raise DataError(f"the folder {path} has no .npy and no .parquet files")
    return found


def named_files(paths: Sequence[FilePath]) -> tuple[NamedRows, ...]:
    """Open files with no column in use. Raises DataError for a file without names of columns."""
    files = []
    for path in paths:
        file = _file(path, ())
        if isinstance(file, NpyRows):
            raise DataError(f"{path.name} has numbers without names, so no column has a kind")
        files.append(file)
    return tuple(files)


def _file(path: FilePath, columns: Sequence[str] | None) -> NpyRows | NamedRows:
    whole = path.absolute() if isinstance(path, Path) else path
    kind = TABLES.get(path.suffix.lower())
    return NpyRows.of(whole) if kind is None else kind.of(whole, columns)


def without_value(empty: Int[IntArray, " n"]) -> str:
    """Name rows without any value, by their numbers from 1."""
    has = "has" if len(empty) == 1 else "have"
    return f"{plural(len(empty), 'row')} {has} no value: {listed([f'{n + 1:,}' for n in empty], 5)}"
