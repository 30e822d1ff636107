"""A table that is read from disk as a data set: a sample of rows to show, all rows for training."""

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import islice
from pathlib import Path
from typing import Any, Self

import numpy as np
from jaxtyping import Int

from gplvm_core.numerics import IntArray
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.errors import DataError, listed, plural
from gplvm_core.readers.kinds import TableColumn, coded_table
from gplvm_core.readers.limits import MEGABYTE
from gplvm_core.readers.proposals import of_counts
from gplvm_core.readers.rows.coded import Coded
from gplvm_core.readers.rows.columns import SAMPLED, TextRows, spread
from gplvm_core.readers.rows.files import TABLES, RowFiles, named_files, without_value
from gplvm_core.readers.rows.folders import (
    ENDINGS,
    OpenTable,
    opened_folders,
    own_table,
    table_named,
)
from gplvm_core.readers.sources import stem
from gplvm_core.readers.tables.columns import Column
from gplvm_core.readers.tables.dates import DateFormat
from gplvm_core.readers.tables.mixed import Kinds
from gplvm_core.readers.tables.report import ColumnReport, TableReport, inspect_table
from gplvm_core.readers.tables.roles import row_names_of
from gplvm_core.readers.tables.table import classes_of

# Tables with more bytes or values are read from disk; packed files with fewer bytes are small.
MOST_WHOLE, LEAST_PACKED, MOST_VALUES = 50 * MEGABYTE, 2 * MEGABYTE, 5_000_000
SHOWN = SAMPLED  # rows for display and for trial runs


@dataclass(frozen=True)
class Use:
    """The columns of a table with names: what is learnt, a label, and names of rows.

    kinds: those of the columns to learn, as `read_table` takes them; None: all are numbers. dates:
    the columns of dates to learn, as their parts; formats: their formats, if the cells leave them
    open. The label colours the map; it is learnt only if it is also among the values.
    """

    values: tuple[str, ...]
    label: str | None = None
    ids: tuple[str, ...] = ()
    kinds: Kinds = None
    dates: tuple[str, ...] = ()
    formats: tuple[tuple[str, DateFormat], ...] = ()

    @classmethod
    def of(cls, report: TableReport) -> Self:
        """Return the use that a report on a sample proposes."""
        label = report.label_column
        learnt = [each for each in report.columns if each.name != label and can_be_learnt(each)]
        values = tuple(each.name for each in learnt)
        named = [each for each in report.columns if each.role == "id" and not each.is_date]
        ids = tuple(each.name for each in named if each.name not in values)
        mixed = any(each.is_text for each in learnt)
        mixed = mixed or of_counts([each.kind_reason for each in learnt])
        return cls(values, label, ids, "auto" if mixed else None)


def can_be_learnt(column: ColumnReport) -> bool:
    """Whether a sample proposes to learn a column: as numbers, counts or words."""
    plain = column.role == "value" and column.numeric and not column.is_date
    return plain or column.is_text


def is_large(path: Path) -> bool:
    """Whether a table is read from disk in parts, not as a whole. Small files may be packed."""
    size, suffix = path.stat().st_size, path.suffix.lower()
    if suffix not in ENDINGS or size > MOST_WHOLE:
        return suffix in ENDINGS
    if size < LEAST_PACKED or TABLES.get(suffix) is TextRows:
        return False
    if suffix == ".npy":
        return math.prod(RowFiles.of(path).shape) > MOST_VALUES
    whole = TABLES[suffix].of(path, ())
    return whole.n_rows * len(whole.known) > MOST_VALUES


def looked_into(table: OpenTable) -> TableReport | None:
    """Report on a sample of a table's rows; None if its columns have no names."""
    file = table.files[0]
    if file.suffix.lower() not in TABLES:
        return None
    files = named_files(spread(table.files))
    report = inspect_table(files[0].sample(files))
    notes = files[0].notes if isinstance(files[0], TextRows) else ()
    n_rows = sum(each.n_rows for each in files)
    return replace(report, name=file.name, n_rows=n_rows, notes=notes)


