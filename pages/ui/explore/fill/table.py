"""Upload of rows with gaps, and the export of the completed table."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.datasets import Dataset, View
from gplvm_core.figures.typicality import share_below
from gplvm_core.readers.errors import plural
from gplvm_core.readers.names import names_of
from gplvm_core.readers.new_rows import (
    MOST_MEGABYTES,
    MOST_ROWS,
    FileColumn,
    NewRows,
    formats,
)
from gplvm_core.readers.tables.table import NO_LABEL
from pages.ui.explore.fill.files import sureness_of, table_csv, words_in
from pages.ui.explore.fill.model import (
    ROWS_AT_ONCE,
    completed_rows,
    log_densities,
    rows_asked,
    scored_rows,
    scores,
)
from pages.ui.shared.as_text import ask_as_text
from pages.ui.shared.catalogue import Item
from pages.ui.shared.dimension_names import space_of, visitor_names
from pages.ui.shared.plain import plain
from pages.ui.shared.reading import read_sandboxed, readers
from pages.ui.shared.words import bytes_in_words

CHUNK = 20  # rows completed in one step; between steps, the visitor can stop or leave
PROBABILITIES = (
    " Columns named “… probability” contain the probabilities of words and counts, 1 for known "
    "values."
)
KEPT = " Columns that the model does not use are in the table, unchanged."
MOST_PATTERNS = 8  # rows with rarer combinations of gaps are not compared with training rows


def own_rows(item: Item) -> NewRows | None:
    """Ask for a file and read it; show errors. The file is kept during visits to other pages."""
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
        like: View | Dataset = View("rows", item.dataset.drawing, item.dataset.column_names)
        if item.dataset.columns:
            # The reader needs only the columns, so the rows are not sent.
            nothing = np.zeros((2, item.dataset.n_outputs))
            like = Dataset("rows", "Rows", nothing, like.drawing, columns=item.dataset.columns)
        own: NewRows = read_sandboxed("new rows", name, data, dataset=like)
    except ValueError as error:
        st.error(plain(error), icon=":material/error:")
        return None
    for note in own.notes:
        st.caption(plain(note))
    return own


def trained_rows(item: Item) -> NewRows | None:
    """The training data as rows to complete, if they have gaps and are not too many."""
    values = item.dataset.values
    if len(values) > MOST_ROWS or not np.isnan(values).any():
        return None
    return NewRows(values, (), "data", item.dataset.row_names, beside_training(item.dataset))


def beside_training(dataset: Dataset) -> tuple[FileColumn, ...]:
    """What is stored of the rows and was not learnt: label, time and further facts."""
    facts: dict[str, Array] = {}
    known = [set(map(str, column.words)) for column in dataset.columns]
    if dataset.labels is not None and set(dataset.label_names) - {NO_LABEL} not in known:
        words = np.array([*dataset.label_names, NO_LABEL])
        words[words == NO_LABEL] = "NA"
        facts["label"] = words[dataset.labels] if dataset.label_names else dataset.labels
    if dataset.times is not None:
        facts[f"time ({dataset.time_unit})" if dataset.time_unit else "time"] = dataset.times
    facts |= {name: fact for name, fact in dataset.covariates.items() if fact.ndim == 1}
    return tuple(
        FileColumn(name, cells=tuple(f"{v:.15g}" if v.dtype.kind == "f" else str(v) for v in fact))
        for name, fact in facts.items()
    )


def keep_upload(widget: str, kept: str) -> None:
    """Copy the uploader's file to the session; delete it there when it was removed."""
    file = st.session_state.get(widget)
    if file is None:
        st.session_state.pop(kept, None)
    else:
        st.session_state[kept] = (file.name, file.getvalue())


