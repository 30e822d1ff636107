"""The preview of a data set before training: pictures or a table, facts and warnings."""

from html import escape

import numpy as np
import pandas as pd
import streamlit as st
from numpy import ndarray as Array
from PIL import Image

from gplvm_core.datasets import Dataset, Drawing, View
from gplvm_core.figures.thumbnails import (
    MAP_INKS,
    common_frame,
    missing_picture,
    picture_uri,
    row_picture,
    table_card,
)
from gplvm_core.readers.calendar_steps import dates_at, in_brackets, time_column
from gplvm_core.readers.errors import in_digits, listed, plural
from gplvm_core.readers.isolated import LEFT_OUT
from gplvm_core.readers.joined import BY_IDS
from gplvm_core.readers.kinds import TableColumn
from gplvm_core.readers.missing import missing_in_words, n_patterns, percent
from gplvm_core.readers.names import column_words
from gplvm_core.readers.pictures.images import CHANGED_SIZE
from gplvm_core.readers.rows.table import TableDataset
from gplvm_core.readers.spread import representative_rows
from gplvm_core.readers.views import columns_of_views
from pages.ui.shared.component import room_for
from pages.ui.shared.plain import plain
from pages.ui.shared.words import words_of_row
from pages.ui.train.several_choice import FEW_VIEWS

ROWS_OF_TABLE = 200
EMPTIEST = 3
LINE = 12  # pictures of rows side by side
CONSTANT_MARK = "constant and carr"  # part of the data check's message about constant columns
MIXED_UNITS_MARK = 'scaling="columns"'  # part of the data check's message


def has_mixed_units(warnings: tuple[str, ...]) -> bool:
    """Return whether the data check advises one scale per column."""
    return any(MIXED_UNITS_MARK in warning for warning in warnings)


def rows_in_words(dataset: Dataset) -> str:
    """Describe the number of rows, and how many of them the preview uses."""
    if isinstance(dataset, TableDataset) and dataset.n_rows > dataset.n_points:
        return f"{plural(dataset.n_rows, 'row')} (this preview uses {dataset.n_points:,})"
    return plural(dataset.n_points, "row")


def data_view(dataset: Dataset, warnings: tuple[str, ...]) -> None:
    """Show facts, pictures, warnings of the data check, and notes of the loader."""
    empty = dataset.empty_times
    facts = [
        rows_in_words(dataset),
        *([] if empty is None else [f"{len(empty):,} to fill"]),
        plural(dataset.n_outputs, *VALUE_WORDS[dataset.drawing.kind]) + " each",
    ]
    if dataset.views:
        facts[-1] = plural(len(dataset.views), "view")
    if dataset.columns:
        facts[-1] = plural(dataset.n_outputs, "column")
    if dataset.labels is not None:
        facts.append(plural(len(dataset.classes), "label"))
    if dataset.sequences is not None:
        facts.append(plural(len(np.unique(dataset.sequences)), "sequence"))
    if dataset.times is not None:
        ends = np.array([dataset.times.min(), dataset.times.max()])
        words = dates_at(ends, dataset.time_unit) or [in_digits(each) for each in ends]
        facts.append(plain(f"time {' to '.join(words)}{in_brackets(dataset.time_unit)}"))
    st.markdown(f"**{plain(dataset.title)}** — {', '.join(facts)}")
    for note in dataset.notes:
        if CHANGED_SIZE in note:
            st.warning(plain(note), icon=":material/aspect_ratio:")
        if note.startswith((BY_IDS, "The ids of ")):
            st.caption(plain(note))
    if 0 < len(dataset.views) <= FEW_VIEWS:
        sample_views(dataset)
    else:
        sample_view(dataset)
    missing = dataset.missing
    said = "" if missing is None else missing_in_words(missing)
    if missing is not None:
        missing_view(dataset, missing, said)
    drawn = dataset.drawing.kind in ("image", "skeleton") and not dataset.views
    # Constant pixels, such as dark corners, are common. A constant column of a table deserves a
    # warning.
    usual = [each for each in warnings if drawn and CONSTANT_MARK in each]
    for warning in warnings:
        if warning != said and warning not in usual:
            st.warning(plain(advice(warning)), icon=":material/warning:")
    if dataset.notes or dataset.source:
        with st.expander("Source and processing of the data"):
            if dataset.source:
                st.markdown(plain(dataset.source))
            for note in (*dataset.notes, *usual):
                st.markdown(f"- {plain(note)}")


