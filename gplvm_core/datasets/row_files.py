"""Rows in .npy files that need not fit into memory, read a part at a time."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from jaxtyping import Float, Int
from numpy.lib import format as npy
from numpy.typing import NDArray

from gplvm_core.datasets.errors import DataError
from gplvm_core.numerics import Array

ROWS_AT_ONCE = 16_384
HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


@dataclass(frozen=True)
class _File:
    """Where the rows of one file lie, and what told that it is still the same."""

    path: Path
    n_rows: int
    n_columns: int
    dtype: np.dtype[Any]
    begins: int  # byte of the first row
    size: int
    changed: int  # nanoseconds

    @classmethod
    def of(cls, path: Path) -> Self:
        try:
            with path.open("rb") as file:
                version = npy.read_magic(file)
                if version not in HEADERS:
                    raise DataError(f"{path.name} is of an .npy version {version} that is unknown")
                shape, by_column, dtype = HEADERS[version](file)
                begins, state = file.tell(), os.fstat(file.fileno())
        except OSError as error:
            raise DataError(f"{path} cannot be read: {error.strerror or error}") from error
        except DataError:
            raise
        except ValueError as error:
            raise DataError(
                f"{path.name} is no .npy file ({error}); write it with numpy.save"
            ) from error
        if dtype.kind not in "fiu" or dtype.hasobject:
            raise DataError(f"{path.name} holds {dtype}, not real numbers: save float32 or float64")
        if len(shape) != 2 or not all(shape):
            raise DataError(
                f"{path.name} holds an array of shape {shape}; a table of N rows and D columns is "
                "needed"
            )
        if by_column:
            raise DataError(
                f"{path.name} is stored column by column, so its rows cannot be read in turn: save "
                "numpy.ascontiguousarray(table)"
            )
        needed = begins + shape[0] * shape[1] * dtype.itemsize
        if state.st_size < needed:
            raise DataError(
                f"{path.name} is cut short: {shape[0]:,} rows of {shape[1]} need {needed:,} bytes, "
                f"and there are {state.st_size:,}"
            )
        return cls(path, *shape, dtype, begins, state.st_size, state.st_mtime_ns)

    def rows(self, first: int, last: int) -> NDArray[Any]:
        """Rows first to last − 1 as they are stored. Raises DataError when the file changed."""
        count = (last - first) * self.n_columns
        at = self.begins + first * self.n_columns * self.dtype.itemsize
        try:
            with self.path.open("rb") as file:
                found = np.fromfile(file, self.dtype, count, offset=at)
                # After reading: what changed meanwhile is told, too.
                state = os.fstat(file.fileno())
        except OSError as error:
            raise DataError(f"{self.path} can no longer be read: {error}") from error
        if (state.st_size, state.st_mtime_ns) != (self.size, self.changed) or len(found) < count:
            raise DataError(
                f"{self.path.name} changed while it was read: work on a copy that nobody writes to"
            )
        return found.reshape(-1, self.n_columns)


@dataclass(frozen=True)
class RowFiles:
    """The rows of one .npy table or of several with the same columns, in order, as float64.

    `RowFiles.of("rows.npy")`; float32 on disk is fine, NaN is missing. Nothing is mapped into
    memory: a file that is cut short while it is read is an error, not the end of the process.
    """

    files: tuple[_File, ...]

    @classmethod
    def of(cls, paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> Self:
        """Raises DataError for files that are not such tables, or do not fit together."""
        given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
        files = tuple(_File.of(Path(path)) for path in given)
        if not files:
            raise DataError("no files were given to read rows from")
        for each in files[1:]:
            if each.n_columns != files[0].n_columns:
                raise DataError(
                    f"{each.path.name} has {each.n_columns} columns, but {files[0].path.name} has "
                    f"{files[0].n_columns}: all files need the same"
                )
        return cls(files)

    def __len__(self) -> int:
        return sum(each.n_rows for each in self.files)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), self.files[0].n_columns

    def chunks(self, size: int | None = None) -> Iterator[tuple[int, Float[Array, "_N D"]]]:
        """(number of the first row, rows), at most so many at a time."""
        before, size = 0, size or ROWS_AT_ONCE
        for each in self.files:
            for first in range(0, each.n_rows, size):
                last = min(first + size, each.n_rows)
                yield before + first, each.rows(first, last).astype(np.float64)
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
