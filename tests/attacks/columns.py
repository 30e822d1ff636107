"""Parquet files with external columns, wrong dictionaries, or too large declared sizes."""

import io
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet


def written(table: Any, **options: Any) -> bytes:
    file = io.BytesIO()
    parquet.write_table(table, file, **options)
    return file.getvalue()


def repeated(word: str, count: int) -> bytes:
    """Return a column in which one word is repeated; the file stores the word once."""
    column = pa.DictionaryArray.from_arrays(pa.array([0] * count, pa.int32()), [word])
    return written(pa.table({"a": column}))


def elsewhere() -> bytes:
    """Declare that the columns are in another file."""
    about = parquet.read_metadata(io.BytesIO(written(pa.table({"a": [1.0, 2.0]}))))
    about.set_file_path("/etc/passwd")
    with tempfile.TemporaryDirectory() as folder:
        about.write_metadata_file(path := Path(folder) / "about.parquet")
        return path.read_bytes()


def many_rows() -> bytes:
    return repeated("1", 20_000_001)


def long_word() -> bytes:
    return repeated("x" * 1_000_000, 5_000)


def bad_dictionary() -> bytes:
    """Return a file with the index of a word that is missing from the column's dictionary."""
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 300, pa.int32()), ["1", "2"])
    data = written(pa.table({"a": column, "b": [1.0] * 300}), compression="none")
    # The valid file stores word 0 for 300 equal rows with one bit per index. Change this to eight
    # bits per index, and change the word to 255.
    assert b"\x01\xd8\x04\x00" in data
    return data.replace(b"\x01\xd8\x04\x00", b"\x08\xd8\x04\xff")


def deep_lists() -> bytes:
    kind = pa.float64()
    for _ in range(200):
        kind = pa.list_(kind)
    return written(pa.table({"a": pa.array([None, None], kind)}))
