"""The tab Layers: a deep model's layers, a map for each layer, and rows drawn from each layer.

Also here: the tree of maps, a shared map and below it a separate map for every view.
"""

import re
from collections.abc import Sequence
from html import escape

import numpy as np
import streamlit as st

from gplvm_core.figures.dimensions import dimensions_on
from gplvm_core.models.problems.doctor import DeepLayer
from gplvm_core.readers.errors import in_digits, plural
from gplvm_core.wire.model import as_seen
from gplvm_core.wire.tree import is_tree, pack_tree
from pages.ui.explore.layers.drawn import draws
from pages.ui.shared.about import about, bullets
from pages.ui.shared.catalogue import Item, open_item
from pages.ui.shared.component import component, hold_bytes, room_for
from pages.ui.shared.doors import COMPARE
from pages.ui.shared.layer_map import chosen_layer, layer_canvas, place_in_words
from pages.ui.shared.link import keep_in_link
from pages.ui.shared.plain import plain
from pages.ui.shared.telling import errors_told
from pages.ui.shared.words import TERMS, percent


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


def ladder(item: Item) -> None:
    """Show one rung per layer, and the data at the bottom."""
    layers = item.model.layers_
    rungs = "".join(rung(layers, at) for at in range(len(layers)))
    width = item.dataset.values.shape[1]
    room_for("ladder", len(layers)).html(
        f'<ol class="mf-ladder">{rungs}<li class="mf-data"><b>The data</b> '
        f"{plural(width, 'number')} a row</li></ol>"
    )


def rung(layers: Sequence[DeepLayer], at: int) -> str:
    """Return HTML of a layer, with its dimensions as bars, its verdict and its numbers."""
    layer, place = layers[at], place_in_words(at, len(layers))
    return (
        f"<li><b>{escape(place)}</b>{bars(as_seen(layers, at))}"
        f"<span>{escape(verdict(layer))}</span>"
        f'<small class="mf-facts">{escape(" · ".join(facts(layer)))}</small></li>'
    )


def verdict(layer: DeepLayer) -> str:
    """Return the layer's verdict without the layer's name, which the page shows beside it."""
    words = re.sub(r"^layer \d+ of \d+(, view (['\"]).*?\2,)? ", "It ", layer.verdict_)
    return f"{words[:1].upper()}{words[1:]}."


def facts(layer: DeepLayer) -> list[str]:
    """Return the numbers behind the verdict."""
    information, points = float(np.sum(layer.information_)), len(layer.latent_mean_)
    return [
        f"{information:.1f} nats of information per row",
        f"signal {rounded(layer.signal_to_noise_)} × noise",
        f"{layer.freedom_:.0f} degrees of freedom for {plural(points, 'row')}",
        f"{percent(layer.linear_)} linear",
    ]


def rounded(value: float) -> str:
    """Format with three significant digits, without an exponent below 10 million."""
    return in_digits(value, 3)


def bars(layer: DeepLayer) -> str:
    """Return ARD weights as bars; dimensions that contain information are coloured. If the layer
    also receives the dimensions of the top layer, these are last.
    """
    weights = np.asarray(layer.relevance_, dtype=float)
    on = dimensions_on(layer.information_)
    shares = weights / max(float(weights.max()), 1e-300)
    drawn = "".join(
        f'<i class="{"on" if used else ""}" style="height:{max(100 * share, 4):.0f}%"></i>'
        for share, used in zip(shares, on, strict=True)
    )
    words = f"{int(on.sum())} of {plural(len(weights), 'dimension')} in use"
    return f'<span class="mf-bars" role="img" title="{words}" aria-label="{words}">{drawn}</span>'
