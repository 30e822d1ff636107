"""The map with several outputs as a Streamlit component, and the panels for the chosen point.

The layers are sent once, as bytes; hovering and locking then need no data from the server. The
groups of dimensions are a separate small message, so a new threshold does not send the layers
again.
"""

from dataclasses import replace
from typing import Any

import streamlit as st

from gplvm_core.figures.view_parts import Part, leading_plane
from gplvm_core.kernels import KernelError
from gplvm_core.models.problems.several import LEAST_DROP
from gplvm_core.wire.model import Chart
from gplvm_core.wire.views import joint_chart, pack_views
from pages.ui.explore.views.desk import desk, keep
from pages.ui.explore.views.export import export
from pages.ui.explore.views.model import charts_of, parts_at
from pages.ui.explore.views.vary import variations
from pages.ui.shared.catalogue import Item
from pages.ui.shared.component import component, hold_bytes, room_for
from pages.ui.shared.dimension_names import names_data, space_of
from pages.ui.shared.map_place import linked_look, linked_place, n_axes
from pages.ui.shared.outputs import MOST_OUTPUTS, first_outputs, possible_outputs
from pages.ui.shared.place import MapPlace
from pages.ui.shared.plain import plain

show_views = component(
    "views",
    "views/views.html",
    "map/strip.css",
    "map/bookmarks.css",
    "pull/pull.css",
    "views/views.css",
)


def stage(item: Item, name: str, parts: tuple[Part, ...]) -> None:
    """Show the map and its outputs, variations of the chosen point, and exports."""
    st.header(
        "One map, all views",
        anchor=False,
        help="Every dot is one row. Move over the map to see all views of a position, and click "
        "to keep the position. Drag a joint of a body, or paint on a picture, and the other views "
        "follow. With “Shared” or “Only …” under “Move”, only these dimensions "
        "follow the pointer or change by hand.",
    )
    charts = charts_of(item.model, item.dataset)
    outputs = ask_outputs(item, name)
    start = remembered(name) or linked_place(n_axes(next(iter(charts.values()))))
    _fragment(item, name, charts, outputs, parts, start)


def remembered(name: str) -> MapPlace | None:
    """Return the visitor's last position on this model's map, if any."""
    place = st.session_state.get(f"canvas_place|{name}")
    return place if isinstance(place, MapPlace) else None


def ask_outputs(item: Item, name: str) -> tuple[str, ...]:
    """Return the outputs that are drawn; if there is no space for all, ask the visitor."""
    possible = possible_outputs(item.model, item.dataset)
    first = first_outputs(item.model, item.dataset)
    if len(possible) <= MOST_OUTPUTS:
        return first
    kept = tuple(view for view in desk(name).outputs if view in possible)
    chosen = st.multiselect(
        "Outputs",
        possible,
        kept or first,
        max_selections=MOST_OUTPUTS,
        key=f"views_outputs|{name}",
        help=f"Up to {MOST_OUTPUTS} outputs are drawn beside the map.",
    )
    return keep(name, outputs=tuple(chosen)).outputs or first


def groups_of(parts: tuple[Part, ...]) -> list[dict[str, Any]]:
    """Return the groups of dimensions in the browser's format."""
    return [
        {
            "id": part.id,
            "title": part.title,
            "words": part.words,
            "subject": part.subject,
            "dims": list(part.dimensions),
            "used": part.used,
            "heading": True,
        }
        for part in parts
    ]


@st.fragment
def _fragment(
    item: Item,
    name: str,
    charts: dict[str, Chart],
    outputs: tuple[str, ...],
    parts: tuple[Part, ...],
    start: MapPlace,
) -> None:
    store = f"{name}|{'|'.join(outputs)}"
    together = joint_chart(charts)
    plane = leading_plane(parts_at(item.model, LEAST_DROP), together.n_latent)
    try:
        layers = _packed(charts, outputs, plane, store)
    except KernelError as error:
        st.error(plain(error))
        return
    with room_for("views"):
        result = show_views(
            key=f"views|{store}",
            data={
                "store": store,
                "visit": f"{item.visit}|views",
                **start.to_data(),
                "look": linked_look(),
                "groups": groups_of(parts),
                "names": names_data(item, space_of(item)),
            },
            on_commit_change=lambda: None,
        )
        hold_bytes(key=f"bytes|{store}", data=layers)
    place = remembered(name) or start
    if isinstance(result.commit, dict):
        commit = result.commit
        place = MapPlace.checked(
            commit.get("dims"), commit.get("point"), n_axes(together), commit.get("follow")
        )
        st.session_state[f"canvas_place|{name}"] = place
    if place.point is None:
        place = replace(place, point=tuple(together.latent_mean[together.middle].tolist()))
    kept = keep(name, trail=desk(name).at(place).trail)
    assert kept.trail is not None  # the visitor has just chosen a point
    point = kept.trail[1][: together.n_latent]
    export(item, outputs, point)
    variations(item, name, parts, point)


@st.cache_data(max_entries=8, show_spinner=False)
def _packed(
    _charts: dict[str, Chart], outputs: tuple[str, ...], plane: tuple[int, int], store: str
) -> bytes:
    return pack_views(_charts, outputs, plane, store)