def teach(dataset: Dataset) -> None:
    """Describe the format of the file, and offer an example."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            f"One row per item with the model's {dataset.n_outputs:,} columns, in the units "
            f"{'and words ' if dataset.columns else ''}of its data. Leave cells empty where "
            "nothing was measured: the model fills them.",
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
    """Return a CSV with five rows of the data, each without a contiguous third of its values."""
    generator = np.random.default_rng(0)
    count, width = min(5, dataset.n_points), dataset.n_outputs
    rows = dataset.values[generator.choice(dataset.n_points, count, replace=False)].copy()
    for row in rows:
        start = int(generator.integers(max(width - width // 3, 1)))
        row[start : start + max(width // 3, 1)] = np.nan
    return table_csv(dataset, rows)


@st.fragment
def completed_table(item: Item, name: str, own: NewRows) -> None:
    """Complete all rows of a table, place them on the map, and offer the result as a file."""
    kept = f"complete_table|{name}|{own.mark}"
    gaps = int(np.isnan(own.values).sum())
    with st.container(border=True):
        to_fill = f", {plural(gaps, 'gap')} to fill" if gaps else ", no gaps"
        st.markdown(f"**The whole table** — {plural(len(own.values), 'row')}{to_fill}.")
        if kept not in st.session_state:
            title = "Complete all rows" if gaps else "Place all rows on the map"
            asked = f"{kept}|asked"
            if not st.session_state.get(asked):
                st.button(
                    title,
                    type="primary",
                    icon=":material/auto_fix_high:",
                    on_click=lambda: st.session_state.update({asked: True}),
                )
                return
            # A rerun of the page interrupts the work; the finished parts are kept.
            parts = st.session_state.setdefault(f"{kept}|parts", [])
            try:
                st.session_state[kept] = answers_of(item, name, own, parts, asked)
            except ValueError as error:
                del st.session_state[asked]
                st.error(plain(error), icon=":material/error:")
                return
            del st.session_state[f"{kept}|parts"]
            st.rerun()
        found: Answers = st.session_state[kept]
        # Rows are placed on the map of the top layer.
        dimensions = visitor_names(item, space_of(item, 0))
        words = (
            *names_of(item.dataset),
            *words_in(item.dataset),
            *dimensions,
            *([] if own.row_names is None else map(str, own.row_names)),
            *(word for column in own.columns for word in (column.name, *column.cells)),
        )
        marked = ask_as_text(words, "table")
        st.download_button(
            "Completed table (CSV)",
            lambda: table_csv(
                item.dataset,
                found.mean,
                marked,
                beside(own, found, dimensions),
                sureness_of(item.dataset, found.std, found.chance),
                own.columns,
            ),
            "completed.csv",
            "text/csv",
            on_click="ignore",
            type="primary",
            icon=":material/download:",
        )
        st.caption(
            "The file contains, for every row, its position on the map and how many of the "
            "training rows are less typical. Columns named “… std” contain standard deviations, "
            "0 for known values."
            + (PROBABILITIES if item.dataset.columns else "")
            + (KEPT if any(column.cells for column in own.columns) else "")
        )
        if found.unranked:
            st.caption(
                "How typical they are was not computed for "
                f"{plural(found.unranked, 'row')} with a rare combination of gaps."
            )


@dataclass(frozen=True, eq=False)
class Answers:
    """Results for n rows: means and deviations (n, D), positions (n, Q), typicality (n,)."""

    mean: Array
    std: Array
    chance: Array  # probability of the filled word or count (n, D), NaN for numbers
    places: Array
    typical: Array  # fraction of the compared training rows that are less typical; NaN: unknown

    @property
    def unranked(self) -> int:
        return int(np.isnan(self.typical).sum())


def beside(
    own: NewRows, found: Answers, dimensions: Sequence[str] = ()
) -> dict[str, Sequence[object]]:
    """Columns written before the values, by name; dimensions: the visitor's names of dimensions."""
    columns: dict[str, Sequence[object]] = {"row": range(1, len(found.mean) + 1)}
    if own.row_names is not None:
        names = [str(word) for word in own.row_names]
        # A name that is a column of the file has its place there.
        if all(names != [*column.cells] for column in own.columns):
            columns["id"] = names
    for q, place in enumerate(found.places.T):
        title = (dimensions[q] if q < len(dimensions) else "") or f"dimension {q + 1}"
        if title in columns:  # a visitor may name a dimension "row"
            title = f"{title} (dimension {q + 1})"
        columns[title] = [f"{value:.6g}" for value in place]
    columns["more typical than (% of training rows)"] = [
        "" if np.isnan(share) else f"{100 * share:.0f}" for share in found.typical
    ]
    return columns


Part = tuple[
    Array, Array, Array, Array
]  # means, deviations, probabilities and positions of some rows


def answers_of(item: Item, name: str, own: NewRows, parts: list[Part], asked: str) -> Answers:
    """Complete and place all rows, and compare them with training rows; extends `parts`.

    parts: the finished parts. asked: the session key that the button Stop deletes.
    """
    bar = st.progress(0.0, "Completing …")
    st.button("Stop", icon=":material/stop:", on_click=lambda: st.session_state.pop(asked, None))
    count = len(own.values)
    for start in range(CHUNK * len(parts), count, CHUNK):
        bar.progress(0.8 * start / count, f"{start:,} of {count:,} rows …")
        rows = own.values[start : start + CHUNK]
        filled = completed_rows(item.model, item.dataset, rows)
        parts.append((*filled, np.asarray(item.model.transform(rows_asked(item.dataset, rows)))))
    bar.progress(0.8, "How typical the rows are …")
    mean, std, chance, places = (np.vstack(part) for part in zip(*parts, strict=True))
    return Answers(mean, std, chance, places, typicality_of(item, name, own.values))


def typicality_of(item: Item, name: str, values: Array) -> Array:
    """Return the fraction of compared training rows that are less typical than each row.

    Only rows with a common combination of gaps: each combination requires new log densities.
    """
    patterns, which = np.unique(np.isnan(values), axis=0, return_inverse=True)
    common = np.argsort(-np.bincount(which.ravel()), kind="stable")[:MOST_PATTERNS]
    shares = np.full(len(values), np.nan)
    for pattern in common:
        missing = patterns[pattern]
        gaps = np.packbits(missing).tobytes()
        count = len(scored_rows(item.dataset, missing))
        if count == 0:
            continue
        parts = [
            log_densities(item.model, name, item.dataset, gaps, start)
            for start in range(0, count, ROWS_AT_ONCE)
        ]
        densities = np.concatenate(parts)
        rows = np.flatnonzero(which.ravel() == pattern)
        for start in range(0, len(rows), CHUNK):
            chosen = rows[start : start + CHUNK]
            own = scores(item.model, item.dataset, values[chosen])
            shares[chosen] = [share_below(densities, value) for value in own]
    return shares
