"""Where a visitor stands on a model's map: kept for the session, and written in the link."""

import streamlit as st

from gplvm_core.figures.pack import Chart
from pages.ui.shared.place import PARAMETERS, Place


def n_axes(chart: Chart) -> int:
    """How many coordinates the canvas uses: one latent dimension gets the row order beside it."""
    return max(chart.n_latent, 2)


def starting_place(axes: int, key: str, version: str) -> Place:
    """From this session, else from the link; a link that cannot be read is said, not swallowed."""
    known = remembered(key, version)
    if known is not None:
        st.query_params.update(known.to_query())
        return known
    try:
        return Place.from_query(st.query_params.to_dict(), axes)
    except ValueError as error:
        st.warning(f"The link's place on the map could not be used. {error}")
        forget_place()
        return Place()


def remember(name: str, place: Place) -> None:
    """Keep the place for the next visit of the page in this session."""
    st.session_state[f"canvas_place|{name}"] = place


def remembered(key: str, version: str) -> Place | None:
    """Where the visitor was on this model's map, if she was."""
    place = st.session_state.get(f"canvas_place|{key}|{version}")
    return place if isinstance(place, Place) else None


def forget_place() -> None:
    """Take the place out of the link, for another model."""
    for parameter in PARAMETERS:
        st.query_params.pop(parameter, None)
