"""Random tables are written in every format and read back: the same table, or a sentence."""

import csv
import datetime as dt
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

from gplvm_core.readers import DataError, NamedBytes
from gplvm_core.readers.cells import cells_of
from gplvm_core.readers.tables.columns import MISSING, Column
from gplvm_core.readers.tables.dates import find_dates, moments_of
from gplvm_core.readers.tables.table import parse_table

Cells = dict[str, list[Any]]
LETTERS = list("abcdefgXYZäß")
SIGNS = [*"#;,|\"'=-/:.()& ", "  ", "# ", "; ", ", "]
KINDS = ["float", "float", "small", "int", "word", "few", "date", "bool", "code", "marks"]
USUAL = ("The first", "Numbers", "Commas were", "The sheet", "Sheets not")


def word(generator: np.random.Generator) -> str:
    """Return a word that begins and ends with a letter, or begins with #."""
    parts = generator.choice(LETTERS, 3).tolist()
    if generator.random() < 0.4:
        parts.insert(int(generator.integers(1, 3)), str(generator.choice(SIGNS)))
    return ("#" if generator.random() < 0.05 else "") + "".join(parts)


def column(generator: np.random.Generator, count: int) -> list[Any]:
    kind = generator.choice(KINDS)
    gaps = generator.random(count) < generator.choice([0.0, 0.0, 0.3])
    few = [word(generator) for _ in range(3)]
    sign = str(generator.choice(list("_;|#x")))
    scale = 10.0 ** generator.integers(-6, 7)
    make: dict[str, Callable[[], Any]] = {
        "float": lambda: float(f"{scale * generator.normal():.4g}"),
        "small": lambda: round(float(generator.random()), 3),
        "int": lambda: int(generator.integers(-50, 2000)),
        "word": lambda: word(generator),
        "few": lambda: few[int(generator.integers(3))],
        "date": lambda: dt.datetime(2024, 1, 1) + dt.timedelta(int(generator.integers(900))),
        "code": lambda: f"{generator.integers(1, 99)}{sign}{generator.integers(1, 99)}",
        "marks": lambda: str(generator.choice(["NA", "n.d.", "yes", "no", "#N/A", "unknown"])),
        "bool": lambda: bool(generator.integers(2)),
    }
    return [None if gap else make[kind]() for gap in gaps]


def table(seed: int) -> Cells:
    """Return a table of three to twelve rows; a row may be blank, but not the first or the last."""
    generator = np.random.default_rng(seed)
    count = int(generator.integers(3, 13))
    width = int(generator.integers(2, 6))
    names: dict[str, None] = {}
    while len(names) < width:
        names[word(generator)] = None
    if generator.random() < 0.1:
        names = dict.fromkeys(str(1990 + 2 * d) for d in range(width + 2))
    cells = {name: column(generator, count) for name in names}
    if generator.random() < 0.2:
        blank = int(generator.integers(1, count - 1))
        for own in cells.values():
            own[blank] = None
    for own in list(cells.values())[:1]:  # the first and the last row are not blank
        own[0], own[-1] = (own[n] or column_value(own) for n in (0, -1))
    return cells


def column_value(own: list[Any]) -> Any:
    return next((each for each in own if each is not None), 1.5)


def as_csv(cells: Cells, seed: int) -> bytes:
    file = io.StringIO()
    writer = csv.writer(file, delimiter=",;\t"[seed % 3], lineterminator="\n")
    writer.writerow(cells)
    for row in zip(*cells.values(), strict=True):
        dates = (each.date() if isinstance(each, dt.datetime) else each for each in row)
        writer.writerow(["" if each is None else each for each in dates])
    return file.getvalue().encode()


def as_excel(cells: Cells, seed: int) -> bytes:
    book, file = openpyxl.Workbook(write_only=True), io.BytesIO()
    sheet = book.create_sheet("Data")
    sheet.append(list(cells))
    for row in zip(*cells.values(), strict=True):
        sheet.append(row)
    book.save(file)
    return file.getvalue()


def as_parquet(cells: Cells, seed: int) -> bytes:
    file = io.BytesIO()
    parquet.write_table(pa.table(cells), file)
    return file.getvalue()


