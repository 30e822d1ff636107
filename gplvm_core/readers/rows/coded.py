"""Columns of words, counts and dates of large files, read as `read_table` reads a sample."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gplvm_core.numerics import Array
from gplvm_core.readers.errors import DataError, listed, plural
from gplvm_core.readers.kinds import TableColumn
from gplvm_core.readers.sources import NamedBytes
from gplvm_core.readers.tables.columns import Column, Table, text_column
from gplvm_core.readers.tables.dates import DateFormat, date_columns
from gplvm_core.readers.tables.large import cleaned
from gplvm_core.readers.tables.mixed import Kinds, coded_cells
from gplvm_core.readers.tables.parquet import column_of, is_text
from gplvm_core.readers.tables.roles import moments_in
from gplvm_core.readers.tables.table import parse_table, read_table

Unknown = Counter[tuple[str, str]]
"""How many cells have a word that does not occur in the sample, by column and word."""
NO_DATES = np.empty(0, "datetime64[s]")
# The notes of `read_table` that are about columns, not about the cells of the sample.
SAID = ("Columns of ", "Dates in ")


@dataclass(frozen=True)
class Coded:
    """A column of a file, and the columns to learn that it becomes.

    columns: one, with its kind and words; or the parts of dates. dates: the format of dates, None
    for other columns.
    """

    name: str
    columns: tuple[TableColumn, ...]
    dates: DateFormat | None = None

    @property
    def in_numbers(self) -> bool:
        """Whether the cells of a text table are numbers."""
        words = self.columns[0].words
        return self.dates is None and not any(isinstance(word, str) for word in words)

    def read(self, part: Any, first: int, file: str, unknown: Unknown | None = None) -> Array:
        """Return the cells of some rows (of pyarrow) as numbers, NaN where missing, (n, C).

        first: the number of the first row. Words that do not occur in the sample are missing, and
        are counted in `unknown`. Raises DataError for other cells that the column cannot have.
        """
        import pyarrow

        if is_text(part.type):
            words, codes = _dictionary(part)
            # The cells that differ are converted, however many rows have them.
            same, begins, back, counts = _different(codes)
            cells = [words[code] for code in same]
            plain = self.dates is None and not self.in_numbers
            source = Column(self.name, None, cells) if plain else text_column(self.name, cells, ".")
        else:
            source, _ = column_of(self.name, pyarrow.chunked_array([part]))
            values = source.numbers if source.moments is None else source.moments
            if self.dates is None and self.columns[0].is_number and source.numbers is not None:
                return source.numbers[:, None]
            _, begins, back, counts = _different(values)
            source = source.rows(begins)
        table = Table(file, (source,), first + begins + 1, "row", ())

        def coded(column: TableColumn, source: Column) -> Array:
            def tell(row: int, word: str) -> None:
                if unknown is not None:
                    unknown[column.name, word] += int(counts[row])

            found = coded_cells(column, source, table, tell)
            if column.kind == "exposure" and np.isnan(found).any():
                row = table.places[np.isnan(found)][0]
                raise DataError(
                    f"{file}: the exposure {column.name!r} is missing in row {row}: training needs "
                    "it in every row. Fill it in, or leave the row out."
                )
            return found[back]

        if self.dates is None:
            return coded(self.columns[0], source)[:, None]
        found = moments_in(source, table, {self.name: self.dates})
        assert found is not None
        parts = date_columns(self.name, found[0])
        each = [coded(own, Column(own.name, parts[own.name])) for own in self.columns]
        return np.column_stack(each)


def learnt_from(coded: Iterable[Coded]) -> tuple[TableColumn, ...]:
    """Return the columns to learn, in their order."""
    return tuple(column for each in coded for column in each.columns)


def _dictionary(part: Any) -> tuple[list[str], Any]:
    """Return the different cells of text, and the number of each row's cell among them."""
    from pyarrow import types

    coded = part if types.is_dictionary(part.type) else part.cast("string").dictionary_encode()
    words = [cleaned(word or "") for word in coded.dictionary.to_pylist()]
    return [*words, ""], coded.indices.cast("int64").fill_null(len(words)).to_numpy()


def _different(values: Any) -> tuple[Any, Any, Any, Any]:
    return np.unique(values, return_index=True, return_inverse=True, return_counts=True)


def coded_as(
    sample: NamedBytes,
    names: Sequence[str],
    kinds: Kinds,
    dates: Sequence[str],
    formats: Mapping[str, DateFormat],
) -> tuple[tuple[Coded, ...], tuple[str, ...]]:
    """Return how the columns to learn are read, () if all are numbers, and notes.

    sample: some rows, as a small file. names: all columns to learn; kinds, dates, formats: as
    `read_table` takes them. Raises DataError as it does.
    """
    every = {column.name: column for column in parse_table(sample).columns}
    found = read_table(
        sample,
        id_columns=[name for name in every if name not in names],
        date_columns=dates,
        date_formats=formats,
        kinds=kinds,
        skip_empty_rows=True,
    )
    if not found.columns and not dates:
        return (), ()
    own = {column.name: column for column in found.all_columns}
    coded = [Coded(name, (own[name],)) for name in names if name not in dates]
    for name in dates:
        parts = tuple(own[each] for each in date_columns(name, NO_DATES) if each in own)
        known = every[name].dates
        way = known.formats[0] if known else None
        coded.append(Coded(name, parts, formats.get(name, way)))
    became = [f"{name} became the columns" for name in dates]
    said = [note for note in found.notes if note.startswith((*SAID, *became))]
    return tuple(coded), tuple(said)


UNKNOWN = "counted as missing, because the sample"


def unknown_in_words(unknown: Unknown) -> tuple[str, ...]:
    """A note on words that do not occur in the sample."""
    if not unknown:
        return ()
    words = [f"“{word}” in {name} ({count:,} ×)" for (name, word), count in unknown.most_common()]
    return (
        f"{plural(unknown.total(), 'cell')} {UNKNOWN} from which the "
        f"columns were proposed does not have the value: {listed(words, 8)}.",
    )
