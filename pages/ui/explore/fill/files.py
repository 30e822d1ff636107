"""Write completed rows to files: tables (CSV) and pictures (PNG)."""

import io
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from numpy import ndarray as Array

from gplvm_core.datasets import Dataset
from gplvm_core.figures.thumbnails import common_frame, row_picture
from gplvm_core.readers.names import names_of
from gplvm_core.readers.new_rows import FileColumn
from gplvm_core.readers.tables.csv_text import csv_text
from gplvm_core.wire.completion import RowItem
from pages.ui.explore.fill.model import Completion

PNG_SIZE = 720


def row_csv(
    dataset: Dataset, current: RowItem, row: Array, answer: Completion, as_text: bool = True
) -> bytes:
    """Write a row as CSV, one line per column: name, filled or not, value, deviation, truth.

    Tables with words or counts also have the probability of every filled word or count.
    """
    chance = answer.chance
    more = () if chance is None else ("probability",)
    lines: list[Iterable[object]] = [("column", "filled", "value", "std", *more, "truth")]
    filled = np.isnan(row)
    values = np.where(filled, answer.mean, row)
    for d, name in enumerate(names_of(dataset)):
        std = "" if answer.std is None or not filled[d] else numeral(answer.std[d])
        beside = () if chance is None else (numeral(chance[d]) if filled[d] else "",)
        truth = cell(dataset, d, current.values[d])
        lines.append((name, int(filled[d]), cell(dataset, d, values[d]), std, *beside, truth))
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


def table_csv(
    dataset: Dataset,
    values: Array,
    as_text: bool = True,
    beside: Mapping[str, Sequence[object]] | None = None,
    after: Sequence[tuple[str, Array]] = (),
    columns: Sequence[FileColumn] = (),
) -> bytes:
    """Write rows as CSV with a header line.

    beside: columns before the values, by name. after: columns of numbers after the values.
    columns: those of the visitor's file, in whose order the table is written; the model's other
    columns follow. A gap is written as NA, since readers could overlook an empty last column.
    """
    names = names_of(dataset)
    there = {column.output for column in columns}
    order = [
        *columns,
        *(FileColumn(name, d) for d, name in enumerate(names) if d not in there),
    ]
    own = [column.name if column.output is None else names[column.output] for column in order]
    front = beside or {}
    titles: list[str] = []
    for title in (*front, *(title for title, _ in after)):
        titles.append(unlike(title, {*own, *titles}))
    lines: list[Iterable[object]] = [[*titles[: len(front)], *own, *titles[len(front) :]]]
    for n, row in enumerate(values):
        cells = [
            column.cells[n]
            if column.output is None
            else cell(dataset, column.output, row[column.output]) or "NA"
            for column in order
        ]
        numbers = [numeral(column[n]) or "NA" for _, column in after]
        lines.append([*(column[n] for column in front.values()), *cells, *numbers])
    return csv_text(lines, as_text=as_text).encode()


def unlike(title: str, taken: Collection[str]) -> str:
    """The title, with a number behind it if the file has such a column already."""
    found, number = title, 2
    while found in taken:
        found, number = f"{title} ({number})", number + 1
    return found


def sureness_of(dataset: Dataset, std: Array, chance: Array) -> list[tuple[str, Array]]:
    """Return columns of standard deviations ("… std") and of probabilities ("… probability")."""
    names = names_of(dataset)
    kinds = [column.kind for column in dataset.columns] or ["number"] * len(names)
    numbers = [d for d, kind in enumerate(kinds) if kind in ("number", "count")]
    others = [d for d, kind in enumerate(kinds) if kind not in ("number", "exposure")]
    found = [(f"{names[d]} std", std[:, d]) for d in numbers]
    return found + [(f"{names[d]} probability", chance[:, d]) for d in others]
