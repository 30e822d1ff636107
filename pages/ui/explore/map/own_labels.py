"""The part of the tab Map about the visitor's own labels: what they are, training, download."""

from functools import partial

import streamlit as st
from sklearn.base import clone

from gplvm_core.readers.divided import with_labels
from gplvm_core.readers.errors import plural
from gplvm_core.readers.tables.csv_text import csv_text
from pages.ui.explore.map.given_labels import learning
from pages.ui.shared.as_text import ask_as_text
from pages.ui.shared.catalogue import Item, open_item
from pages.ui.shared.download import download
from pages.ui.shared.own_jobs import begin_and_watch
from pages.ui.shared.own_labels import (
    REST,
    OwnLabels,
    browser_labels,
    in_words,
    keep_own_labels,
    own_labels,
)
from pages.ui.shared.plain import plain
from pages.ui.shared.telling import errors_told
from pages.ui.shared.words import file_stem


def rows_with_own_label(item: Item, name: str) -> None:
    """Show the visitor's own labels, if there are any."""
    browser_labels(item)  # below the map, since Streamlit leaves a gap around it
    labels = own_labels(item)
    if not labels.names:
        return
    st.subheader("Your labels", anchor=False)
    st.markdown(plain(in_words(labels, item.dataset.n_points)))
    with st.container(horizontal=True, vertical_alignment="center"):
        if (item.view is not None or not item.model.capabilities.layers) and hasattr(
            item.model, "n_inducing"
        ):
            _train(item, name, labels)
        ids = item.dataset.row_names
        texts = (*labels.names, *(() if ids is None else map(str, ids)))
        marked = ask_as_text(texts, "own_labels")
        text, stem = partial(labels_csv, item, labels, marked), file_stem(item.title)
        download("Your labels (CSV)", text, f"{stem}-own-labels.csv", key=f"own_csv|{name}")
        known = dict(zip(labels.names, labels.rows, strict=True))
        with st.popover("Delete a label", type="tertiary", icon=":material/delete:"):
            for label, rows in known.items():
                st.button(
                    plain(f"Delete {label}: {plural(len(rows), 'row')}"),
                    key=f"own_delete|{name}|{label}",
                    on_click=_delete,
                    args=(item, label),
                )


def _delete(item: Item, label: str) -> None:
    """Delete one label, and keep those that are stored by now."""
    labels = own_labels(item)
    known = dict(zip(labels.names, labels.rows, strict=True))
    keep_own_labels(item, {name: rows for name, rows in known.items() if name != label})


def _train(item: Item, name: str, labels: OwnLabels) -> None:
    """Show the button that trains with the labels."""
    rest = len(labels.names) < 2  # a model learns at least two labels
    others = f" All other rows get the label “{REST}”." if rest else ""
    if not st.button(
        "Train with these labels",
        icon=":material/model_training:",
        key=f"own_train|{name}",
        help="Trains a new model on the same rows. It also learns your labels, so its map "
        f"separates them better.{others}",
    ):
        return
    with errors_told():
        whole = open_item(item.key)
        data = with_labels(labels.on(whole.dataset, rest=rest))
        model = clone(whole.model) if whole.views else learning(whole, data)
        begin_and_watch(model, data, f"{item.title}, with own labels")


def labels_csv(item: Item, labels: OwnLabels, as_text: bool = True) -> bytes:
    """Write every row's number, id and label; NA for a row without one."""
    data = labels.on(item.dataset)
    ids = data.row_names
    lines: list[tuple[object, ...]] = [("row", "id", "label")]
    for n in range(data.n_points):
        word = (
            labels.names[data.labels[n]]
            if data.labels is not None and data.labels[n] >= 0
            else "NA"
        )
        lines.append((n + 1, "" if ids is None else str(ids[n]), word))
    return csv_text(lines, as_text=as_text).encode()
