"""The menu of downloads below the answers, and Python code that computes the same answers."""

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any, Literal

import streamlit as st
from numpy import ndarray as Array

from gplvm_core.new_rows import Answers
from gplvm_core.readers.new_rows import NewRows
from pages.ui.explore.bring import answers_file
from pages.ui.explore.rows.files import FORMATS, TableColumn, answer_table, as_csv, as_h5ad
from pages.ui.shared.as_text import ask_as_text
from pages.ui.shared.catalogue import Item
from pages.ui.shared.dimension_names import space_of, visitor_names
from pages.ui.shared.download import download
from pages.ui.shared.opening import opening_elsewhere, rows_elsewhere


def export(item: Item, name: str, own: NewRows, answers: Answers) -> None:
    """Offer the answers as CSV, Excel, Parquet and AnnData, and Python code that computes them."""
    dimensions = visitor_names(item, space_of(item, 0))

    def table() -> list[TableColumn]:
        return answer_table(item.dataset, own, answers, dimensions, chances(item, own, answers))

    words = [title for title, _ in answer_titles(item, own, dimensions)]
    with st.container(horizontal=True, vertical_alignment="center", key="rows_export"):
        marked = ask_as_text(words, "table")

        def button(title: str, make: Callable[[], bytes], ending: str) -> None:
            look: Literal["primary", "secondary"] = "primary" if ending == "csv" else "secondary"
            key = f"rows_{ending}|{name}"
            download(title, make, answers_file(item, ending), key=key, type=look)

        button("CSV", lambda: as_csv(table(), marked), "csv")
        for title, (ending, package, write) in FORMATS.items():
            if find_spec(package):
                button(title, partial(_made, write, table), ending)
        if find_spec("anndata") and not item.dataset.columns:
            button("AnnData", lambda: as_h5ad(item.dataset, own, answers, table()), "h5ad")
        with st.popover("Python", icon=":material/code:"):
            st.code(code(item), language="python")
    st.caption(
        "The files contain your columns with filled gaps, and every row's position on the map "
        "(x1, x2, …), standard deviations (std), ends of 95 % intervals and nearest training rows. "
        "After the comparison with the training rows, they also contain p and the reasons."
    )


def _made(
    write: Callable[[list[TableColumn]], bytes], table: Callable[[], list[TableColumn]]
) -> bytes:
    return write(table())


def answer_titles(item: Item, own: NewRows, dimensions: tuple[str, ...]) -> list[tuple[str, None]]:
    """Return all texts of a file that come from data, not from the app."""
    words: list[str] = [*dimensions, *(item.dataset.column_names or ())]
    words += [str(word) for column in item.dataset.columns for word in column.words]
    words += [] if own.row_names is None else [str(word) for word in own.row_names]
    words += [word for column in own.columns for word in (column.name, *column.cells)]
    return [(word, None) for word in words]


def chances(item: Item, own: NewRows, answers: Answers) -> Array | None:
    """Return the probabilities of filled words and counts; None for tables of numbers."""
    if all(column.is_number for column in item.dataset.all_columns):
        return None
    asked: Any = item.dataset.in_own_values(own.values[: len(answers.places)])
    found: Array = item.model.complete(asked, return_std=True, return_probability=True)[2]
    return found


def code(item: Item) -> str:
    """Return Python code that computes the answers for a file; the training rows have the names of
    the columns.
    """
    return (
        f"import pandas\nfrom gplvm_core import apply\n{opening_elsewhere(item)}\n"
        f'{rows_elsewhere(item)}\n\ntable = pandas.read_csv("new_rows.csv")\n'
        'answers = apply(model, table, dataset)\nanswers.to_csv("answers.csv")'
    )