@dataclass(frozen=True, eq=False)
class TableDataset(Dataset):
    """A sample of rows from a table on disk; training reads the whole table.

    table: the table's name in an opened folder (`tables_in`), or the path of a file of this
    machine. n_rows: the number of rows of the whole table. label, ids: the names of its columns of
    labels and of names of rows. read_as: how its columns of words, counts and dates are read.
    """

    table: str = ""
    n_rows: int = 0
    label: str | None = None
    ids: tuple[str, ...] = ()
    read_as: tuple[Coded, ...] = ()

    @classmethod
    def of(cls, table: OpenTable, use: Use | None = None) -> Self:
        """Sample rows of a table; use: what its columns are (None: all are numbers to learn).

        Raises DataError for other files, and if their columns differ.
        """
        learnt, use = None if use is None else (*use.values, *use.dates), use or Use(())
        files = RowFiles.of(
            table.files,
            learnt,
            kinds=use.kinds,
            date_columns=use.dates,
            date_formats=dict(use.formats),
        )
        count, width = files.shape
        drawn = np.sort(np.random.default_rng(0).permutation(count)[:SHOWN])
        targets, empty, unknown = files.taken(drawn)
        there = np.isin(drawn, empty, invert=True)
        if not there.any():
            raise DataError(f"{table.name} has no value in its columns to learn")
        notes = []
        if len(drawn) < count:
            notes.append(
                f"{len(drawn):,} of {count:,} rows are shown here; training reads all rows"
            )
        if len(empty):
            notes.append(f"Left out, because {without_value(empty)}.")
        found = cls(
            name=stem(Path(table.name).name.replace("*", "all")),
            title=table.name if os.sep not in table.name[:1] else Path(table.name).name,
            targets=targets[there],
            drawing=Drawing.of_vector(width),
            column_names=files.column_names,
            source=f"The table {table.name}, read from disk.",
            notes=(*notes, *files.notes, *unknown),
            columns=files.columns,
            table=table.name,
            n_rows=count,
            read_as=files.coded,
            label=use.label,
            ids=use.ids,
        )
        return replace(found, **found._named(files, drawn[there]))

    def rows(self) -> RowFiles:
        """Return all rows. Raises DataError if the table was removed, or is no longer open to
        visitors.
        """
        try:
            if Path(self.table).is_absolute():
                table = own_table(self.table, os.environ)
            else:
                table = table_named(self.table, opened_folders(os.environ))
        except ValueError as error:
            raise DataError(str(error)) from error
        own = iter(self.all_columns)  # the visitor may have corrected words since
        coded = (replace(each, columns=(*islice(own, len(each.columns)),)) for each in self.read_as)
        if not self.read_as:
            return RowFiles.of(table.files, self.column_names)
        return RowFiles.read_as(table.files, tuple(coded))

    def kept(
        self, chosen: Int[IntArray, " K"] | None, columns: tuple[TableColumn, ...] = ()
    ) -> Dataset:
        """Return the chosen rows, or all rows (None), as the data set that a model stores.

        columns: the columns of words and counts as the model has learnt them from these rows.
        """
        files = self.rows()
        targets = np.asarray(files) if chosen is None else files.take(chosen)
        own = {each.name: getattr(self, each.name) for each in fields(Dataset)}
        named = self._named(files, np.arange(len(files)) if chosen is None else chosen)
        if columns:  # the words of the model, in its order
            targets = coded_table(columns, self.in_own_values(targets))
            own |= {"columns": columns}
        whole: dict[str, Any] = own | {"targets": targets, "notes": ()} | named
        found = Dataset(**whole)
        if len(targets) == len(files):
            return found
        note = f"{len(targets):,} of the table's {len(files):,} rows are stored here"
        return replace(found, notes=(note,))

    def _named(self, files: RowFiles, chosen: Int[IntArray, " K"]) -> dict[str, Any]:
        """Return the labels and the names of rows."""
        found: dict[str, Any] = {}
        if self.label is not None:
            label = Column(self.label, None, files.cells(self.label, chosen))
            found["labels"], found["label_names"] = classes_of(label, np.arange(len(chosen)))
        named = [Column(name, None, files.cells(name, chosen)) for name in self.ids]
        found["row_names"] = row_names_of(named) if named else None
        return found


def use_in_words(use: Use, known: Sequence[str]) -> str:
    """Say what the columns of a table are."""
    of = " of numbers" if use.kinds is None and not use.dates else ""
    parts = [f"{plural(len(use.values) + len(use.dates), 'column')}{of} to learn"]
    if use.label:
        parts.append(f"labels from {use.label!r}")
    if use.ids:
        parts.append(f"names of rows from {listed(list(use.ids))}")
    roles = (*use.values, *use.dates, use.label, *use.ids)
    unused = [name for name in known if name not in roles]
    if unused:
        parts.append(f"not used: {listed(unused, 10)}")
    return "; ".join(parts)
