"""Read rows of an .npy file without mapping it into memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from gplvm_core.readers.errors import DataError, parsing
from gplvm_core.readers.rows.file_state import FilePath, FileState, opened

HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


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
