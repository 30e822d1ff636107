"""The latent canvas as a Streamlit component: two stores of bytes, one view, one fragment.

The view's own message stays small and unchanged. The model's bytes are sent once; the bytes about
a chosen point whenever a visitor keeps one. Hovering needs nothing from here.
"""

import numpy as np
import streamlit as st

from gplvm_core.figures.pack import Chart, pack_details, pack_model
from pages.ui.shared.component import component, hold_bytes, room_for
from pages.ui.shared.map_place import n_axes, remember
from pages.ui.shared.place import Place

show_view = component("explore", "map/map.html")


def latent_canvas(chart: Chart, key: str, version: str, start: Place) -> None:
    """The map, the generated output, the controls and the chosen point's details.

    key: of the model, unique on the page; version: changes whenever the model does; start: where
    to begin, used when the canvas is mounted.
    """
    with room_for("map"):
        _fragment(chart, f"{key}|{version}", start)
        hold_bytes(key=f"bytes|{key}|{version}", data=_packed(chart, f"{key}|{version}"))


@st.fragment
def _fragment(chart: Chart, name: str, start: Place) -> None:
    details = f"{name}|details"
    result = show_view(
        key=f"view|{name}",
        data={"store": name, "details": details, "dims": start.dims, "point": start.point},
        on_commit_change=lambda: None,
    )
    place = start
    if isinstance(result.commit, dict):
        place = Place.checked(result.commit.get("dims"), result.commit.get("point"), n_axes(chart))
        remember(name, place)
        st.query_params.update(place.to_query())
    point = chart.latent_mean[chart.middle] if place.point is None else np.array(place.point)
    hold_bytes(
        key=f"bytes|{details}",
        data=pack_details(chart, point[: chart.n_latent], details),
    )


@st.cache_data(max_entries=8, show_spinner=False)
def _packed(_chart: Chart, name: str) -> bytes:
    return pack_model(_chart, name)
