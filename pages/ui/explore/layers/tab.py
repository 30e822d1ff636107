"""The tab Layers: a deep model's layers, a map for each layer, and rows drawn from each layer."""

import streamlit as st

from gplvm_core.wire.tree import is_tree
from pages.ui.explore.layers.drawn import draws
from pages.ui.explore.layers.ladder import ladder
from pages.ui.explore.layers.tree import tree
from pages.ui.shared.about import about, bullets
from pages.ui.shared.catalogue import Item, open_item
from pages.ui.shared.doors import COMPARE
from pages.ui.shared.layer_map import chosen_layer, layer_canvas
from pages.ui.shared.link import keep_in_link
from pages.ui.shared.plain import plain
from pages.ui.shared.telling import errors_told
from pages.ui.shared.words import TERMS


def layers(item: Item, name: str) -> None:
    """Show the tab for one model."""
    whole = open_item(item.key) if item.alone else item
    if is_tree(whole.model):
        tree(whole)
        st.header(f"The layers above “{plain(str(item.view))}”", anchor=False)
    ladder(item)
    if any(layer.doubt_ for layer in item.model.layers_):
        st.warning(
            "At least one layer is off or unreliable. Train again with another random seed, more "
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
        help="Compare tests models with one, two and three layers on held-out rows.",
    ):
        COMPARE.open(item.key)
    about(
        f"**Layers.** {TERMS['latent']} In a deep model, a further layer with its own map "
        "explains these numbers. The bars are the relevances of a layer's dimensions (w = 1/ℓ²); "
        "coloured dimensions contain information.",
        "**The numbers of a layer.** *Information* is how much a position on the layer's map "
        "says about a row, in nats. *Signal* is compared with the noise. A mapping with as many "
        "*degrees of freedom* as rows memorises the rows. *Linear* is the straight part of the "
        "mapping.",
        "**How rows are generated.** From the pointer's place, every layer passes its mean to "
        "the next layer. The bands beside the output show the uncertainty; to compute them, every "
        "layer also passes on its variance and noise. The shading is the uncertainty of the "
        "layer whose map is shown.",
        "**A layer that is on** passes more than noise to the next layer. A layer that is off "
        "passes only noise, so the model equals a model with fewer layers. Another random seed, "
        "more starts or fewer layers may help.",
        f"**Data.** {item.dataset.source}",
        *bullets(item.model.notes_),
        *bullets(item.dataset.notes),
    )


def layer_map(item: Item, name: str) -> None:
    """Show the map of one layer, which generates the data through all layers below."""
    st.header(
        "A map for every layer",
        anchor=False,
        help="Move over the map: the layers below convert each position into a row of data.",
    )
    at = chosen_layer(item, "layers", name, first_sound(item))
    with errors_told():  # the browser may be unable to draw a kernel or a layer
        layer_canvas(item, at, name)
    keep_in_link(layer=str(at + 1))


def first_sound(item: Item) -> int:
    """Return the highest layer that is on; the maps of other layers have a single position."""
    layers = item.model.layers_
    return next((at for at, layer in enumerate(layers) if not layer.doubt_), len(layers) - 1)
