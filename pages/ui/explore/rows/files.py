"""Files of the answers: the visitor's columns, positions, filled values, p-values and reasons."""

import io
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy import ndarray as Array

from gplvm_core.datasets import Dataset
from gplvm_core.new_rows import Answers, sentence_of
from gplvm_core.readers.names import names_of
from gplvm_core.readers.new_rows import FileColumn, NewRows
from gplvm_core.readers.tables.csv_text import csv_text
from pages.ui.shared.intervals import ENDS, ends_of

# A column of a table: its title and its cells; None is an empty cell.
TableColumn = tuple[str, list[Any]]


def answer_table(
    dataset: Dataset,
    own: NewRows,
    answers: Answers,
    dimensions: Sequence[str] = (),
    chance: Array | None = None,
) -> list[TableColumn]:
    """Return the table for a file: row, names, the file's columns with filled gaps, and the
    answers.

    dimensions: the visitor's names of the map's dimensions. chance: the probabilities of filled
    words and counts.
    """
    count, names = len(answers.places), names_of(dataset)
    front: list[TableColumn] = [("row", [own.number(n) for n in range(count)])]
    if own.row_names is not None:
        called = [str(word) for word in own.row_names[:count]]
        # If the names are already a column of the file, they are not repeated here.
        if all(called != [*column.cells[:count]] for column in own.columns):
            front.append(("id", called))
    there = {column.output for column in own.columns}
    missing = [FileColumn(name, d) for d, name in enumerate(names) if d not in there]
    body: list[TableColumn] = []
    for column in (*own.columns, *missing):
        if column.output is None:
            body.append((column.name, list(column.cells[:count])))
        else:
            body.append((names[column.output], cells(dataset, answers, column.output)))
    back: list[TableColumn] = []
    for q in range(answers.places.shape[1]):
        title = (dimensions[q] if q < len(dimensions) else "") or f"x{q + 1}"
        back.append((title, numbers(answers.places[:, q])))
        back.append((f"{title} std", numbers(answers.place_std[:, q])))
    if (answers.weights[:, 0] < 1.0).any():
        back.append(("weight of this place", numbers(answers.weights[:, 0])))
    gaps = np.isnan(own.values[:count])
    for d, name in enumerate(names):
        worded = bool(dataset.columns and dataset.columns[d].words)
        if gaps[:, d].any() and not worded:
            back.append((f"{name} std", numbers(answers.std[:, d])))
            both = ends_of(dataset, answers.filled, answers.std[:, [d]], [d]).T
            back += [(f"{name} {end}", numbers(own)) for end, own in zip(ENDS, both, strict=True)]
        if (
            gaps[:, d].any()
            and chance is not None
            and not (dataset.columns[d].is_number or dataset.columns[d].kind == "exposure")
        ):
            back.append((f"{name} probability", numbers(chance[:, d])))
    if answers.known:
        back.append(("p", numbers(answers.p)))
        if not np.isnan(answers.p_cell).all():  # only the density of a row judges one column
            back.append(("p of the oddest column", numbers(answers.p_cell)))
        back.append(("unlike anything trained on", [int(value) for value in answers.unlike]))
        back.append(("reasons", [reasons_in_words(answers, n, names) for n in range(count)]))
    near = [" ".join(str(row + 1) for row in rows) for rows in answers.nearest.tolist()]
    back.append(("nearest training rows", near))
    return [*renamed(front, body), *body, *renamed(back, [*body, *front])]


def reasons_in_words(answers: Answers, n: int, names: Sequence[str]) -> str:
    """Return the sentences about an odd row; "" for an ordinary row."""
    return " ".join(sentence_of(reason, names[reason.column]) for reason in answers.reasons[n])


def renamed(columns: Iterable[TableColumn], others: Iterable[TableColumn]) -> list[TableColumn]:
    """Return the columns, with a number added to repeated titles."""
    taken = {title for title, _ in others}
    found = []
    for title, content in columns:
        own, number = title, 2
        while own in taken:
            own, number = f"{title} ({number})", number + 1
        taken.add(own)
        found.append((own, content))
    return found


