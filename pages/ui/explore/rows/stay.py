"""Buttons that add new rows to a copy of the model, or train a new model with them."""

import numpy as np
import streamlit as st
from numpy import ndarray as Array
from sklearn.base import clone

from gplvm_core.datasets import Dataset
from gplvm_core.new_rows import Answers, added, can_add, with_rows
from gplvm_core.readers.errors import plural
from gplvm_core.readers.new_rows import NewRows
from pages.ui.explore.head import turn_to
from pages.ui.shared.catalogue import Item, user_library
from pages.ui.shared.doors import FIRST_TAB
from pages.ui.shared.own_jobs import begin_and_watch, unused_name
from pages.ui.shared.telling import errors_told


def stay(item: Item, name: str, own: NewRows, found: Answers) -> None:
    """Show buttons that add the rows to the map, or train a model with the rows."""
    if item.view is not None or item.model.capabilities.timed or item.dataset.known:
        return  # the model would also need the rows' other views, times or known factors
    if len(found.places) < len(own.values):
        return
    unlike = found.unlike & (found.known > 0)
    with st.container(horizontal=True, vertical_alignment="center", key="rows_stay"):
        leave = bool(unlike.any()) and st.checkbox(
            f"Leave out rows unlike all ({unlike.sum():,})",
            value=True,
            key=f"rows_leave|{name}",
        )
        chosen = np.flatnonzero(~unlike) if leave else np.arange(len(own.values))
        more = plural(len(chosen), "more row")
        if can_add(item.model) and st.button(
            "Add to the map",
            icon=":material/add_location:",
            disabled=not len(chosen),
            key=f"rows_add|{name}",
            help=f"Makes a copy of this model with {more}, without training. The form of the map "
            "does not change.",
        ):
            with errors_told():
                add_to_map(item, own, chosen)
        if st.button(
            "Train with these rows",
            icon=":material/model_training:",
            disabled=not len(chosen),
            key=f"rows_train|{name}",
            help=f"Trains a new model, with the same settings, on all rows and {more}.",
        ):
            with errors_told():
                title = title_of(item, chosen)
                begin_and_watch(clone(item.model), more_data(item, own, chosen), title)


def more_data(item: Item, own: NewRows, chosen: Array) -> Dataset:
    """Return the model's data with the chosen rows added."""
    names = None if own.row_names is None else own.row_names[chosen].tolist()
    return with_rows(item.dataset, own.values[chosen], names)


def title_of(item: Item, chosen: Array) -> str:
    return f"{item.title}, with {plural(len(chosen), 'more row')}"


def add_to_map(item: Item, own: NewRows, chosen: Array) -> None:
    """Store a copy of the model with the rows, and open its map."""
    with st.spinner("Adding the rows …"):
        model = added(item.model, own.values[chosen])
        data = more_data(item, own, chosen)
        key = user_library().add(model, data, unused_name(title_of(item, chosen)))
    turn_to(f"library:{key}", FIRST_TAB)
    st.rerun()
