"""A visitor's names of a model's dimensions: stored with own models, else in the browser."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from gplvm_core.store import StoreError
from pages.ui.shared.catalogue import Item, library_of
from pages.ui.shared.component import plain_key
from pages.ui.shared.plain import plain


def space_of(item: Item, layer: int | None = None) -> str:
    """The name of a model's map, "" if there is only one; layer: counted from 0, default the last.

    The layers of one view of a deep model have separate names.
    """
    if not item.model.capabilities.layers:
        return ""
    number = len(item.model.layers_) if layer is None else layer + 1
    return f"layer {number}" if item.view is None else f"{item.view}, layer {number}"


def stored_names(item: Item, space: str) -> tuple[str, ...] | None:
    """The names in the library, "" for unnamed dimensions; None for a ready model."""
    library, identifier = library_of(item.key)
    if library.read_only:
        return None
    try:
        return dict(library.entry(identifier).dimension_names).get(space, ())
    except StoreError:  # deleted meanwhile; the page reports it
        return ()


def names_data(item: Item, space: str) -> dict[str, Any]:
    """Data for a map: the key of the names in the browser, and the names stored with the model."""
    key = "|".join((item.key, item.version, *([space] if space else [])))
    names = stored_names(item, space)
    return {"key": key, "stored": None if names is None else list(names)}


def store_names(item: Item, space: str, key: str) -> None:
    """Store the names that a map has sent, after a change. key: of the component."""
    state = st.session_state.get(plain_key(key))
    sent = state.get("names") if isinstance(state, Mapping) else getattr(state, "names", None)
    library, identifier = library_of(item.key)
    if library.read_only or not isinstance(sent, list | tuple):
        return
    try:
        library.name_dimensions(identifier, [str(name) for name in sent], space)
    except (StoreError, OSError) as error:
        st.error(f"The names of the dimensions were not stored. {plain(error)}")
