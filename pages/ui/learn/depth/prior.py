"""A figure of draws from priors of one to ten layers; the browser computes the draws."""

import streamlit as st

from pages.ui.shared.about import about
from pages.ui.shared.component import component, room_for
from pages.ui.shared.link import whole_number

MOST_LAYERS, FIRST_DEPTH, FIRST_DRAW = 10, 6, 3

show_prior = component("prior", "deep/prior.html", "deep/deep.css")


def prior() -> None:
    """Show the figure with the settings from the link."""
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
        "Every layer is a random function, applied to the output of the layer before it; grey "
        "lines show the layers before the last. The slope of the result is the product of the "
        "layers' slopes. A product of ten slopes is mostly near zero and sometimes huge, which "
        "gives plateaus and steps. This is why trained deep models switch layers off.",
        "If every layer also receives the input, no information is lost.",
    )


def whole(text: str | None, usual: int, least: int, most: int) -> int:
    """Return a number from the link, clipped to its range; the default if there is none."""
    number = whole_number(text)
    return usual if number is None else min(max(number, least), most)
