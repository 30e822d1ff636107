"""The latent canvas as a Streamlit component: two stores of bytes, one view, one fragment.

The view's own message stays small and unchanged. The model's bytes are sent once; the bytes about
a chosen point whenever a visitor keeps one. Hovering needs nothing from here.
"""

from pathlib import Path

import numpy as np
import streamlit as st

from gplvm_core.figures.pack import Chart, pack_details, pack_model
from pages.ui.place import PARAMETERS, Place

ASSETS = Path(__file__).resolve().parents[2] / "assets" / "canvas"
# One scope, in this order: what a file uses stands above it.
SCRIPTS = (
    "frame.js",
    "model.js",
    "theme.js",
    "shade.js",
    "axes.js",
    "geometry.js",
    "turn.js",
    "output.js",
    "output_picture.js",
    "map.js",
    "gestures.js",
    "details.js",
    "controls.js",
    "explorer.js",
)


def asset(*names: str) -> str:
    """The text of files in assets/canvas, joined."""
    return "\n".join((ASSETS / name).read_text(encoding="utf-8") for name in names)


show_view = st.components.v2.component(
    "manifolio_canvas_view",
    html=asset("canvas.html"),
    css=asset("canvas.css"),
    js=asset(*SCRIPTS, "follow.js", "view.js"),
)
hold_bytes = st.components.v2.component("manifolio_canvas_store", js=asset("store.js"))


def n_axes(chart: Chart) -> int:
    """How many coordinates the canvas uses: one latent dimension gets the row order beside it."""
    return max(chart.n_latent, 2)


def latent_canvas(chart: Chart, key: str, version: str, start: Place) -> None:
    """The map, the generated output, the controls and the chosen point's details.

    key: of the model, unique on the page; version: changes whenever the model does; start: where
    to begin, used when the canvas is mounted.
    """
    with st.container(gap=None):
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
