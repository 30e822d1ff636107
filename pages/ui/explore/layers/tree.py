"""The tree of maps: a shared map, and below it a separate map for every view."""

import streamlit as st

from gplvm_core.wire.tree import pack_tree
from pages.ui.shared.catalogue import Item
from pages.ui.shared.component import component, hold_bytes, room_for
from pages.ui.shared.telling import errors_told

show_tree = component("tree", "tree/tree.html", "tree/tree.css")


def tree(item: Item) -> None:
    """Show the tree of a model whose views have separate maps; item: with all views."""
    st.header(
        "A map for each part, and one above them",
        anchor=False,
        help="Drag the point of the top map, and all parts move. Drag the point of another map, "
        "and only its part moves. Hidden dimensions follow nearby data.",
    )
    store = f"{item.key}|{item.version}|tree"
    packed = None
    with errors_told():  # the browser may be unable to draw a kernel
        packed = _packed(item, store)
    if packed is not None:
        with room_for("tree"):
            show_tree(key=f"tree|{store}", data={"store": store})
            hold_bytes(key=f"bytes|{store}", data=packed)


@st.cache_data(max_entries=4, show_spinner=False)
def _packed(_item: Item, store: str) -> bytes:
    return pack_tree(_item.model, _item.dataset, store)
