"""Upload of rows with gaps, and the completed table to take home."""

from collections.abc import Iterable

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.datasets import Dataset, View
from gplvm_core.readers.errors import plural
from gplvm_core.readers.names import names_of
from gplvm_core.readers.new_rows import MOST_MEGABYTES, NewRows, formats
from gplvm_core.readers.tables.csv_text import csv_text
from pages.ui.shared.as_text import ask_as_text
from pages.ui.shared.catalogue import Item
from pages.ui.shared.plain import plain
from pages.ui.shared.reading import read_sandboxed, readers
from pages.ui.shared.words import bytes_in_words

CHUNK = 20  # rows completed between two looks at whether the visitor went on


def own_rows(item: Item) -> NewRows | None:
    """Ask for a file and read it; errors in words. The file outlives a visit to another page."""
    readers().warm()
    kept = f"complete_upload|{item.key}"
    turn = st.session_state.get(f"{kept}|turn", 0)
    widget = f"{kept}|{turn}"
    picture = item.dataset.drawing.kind == "image"
    file = st.file_uploader(
        f"Rows with {item.dataset.n_outputs:,} columns (CSV, Excel, Parquet, NPZ)"
        + (", or one picture" if picture else ""),
        type=formats(item.dataset.drawing),
        max_upload_size=MOST_MEGABYTES,
        key=widget,
        help="Empty cells and NA are gaps"
        + (", and so are transparent pixels" if picture else "")
        + ". The file stays on this machine.",
        on_change=keep_upload,
        args=(widget, kept),
    )
    if kept not in st.session_state:
        teach(item.dataset)
        return None
    name, data = st.session_state[kept]
    if file is None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(
                f":material/draft: **{plain(name)}** ({bytes_in_words(len(data))})", width="content"
            )
            if st.button("Remove", type="tertiary", icon=":material/close:", key=f"{kept}|remove"):
                del st.session_state[kept]
                st.session_state[f"{kept}|turn"] = turn + 1
                st.rerun()
    try:
        like = View("rows", item.dataset.drawing, item.dataset.column_names)
        own: NewRows = read_sandboxed("new rows", name, data, dataset=like)
    except ValueError as error:
        st.error(plain(error), icon=":material/error:")
        return None
    for note in own.notes:
        st.caption(plain(note))
    return own


def keep_upload(widget: str, kept: str) -> None:
    """Copy the uploader's file to where it outlives the page; forget it when it was removed."""
    file = st.session_state.get(widget)
    if file is None:
        st.session_state.pop(kept, None)
    else:
        st.session_state[kept] = (file.name, file.getvalue())


def teach(dataset: Dataset) -> None:
    """What such a file looks like, with one to try."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            f"One row per item with the {dataset.n_outputs:,} columns that the model knows, in its "
            "units. Leave cells empty where nothing was measured: the model fills them.",
            width="content",
        )
        st.download_button(
            "An example to try",
            lambda: example(dataset),
            "rows-with-gaps.csv",
            "text/csv",
            on_click="ignore",
            type="tertiary",
            icon=":material/download:",
        )


def example(dataset: Dataset) -> bytes:
    """Five rows of the data, a third of their values taken out in one stretch each."""
    generator = np.random.default_rng(0)
    count, width = min(5, dataset.n_points), dataset.n_outputs
    rows = dataset.values[generator.choice(dataset.n_points, count, replace=False)].copy()
    for row in rows:
        start = int(generator.integers(max(width - width // 3, 1)))
        row[start : start + max(width // 3, 1)] = np.nan
    return table_csv(names_of(dataset), rows, None)


def table_csv(
    names: tuple[str, ...], values: Array, std: Array | None, as_text: bool = True
) -> bytes:
    """A table with a line of names; standard deviations stand in further columns, "… std".

    A gap is written NA, so that a last empty column is not taken for none.
    """
    lines: list[Iterable[object]] = [
        (*names, *(() if std is None else (f"{name} std" for name in names)))
    ]
    whole = values if std is None else np.hstack([values, std])
    for row in whole:
        lines.append(["NA" if np.isnan(value) else f"{value:.8g}" for value in row])
    return csv_text(lines, as_text=as_text).encode()


@st.fragment
def completed_table(item: Item, name: str, own: NewRows) -> None:
    """Complete all uploaded rows, and offer the table."""
    kept = f"complete_table|{name}|{own.mark}"
    gaps = int(np.isnan(own.values).sum())
    with st.container(border=True):
        st.markdown(
            f"**The whole table** — {plural(len(own.values), 'row')}, "
            f"{plural(gaps, 'gap')} to fill."
        )
        if gaps == 0:
            st.caption("Nothing is missing in it. Paint on a row above to hide a part.")
            return
        if kept not in st.session_state:
            if not st.button("Complete all rows", type="primary", icon=":material/auto_fix_high:"):
                return
            try:
                st.session_state[kept] = filled(item, own)
            except ValueError as error:
                st.error(plain(error), icon=":material/error:")
                return
            st.rerun()
        mean, std = st.session_state[kept]
        marked = ask_as_text(names_of(item.dataset), "table")
        st.download_button(
            "Completed table with standard deviations (CSV)",
            lambda: table_csv(names_of(item.dataset), mean, std, marked),
            "completed.csv",
            "text/csv",
            on_click="ignore",
            type="primary",
            icon=":material/download:",
        )
        st.caption("Standard deviations stand in the columns named “… std”; known values have 0.")


def filled(item: Item, own: NewRows) -> tuple[Array, Array]:
    """Completed rows and their standard deviations. Any other press on the page stops the work."""
    means, spreads = [], []
    bar = st.progress(0.0, "Completing …")
    st.button("Stop", icon=":material/stop:")
    for start in range(0, len(own.values), CHUNK):
        bar.progress(start / len(own.values), f"{start:,} of {len(own.values):,} rows …")
        mean, std = item.model.complete(own.values[start : start + CHUNK], return_std=True)
        means.append(mean)
        spreads.append(std)
    return np.vstack(means), np.vstack(spreads)
