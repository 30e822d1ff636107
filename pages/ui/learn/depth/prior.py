"""Draws from priors of one to ten layers: all of it happens in the browser."""

import streamlit as st

from pages.ui.shared.about import about
from pages.ui.shared.component import component, room_for
from pages.ui.shared.link import whole_number

MOST_LAYERS, FIRST_DEPTH, FIRST_DRAW = 10, 6, 3

show_prior = component("prior", "deep/prior.html", "deep/deep.css")


def prior() -> None:
    """The figure, as the link says."""
    query = st.query_params
    with room_for("prior"):
        show_prior(
            key="depth_prior",
            data={
                "depth": whole(query.get("depth"), FIRST_DEPTH, 1, MOST_LAYERS),
                "draw": whole(query.get("draw"), FIRST_DRAW, 0, 10**6),
                "sees": query.get("sees") == "1",
            },
        )
    about(
        "Every layer is a draw from a Gaussian process, applied to what the one above it gave; "
        "grey are the layers before the last. A slope of the whole is the product of the layers' "
        "slopes, and of so many numbers the product is nearly always next to nothing, now and "
        "then huge: plateaus and steps. So deep a prior expects little else, which is why layers "
        "of models that are trained switch off rather than pile up.",
        "If every layer sees the input as well as what the one above it gave, nothing is lost on "
        "the way. Source: Duvenaud, Rippel, Adams and Ghahramani, *Avoiding pathologies in very "
        "deep networks* (2014).",
    )


def whole(text: str | None, usual: int, least: int, most: int) -> int:
    """A number of the link; the usual one where it says none, or none that can be."""
    number = whole_number(text)
    return usual if number is None else min(max(number, least), most)
