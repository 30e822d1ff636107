"""Files of completed rows: tables (CSV) and pictures (PNG)."""

import io
from collections.abc import Iterable

import numpy as np
from numpy import ndarray as Array

from gplvm_core.datasets import Dataset
from gplvm_core.figures.thumbnails import common_frame, row_picture
from gplvm_core.readers.names import names_of
from gplvm_core.readers.tables.csv_text import csv_text
from gplvm_core.wire.completion import RowItem
from pages.ui.explore.fill.model import Completion
from pages.ui.shared.intervals import ENDS, ends_of

PNG_SIZE = 720


def row_csv(
    dataset: Dataset, current: RowItem, row: Array, answer: Completion, as_text: bool = True
) -> bytes:
    """Write a row as CSV, with a line per column: name, filled or not, value, deviation, ends of
    the 95 % interval, truth.

    Tables with words or counts also have the probability of every filled word or count.
    """
    chance = answer.chance
    more = () if chance is None else ("probability",)
    lines: list[Iterable[object]] = [("column", "filled", "value", "std", *ENDS, *more, "truth")]
    filled = np.isnan(row)
    values = np.where(filled, answer.mean, row)
    deviations = np.full(len(row), np.nan) if answer.std is None else answer.std
    deviations = np.where(filled, deviations, np.nan)
    ends = ends_of(dataset, values[None], deviations[None], range(len(row))).reshape(-1, 2)
    for d, name in enumerate(names_of(dataset)):
        sure = map(numeral, (deviations[d], *ends[d]))
        beside = () if chance is None else (numeral(chance[d]) if filled[d] else "",)
        truth = cell(dataset, d, current.values[d])
        lines.append((name, int(filled[d]), cell(dataset, d, values[d]), *sure, *beside, truth))
    return csv_text(lines, as_text=as_text).encode()


def numeral(value: float) -> str:
    """Return a number as text for a file; "" for NaN."""
    return "" if np.isnan(value) else f"{value:.8g}"


def cell(dataset: Dataset, d: int, value: float) -> str:
    """Return a value of column d as text for a file: its word, if the column has words."""
    words = dataset.columns[d].words if dataset.columns else ()
    return str(words[int(value)]) if words and not np.isnan(value) else numeral(value)


def words_in(dataset: Dataset) -> tuple[str, ...]:
    """Return all words that occur in the columns."""
    return tuple(str(word) for column in dataset.columns for word in column.words)


def row_png(dataset: Dataset, values: Array) -> bytes:
    buffer = io.BytesIO()
    frame = common_frame(dataset.drawing, dataset.values)
    row_picture(dataset.drawing, values, frame, PNG_SIZE).save(buffer, format="PNG")
    return buffer.getvalue()
