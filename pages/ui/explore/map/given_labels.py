"""The labels that a visitor gave by clicks: stored with the model, and used in a training."""

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st
from numpy import ndarray as Array
from sklearn.base import clone

from gplvm_core import ManifoldRelevance
from gplvm_core.datasets import Dataset
from gplvm_core.readers.divided import label_column, relabelled
from gplvm_core.readers.errors import plural
from gplvm_core.store import StoreError
from pages.ui.shared.catalogue import Item, library_of, open_item
from pages.ui.shared.own_jobs import begin_and_watch
from pages.ui.shared.plain import plain
from pages.ui.shared.telling import errors_told

SETTINGS = ("n_components", "n_inducing", "max_iter", "random_state", "scaling", "noise", "kernel")
PROBLEM = "problem|"  # begins the session key of the message why labels were not stored


@dataclass(frozen=True)
class Given:
    """The labels that the visitor gave, in their order, and the rows that were skipped."""

    labels: tuple[tuple[int, int], ...] = ()
    skipped: tuple[int, ...] = ()

    def and_also(self, row: int, label: int) -> "Given":
        return replace(self, labels=(*self.labels, (row, label)))

    def on(self, labels: Array) -> Array:
        """All labels, with those of the visitor."""
        found = labels.copy()
        for row, label in self.labels:
            found[row] = label
        return found


def stored_labels(item: Item) -> tuple[tuple[int, int], ...]:
    """Return the labels that are stored with the model, of rows that have none in its data."""
    library, identifier = library_of(item.key)
    labels = item.dataset.labels
    if library.read_only or labels is None:
        return ()
    try:
        stored = library.entry(identifier).given_labels
    except StoreError:  # the model was deleted meanwhile; the page reports it
        return ()
    most = len(item.dataset.label_names) or item.dataset.classes[-1] + 1
    return tuple(
        (row, label)
        for row, label in stored
        if row < len(labels) and labels[row] < 0 and label < most
    )


def keep_labels(item: Item, place: str, given: Given) -> None:
    """Store the labels for this visit, and with the visitor's own model.

    The message of a failure is stored for the next run of the page (`PROBLEM`).
    """
    st.session_state[place] = given
    st.session_state.pop(PROBLEM + place, None)
    library, identifier = library_of(item.key)
    if library.read_only:
        return
    try:
        library.give_labels(identifier, given.labels)
    except (StoreError, OSError) as error:
        st.session_state[PROBLEM + place] = (
            f"The label was not stored with the model. {plain(error)}"
        )


def can_train(item: Item) -> bool:
    """Whether a model of the same data can learn the labels."""
    model, dataset = item.model, item.dataset
    if item.view is not None:
        return True  # the labels are a view already, or become one
    if dataset.columns:
        return label_column(dataset) is not None
    return not model.capabilities.layers and hasattr(model, "n_inducing")


def labelled_data(item: Item, given: Given) -> tuple[Any, Dataset]:
    """Return a model to train, and the data with all labels. Raises DataError if they do not fit.

    If the model does not learn labels yet, the new one has them as a further view.
    """
    whole = open_item(item.key)
    assert whole.dataset.labels is not None
    data = relabelled(whole.dataset, given.on(whole.dataset.labels))
    if data.columns or whole.model.capabilities.views:
        return clone(whole.model), data
    return learning(whole, data), data


def learning(whole: Item, data: Dataset) -> ManifoldRelevance:
    """Return a model with the settings of a model of one table, for data with labels as a view."""
    known = whole.model.get_params(deep=False)
    # A map of given positions was not trained, so that its settings are none for a training.
    names = ("random_state", "scaling") if known.get("latent") == "given" else SETTINGS
    settings = {name: known[name] for name in names if name in known}
    # Paths that follow the rows' own values exist only for one table.
    over = known.get("time_kernel") if whole.model.capabilities.timed else None
    settings |= {"time_kernel": over, "kinds": data.kinds}
    return ManifoldRelevance(**settings)


def train_button(item: Item, name: str, given: Given) -> None:
    """Show the button that trains with the labels."""
    if not st.button(
        "Train with these labels",
        icon=":material/model_training:",
        key=f"labels_train|{name}",
        help="Trains a new model on the same rows. It also learns the labels, so its map separates "
        "them better.",
    ):
        return
    with errors_told():
        model, data = labelled_data(item, given)
        more = plural(len(given.labels), "more label")
        begin_and_watch(model, data, f"{item.title}, with {more}")
