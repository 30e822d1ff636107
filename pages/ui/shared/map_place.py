"""Where a visitor stands on a model's map: what the link says of it."""

import streamlit as st

from gplvm_core.wire.model import Chart
from pages.ui.shared.link import go_to
from pages.ui.shared.place import PARAMETERS, MapPlace
from pages.ui.shared.plain import plain


def n_axes(chart: Chart) -> int:
    """How many coordinates the canvas uses: one latent dimension gets the row order beside it."""
    return max(chart.n_latent, 2)


def linked_place(axes: int) -> MapPlace:
    """From the link; one that cannot be read is said, not swallowed."""
    try:
        return MapPlace.from_query(st.query_params.to_dict(), axes)
    except ValueError as error:
        st.warning(f"The link's place on the map could not be used. {plain(error)}")
        go_to(*PARAMETERS)
        return MapPlace()
