"""The choice of a deep model's layer, and the map of that layer.

The browser passes the mean of every layer to the next one, down to the data.
"""

import streamlit as st

from gplvm_core.wire.deep import pack_layers
from pages.ui.shared.catalogue import Item
from pages.ui.shared.component import component, hold_bytes, room_for
from pages.ui.shared.dimension_names import names_data, space_of
from pages.ui.shared.inputs import one_of
from pages.ui.shared.link import go_to, whole_number
from pages.ui.shared.map_place import linked_place
from pages.ui.shared.place import PARAMETERS
from pages.ui.shared.plain import plain

show_layers = component(
    "layers", "views/views.html", "map/strip.css", "map/bookmarks.css", "views/views.css"
)


def place_in_words(at: int, depth: int) -> str:
    """Return the name of a layer; `at` counts from the top."""
    if depth == 1:
        return "The only layer"
    where = {0: ", the top", depth - 1: ", above the data"}.get(at, "")
    return f"Layer {at + 1}{where}"


def chosen_layer(item: Item, page: str, name: str, usual: int) -> int:
    """Ask for the layer; page: the page's key; name: the model's key and version."""
    depth = len(item.model.layers_)
    at = linked_layer(depth, usual)
    control = f"{page}_layer|{name}|{at}"

    def switch() -> None:
        go_to(*PARAMETERS, layer=str(st.session_state[control] + 1))

    titles = {layer: place_in_words(layer, depth) for layer in range(depth)}
    one_of("Layer", titles, control, usual=at, lasts=False, hidden=True, on_change=switch)
    return at


def linked_layer(depth: int, usual: int) -> int:
    """Return the layer in the link (counted from 1); if there is none, return the usual layer."""
    text = st.query_params.get("layer", str(usual + 1))
    number = whole_number(text)
    if number is not None and 1 <= number <= depth:
        return number - 1
    st.warning(f"This model has no layer “{plain(text[:20])}”: its layers are 1 to {depth}.")
    return usual


def layer_canvas(item: Item, at: int, name: str) -> None:
    """Show the map of a layer. Raises ValueError if the browser cannot draw it."""
    axes = max(item.model.layers_[at].posterior_.n_latent, 2)
    store = f"{name}|layer {at + 1}"
    packed = _packed(item, at, store)
    with room_for("layers"):
        data = {"store": store, "names": names_data(item, space_of(item, at))}
        show_layers(key=f"layers|{store}", data=data | linked_place(axes).to_data())
        hold_bytes(key=f"bytes|{store}", data=packed)


@st.cache_data(max_entries=8, show_spinner=False)
def _packed(_item: Item, at: int, store: str) -> bytes:
    return pack_layers(_item.model, _item.dataset, at, store)
