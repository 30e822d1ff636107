"""Depth: what a second layer is good for, what layers learnt, and why not ten of them."""

import streamlit as st

from pages.ui.depth.bend import bend
from pages.ui.depth.families import families
from pages.ui.depth.layers import layers
from pages.ui.depth.prior import prior
from pages.ui.shared.lead import lead
from pages.ui.shared.link import go_to, keep_in_link
from pages.ui.shared.routes import enter_through_app

PARTS = {
    "why": ("Why two layers?", bend),
    "layers": ("What was learnt?", layers),
    "families": ("Which approximation?", families),
    "ten": ("Why not ten?", prior),
}
LEADS = {
    "why": "A Gaussian process draws a curve through points and says how sure it is. It expects "
    "the curve to be as smooth here as there; a step is not. Put another one in front, which bends "
    "the line first: that is a deep Gaussian process. Add points, take some away; both learn anew.",
    "layers": "A deep model explains its data by a map, that map by another one above it, and so "
    "on. Move over the map of a layer: what belongs to a place comes out at the bottom as a row of "
    "data.",
    "families": "What is believed of a hidden layer has to have a form, since the exact answer is "
    "out of reach. Here every form is trained on the same points, with the same effort.",
    "ten": "Before any data are seen, these are functions that a model of so many layers takes "
    "for likely. The deeper it is, the less of its input arrives at the bottom.",
}


def chosen_part() -> str:
    """From the link; a link to a model is about its layers."""
    part = st.query_params.get("part")
    usual = "layers" if "model" in st.query_params else "why"
    return part if part in PARTS else usual


def ask_part(part: str) -> None:
    """The questions of the page."""

    def switch() -> None:
        go_to(part=st.session_state[control])

    control = f"depth_part|{part}"
    st.segmented_control(
        "Question",
        list(PARTS),
        format_func=lambda name: PARTS[name][0],
        default=part,
        required=True,
        key=control,
        on_change=switch,
        label_visibility="collapsed",
    )


def way_on(part: str) -> None:
    """The next question."""
    names = list(PARTS)
    following = names[(names.index(part) + 1) % len(names)]
    if st.button(PARTS[following][0], icon=":material/arrow_forward:", key="depth_next"):
        go_to(part=following)
        st.rerun()


enter_through_app()
st.title("Depth", anchor=False)
shown = chosen_part()
ask_part(shown)
lead(LEADS[shown])
PARTS[shown][1]()
way_on(shown)
# At the end, where what comes and goes moves nothing.
keep_in_link(part=shown)
