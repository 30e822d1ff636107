"""Parquet and Arrow files: external columns, wrong dictionaries, too large declared sizes."""

import io
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import ipc, parquet


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


def arrow(table: Any, *, stream: bool = False, **options: Any) -> bytes:
    """Return a table in the file form of Arrow (Feather), or in its stream form."""
    file = io.BytesIO()
    way = ipc.new_stream if stream else ipc.new_file
    with way(file, table.schema, options=ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table)
    return file.getvalue()


def nulls(count: int, *, stream: bool = False) -> bytes:
    """Return a column without values, which needs no bytes however many rows it declares."""
    data = arrow(pa.table({"a": pa.nulls(1_000_003)}), stream=stream)
    written = (1_000_003).to_bytes(8, "little")
    assert written in data
    return data.replace(written, count.to_bytes(8, "little"))


def packed_word(length: int, count: int) -> bytes:
    column = pa.DictionaryArray.from_arrays(pa.array([0] * count, pa.int32()), ["x" * length])
    return arrow(pa.table({"a": column}), compression="zstd")


def lying_block() -> bytes:
    """Declare that a packed block of 8,000 bytes has a terabyte."""
    data = arrow(pa.table({"a": [0.0] * 1000}), compression="zstd")
    size = (8000).to_bytes(8, "little")
    assert data.count(size) >= 1
    return data.replace(size, (2**40).to_bytes(8, "little"))


def far_word(stream: bool) -> bytes:
    """Return a dictionary's index beyond its words."""
    index = pa.array([0, 1234, 1], pa.int32())
    column = pa.DictionaryArray.from_arrays(index, ["1", "2"], safe=False)
    return arrow(pa.table({"a": column}), stream=stream)


def far_offset() -> bytes:
    """Return text whose second cell begins a gigabyte behind its first."""
    data = arrow(pa.table({"a": ["x", "yy", "zzz"]}))
    offsets = b"".join(n.to_bytes(4, "little") for n in (0, 1, 3, 6))
    assert data.count(offsets) == 1
    return data.replace(offsets, b"".join(n.to_bytes(4, "little") for n in (0, 2**30, 3, 6)))


def arrow_lists(stream: bool) -> bytes:
    kind = pa.float64()
    for _ in range(60):
        kind = pa.list_(kind)
    return arrow(pa.table({"a": pa.array([None, None], kind)}), stream=stream)
