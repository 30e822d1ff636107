"""Unlabelled rows in the tab Map: predicted labels, and the next row to label by a click."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.datasets import Dataset
from gplvm_core.figures.thumbnails import common_frame, picture_uri, row_picture, table_card
from gplvm_core.new_rows.labels import PredictedLabels, predict_labels
from gplvm_core.readers.errors import plural
from gplvm_core.readers.tables.csv_text import csv_text
from pages.ui.explore.map.given_labels import (
    PROBLEM,
    Given,
    can_train,
    keep_labels,
    stored_labels,
    train_button,
)
from pages.ui.shared.as_text import ask_as_text
from pages.ui.shared.catalogue import Item, library_of
from pages.ui.shared.download import download
from pages.ui.shared.plain import plain
from pages.ui.shared.words import capital, file_stem, percent, words_of_row

MOST_BUTTONS = 12
SIZE = 200
NEAR = "no labelled row is near"


def partly_labelled(dataset: Dataset) -> bool:
    """Return whether some rows have a label and others have none."""
    known = None if dataset.labels is None else dataset.labels >= 0
    return known is not None and bool(known.any() and not known.all())


def rows_without_label(item: Item, name: str) -> None:
    """Show the part of the tab Map about labels, if the data are partly labelled."""
    if partly_labelled(item.dataset):
        _labelling(item, name)


@st.fragment
def _labelling(item: Item, name: str) -> None:
    dataset, place = item.dataset, f"labels_given|{name}"
    kept = st.session_state.get(place)
    given = kept if isinstance(kept, Given) else Given(stored_labels(item))
    assert dataset.labels is not None
    labels = given.on(dataset.labels)
    st.subheader("Rows without a label", anchor=False)
    if problem := st.session_state.get(PROBLEM + place):
        st.error(problem, icon=":material/error:")
    if not (labels < 0).any():
        st.markdown("Every row has a label now. Download them below.")
        _undo(item, place, given)
        _download(item, name, given, None)
        return
    try:
        found = _predicted(item.model, name, given, labels)
    except ValueError:
        st.info("All labelled rows have the same label. Label a row of another kind first.")
        found = None
    if found is not None:
        st.markdown(sentence(found, given))
    row = int(np.flatnonzero(labels < 0)[0]) if found is None else found.next_row(given.skipped)
    if row is None:
        st.markdown("All remaining rows were skipped.")
    else:
        _ask(item, name, place, given, row, found)
    _undo(item, place, given)
    if found is not None:
        st.dataframe(
            table_of(dataset, found),
            hide_index=True,
            height=240,
            key=f"labels_table|{name}",
            column_config={
                "Probability": st.column_config.ProgressColumn(
                    format="percent", min_value=0.0, max_value=1.0
                )
            },
        )
    _download(item, name, given, found)


@st.cache_data(max_entries=16, show_spinner="Predicting labels …")
def _predicted(_model: Any, name: str, given: Given, _labels: Array) -> PredictedLabels:
    return predict_labels(_model, _labels)


def sentence(found: PredictedLabels, given: Given) -> str:
    """Describe how many labels are predicted, how sure they are, and how many known ones match."""
    sure = int(np.sum((found.probabilities.max(axis=1) >= 0.95) & ~found.far))
    words = (
        f"**{plural(len(found.rows), 'row')} without a label.** {sure:,} "
        f"{'has' if sure == 1 else 'have'} a predicted label with a probability of 95 % or more."
    )
    if found.far.any():
        words += f" For {int(found.far.sum()):,}, {NEAR}."
    words += (
        f" Of {plural(found.tried, 'labelled row')}, {found.right:,} are predicted correctly from "
        "the others."
    )
    if given.labels:
        words += f" You labelled {plural(len(given.labels), 'row')}."
    return words


def name_of(dataset: Dataset, label: int) -> str:
    return dataset.label_names[label] if dataset.label_names else str(label)


def _ask(
    item: Item, name: str, place: str, given: Given, row: int, found: PredictedLabels | None
) -> None:
    """Show the row to label next, and a button for every label."""
    dataset = item.dataset
    picture, question = st.columns([1, 3], gap="medium", vertical_alignment="center")
    with picture:
        values = dataset.values[row]
        if dataset.columns:
            drawn = table_card(dataset.columns, dataset.values, values, SIZE)
        else:
            drawn = row_picture(
                dataset.drawing, values, common_frame(dataset.drawing, dataset.values), SIZE
            )
        st.html(f'<img src="{picture_uri(drawn)}" alt="The row to label" width="{SIZE}">')
    with question:
        words = plain(capital(words_of_row(dataset, row)))
        st.markdown(f"**{words}.** Its label would help most to predict the others.")
        if found is not None:
            at = found.rows.tolist().index(row)
            best = plain(name_of(dataset, int(found.best[at])))
            chance = percent(float(found.probabilities[at].max()))
            far = f"; {NEAR}" if found.far[at] else ""
            st.caption(f"Predicted: {best}, {chance}{far}")
        choices = [*range(len(dataset.label_names))] or [*dataset.classes]
        with st.container(horizontal=True):
            if len(choices) <= MOST_BUTTONS:
                for label in choices:
                    st.button(
                        plain(name_of(dataset, label)),
                        key=f"label|{name}|{label}",
                        on_click=keep_labels,
                        args=(item, place, given.and_also(row, label)),
                    )
            else:
                chosen = st.selectbox(
                    "Label",
                    choices,
                    format_func=lambda label: name_of(dataset, label),
                    key=f"label_choice|{name}",
                    label_visibility="collapsed",
                    width=220,
                )
                st.button(
                    "Set label",
                    type="primary",
                    key=f"label_set|{name}",
                    on_click=keep_labels,
                    args=(item, place, given.and_also(row, chosen)),
                )
            skipped = replace(given, skipped=(*given.skipped, row))
            st.button(
                "Skip",
                type="tertiary",
                key=f"label_skip|{name}",
                on_click=st.session_state.update,
                args=({place: skipped},),
            )


def _undo(item: Item, place: str, given: Given) -> None:
    if given.labels:
        before = replace(given, labels=given.labels[:-1])
        st.button(
            "Undo the last label",
            icon=":material/undo:",
            type="tertiary",
            key=f"undo|{place}",
            on_click=keep_labels,
            args=(item, place, before),
        )


def table_of(dataset: Dataset, found: PredictedLabels) -> dict[str, list[Any]]:
    """Return the rows without a label; the least certain prediction is first."""
    chances = found.probabilities.max(axis=1)
    order = np.lexsort([chances, ~found.far])
    return {
        "Row": [capital(words_of_row(dataset, int(found.rows[n]))) for n in order],
        "Label": [name_of(dataset, int(found.best[n])) for n in order],
        "Probability": [float(chances[n]) for n in order],
        "Note": [NEAR if found.far[n] else "" for n in order],
    }


def _download(item: Item, name: str, given: Given, found: PredictedLabels | None) -> None:
    names = item.dataset.row_names
    texts = (*item.dataset.label_names, *(() if names is None else map(str, names)))
    with st.container(horizontal=True, vertical_alignment="center"):
        marked = ask_as_text(texts, "labels")
        text = partial(labels_csv, item.dataset, given, found, marked)
        stem = file_stem(item.title)
        download("All labels (CSV)", text, f"{stem}-labels.csv", key=f"labels_csv|{name}")
        if given.labels and can_train(item):
            train_button(item, name, given)
    where = "for this visit only" if library_of(item.key)[0].read_only else "with the model"
    st.caption(f"Your labels are stored {where}. They do not change its map.")


def labels_csv(
    dataset: Dataset, given: Given, found: PredictedLabels | None, as_text: bool = True
) -> bytes:
    """Write every row's label, its probability, and whether it is known, yours or predicted."""
    assert dataset.labels is not None
    labels, own = given.on(dataset.labels), dict(given.labels)
    predicted = {} if found is None else {int(row): n for n, row in enumerate(found.rows)}
    lines: list[Iterable[object]] = [("row", "id", "label", "probability", "source")]
    for row in range(dataset.n_points):
        called = "" if dataset.row_names is None else str(dataset.row_names[row])
        if labels[row] >= 0:
            source = "yours" if row in own else "data"
            answer = name_of(dataset, int(labels[row])), "1", source
        elif row in predicted and found is not None:
            n = predicted[row]
            chance = f"{found.probabilities[n].max():.4f}"
            answer = name_of(dataset, int(found.best[n])), chance, "predicted"
        else:
            answer = "NA", "NA", "none"
        lines.append((row + 1, called, *answer))
    return csv_text(lines, as_text=as_text).encode()
