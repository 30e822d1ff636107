"""Read rows that are given as records: one mapping from column names to values for each row."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gplvm_core.readers.tables.columns import Column, Table, reading_notes, text_column
from gplvm_core.readers.tables.lines import SNIFFED_LINES
from gplvm_core.readers.tables.text import decimal_in


def parse_records(records: Sequence[Mapping[str, Any]], name: str) -> Table:
    """Return the columns of records; numbers stay numbers, and text is read as in a file.

    Values are numbers, truth values, text, or None where missing. In a column with text, numbers
    count as text. name: stands for the file in messages, which count the rows from 1.
    """
    keys = dict.fromkeys(key for record in records for key in record)
    cells = {key: [record.get(key) for record in records] for key in keys}
    texts = {
        key: own
        for key, cell in cells.items()
        if (own := [each.strip() for each in cell if isinstance(each, str)])
    }
    first = [own[:SNIFFED_LINES] for own in texts.values()]
    everything = (text for own in texts.values() for text in own)
    decimal, note, doubtful = decimal_in([*texts], first, None, everything)
    columns = tuple(
        text_column(key, [_written(each, decimal) for each in own], decimal)
        if key in texts
        else _numbers(key, own)
        for key, own in cells.items()
    )
    return Table(
        name,
        columns,
        np.arange(1, len(records) + 1, dtype=np.int64),
        "row",
        (*reading_notes(columns), *([note] if note else [])),
        decimal=decimal,
        doubt=note if doubtful else "",
    )


def _numbers(name: str, cells: Sequence[Any]) -> Column:
    numbers = np.array([np.nan if cell is None else float(cell) for cell in cells], dtype=float)
    truths = any(isinstance(cell, bool) for cell in cells)
    return Column(name, numbers, tuple(map(_written, cells)) if truths else None)


def _written(value: Any, decimal: str = ".") -> str:
    """Write a cell as the text of a file with this decimal sign; a missing one is empty."""
    if isinstance(value, float):
        return f"{value:.15g}".replace(".", decimal)
    return "" if value is None else str(value).strip()
