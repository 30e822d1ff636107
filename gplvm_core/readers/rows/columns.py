"""Rows of Parquet, Arrow and text files, by the names of their columns."""

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, BinaryIO, ClassVar, Self

import numpy as np
from jaxtyping import Int
from numpy.typing import NDArray

from gplvm_core.numerics import IntArray
from gplvm_core.readers.errors import DataError, listed, parsing, shortened
from gplvm_core.readers.packages import require_packages
from gplvm_core.readers.rows.coded import Coded, Unknown, learnt_from
from gplvm_core.readers.rows.state import FilePath, FileState, opened
from gplvm_core.readers.sources import NamedBytes
from gplvm_core.readers.tables.columns import MISSING
from gplvm_core.readers.tables.large import HEAD, INVALID, Rows, cleaned, quoted_simply
from gplvm_core.readers.tables.text import parse_text

GROUP = 2**22  # bytes of the lines that are read together
SAMPLED = 2000  # rows that are examined to propose the columns' roles
FILES = 10  # files of a table from which they come
SPREAD = 40  # groups of lines from which rows are sampled
SPELLINGS = {each for word in MISSING for each in (word, word.upper(), word.title(), "NaN", "N/A")}


@dataclass(frozen=True)
class NamedRows:
    """The names of the columns in use, and the numbers of rows up to each group's end.

    Any other column can be read as text. known: the names of all columns. coded: how the columns in
    use are read; (): as numbers. what, problem, advice: for messages about files of this kind.
    """

    path: FilePath
    names: tuple[str, ...]
    edges: tuple[int, ...]
    state: FileState
    known: tuple[str, ...]
    coded: tuple[Coded, ...] = field(default=(), kw_only=True)
    what: ClassVar[str]
    problem: ClassVar[str]
    advice: ClassVar[str]

    @classmethod
    def of(cls, path: FilePath, columns: Sequence[str] | None = None) -> Self:
        """Read the header; DataError if a column is not of numbers, or without pyarrow."""
        require_packages(cls.what, ("pyarrow",))
        with opened(path) as file:
            with parsing(path.name, cls.problem, cls.advice):
                schema, counts = cls._header(file)
            state = FileState.of(file)
        edges = _edges(path, counts, len(schema))
        return cls(path, _numbers_of(path, schema, columns), edges, state, tuple(schema.names))

    @classmethod
    def _header(cls, file: BinaryIO) -> tuple[Any, list[int]]:
        """Return the schema of a file, and the number of rows of each group."""
        raise NotImplementedError

    @property
    def n_rows(self) -> int:
        return self.edges[-1]

    @property
    def learnt(self) -> tuple[str, ...]:
        """The names of the columns to learn."""
        return tuple(column.name for column in learnt_from(self.coded)) or self.names

    @property
    def n_columns(self) -> int:
        return len(self.learnt)

    def blocks(
        self, first: int, last: int, size: int, unknown: Unknown | None = None
    ) -> Iterator[NDArray[Any]]:
        """Yield rows first to last − 1 (null becomes NaN), at most `size` at a time.

        This needs memory for one compressed group and one decompressed block. unknown: counts the
        words that do not occur in the sample.
        """
        for begin, batch in self.batches(self.names, first, last, size):
            yield np.column_stack(
                [
                    each.read(part, begin, self.path.name, unknown)
                    for each, part in zip(self.coded, batch.columns, strict=True)
                ]
                if self.coded
                else [
                    np.asarray(each.to_numpy(zero_copy_only=False), np.float64)
                    for each in batch.columns
                ]
            )

    def batches(
        self, names: Sequence[str], first: int, last: int, size: int
    ) -> Iterator[tuple[int, Any]]:
        """Yield (first row, cells of these columns), at most `size` rows at a time."""
        begins = np.array([0, *self.edges[:-1]])
        groups = np.flatnonzero((begins < last) & (np.array(self.edges) > first)).tolist()
        if not groups:
            return
        at = int(begins[groups[0]])
        with opened(self.path, self.state) as file, parsing(self.path.name, "is damaged"):
            for whole in self._read(file, groups, names, size):
                for begin in range(0, len(whole), size):
                    batch = whole.slice(begin, size)
                    inner = slice(max(first - at, 0), max(min(last - at, len(batch)), 0))
                    begins_at, at = at + inner.start, at + len(batch)
                    if inner.start < inner.stop:
                        yield begins_at, batch.slice(inner.start, inner.stop - inner.start)

    def rows(self, names: Sequence[str], chosen: Int[IntArray, " n"]) -> Any:
        """Return the cells of these columns in some rows, in ascending order, as in pyarrow."""
        import pyarrow

        found, last = [], 0
        for edge in self.edges:
            some = chosen[(chosen >= last) & (chosen < edge)]
            if len(some):
                for first, batch in self.batches(names, last, edge, 2**16):
                    inside = some[(some >= first) & (some < first + len(batch))] - first
                    found.append(batch.take(pyarrow.array(inside)))
            last = edge
        return pyarrow.Table.from_batches(found)

    def reading(self, coded: tuple[Coded, ...]) -> Self:
        """Return the file with these columns in use. Raises DataError if it lacks one."""
        names = tuple(each.name for each in coded)
        _check_known(self.path, names, self.known)
        return replace(self, names=names, coded=coded)

    def sample(self, files: "Sequence[NamedRows]" = ()) -> NamedBytes:
        """Return the rows that are examined to propose the columns' roles, as a small file.

        files: further files of the table, from which rows are taken, too.
        """
        import pyarrow

        known = self.known
        some = [each for each in spread(files) if each.known == known] or [self]
        count = -(-SAMPLED // len(some))
        parts = []
        for each in some:
            rows = each.rows(known, each.sampled(count))
            # Dictionaries of words belong to one part of a file.
            plain = [
                own.type.value_type if pyarrow.types.is_dictionary(own.type) else own.type
                for own in rows.schema
            ]
            parts.append(rows.cast(pyarrow.schema([*zip(known, plain, strict=True)])))
        whole, buffer = pyarrow.concat_tables(parts, promote_options="permissive"), io.BytesIO()
        self._write(whole, buffer)
        return NamedBytes(f"a sample of {self.path.name}", buffer.getvalue())

    def _write(self, rows: Any, file: BinaryIO) -> None:
        """Write rows of pyarrow as a small file of this kind."""
        from pyarrow import parquet

        parquet.write_table(rows, file)

    def cells(self, column: str, chosen: Int[IntArray, " n"] | None) -> list[str]:
        """Return the cells of a column as text, "" if missing."""
        rows = np.arange(self.n_rows) if chosen is None else chosen
        cells = self.rows([column], rows[(rows >= 0) & (rows < self.n_rows)])[0].to_pylist()
        words = ("" if each is None else cleaned(str(each)) for each in cells)
        return ["" if word.lower() in MISSING else word for word in words]

    def sampled(self, count: int) -> Int[IntArray, " n"]:
        """Draw the numbers of rows that are examined to propose the columns' roles."""
        return np.sort(np.random.default_rng(0).permutation(self.n_rows)[:count])

    def ends(self, size: int) -> list[int]:
        """Return the ends of the groups, for any `size`, so that no group is unpacked twice."""
        return list(self.edges)

    def _read(
        self, file: BinaryIO, groups: list[int], names: Sequence[str], size: int
    ) -> Iterator[Any]:
        """Yield the cells of consecutive groups, as record batches of pyarrow."""
        raise NotImplementedError


def spread(files: Sequence[Any]) -> Sequence[Any]:
    """Return at most `FILES` of the files of a table, spread evenly."""
    return files[:: -(-len(files) // FILES) or 1]


def _numbers_of(path: FilePath, schema: Any, wanted: Sequence[str] | None) -> tuple[str, ...]:
    """Check that the wanted columns (None: all) are numbers."""
    from pyarrow import types

    numeric = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)
    types_of = {each.name: each.type for each in schema}
    names = tuple(types_of if wanted is None else wanted)
    _check_known(path, names, tuple(types_of))
    of = numeric[:2] if wanted is None else numeric
    other = [
        f"{name} ({types_of[name]})" for name in names if not any(is_(types_of[name]) for is_ in of)
    ]
    _refuse(path, other)
    return names


def _refuse(path: FilePath, other: Sequence[str]) -> None:
    """Raise a DataError if any columns are not of numbers."""
    if other:
        raise DataError(
            f"{path.name} has columns that are not real numbers: {listed(other)}. Write a file "
            "without them.",
            script="Or name the columns to read: RowFiles.of(path, columns=[…]).",
        )


def _check_known(path: FilePath, wanted: Sequence[str], known: Sequence[str]) -> None:
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise DataError(f"{path.name} has no column {listed(unknown)}; it has {listed(known, 20)}")


def _edges(path: FilePath, counts: Sequence[int], width: int) -> tuple[int, ...]:
    if not sum(counts) or not width:
        raise DataError(f"{path.name} has no rows, or no columns")
    return tuple(np.cumsum(counts).tolist())


@dataclass(frozen=True)
class ParquetRows(NamedRows):
    """The rows of a Parquet file by its row groups."""

    what = "Parquet files"
    problem, advice = "is cut short, or is not a Parquet file", "Write it again."

    @classmethod
    def _header(cls, file: BinaryIO) -> tuple[Any, list[int]]:
        from pyarrow import parquet

        table = parquet.ParquetFile(file)
        groups = map(table.metadata.row_group, range(table.num_row_groups))
        return table.schema_arrow, [group.num_rows for group in groups]

    def _read(
        self, file: BinaryIO, groups: list[int], names: Sequence[str], size: int
    ) -> Iterator[Any]:
        from pyarrow import parquet

        for batch in parquet.ParquetFile(file).iter_batches(size, groups, columns=list(names)):
            yield batch.select(list(names))


@dataclass(frozen=True)
class ArrowRows(NamedRows):
    """The rows of an Arrow or Feather file by its record batches."""

    what = "Arrow and Feather files"
    problem, advice = "is cut short, or is not an Arrow file", "Write it again as Feather."

    @classmethod
    def _header(cls, file: BinaryIO) -> tuple[Any, list[int]]:
        from pyarrow import ipc

        schema = ipc.open_file(file).schema
        table = ipc.open_file(file, options=ipc.IpcReadOptions(included_fields=[0]))
        return schema, [table.get_batch(n).num_rows for n in range(table.num_record_batches)]

    def _read(
        self, file: BinaryIO, groups: list[int], names: Sequence[str], size: int
    ) -> Iterator[Any]:
        from pyarrow import ipc

        options = ipc.IpcReadOptions(included_fields=[self.known.index(name) for name in names])
        table = ipc.open_file(file, options=options)
        for group in groups:
            batch = table.get_batch(group)
            batch.validate(full=True)  # wrong offsets would read memory outside the file
            yield batch.select(list(names))


@dataclass(frozen=True)
class TextRows(NamedRows):
    """The rows of a text table by groups of lines: the bytes where each begins and ends."""

    places: tuple[tuple[int, int], ...]
    delimiter: str
    decimal: str
    notes: tuple[str, ...]

    @classmethod
    def of(cls, path: FilePath, columns: Sequence[str] | None = None) -> Self:
        """Count the lines; the first ones decide on the names, the delimiter and the decimal sign.

        Raises DataError for a column that is not of numbers, for another form of text, and without
        pyarrow.
        """
        require_packages("Large text tables", ("pyarrow",))
        with opened(path) as file:
            first = b"".join(islice(file, HEAD))
            head = parse_text(first, path.name, None)
            begin = int(head.places[0]) - 1
            lines = first.rstrip(b"\r\n").count(b"\n") + 1
            if head.delimiter in (None, " ") or len(head.places) != lines - begin:
                raise DataError(
                    f"{path.name} is not read in parts: its columns are divided by blanks, or it "
                    "has comments or empty lines between its rows. Save it as CSV without them, or "
                    "as Parquet."
                )
            file.seek(sum(map(len, first.splitlines(keepends=True)[:begin])))
            places, counts = [], []
            while data := file.read(GROUP):
                data += file.readline()
                if not quoted_simply(data, str(head.delimiter)):
                    raise DataError(
                        f"{path.name} has line breaks inside quoted cells, so it cannot be read in "
                        "parts. Save it as Parquet."
                    )
                full = data.rstrip(b"\r\n")
                if full:
                    start = file.tell() - len(data)
                    places.append((start, start + len(full)))
                    counts.append(full.count(b"\n") + 1)
            state = FileState.of(file)
        known = tuple(column.name for column in head.columns)
        names = known if columns is None else tuple(columns)
        _check_known(path, names, known)
        if columns is None:
            _refuse(path, [each.name for each in head.columns if each.numbers is None])
        notes = (head.doubt,) if head.doubt else ()
        at, by, sign = tuple(places), str(head.delimiter), head.decimal
        edges = _edges(path, counts, len(known))
        return cls(path, names, edges, state, known, at, by, sign, notes)

    def _write(self, rows: Any, file: BinaryIO) -> None:
        from pyarrow import csv

        csv.write_csv(rows, file, csv.WriteOptions(delimiter=self.delimiter))

    def sampled(self, count: int) -> Int[IntArray, " n"]:
        """Draw rows from groups that are spread over the file, so that few are read."""
        step = -(-len(self.edges) // SPREAD)
        begins = np.array([0, *self.edges[:-1]])[::step]
        some = [np.arange(*each) for each in zip(begins, self.edges[::step], strict=True)]
        drawn: NDArray[np.int64] = np.random.default_rng(0).permutation(np.concatenate(some))
        return np.sort(drawn[:count])

    def _read(
        self, file: BinaryIO, groups: list[int], names: Sequence[str], size: int
    ) -> Iterator[Any]:
        from pyarrow import ArrowInvalid, RecordBatch

        number = {name: n for n, name in enumerate(self.known)}
        chosen = [number[name] for name in names]
        written = [each.name for each in self.coded if not each.in_numbers]
        numeric = {number[name] for name in self.names if name not in written} & {*chosen}
        for group in groups:
            begin, end = self.places[group]
            file.seek(begin)
            lines = memoryview(file.read(end - begin))
            rows = Rows(lines, self.delimiter, len(self.known), self.decimal)
            try:
                for part in rows.parts(chosen, numeric, SPELLINGS):
                    yield RecordBatch.from_arrays(part.columns, list(names))
            except ArrowInvalid as error:
                row = self.edges[group - 1] if group else 0
                raise self._told(str(error), row) from error

    def _told(self, reason: str, row: int) -> DataError:
        """Return an error about the rows from this number on."""
        found = INVALID.search(reason)
        if found is None:
            return DataError(
                f"{self.path.name}: a row after row {row:,} cannot be read: "
                f"{shortened(re.sub(r'^CSV parse error: ', '', reason), 200)}. Correct it."
            )
        return DataError(
            f"{self.path.name}, column {self.known[int(found[1])]!r}: {shortened(found[2])!r}, "
            f"after row {row:,}, is not a number. Correct it, or leave the column out."
        )