def missing_view(dataset: Dataset, missing: Array, said: str) -> None:
    """Show how much is missing (`said`), where, and how training treats missing values."""
    empty = emptiest_in_words(dataset, missing)
    # If columns are of several kinds, gaps cost no extra time, since every column has its own
    # weights.
    slower = n_patterns(missing) > 1 and not dataset.columns
    slow = " Gaps may slow training down." if slower else ""
    parts = columns_of_views(dataset.views).values()
    # No view has all rows: the tab that shows one view is closed.
    apart = bool(parts) and all(np.isnan(dataset.values[:, own]).all(axis=1).any() for own in parts)
    st.markdown(
        f"**Missing values** — {plain(said)} Training uses the observed values. Afterwards, the "
        f"tab *{'Views' if apart else 'Fill in'}* estimates the missing ones.{slow}"
    )
    for note in dataset.notes:
        if note.startswith(LEFT_OUT):
            st.caption(plain(note))
    swatches = "".join(
        '<span style="white-space:nowrap;margin-left:.9em"><span style="display:inline-block;'
        f"width:.8em;height:.8em;margin-right:.35em;background:{ink};"
        f'opacity:{alpha / 255:.2f}"></span>{word}</span> '
        for (ink, alpha), word in zip(MAP_INKS, ("observed", "missing"), strict=True)
    )
    rows, columns = missing.shape
    alt = f"Map of the missing values, {rows} rows by {columns} columns. {said} {empty}"
    st.html(
        '<figure style="margin:0">'
        f'<img src="{picture_uri(missing_picture(missing), exact=True)}" alt="{escape(alt)}" '
        'style="display:block;width:min(100%,30rem);height:9rem;image-rendering:pixelated;'
        'border-radius:.3rem">'
        f'<figcaption class="mf-facts" style="margin-top:.3rem">Rows from top to bottom, columns '
        f"from left to right:{swatches}</figcaption></figure>"
    )
    st.caption(plain(empty))


def emptiest_in_words(dataset: Dataset, missing: Array) -> str:
    """Name the rows and the columns with the fewest observed values; for images only the rows."""
    n_rows, n_columns = missing.shape
    sentences = []
    if dataset.drawing.kind != "image":
        names = column_words(dataset)
        counts = missing.sum(axis=0)
        words = [f"{names[d]} ({percent(int(counts[d]), n_rows)} missing)" for d in most(counts)]
        sentences.append(f"Emptiest columns: {', '.join(words)}.")
    counts = missing.sum(axis=1)
    words = [
        f"row {n + 1} ({n_columns - counts[n]:,} of {n_columns:,} observed)" for n in most(counts)
    ]
    return " ".join([*sentences, f"Emptiest rows: {', '.join(words)}."])


def most(counts: Array) -> list[int]:
    """Return the indices of the few largest counts, without zeros."""
    return [int(i) for i in np.argsort(-counts, kind="stable")[:EMPTIEST] if counts[i]]


VALUE_WORDS = {
    "image": ("pixel value", "pixel values"),
    "skeleton": ("coordinate", "coordinates"),
    "curve": ("value", "values"),
    "bars": ("value", "values"),
}


KIND_WORDS = {
    "bars": "Each bar is a column, scaled from its lowest to its highest value.",
    "curve": "Every curve is a row.",
}
CARD_WORDS = "In a card, each bar is a column: its length is a number or count, its colour a word."
GAP_WORDS = {
    "image": "Hatched pixels are missing.",
    "skeleton": "Joints with a missing coordinate are not drawn.",
    "curve": "A curve is interrupted where values are missing.",
    "bars": "A grey band is a missing value.",
}


def advice(warning: str) -> str:
    """Return the data check's message with the form's names of the options."""
    options = f'{MIXED_UNITS_MARK} gives each its own scale, and noise="per_output" also its own'
    return warning.replace(
        f"{options} noise.", "below, each column has its own noise, so its units do not matter."
    )


def sample_views(dataset: Dataset) -> None:
    """Show the same few rows of every view, two views side by side; columns as numbers."""
    rows = representative_rows(dataset.labels, dataset.n_points, LINE)
    places = columns_of_views(dataset.views)
    for number in range(0, len(dataset.views), 2):
        sides = st.columns(2, gap="medium")
        pair = zip(sides, dataset.views[number : number + 2], strict=False)
        for place, (side, view) in enumerate(pair, number):
            with side:
                st.markdown(f"**{plain(view.name)}** — {plain(values_in_words(view))}")
                targets = dataset.targets[:, places[view.name]]
                sheet_html(dataset, rows, targets, view.drawing, place, view.columns)
    kinds = dict.fromkeys(view.drawing.kind for view in dataset.views if not view.columns)
    words = [KIND_WORDS[kind] for kind in kinds if kind in KIND_WORDS]
    if any(view.columns for view in dataset.views):
        words.append(CARD_WORDS)
    if dataset.missing is not None:
        words += [GAP_WORDS[kind] for kind in kinds]
    st.caption(
        f"{len(rows)} of {plural(dataset.n_points, 'row')}, the same in every view. "
        + " ".join(words)
    )
    numbers = [view for view in dataset.views if view.drawing.kind in ("bars", "curve")]
    if numbers:
        with st.expander("Table"):
            st.dataframe(table_of_views(dataset, numbers), height=260, placeholder="")
            first_rows_note(dataset)


