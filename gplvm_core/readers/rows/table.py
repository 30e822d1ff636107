"""A table in an opened folder as a data set: some rows to look at, all rows to train from."""

import os
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from jaxtyping import Int
from numpy.typing import NDArray

from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.errors import DataError
from gplvm_core.readers.rows.files import RowFiles
from gplvm_core.readers.rows.folders import OpenTable, opened_folders, table_named
from gplvm_core.readers.sources import stem

SHOWN = 2000  # rows that are drawn to be looked at, and tried


@dataclass(frozen=True, eq=False)
class TableDataset(Dataset):
    """Rows drawn from a table that stays where it is; a model is trained from all of it.

    table: its name among the opened folders (`tables_in`); n_rows: of the whole.
    """

    table: str = ""
    n_rows: int = 0

    @classmethod
    def of(cls, table: OpenTable) -> Self:
        """Raises DataError for files that are no tables, or do not fit together."""
        files = RowFiles.of(table.files)
        count, width = files.shape
        drawn = np.sort(np.random.default_rng(0).permutation(count)[:SHOWN])
        said = f"{len(drawn):,} of {count:,} rows are looked at here; training reads all"
        return cls(
            name=stem(table.name.replace("*", "all")),
            title=table.name,
            targets=files.take(drawn),
            drawing=Drawing.of_vector(width),
            column_names=files.column_names,
            source=f"The table {table.name} in a folder of this server.",
            notes=(said,) if len(drawn) < count else (),
            table=table.name,
            n_rows=count,
        )

    def rows(self) -> RowFiles:
        """All rows. Raises DataError when the table is gone, or no longer open to visitors."""
        try:
            folders = opened_folders(os.environ)
        except ValueError as error:
            raise DataError(str(error)) from error
        return RowFiles.of(table_named(self.table, folders).files)

    def kept(self, chosen: Int[NDArray[np.intp], " K"] | None) -> Dataset:
        """The rows that a model keeps, as a data set of their own; None: all."""
        files = self.rows()
        targets = np.asarray(files) if chosen is None else files.take(chosen)
        own = {each.name: getattr(self, each.name) for each in fields(Dataset)}
        whole: dict[str, Any] = own | {"targets": targets, "notes": ()}
        found = Dataset(**whole)
        if len(targets) == len(files):
            return found
        said = f"{len(targets):,} of the table's {len(files):,} rows are kept here"
        return replace(found, notes=(said,))
