"""A visitor's place on a model's map, from the link."""

import streamlit as st

from gplvm_core.wire.model import Chart
from pages.ui.shared.link import go_to
from pages.ui.shared.place import LOOK, PARAMETERS, MapPlace
from pages.ui.shared.plain import plain


def n_axes(chart: Chart) -> int:
    """Return the number of coordinates; a map of one latent dimension adds the row order."""
    return max(chart.n_latent, 2)


def linked_look() -> dict[str, str]:
    """Return the link's parameters for the map's display, unchecked: the browser checks them."""
    return {key: value for key, value in st.query_params.to_dict().items() if key in LOOK}


def linked_place(axes: int) -> MapPlace:
    """Return the place in the link; show a message if it is invalid."""
    try:
        return MapPlace.from_query(st.query_params.to_dict(), axes)
    except ValueError as error:
        st.warning(f"The place in this link does not fit this map. {plain(error)}")
        go_to(*PARAMETERS)
        return MapPlace()