def values_in_words(view: View) -> str:
    """Describe how many columns a view has, with the names of the first columns.

    A view with one column of words is described by its words.
    """
    if len(view.columns) == 1 and (words := view.columns[0].words):
        return f"{plural(len(words), 'word')}: {listed(list(map(str, words)), 4)}"
    count = plural(view.n_outputs, *VALUE_WORDS[view.drawing.kind])
    if view.column_names is None or view.drawing.kind == "skeleton":
        return count
    return f"{count}: {listed(view.column_names, 4)}"


def sample_view(dataset: Dataset) -> None:
    """Show pictures of a few rows; for tables, also show the numbers."""
    labels = dataset.labels
    if dataset.views:
        st.caption(f"Views: {plain(listed([view.name for view in dataset.views], 12))}.")
    gaps = "" if dataset.missing is None else f" {GAP_WORDS[dataset.drawing.kind]}"
    if dataset.drawing.kind in ("image", "skeleton"):
        rows = representative_rows(labels, dataset.n_points, 24)
        sheet_html(dataset, rows, dataset.targets, dataset.drawing)
        st.caption(f"{len(rows)} of {plural(dataset.n_points, 'row')}, spread evenly.{gaps}")
        return
    if dataset.columns:
        st.dataframe(table_of(dataset), height=260, placeholder="")
        first_rows_note(dataset)
        return
    rows = representative_rows(labels, dataset.n_points, LINE)
    pictures, numbers = st.tabs(["Pictures", "Table"])
    with pictures:
        sheet_html(dataset, rows, dataset.targets, dataset.drawing)
        st.caption(
            f"{len(rows)} of {rows_in_words(dataset)}. {KIND_WORDS[dataset.drawing.kind]}" + gaps
        )
    with numbers:
        st.dataframe(table_of(dataset), height=260, placeholder="")
        first_rows_note(dataset)


def first_rows_note(dataset: Dataset) -> None:
    if dataset.n_points > ROWS_OF_TABLE:
        st.caption(f"These are the first {ROWS_OF_TABLE} of {dataset.n_points:,} rows.")


def sheet_html(
    dataset: Dataset,
    rows: list[int],
    targets: Array,
    drawing: Drawing,
    place: int = 0,
    columns: tuple[TableColumn, ...] = (),
) -> None:
    """Show pictures of some rows of targets (N, D); each line has as many as fit.

    place: distinguishes several sheets on the page. columns: of a view with words, drawn as cards.
    """
    frame = common_frame(drawing, targets)

    def picture(row: int) -> Image.Image:
        if columns:
            return table_card(columns, targets, targets[row], 96)
        return row_picture(drawing, targets[row], frame, 96)

    tiles = "".join(
        f'<img src="{picture_uri(picture(row))}" '
        f'alt="{escape(words_of_row(dataset, row))}" title="{escape(words_of_row(dataset, row))}">'
        for row in rows
    )
    with room_for("sheet" if len(rows) > LINE else "line", place):
        st.html(f'<div class="mf-sheet">{tiles}</div>')


def table_of(dataset: Dataset) -> pd.DataFrame:
    """Return the first rows as a table, counted from 1; names, labels and times are in front."""
    shown = dataset.targets[:ROWS_OF_TABLE]
    if dataset.columns:
        return labelled(dataset, dataset.in_own_values(shown))
    return labelled(dataset, pd.DataFrame(shown, columns=list(column_words(dataset))))


def table_of_views(dataset: Dataset, views: list[View]) -> pd.DataFrame:
    """Return the first rows of some views as a table; column names begin with the view's name."""
    own = dataset.views_in_own_values(dataset.values[:ROWS_OF_TABLE])
    parts = [pd.DataFrame(own[view.name]).set_axis(list(view.full_names), axis=1) for view in views]
    return labelled(dataset, pd.concat(parts, axis=1))


def labelled(dataset: Dataset, table: pd.DataFrame) -> pd.DataFrame:
    """Add names, labels and times in front of the columns of the first rows."""
    table.index = pd.RangeIndex(1, len(table) + 1)
    if dataset.times is not None:
        title, times = time_column(dataset.times[:ROWS_OF_TABLE], dataset.time_unit)
        table.insert(0, title, times, allow_duplicates=True)
    known = [set(map(str, column.words)) for column in dataset.all_columns]
    if dataset.labels is not None and set(dataset.label_names) not in known:
        words = [dataset.label_word(row) or "" for row in range(len(table))]
        table.insert(0, "label", words, allow_duplicates=True)
    if dataset.row_names is not None:
        table.insert(0, "id", dataset.row_names[:ROWS_OF_TABLE], allow_duplicates=True)
    return table
