"""A visitor's place on a model's map, from the link."""

import streamlit as st

from gplvm_core.wire.model import Chart
from pages.ui.shared.link import go_to
from pages.ui.shared.place import PARAMETERS, MapPlace
from pages.ui.shared.plain import plain


def n_axes(chart: Chart) -> int:
    """The number of coordinates on the canvas: to one latent dimension it adds the row order."""
    return max(chart.n_latent, 2)


def linked_place(axes: int) -> MapPlace:
    """The place in the link; shows a message if it is invalid."""
    try:
        return MapPlace.from_query(st.query_params.to_dict(), axes)
    except ValueError as error:
        st.warning(f"The link's place on the map could not be used. {plain(error)}")
        go_to(*PARAMETERS)
        return MapPlace()
