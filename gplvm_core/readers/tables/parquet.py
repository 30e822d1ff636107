"""Read tables in Parquet and Arrow files column by column; numbers and dates never become text."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gplvm_core.readers.errors import DataError, listed, parsing
from gplvm_core.readers.packages import require_packages
from gplvm_core.readers.tables.columns import (
    Column,
    Table,
    blank_rows,
    hours_column,
    reading_notes,
    text_column,
)
from gplvm_core.readers.tables.large import words_of
from gplvm_core.readers.tables.lines import SNIFFED_LINES
from gplvm_core.readers.tables.sheets import check_size
from gplvm_core.readers.tables.text import decimal_in, unique_names

# The first bytes of Parquet, of the two forms of Arrow (Feather is the first), and of the first
# version of Feather.
PARQUET, ARROW, STREAM, FEATHER_1 = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff", b"FEA1"
MAGIC = (PARQUET, ARROW, STREAM, FEATHER_1)
STREAM_END = STREAM + b"\0\0\0\0"
BLOCK = 2**21  # values that are unpacked at once
LARGEST_EXACT = 2.0**53  # larger whole numbers are not exact as float64
HOURS = {"s": 1 / 3600, "ms": 1e-3 / 3600, "us": 1e-6 / 3600, "ns": 1e-9 / 3600}


def is_columnar(data: bytes) -> bool:
    """Whether these are the bytes of a Parquet, Arrow or Feather file."""
    return data.startswith(MAGIC)


def parse_columnar(data: bytes, name: str) -> Table:
    """Return the columns of a Parquet, Arrow or Feather file.

    Numbers and booleans (1 and 0) are float64, dates are moments, words are text; nulls are
    missing. Raises DataError for a damaged file, for a column of another type, and without the
    package pyarrow.
    """
    what = "Parquet files" if data.startswith(PARQUET) else "Arrow and Feather files"
    require_packages(what, ("pyarrow",))
    from pyarrow import types

    if data.startswith(FEATHER_1):
        raise DataError(
            f"{name} is a Feather file of version 1. Write it again as version 2, as current "
            "versions of pandas, Arrow and polars do."
        )
    with parsing(name):
        schema, count, read = (_parquet if data.startswith(PARQUET) else _arrow)(data, name)
        check_size(count * len(schema), len(schema), name)
        nested = [field.name for field in schema if types.is_nested(field.type)]
        if nested:
            raise DataError(
                f"{name}: the columns {listed(nested)} have nested values (lists or records). "
                "Write a table with one value in every cell."
            )
        unique, notes = unique_names([word.strip() for word in schema.names])
        found: list[Column | tuple[str, ...]] = []
        size = max(1, BLOCK // max(count, 1))
        for first in range(0, len(unique), size):
            table = read([*range(first, min(first + size, len(unique)))])
            for called, part in zip(unique[first:], table.columns, strict=False):
                if is_text(part.type):
                    found.append(words_of(_coded(part), str.strip))
                    continue
                column, column_notes = column_of(called, part)
                found.append(column)
                notes += column_notes
    words = {
        called: each[:SNIFFED_LINES]
        for called, each in zip(unique, found, strict=True)
        if isinstance(each, tuple)
    }
    everything = (cell for each in found if isinstance(each, tuple) for cell in each)
    decimal, decimal_note, doubtful = decimal_in([*words], [*words.values()], None, everything)
    columns = [
        text_column(called, each, decimal) if isinstance(each, tuple) else each
        for called, each in zip(unique, found, strict=True)
    ]
    notes = [*reading_notes(columns), *([decimal_note] if decimal_note else []), *notes]
    if data.startswith(STREAM) and not data.endswith(STREAM_END):
        notes.append(
            f"{name} ends without its end mark: it may be cut off, and rows may be missing."
        )
    table = _without_blank_rows(columns, name, count, notes)
    return replace(table, decimal=decimal, doubt=decimal_note if doubtful else "")


def _parquet(data: bytes, name: str) -> tuple[Any, int, Callable[[list[int]], Any]]:
    """Return a file's schema, its number of rows, and a function that reads columns by number."""
    from pyarrow import BufferReader, parquet

    file = parquet.ParquetFile(BufferReader(data))

    def read(block: list[int]) -> Any:
        # By number, because `read` finds a column "a" also in "a.b". With one thread, because each
        # further one reserves tens of megabytes.
        return file.reader.read_all(column_indices=block, use_threads=False)

    return file.schema_arrow, file.metadata.num_rows, read


