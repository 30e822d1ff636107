"""A table in an opened folder as a data set: a sample of rows to show, all rows for training."""

import os
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from jaxtyping import Int

from gplvm_core.numerics import IntArray
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.errors import DataError
from gplvm_core.readers.rows.files import RowFiles
from gplvm_core.readers.rows.folders import OpenTable, opened_folders, table_named
from gplvm_core.readers.sources import stem

SHOWN = 2000  # sampled rows, for display and for trial runs


@dataclass(frozen=True, eq=False)
class TableDataset(Dataset):
    """A sample of rows from a table in an opened folder; training reads the whole table.

    table: the table's name (`tables_in`). n_rows: the number of rows of the whole table.
    """

    table: str = ""
    n_rows: int = 0

    @classmethod
    def of(cls, table: OpenTable) -> Self:
        """Sample rows of a table. Raises DataError for other files, and if their columns differ."""
        files = RowFiles.of(table.files)
        count, width = files.shape
        drawn = np.sort(np.random.default_rng(0).permutation(count)[:SHOWN])
        note = f"{len(drawn):,} of {count:,} rows are shown here; training reads all rows"
        return cls(
            name=stem(table.name.replace("*", "all")),
            title=table.name,
            targets=files.take(drawn),
            drawing=Drawing.of_vector(width),
            column_names=files.column_names,
            source=f"The table {table.name} in a folder of this server.",
            notes=(note,) if len(drawn) < count else (),
            table=table.name,
            n_rows=count,
        )

    def rows(self) -> RowFiles:
        """Return all rows. Raises DataError if the table was removed, or is no longer open to
        visitors.
        """
        try:
            folders = opened_folders(os.environ)
        except ValueError as error:
            raise DataError(str(error)) from error
        return RowFiles.of(table_named(self.table, folders).files)

    def kept(self, chosen: Int[IntArray, " K"] | None) -> Dataset:
        """Return the chosen rows, or all rows (None), as the data set that a model stores."""
        files = self.rows()
        targets = np.asarray(files) if chosen is None else files.take(chosen)
        own = {each.name: getattr(self, each.name) for each in fields(Dataset)}
        whole: dict[str, Any] = own | {"targets": targets, "notes": ()}
        found = Dataset(**whole)
        if len(targets) == len(files):
            return found
        note = f"{len(targets):,} of the table's {len(files):,} rows are stored here"
        return replace(found, notes=(note,))
