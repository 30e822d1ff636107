"""Read tables in blocks and write answers to a file, in bounded memory."""

import io
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from gplvm_core.readers import DataError, NamedBytes
from gplvm_core.readers.errors import parsing
from gplvm_core.readers.frames import Frame, taken
from gplvm_core.readers.kinds import TableColumn
from gplvm_core.readers.rows.coded import NO_DATES, Coded
from gplvm_core.readers.rows.columns import NamedRows, TextRows
from gplvm_core.readers.rows.files import TABLES
from gplvm_core.readers.tables.columns import MISSING, Table
from gplvm_core.readers.tables.csv_text import marked
from gplvm_core.readers.tables.dates import date_columns
from gplvm_core.readers.tables.roles import moments_in
from gplvm_core.readers.tables.table import parse_table

BLOCK = 2000  # rows
HEAD = 200  # lines of a CSV file that show how it is written
ENDINGS = (".csv", ".parquet")  # of answers
PACKED = tuple(ending for ending, kind in TABLES.items() if kind is not TextRows)
READ = (".csv", *PACKED)


def blocks_of(table: Any, as_text: Sequence[str] = (), wanted: Sequence[str] = ()) -> Iterator[Any]:
    """Yield blocks of rows of a data frame, an array, a file, or an iterable of frames.

    as_text: the columns of a CSV file whose cells stay text. wanted: the columns of the model; if
    some are the year, season and weekday of dates in a file, they are added to the blocks.
    """
    if isinstance(table, str | Path):
        path = Path(table)
        _check_ending(path, "the table", READ)
        if path.suffix.lower() in PACKED:
            whole = TABLES[path.suffix.lower()].of(path, ())
            return _dated(_packed(whole), parse_table(whole.sample()), wanted)
        return _dated(_blocks_of_text(path, as_text), _head(path)[1], wanted)
    table = taken(table)
    if isinstance(table, Frame):
        return (table[start : start + BLOCK].to_native() for start in _starts(len(table)))
    if hasattr(table, "shape") or (isinstance(table, list | tuple) and _is_rows(table)):
        return (table[start : start + BLOCK] for start in _starts(len(table)))
    return iter(table)


def decimal_of(table: Any) -> str:
    """Return the decimal sign of a CSV file as `read_table` finds it; "" for other tables."""
    if not isinstance(table, str | Path) or Path(table).suffix.lower() != ".csv":
        return ""
    head = _head(Path(table))[1]
    # A guess from a few lines; WrittenNumbers compares the numbers with the training rows.
    return "" if head.doubt else head.decimal


def _starts(count: int) -> range:
    return range(0, max(count, 1), BLOCK)


def _is_rows(table: Any) -> bool:
    """Whether a list has rows of numbers, not data frames."""
    return not table or not isinstance(taken(table[0]), Frame)


def _packed(whole: NamedRows) -> Iterator[Any]:
    for first, batch in whole.batches(whole.known, 0, whole.n_rows, BLOCK):
        frame = batch.to_pandas()
        frame.index = range(first, first + len(frame))
        yield frame


def _dated(parts: Iterator[Any], head: Table, wanted: Sequence[str]) -> Iterator[Any]:
    """Add the parts of dates that the model has learnt; head: some rows, which show their form."""
    there, dates = {column.name for column in head.columns}, list[Coded]()
    for column in head.columns:
        own = [name for name in date_columns(column.name, NO_DATES) if name in wanted]
        if column.dates is not None and own and there.isdisjoint(own):
            moments_in(column, head, {})  # raises an error if day and month may be swapped
            kinds = tuple(TableColumn(name, "number") for name in own)
            dates.append(Coded(column.name, kinds, column.dates.formats[0]))
    if not dates:
        yield from parts
        return
    import pyarrow

    for frame in parts:
        found: dict[str, Any] = {}
        for each in dates:
            cells = pyarrow.array(frame[each.name], from_pandas=True)
            values = each.read(cells, int(frame.index[0]), head.name)
            found |= dict(zip((own.name for own in each.columns), values.T, strict=True))
        yield frame.assign(**found).drop(columns=[each.name for each in dates])


