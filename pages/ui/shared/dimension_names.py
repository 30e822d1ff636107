"""A visitor's names of dimensions, stored with the user's own models, or in the browser."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from gplvm_core.offline.scripts import script
from gplvm_core.store import StoreError
from pages.ui.shared.catalogue import Item, library_of
from pages.ui.shared.component import sent_by
from pages.ui.shared.plain import plain

BROWSERS = "names_in_browser"  # session key: the browser's names by model, version and map
MOST = 1000  # dimensions
LONGEST = 40  # letters, as in assets/canvas/map/names.js

_read_names = st.components.v2.component("manifolio_names", js=script("streamlit/names.js"))


def space_of(item: Item, layer: int | None = None) -> str:
    """Return the name of a map of a model, "" for a single map; layer: from 0, by default the last.

    In a deep multi-view model, the map of every layer of every view has its own name.
    """
    if not item.model.capabilities.layers:
        return ""
    number = len(item.model.layers_) if layer is None else layer + 1
    return f"layer {number}" if item.view is None else f"{item.view}, layer {number}"


def stored_names(item: Item, space: str) -> tuple[str, ...] | None:
    """Return the names in the library, "" for unnamed dimensions; None for a ready model."""
    library, identifier = library_of(item.key)
    if library.read_only:
        return None
    try:
        return dict(library.entry(identifier).dimension_names).get(space, ())
    except StoreError:  # the model was deleted meanwhile; the page reports it
        return ()


def visitor_names(item: Item, space: str) -> tuple[str, ...]:
    """Return the visitor's names from the library or the browser; "" for unnamed dimensions."""
    stored = stored_names(item, space)
    if stored is None:
        return st.session_state.get(BROWSERS, {}).get(_key(item, space), ())
    return stored


def read_names(item: Item, tab: str) -> None:
    """Read the names of a ready model from the browser, for the figures and files of a tab."""
    if not library_of(item.key)[0].read_only or item.model.capabilities.predicts:
        return
    of = _key(item, "")
    known: dict[str, tuple[str, ...]] = st.session_state.setdefault(BROWSERS, {})

    def take() -> None:
        sent = sent_by("names", "names")
        if isinstance(sent, Mapping):
            for key in [key for key in known if key.startswith(of)]:
                del known[key]
            known.update((key, checked(names)) for key, names in sent.items() if of in key)

    mine = {key: list(names) for key, names in known.items() if key.startswith(of)}
    _read_names(key="names", data={"of": of, "tab": tab, "known": mine}, on_names_change=take)


def checked(names: Any) -> tuple[str, ...]:
    """Clean the names that a browser sent: each becomes one line of limited length."""
    if not isinstance(names, list | tuple):
        return ()
    return tuple(" ".join(str(name or "").split())[:LONGEST] for name in names[:MOST])


def _key(item: Item, space: str) -> str:
    return "|".join((item.key, item.version, *([space] if space else [])))


def names_data(item: Item, space: str) -> dict[str, Any]:
    """Return a map's data: the key of the names in the browser, and the names in the library."""
    names = stored_names(item, space)
    return {"key": _key(item, space), "stored": None if names is None else list(names)}


def store_names(item: Item, space: str, key: str) -> None:
    """Store the names that a map sent after a change. key: the key of the map's component."""
    sent = sent_by(key, "names")
    library, identifier = library_of(item.key)
    if library.read_only or not isinstance(sent, list | tuple):
        return
    try:
        library.name_dimensions(identifier, [str(name) for name in sent], space)
    except (StoreError, OSError) as error:
        st.error(f"The names of the dimensions were not stored. {plain(error)}")
