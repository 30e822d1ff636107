"""Read tables in Parquet files column by column; numbers and dates never become text."""

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
    reading_notes,
    text_column,
)
from gplvm_core.readers.tables.large import words_of
from gplvm_core.readers.tables.lines import SNIFFED_LINES
from gplvm_core.readers.tables.numerals import decimal_sign
from gplvm_core.readers.tables.sheets import check_size
from gplvm_core.readers.tables.text import unique_names

MAGIC = b"PAR1"
BLOCK = 2**21  # values that are unpacked at once
LARGEST_EXACT = 2.0**53  # larger whole numbers are not exact as float64
HOURS = {"s": 1 / 3600, "ms": 1e-3 / 3600, "us": 1e-6 / 3600, "ns": 1e-9 / 3600}


def is_parquet(data: bytes) -> bool:
    """Whether these are the bytes of a Parquet file."""
    return data.startswith(MAGIC)


def parse_parquet(data: bytes, name: str) -> Table:
    """Return the columns of a Parquet file.

    Numbers and booleans (1 and 0) are float64, dates are moments, words are text; nulls are
    missing. Raises DataError for a damaged file, for a column of another type, and without the
    package pyarrow.
    """
    require_packages("Parquet files", ("pyarrow",))
    from pyarrow import BufferReader, parquet, types

    with parsing(name):
        file = parquet.ParquetFile(BufferReader(data))
        about, schema = file.metadata, file.schema_arrow
        check_size(about.num_rows * about.num_columns, about.num_columns, name)
        nested = [field.name for field in schema if types.is_nested(field.type)]
        if nested:
            raise DataError(
                f"{name}: the columns {listed(nested)} have nested values (lists or records). "
                "Write a table with one value in every cell."
            )
        unique, notes = unique_names([word.strip() for word in schema.names])
        found: list[Column | tuple[str, ...]] = []
        size = max(1, BLOCK // max(about.num_rows, 1))
        for first in range(0, len(unique), size):
            # By number, because `read` finds a column "a" also in "a.b". With one thread, because
            # each further one reserves tens of megabytes.
            block = range(first, min(first + size, len(unique)))
            table = file.reader.read_all(column_indices=list(block), use_threads=False)
            for called, part in zip(unique[first:], table.columns, strict=False):
                if _is_text(part.type):
                    coded = part.cast("string").fill_null("").dictionary_encode()
                    found.append(words_of(coded.chunks, str.strip))
                    continue
                column, column_notes = _column(called, part)
                found.append(column)
                notes += column_notes
    texts = [each for each in found if isinstance(each, tuple)]
    decimal = decimal_sign(cell for cells in texts for cell in cells[:SNIFFED_LINES])
    columns = [
        text_column(called, each, decimal) if isinstance(each, tuple) else each
        for called, each in zip(unique, found, strict=True)
    ]
    notes = [*reading_notes(columns), *notes]
    return replace(_without_blank_rows(columns, name, about.num_rows, notes), decimal=decimal)


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    kind = kind.value_type if types.is_dictionary(kind) else kind
    return str(kind) in ("string", "large_string", "string_view")


def _column(name: str, part: Any) -> tuple[Column, list[str]]:
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
        hours = counts * HOURS[kind.unit]
        what = "Times of day" if types.is_time(kind) else "Durations"
        read = f"{what} in {name} were read as hours."
        return Column(name, hours, of_day=types.is_time(kind), notes=(read,)), []
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
