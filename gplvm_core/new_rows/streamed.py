"""Read tables in blocks and write answers to a file, in bounded memory."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gplvm_core.readers import DataError

BLOCK = 2000  # rows
ENDINGS = (".csv", ".parquet")


def blocks_of(table: Any) -> Iterator[Any]:
    """Yield blocks of rows of a data frame, an array, a file, or an iterable of frames."""
    if isinstance(table, str | Path):
        return _blocks_of_file(Path(table))
    if hasattr(table, "iloc"):
        return (table.iloc[start : start + BLOCK] for start in _starts(len(table)))
    if hasattr(table, "shape") or (isinstance(table, list | tuple) and _is_rows(table)):
        return (table[start : start + BLOCK] for start in _starts(len(table)))
    return iter(table)


def _starts(count: int) -> range:
    return range(0, max(count, 1), BLOCK)


def _is_rows(table: Any) -> bool:
    """Whether a list has rows of numbers, not data frames."""
    return not table or not hasattr(table[0], "columns")


def _blocks_of_file(path: Path) -> Iterator[Any]:
    import pandas

    _check_ending(path, "the table")
    if path.suffix.lower() == ".csv":
        with pandas.read_csv(path, chunksize=BLOCK) as parts:
            yield from parts
        return
    from pyarrow import parquet

    row = 0
    with parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=BLOCK):
            frame = batch.to_pandas()
            frame.index = range(row, row + len(frame))
            row += len(frame)
            yield frame


def written(parts: Iterator[Any], path: Path) -> Path:
    """Write data frames, one below the other, to a file; it appears when all are written."""
    _check_ending(path, "output")
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
            part.to_csv(file, header=number == 0)


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


def _check_ending(path: Path, what: str) -> None:
    if path.suffix.lower() not in ENDINGS:
        raise DataError(f"{what} must be a .csv or .parquet file; got {path.name}")
