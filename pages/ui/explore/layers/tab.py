"""The tab Layers: the ladder of a deep model, a map for each layer, rows drawn from each."""

import streamlit as st

from pages.ui.explore.layers.drawn import draws
from pages.ui.explore.layers.ladder import ladder
from pages.ui.shared.about import about, bullets
from pages.ui.shared.catalogue import Item
from pages.ui.shared.doors import COMPARE
from pages.ui.shared.layer_map import chosen_layer, layer_canvas
from pages.ui.shared.link import keep_in_link
from pages.ui.shared.plain import plain
from pages.ui.shared.words import TERMS


def layers(item: Item, name: str) -> None:
    """The tab for one model."""
    ladder(item)
    if any(layer.doubt_ for layer in item.model.layers_):
        st.warning(
            "Not every layer is as it should be. Train again with another random seed, more "
            "starts or fewer layers.",
            icon=":material/layers_clear:",
        )
    layer_map(item, name)
    draws(item, name)
    if st.button(
        "Is depth worth it on these data?",
        key="layers_worth",
        type="tertiary",
        icon=":material/balance:",
        help="Compare judges models with one, two and three layers by rows that were kept aside.",
    ):
        COMPARE.open(item.key)
    about(
        f"**Layers.** {TERMS['latent']} In a deep model those numbers have an explanation of their "
        "own: a layer above them, with a map of its own. The bars are the relevances of a layer's "
        "dimensions (w = 1/ℓ²); those in colour carry information.",
        "**The numbers of a layer.** What a place on its map tells of a row, in nats; how much "
        "stronger what it hands down is than its noise; with how many free numbers it fits the "
        "rows (as many as rows would be learning by heart); how much of what it does a linear map "
        "would do as well.",
        "**What is generated.** From the pointer, the mean of every layer is handed down to the "
        "next, in the browser. The bands beside the output count what is not known: mean and "
        "variance are handed on from layer to layer, and the noise of the hidden layers counts. "
        "The shading is the doubt of the layer whose map it is.",
        "**A layer that is on** hands down more than noise. One that is off hands nothing on: the "
        "model is then the shallow one in disguise. Another random seed, more starts or fewer "
        "layers may help.",
        f"**Data.** {item.dataset.source}",
        *bullets(item.model.notes_),
        *bullets(item.dataset.notes),
    )


def layer_map(item: Item, name: str) -> None:
    """The map of one layer, which generates the data through all layers below it."""
    st.header(
        "A map for every layer",
        anchor=False,
        help="Move over the map: what belongs to the place goes through all layers below and "
        "comes out as a row of data.",
    )
    at = chosen_layer(item, "layers", name, first_sound(item))
    try:
        layer_canvas(item, at, name)
    except ValueError as error:  # a kernel, or a layer, that the page cannot draw
        st.error(plain(error))
    keep_in_link(layer=str(at + 1))


def first_sound(item: Item) -> int:
    """The highest layer that is as it should be: one that is off has all rows in one place."""
    layers = item.model.layers_
    return next((at for at, layer in enumerate(layers) if not layer.doubt_), len(layers) - 1)