def _blocks_of_text(path: Path, as_text: Sequence[str]) -> Iterator[Any]:
    # Unlike the reader of tables to train on, this one reads other encodings, cells of several
    # lines, comments, and a file to which another program still writes.
    import pandas

    options = _as_in_the_reader(path, as_text)
    with path.open("rb") as file:
        own = _AsOpened(file)
        with (
            parsing(path.name, "cannot be read", "Save it as CSV with the encoding UTF-8."),
            pandas.read_csv(io.BufferedReader(own), chunksize=BLOCK, **options) as parts,
        ):
            yield from parts
    if own.grew:
        warnings.warn(
            f"{path.name} grew while it was read: later rows have no answers. Ask again when "
            "the file is complete.",
            UserWarning,
            stacklevel=2,
        )


def _head(path: Path) -> tuple[bytes, Table]:
    """Return the first lines of a CSV file, and their table."""
    with path.open("rb") as file:
        head = b"".join(islice(file, HEAD))
    return head, parse_table(NamedBytes(path.name, head))


def _as_in_the_reader(path: Path, as_text: Sequence[str]) -> dict[str, Any]:
    """Return pandas' options for a CSV file: delimiter, names and encoding as `read_table` finds
    them in the first lines.
    """
    head, table = _head(path)
    names = [*(column.name for column in table.columns), *table.empty]
    try:
        head.decode("utf-8")
        encoding = "utf-8"
    except UnicodeDecodeError:
        encoding = "cp1252"
    forms: tuple[Callable[[str], str], ...] = (str.lower, str.upper, str.title)
    return {
        "sep": r"\s+" if table.delimiter == " " else table.delimiter,
        "header": None,
        "names": names,
        "dtype": {name: str for name in names if name in as_text},
        "usecols": range(len(names)),  # otherwise, a further column would be the index
        "skiprows": int(table.places[0]) - 1,
        "skipinitialspace": True,
        "na_values": [form(word) for word in MISSING for form in forms],
        "encoding": encoding,
    }


class _AsOpened(io.RawIOBase):
    """The part of a file that it has when it is opened, up to the end of a line.

    Another program may still write to the file, and its last line may be incomplete. grew: whether
    the file has more than this part.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.left = os.fstat(file.fileno()).st_size
        self.rest = b""  # of the last line
        self.grew = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self.left:
            data = self.file.read(min(len(buffer), self.left))
            self.left -= len(data)
            if not self.left and not data.endswith(b"\n"):
                self.rest = self.file.readline()
        else:
            data, self.rest = self.rest[: len(buffer)], self.rest[len(buffer) :]
            self.grew = self.grew or (not data and bool(self.file.read(1)))
        buffer[: len(data)] = data
        return len(data)


def written(parts: Iterator[Any], path: Path) -> Path:
    """Write data frames, one below the other, to a file; it appears when all are written."""
    _check_ending(path, "output", ENDINGS)
    beside = path.with_name(f".{path.name}.part")
    try:
        (_write_csv if path.suffix.lower() == ".csv" else _write_parquet)(parts, beside)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
    return path


def _write_csv(parts: Iterator[Any], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        for number, part in enumerate(parts):
            texts = part.select_dtypes(exclude=["number", "bool"])
            own = {name: texts[name].map(_safe) for name in texts}  # no cell becomes a formula
            part.assign(**own).rename(index=_safe, columns=_safe).to_csv(file, header=number == 0)


def _safe(cell: Any) -> Any:
    return marked(cell) if isinstance(cell, str) else cell


def _write_parquet(parts: Iterator[Any], path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    writer = None
    try:
        for part in parts:
            table = pyarrow.Table.from_pandas(part, preserve_index=True)
            writer = writer or parquet.ParquetWriter(path, table.schema)
            writer.write_table(table.cast(writer.schema))
    finally:
        if writer is not None:
            writer.close()


def _check_ending(path: Path, what: str, endings: Sequence[str]) -> None:
    if path.suffix.lower() not in endings:
        raise DataError(f"{what} must be a {' or '.join(endings)} file; got {path.name}")
