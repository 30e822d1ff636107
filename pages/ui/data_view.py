"""What a data set looks like before training: pictures or a table, its facts and its oddities."""

from html import escape

import numpy as np
import pandas as pd
import streamlit as st

from gplvm_core.datasets import Dataset
from pages.ui.thumbnails import common_frame, picture_uri, representative_rows, row_picture
from pages.ui.words import plural

ROWS_OF_TABLE = 200
MIXED_UNITS_MARK = 'scaling="columns"'  # as the data check writes it


def has_mixed_units(warnings: tuple[str, ...]) -> bool:
    """Whether the data check advises a scale per column."""
    return any(MIXED_UNITS_MARK in warning for warning in warnings)


def data_view(dataset: Dataset, warnings: tuple[str, ...]) -> None:
    """Facts, pictures, warnings of the data check, and what the loader did."""
    facts = [
        plural(dataset.n_points, "row"),
        plural(dataset.n_outputs, *VALUE_WORDS[dataset.drawing.kind]) + " each",
    ]
    if dataset.labels is not None:
        facts.append(plural(len(np.unique(dataset.labels)), "label"))
    if dataset.sequences is not None:
        facts.append(plural(len(np.unique(dataset.sequences)), "sequence"))
    st.markdown(f"**{dataset.title}** — {', '.join(facts)}")
    sample_view(dataset)
    for warning in warnings:
        st.warning(advice(warning), icon=":material/warning:")
    if dataset.notes or dataset.source:
        with st.expander("Where the data come from and what was done to them"):
            if dataset.source:
                st.markdown(dataset.source)
            for note in dataset.notes:
                st.markdown(f"- {note}")


VALUE_WORDS = {
    "image": ("pixel value", "pixel values"),
    "skeleton": ("coordinate", "coordinates"),
    "curve": ("value", "values"),
    "bars": ("value", "values"),
}


def advice(warning: str) -> str:
    """The data check's sentence, with the option called as the form calls it."""
    return warning.replace(
        f"{MIXED_UNITS_MARK} gives each its own.",
        "“Scale of the columns: each column its own” is chosen below for that reason.",
    )


def sample_view(dataset: Dataset) -> None:
    """A contact sheet; for tables the numbers too."""
    labels = dataset.labels
    if dataset.drawing.kind in ("image", "skeleton"):
        rows = representative_rows(labels, dataset.n_points, 24)
        sheet_html(dataset, rows)
        st.caption(f"{len(rows)} of {plural(dataset.n_points, 'row')}, spread evenly.")
        return
    rows = representative_rows(labels, dataset.n_points, 12)
    pictures, numbers = st.tabs(["Pictures", "Table"])
    with pictures:
        sheet_html(dataset, rows)
        st.caption(
            f"{len(rows)} of {plural(dataset.n_points, 'row')}; every "
            + (
                "bar is a column, from its least value to its most."
                if dataset.drawing.kind == "bars"
                else "curve is a row."
            )
        )
    with numbers:
        st.dataframe(table_of(dataset), height=260)
        if dataset.n_points > ROWS_OF_TABLE:
            st.caption(f"The first {ROWS_OF_TABLE} of {dataset.n_points:,} rows.")


def sheet_html(dataset: Dataset, rows: list[int]) -> None:
    """Pictures of some rows, as many side by side as the screen takes."""
    values = dataset.targets[rows]
    frame = common_frame(dataset.drawing, dataset.targets)
    tiles = "".join(
        f'<img src="{picture_uri(row_picture(dataset.drawing, value, frame, 96))}" '
        f'alt="{escape(words_of_row(dataset, row))}" title="{escape(words_of_row(dataset, row))}">'
        for row, value in zip(rows, values, strict=True)
    )
    st.html(f'<div class="mf-sheet">{tiles}</div>')


def words_of_row(dataset: Dataset, row: int) -> str:
    """Row number and label: "row 12, person 3"."""
    if dataset.labels is None:
        return f"row {row + 1}"
    label = int(dataset.labels[row])
    return f"row {row + 1}, {dataset.label_names[label] if dataset.label_names else label}"


def table_of(dataset: Dataset) -> pd.DataFrame:
    """The first rows as a table, with the label in front."""
    shown = dataset.targets[:ROWS_OF_TABLE]
    names = dataset.column_names or tuple(f"column {d + 1}" for d in range(dataset.n_outputs))
    table = pd.DataFrame(shown, columns=list(names))
    if dataset.labels is not None:
        words = [
            dataset.label_names[label] if dataset.label_names else str(label)
            for label in dataset.labels[:ROWS_OF_TABLE]
        ]
        table.insert(0, "label", words, allow_duplicates=True)
    return table
