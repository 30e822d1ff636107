"""The export of a whole map as one file for any browser, made when the visitor asks for it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from gplvm_core.offline.explorer import OfflineExplorer
from gplvm_core.wire.model import Chart
from pages.ui.shared.catalogue import Item
from pages.ui.shared.component import sent_by
from pages.ui.shared.dimension_names import checked
from pages.ui.shared.opening import opening_elsewhere
from pages.ui.shared.parcels import parcels
from pages.ui.shared.plain import plain

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
