"""Views: a model of several views: what they share, one from another, some kept, others varied."""

import streamlit as st

from pages.ui.shared.catalogue import Item
from pages.ui.shared.model_head import model_menu, offers
from pages.ui.shared.model_page import ModelPage, about, bullets
from pages.ui.shared.plain import plain
from pages.ui.shared.words import TERMS
from pages.ui.views.canvas import stage
from pages.ui.views.segments import segmentation
from pages.ui.views.transfer import from_view_to_view

LAYERS = (
    "**Layers.** The views of this model hang on the lowest of several maps, which is the one "
    "here. The layers above it say how its dimensions go together; their maps are in Depth, which "
    "shows one view at a time."
)


def begin() -> None:
    left, _ = st.columns([1, 2])
    with left:
        model_menu(None, "views")
        others(None)


def others(key: str | None) -> None:
    """Models of several views that are there, else the way to one."""
    offers(
        "views",
        key,
        lambda capabilities: capabilities.views,
        "Train a model of several views",
        ":material/join_inner:",
    )


def views(item: Item, name: str) -> None:
    """The page for one model."""
    if not item.model.capabilities.views:
        PAGE.say_lead()
        st.info(
            "This model has one view: every row of its data is a single description. Views needs a "
            "model that was trained on data with several, such as pairs of images.",
            icon=":material/join_inner:",
        )
        others(item.key)
        return
    parts = segmentation(item, name)
    stage(item, name, parts)
    from_view_to_view(item, name)
    about(
        *([LAYERS] if item.model.capabilities.layers else []),
        f"**The map.** {TERMS['latent']} All views of a row hang on the same place, but each "
        "view has a mapping of its own, with its own relevances: so a dimension may move one "
        "view and leave another alone (manifold relevance determination). Dimensions that the "
        "map does not show follow the data near the pointer, until a slider is moved; while only "
        "a part moves, the rest is held at the ring instead.",
        "**Shared and private.** The bars say what a view loses when a dimension is taken away "
        "from it. The relevances alone (w = 1/ℓ²) tell nearly the same, but a small one may "
        "still carry much, which is why they are here only for comparison.",
        "**The shading** is the standard deviation of all views together, as a share of what "
        "it is where nothing is known.",
        "**Alternatives.** A view that is given fixes the shared dimensions. What the other "
        "view has for itself stays open; every alternative takes it from another training row.",
        "**Keys.** Arrow keys move the point (with Shift in larger steps), Enter keeps it, + "
        "and − zoom, 0 resets. On a figure, the arrow keys turn it.",
        *bullets(item.model.notes_),
        f"**Data.** {plain(item.dataset.source)}",
        *bullets(item.dataset.notes),
    )


PAGE = ModelPage(
    "views",
    "Views",
    "Two cameras on one scene, a silhouette and the pose behind it, a picture and its name: views "
    "of the same things. A model of several views finds out by itself what they share and what "
    "each has for itself, and draws one from another.",
    begin,
    whole=True,
    maps=True,
)
PAGE.run(views)