def as_arrow(cells: Cells, seed: int) -> bytes:
    """Write both forms of Arrow in turn, also packed, and in several parts."""
    file, rows = io.BytesIO(), pa.table(cells)
    options = ipc.IpcWriteOptions(compression=("lz4", "zstd", None)[seed % 3])
    way = ipc.new_stream if seed % 2 else ipc.new_file
    with way(file, rows.schema, options=options) as writer:
        writer.write_table(rows, max_chunksize=1 + seed % 5)
    return file.getvalue()


WRITERS: dict[str, Callable[[Cells, int], bytes]] = {
    "csv": as_csv,
    "xlsx": as_excel,
    "parquet": as_parquet,
    "feather": as_arrow,
}
FRAMES: dict[str, Callable[[Cells], Any]] = {
    "arrow": pa.table,
    "polars": pl.DataFrame,
    "pandas": pd.DataFrame,
}


def differs(read: Column, own: list[Any]) -> bool:
    """Return whether a column that was read has other values than those that were written."""
    seen = [each for each in own if each is not None]
    if seen and isinstance(seen[0], str):
        return read.words() != ["" if (each or "").lower() in MISSING else each for each in own]
    if seen and isinstance(seen[0], dt.datetime):
        if read.moments is None and find_dates(read) is None:
            return True
        moments = moments_of(read, "iso")[0]
        return not np.array_equal(
            moments.astype("M8[s]"), np.array(own, dtype="M8[s]"), equal_nan=True
        )
    numbers = np.array([np.nan if each is None else each for each in own], dtype=float)
    if read.numbers is None:
        # A column of booleans may be read as words.
        words = ["" if each is None else str(each) for each in own]
        return not (seen and isinstance(seen[0], bool) and read.words() == words)
    return not np.array_equal(read.numbers, numbers, equal_nan=True)


def silent(seed: int, ending: str) -> str:
    """Return what differs without a sentence after a file was read; "" if nothing."""
    cells = table(seed)
    try:
        read = parse_table(NamedBytes(f"t.{ending}", WRITERS[ending](cells, seed)))
    except DataError:
        return ""
    rows = [n for n, row in enumerate(zip(*cells.values(), strict=True)) if any_value(row)]
    notes = [note for note in read.notes if not note.startswith(USUAL)]
    said = " ".join((*notes, *(note for each in read.columns for note in each.notes)))
    names = [each.name for each in read.columns]
    if len(rows) < len(next(iter(cells.values()))) and "without any value" not in said:
        return "blank rows"
    if read.header is False and "the columns were numbered" in said:
        return ""
    if read.places.tolist() != [n + 2 for n in rows]:
        return "" if "skipped" in said or "left out" in said else f"rows {read.places}"
    bare = [next(iter(cells)).lstrip("# "), *[*cells][1:]]
    if names == bare != list(cells) and "begins with #" in said:
        return ""
    if names != list(cells):
        kept = [name for name in cells if name in names]
        return "" if kept == names and "left out" in said else f"names {names}"
    odd = [
        each.name
        for each in read.columns
        if differs(each, [cells[each.name][n] for n in rows]) and each.name not in said
    ]
    return f"columns {odd}" if odd else ""


def any_value(row: tuple[Any, ...]) -> bool:
    return any(each is not None for each in row)


def frame_differs(seed: int, library: str) -> str:
    """Return the columns of a frame whose cells differ; dates are refused in words."""
    cells = {
        name: own
        for name, own in table(seed).items()
        if not any(isinstance(each, dt.datetime) for each in own)
    }
    read = cells_of(FRAMES[library](cells)) if cells else []
    odd = [
        each.name
        for each in read
        if each.values.tolist() != cells[each.name] and any_value(tuple(cells[each.name]))
    ]
    return f"columns {odd}" if odd or [each.name for each in read] != list(cells) else ""


def failures(name: str, seeds: range) -> dict[int, str]:
    find = frame_differs if name in FRAMES else silent
    return {seed: found for seed in seeds if (found := find(seed, name))}


@pytest.mark.parametrize("name", [*WRITERS, *FRAMES])
def test_a_random_table_comes_back_or_a_sentence_says_why_not(name: str) -> None:
    assert failures(name, range(40)) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", [*WRITERS, *FRAMES])
def test_two_thousand_random_tables_come_back(name: str) -> None:
    assert failures(name, range(2000)) == {}