def _arrow(data: bytes, name: str) -> tuple[Any, int, Callable[[list[int]], Any]]:
    """Do the same as `_parquet` for both forms of Arrow."""
    from pyarrow import Table, ipc

    def opened(block: list[int]) -> tuple[Any, Iterable[Any]]:
        options = ipc.IpcReadOptions(included_fields=block, use_threads=False)
        if data.startswith(STREAM):
            stream = ipc.open_stream(data, options=options)
            return stream.schema, stream
        file = ipc.open_file(data, options=options)
        return file.schema, map(file.get_batch, range(file.num_record_batches))

    def read(block: list[int]) -> Any:
        schema, batches = opened(block)
        table = Table.from_batches(batches, schema)
        table.validate(full=True)  # wrong offsets would read memory outside the file
        return table

    (schema, _), count = opened([]), 0
    for batch in opened([0])[1] if schema.names else ():  # the other columns stay packed
        count += batch.num_rows
        check_size(count * len(schema), len(schema), name)
    return schema, count, read


def is_text(kind: Any) -> bool:
    """Whether a type of pyarrow is text."""
    from pyarrow import types

    kind = kind.value_type if types.is_dictionary(kind) else kind
    return str(kind) in ("string", "large_string", "string_view")


def _coded(part: Any) -> Iterable[Any]:
    """Yield text as dictionaries without nulls."""
    import pyarrow

    if not pyarrow.types.is_dictionary(part.type):
        yield from part.cast("string").fill_null("").dictionary_encode().chunks
        return
    for chunk in part.chunks:  # Arrow cannot unpack the dictionaries of polars
        words = pyarrow.concat_arrays([chunk.dictionary.cast("string"), pyarrow.array([""])])
        numbers = chunk.indices.cast("int64").fill_null(len(words) - 1)
        yield pyarrow.DictionaryArray.from_arrays(numbers, words.fill_null(""))


def column_of(name: str, part: Any) -> tuple[Column, list[str]]:
    """Return a column that is not text, and notes."""
    import pyarrow
    from pyarrow import types

    kind = part.type
    if types.is_dictionary(kind):
        kind = kind.value_type
        part = part.cast(kind)
    if types.is_null(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return Column(name, _floats(part)), []
    if types.is_boolean(kind):
        numbers = _floats(part.cast(pyarrow.uint8()))
        spelled = {1.0: "True", 0.0: "False"}
        return Column(name, numbers, tuple(spelled.get(each, "") for each in numbers.tolist())), []
    if types.is_integer(kind):
        numbers = _floats(part)
        if not np.any(np.abs(numbers) > LARGEST_EXACT):
            return Column(name, numbers), []
        exact = tuple("" if cell is None else str(cell) for cell in part.to_pylist())
        return Column(name, numbers, exact), []
    if types.is_date(kind) or types.is_timestamp(kind):
        moments = part.to_numpy()
        zone = getattr(kind, "tz", None)
        note = [] if zone in (None, "UTC") else [f"The times of {name} ({zone}) were read in UTC."]
        return Column(name, None, _written(moments), moments=moments), note
    if types.is_time(kind) or types.is_duration(kind):
        counts = _floats(part.cast(pyarrow.int32() if kind.bit_width == 32 else pyarrow.int64()))
        return hours_column(name, counts * HOURS[kind.unit], of_day=types.is_time(kind)), []
    raise DataError(
        f"the column {name!r} has values of type {kind}. Numbers, words, dates and times are read; "
        "leave the column out, or write it as one of these."
    )


def _floats(part: Any) -> NDArray[np.float64]:
    import pyarrow

    found = part.cast(pyarrow.float64(), safe=False).to_numpy()
    return np.asarray(found, dtype=np.float64)


def _written(moments: NDArray[np.datetime64]) -> tuple[str, ...]:
    """Write moments as text, without a time of day if none has one."""
    days = moments.astype("datetime64[D]")
    whole = bool((np.isnat(moments) | (days == moments)).all())
    texts = (days if whole else moments).astype(np.str_).tolist()
    return tuple("" if text == "NaT" else text.replace("T", " ") for text in texts)


def _without_blank_rows(columns: list[Column], name: str, count: int, notes: list[str]) -> Table:
    """Leave out rows without any value, with a note, as in tables of text."""
    places = np.arange(count, dtype=np.int64) + 2  # as in a text whose first line has the names
    blank = blank_rows(columns, count)
    if not columns or blank.all():
        raise DataError(f"{name} has no rows with values. A table needs at least two rows.")
    if blank.any():
        columns = [column.rows(np.flatnonzero(~blank)) for column in columns]
        lines = [str(place) for place in places[blank]]
        notes = [f"Lines without any value were left out: {listed(lines)}.", *notes]
    kept, left_out = places[~blank], places[blank]
    between = left_out[(left_out > kept[0]) & (left_out < kept[-1])]
    return Table(name, tuple(columns), kept, "line", tuple(notes), blank=tuple(between.tolist()))
