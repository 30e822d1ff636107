"""Views: a model of several views: what they share, one from another, some kept, others varied."""

import streamlit as st

from pages.ui.canvas import forget_place
from pages.ui.catalogue import Item, has_views
from pages.ui.model_head import chosen_key, model_head, model_menu, offers, opened
from pages.ui.routes import enter_through_app
from pages.ui.views_canvas import stage
from pages.ui.views_segments import segmentation
from pages.ui.views_transfer import from_view_to_view
from pages.ui.words import TERMS

LAST_MODEL = "views_model"


def lead() -> None:
    st.html(
        '<p class="mf-lead">Two cameras on one scene, a silhouette and the pose behind it, a '
        "picture and its name: views of the same things. A model of several views finds out by "
        "itself what they share and what each has for itself, and draws one from another.</p>"
    )


def nothing_chosen() -> None:
    """What the page is for, and the one button that starts."""
    st.title("Views", anchor=False)
    lead()
    left, _ = st.columns([1, 2])
    with left:
        model_menu(None, "views")
        others(None)


def others(key: str | None) -> None:
    """Models of several views that are there, else the way to one."""
    offers("views", key, has_views, "Train a model of several views", ":material/join_inner:")


def views(key: str) -> None:
    """The page for one model."""
    item = opened(key, "Views", LAST_MODEL, whole=True)
    if item is None:
        return
    name = f"{key}|{item.version}"
    model_head(item, "views", forget_place)
    if not item.views:
        lead()
        st.info(
            "This model has one view: every row of its data is a single description. Views needs a "
            "model that was trained on data with several, such as pairs of images.",
            icon=":material/join_inner:",
        )
        others(key)
        return
    parts = segmentation(item, name)
    stage(item, name, parts)
    from_view_to_view(item, name)
    about(item)


def about(item: Item) -> None:
    """What the words mean, and what the page cannot claim."""
    with st.expander("About this page", icon=":material/info:"):
        st.markdown(
            f"**The map.** {TERMS['latent']} All views of a row hang on the same place, but each "
            "view has a mapping of its own, with its own relevances: so a dimension may move one "
            "view and leave another alone (manifold relevance determination)."
        )
        st.markdown(
            "**Shared and private.** The bars say what a view loses when a dimension is taken away "
            "from it. The relevances alone (w = 1/ℓ²) tell nearly the same, but a small one may "
            "still carry much, which is why they are here only for comparison."
        )
        st.markdown(
            "**The shading** is the standard deviation of all views together, as a share of what "
            "it is where nothing is known."
        )
        st.markdown(
            "**Alternatives.** A view that is given fixes the shared dimensions. What the other "
            "view has for itself stays open; every alternative takes it from another training row."
        )
        st.markdown(
            "**Keys.** Arrow keys move the point (with Shift in larger steps), Enter keeps it, + "
            "and − zoom, 0 resets. On a figure, the arrow keys turn it."
        )
        for note in item.model.notes_:
            st.markdown(f"- {note}")
        st.markdown(f"**Data.** {item.dataset.source}")
        for note in item.dataset.notes:
            st.markdown(f"- {note}")


enter_through_app()
current = chosen_key(LAST_MODEL)
if current is None:
    nothing_chosen()
else:
    views(current)
