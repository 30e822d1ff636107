"""Read rows of a Parquet file, one row group at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gplvm_core.readers.errors import DataError, listed, parsing
from gplvm_core.readers.packages import require_packages
from gplvm_core.readers.rows.file_state import FilePath, FileState, opened


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