def cells(dataset: Dataset, answers: Answers, d: int) -> list[Any]:
    """Return the values of a column with filled gaps; words for a column of words."""
    words = dataset.columns[d].words if dataset.columns else ()
    values = answers.filled[:, d]
    if not words:
        return numbers(values)
    return [None if np.isnan(value) else str(words[int(value)]) for value in values]


def numbers(values: Array) -> list[float | None]:
    """Return numbers rounded to eight digits; None for NaN."""
    return [None if np.isnan(value) else float(f"{value:.8g}") for value in values]


def as_csv(columns: list[TableColumn], as_text: bool = True) -> bytes:
    """Return CSV with NA for missing cells, since readers may overlook an empty last column."""
    lines: list[Iterable[object]] = [[title for title, _ in columns]]
    for row in zip(*(content for _, content in columns), strict=True):
        lines.append(["NA" if cell is None else written(cell) for cell in row])
    return csv_text(lines, as_text=as_text).encode()


def written(cell: Any) -> Any:
    return f"{cell:.8g}" if isinstance(cell, float) else cell


def as_excel(columns: list[TableColumn]) -> bytes:
    """Return an Excel file; text in it is never a formula."""
    import openpyxl
    from openpyxl.cell import WriteOnlyCell

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("New rows")

    def text(word: str) -> Any:
        kept = "".join(c for c in word if c.isprintable() or c in "\n\t")
        made = WriteOnlyCell(sheet, value=kept)
        made.data_type = "s"
        return made

    sheet.append([text(title) for title, _ in columns])
    for row in zip(*(content for _, content in columns), strict=True):
        sheet.append([text(cell) if isinstance(cell, str) else cell for cell in row])
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def as_parquet(columns: list[TableColumn]) -> bytes:
    import pyarrow
    from pyarrow import parquet

    buffer = io.BytesIO()
    parquet.write_table(pyarrow.table(dict(columns)), buffer)
    return buffer.getvalue()


def as_h5ad(dataset: Dataset, own: NewRows, answers: Answers, columns: list[TableColumn]) -> bytes:
    """Return an AnnData file: filled rows in X, the visitor's rows in a layer, answers in obs."""
    import anndata
    import pandas

    names, count = list(names_of(dataset)), len(answers.places)
    obs = pandas.DataFrame(
        {
            title: pandas.Series(content, dtype=object if isinstance(content[0], str) else None)
            for title, content in columns
            if title not in names
        }
    )
    obs.index = obs.index.map(str)
    table = anndata.AnnData(answers.filled, obs=obs, var=pandas.DataFrame(index=names))
    table.layers["given"] = own.values[:count]
    table.layers["std"] = answers.std
    table.obsm["X_manifolio"] = answers.places
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.h5ad"  # anndata can only write to a path
        table.write_h5ad(path)
        return path.read_bytes()


def example(dataset: Dataset) -> bytes:
    """Return a CSV with five rows of the data, each without a contiguous third of its values.

    In a table of numbers, one value in the last row has a wrong decimal point.
    """
    generator = np.random.default_rng(0)
    count, width = min(5, dataset.n_points), dataset.n_outputs
    rows = dataset.targets[generator.choice(dataset.n_points, count, replace=False)].astype(float)
    for row in rows:
        start = int(generator.integers(max(width - width // 3, 1)))
        row[start : start + max(width // 3, 1)] = np.nan
    if dataset.drawing.kind in ("bars", "curve") and not dataset.columns:
        spread = np.nanstd(dataset.targets, axis=0)
        change = np.nan_to_num(np.abs(rows[-1]) / np.where(spread > 0.0, spread, np.inf))
        rows[-1, np.argmax(change)] *= 10.0
    columns: list[TableColumn] = []
    for d, name in enumerate(names_of(dataset)):
        words = dataset.columns[d].words if dataset.columns else ()
        values = rows[:, d]
        worded = [None if np.isnan(v) else str(words[int(v)]) for v in values] if words else None
        columns.append((name, worded or numbers(values)))
    return as_csv(columns)


FORMATS: dict[str, tuple[str, str, Callable[[list[TableColumn]], bytes]]] = {
    "Excel": ("xlsx", "openpyxl", as_excel),
    "Parquet": ("parquet", "pyarrow", as_parquet),
}
