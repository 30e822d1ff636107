"""The latent canvas as a Streamlit component: a store of bytes and a view.

The model's bytes are sent once. After that, the browser answers moves and clicks without the
server.

Also here: the export of a whole map as one file for any browser, made when the visitor asks.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from gplvm_core.offline.explorer import OfflineExplorer
from gplvm_core.offline.scripts import MAP_STYLES
from gplvm_core.wire.columns import pack_columns
from gplvm_core.wire.model import Chart
from pages.ui.explore.known import take_sent_level
from pages.ui.shared.catalogue import Item
from pages.ui.shared.component import component, hold_bytes, room_for, sent_by
from pages.ui.shared.dimension_names import checked, names_data, space_of, store_names
from pages.ui.shared.map_place import linked_look
from pages.ui.shared.opening import opening_elsewhere
from pages.ui.shared.own_labels import own_labels, take_own_labels
from pages.ui.shared.packed import packed_map
from pages.ui.shared.parcels import parcels
from pages.ui.shared.place import MapPlace
from pages.ui.shared.plain import plain

show_view = component("explore", "map/map.html", *MAP_STYLES)


def latent_canvas(item: Item, chart: Chart, name: str, start: MapPlace, opening: str) -> None:
    """Show the map, the generated output, the controls and the chosen point's details.

    The browser reads the display's parameters from the link, and ignores invalid parameters.

    item: the open model. name: the model's key and version. start: the place in the link. opening:
    Python code that opens the model.
    """
    columns = {key: parcels.hold(data) for key, data in _columns(chart, name).items()}
    data = {"store": name, "opening": opening, "look": linked_look(), "columns": columns}
    data |= start.to_data() | {"visit": item.visit}
    key, space = f"view|{name}", space_of(item)
    with room_for("map"):
        show_view(
            key=key,
            data=data
            | {
                "names": names_data(item, space),
                "file": made_file(key),
                "own": own_labels(item).to_data(),
                "level": None if item.at is None else item.at.number,
            },
            on_own_change=lambda: take_own_labels(item, key),
            on_level_change=lambda: take_sent_level(key),
            on_names_change=lambda: store_names(item, space, key),
            on_file_change=lambda: make_file(item, chart, key),
        )
        hold_bytes(key=f"bytes|{name}", data=packed_map(chart, name))


@st.cache_data(max_entries=2, show_spinner=False)
def _columns(_chart: Chart, name: str) -> dict[str, bytes]:
    return pack_columns(_chart)


MEGABYTE = 1e6
MADE = "map_file"  # session key: the answer to the canvas's request for the file


def made_file(key: str) -> dict[str, Any] | None:
    """Return the answer to a canvas's last request: number, address and name, or the problem."""
    made = st.session_state.get(MADE)
    return made["data"] if made is not None and made["of"] == key else None


def make_file(item: Item, chart: Chart, key: str) -> None:
    """Make the file that a canvas has requested. key: the component's key."""
    asked = sent_by(key, "file")
    if not isinstance(asked, Mapping):
        return
    data: dict[str, Any] = {"turn": asked.get("turn")}
    try:
        # The names in the browser are newer than those in the session.
        levels = chart.levels and chart.levels.alone
        named = replace(chart, names=checked(asked.get("names")), levels=levels)
        source = item.dataset.source
        if item.at is not None and levels is None:
            source = f"{item.at.names}: {item.at.words}. {source}".rstrip()
        file = OfflineExplorer(named, item.title, source, opening_elsewhere(item), _link(asked))
        html = file.html.encode()
    except ValueError as error:
        data["problem"] = plain(error)
    else:
        data |= {
            "address": parcels.hold(html),
            "file": f"{item.key.partition(':')[2]}.html",
            "words": f"{len(html) / MEGABYTE:.1f} MB. {file.precision.in_words()}",
        }
    st.session_state[MADE] = {"of": key, "data": data}


def _link(asked: Mapping[str, Any]) -> dict[str, str]:
    """Return the parameters of the visitor's link, for a file that opens in the same state."""
    link = asked.get("link")
    if not isinstance(link, Mapping):
        return {}
    return {str(name): value for name, value in link.items() if isinstance(value, str)}
