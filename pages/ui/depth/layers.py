"""The layers of one deep model: the ladder, a map for each, rows drawn from each."""

import streamlit as st

from pages.ui.depth.drawn import draws
from pages.ui.depth.ladder import ladder
from pages.ui.shared.catalogue import Item, items
from pages.ui.shared.depth_worth import depth_worth_button
from pages.ui.shared.layer_map import chosen_layer, layer_canvas
from pages.ui.shared.link import keep_in_link
from pages.ui.shared.model_head import (
    chosen_key,
    model_menu,
    offers,
    opened,
    other_doors,
    view_menu,
)
from pages.ui.shared.model_page import about, bullets
from pages.ui.shared.place import OF_A_MODEL, PARAMETERS
from pages.ui.shared.plain import plain
from pages.ui.shared.words import TERMS

PAGE, MEMORY = "depth", "depth_model"


def layers() -> None:
    """The part of the page about a trained model."""
    key = chosen_key(PAGE, MEMORY) or first_deep()
    if key is None:
        st.info(
            "No deep model is here yet. Train offers layers; it takes a minute or two.",
            icon=":material/layers:",
        )
        others(None)
        return
    item = opened(key, "Depth", MEMORY)
    if item is None:
        return
    title, menu = st.columns([3, 1], vertical_alignment="bottom")
    with title:
        st.subheader(plain(item.title), anchor=False)
        with st.container(horizontal=True):
            other_doors(item, PAGE)
            depth_worth_button(item.key)
    with menu:
        model_menu(item.key, PAGE, OF_A_MODEL)
        if item.view is not None:
            view_menu(item, PAGE, PARAMETERS)
    if not item.model.capabilities.layers:
        st.info(
            "This model has one layer: its map is in Explore. Depth needs a model that was "
            "trained with two or more.",
            icon=":material/layers:",
        )
        others(item.key)
        return
    name = f"{key}|{item.version}"
    ladder(item)
    if any(layer.doubt_ for layer in item.model.layers_):
        st.warning(
            "Not every layer is as it should be. Train again with another random seed, more "
            "starts or fewer layers.",
            icon=":material/layers_clear:",
        )
    layer_map(item, name)
    draws(item, name)
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


def first_deep() -> str | None:
    """The first model with layers: one of the gallery, if it has any."""
    return next((each.key for each in items() if each.entry.capabilities.layers), None)


def others(key: str | None) -> None:
    """Deep models that are there, else the way to one."""
    offers(
        PAGE,
        key,
        lambda capabilities: capabilities.layers,
        "Train a deep model",
        ":material/layers:",
    )


def layer_map(item: Item, name: str) -> None:
    """The map of one layer, which generates the data through all layers below it."""
    st.subheader(
        "A map for every layer",
        anchor=False,
        help="Move over the map: what belongs to the place goes through all layers below and "
        "comes out as a row of data.",
    )
    at = chosen_layer(item, PAGE, name, first_sound(item))
    try:
        layer_canvas(item, at, name)
    except ValueError as error:  # a kernel, or a layer, that the page cannot draw
        st.error(plain(error))
    keep_in_link(layer=str(at + 1))


def first_sound(item: Item) -> int:
    """The highest layer that is as it should be: one that is off has all rows in one place."""
    layers = item.model.layers_
    return next((at for at, layer in enumerate(layers) if not layer.doubt_), len(layers) - 1)
