"""The linked map and table of new rows, as a Streamlit component."""

import streamlit as st

from gplvm_core.new_rows import Answers
from gplvm_core.readers.new_rows import NewRows
from gplvm_core.wire.deep import pack_layers
from gplvm_core.wire.model import Chart
from gplvm_core.wire.new_rows import pack_new_rows
from pages.ui.explore.rows.work import texts
from pages.ui.shared.catalogue import Item
from pages.ui.shared.component import component, hold_bytes, room_for, sent_by
from pages.ui.shared.dimension_names import names_data, space_of
from pages.ui.shared.packed import packed_map
from pages.ui.shared.parcels import parcels
from pages.ui.shared.words import words_of_row

show_rows = component("rows", "rows/rows.html", "map/map.css", "rows/rows.css")


def rows_canvas(item: Item, name: str, own: NewRows | None, answers: Answers | None) -> int | None:
    """Show the map and the table; return the row that the visitor wants in Fill in, if any.

    Without rows or answers, only the map is shown. The browser then has the map before rows arrive.
    """
    layers = item.model.layers_ if item.model.capabilities.layers else ()
    deep = len(layers) > 1
    store = f"{name}|layer 1" if deep else name
    key = f"rows|{name}"
    opened = f"rows_open|{name}"
    wanted = _sent(key, "open")
    if wanted is not None:
        st.session_state[opened] = wanted
    address = ""
    if own is not None and answers is not None:
        packed = _packed(item, own, answers, st.session_state.get(opened))
        address = parcels.hold(packed)
    with room_for("rows"):
        show_rows(
            key=key,
            data={
                "store": store,
                "deep": deep,
                "file": "" if own is None else own.mark,
                "address": address,
                "names": names_data(item, space_of(item, 0)),
            },
            on_open_change=_nothing,
            on_fill_change=_nothing,
        )
        bytes_of = _layers(item, store) if deep else _map(item, name)
        hold_bytes(key=f"bytes|rows|{store}", data=bytes_of)
    return _sent(key, "fill")


def _packed(item: Item, own: NewRows, answers: Answers, opened: int | None) -> bytes:
    near = [[words_of_row(item.dataset, row) for row in rows] for rows in answers.nearest.tolist()]
    learnt = Chart.of(item.model, item.dataset).columns
    return pack_new_rows(answers, own.values, texts(own), near, item.dataset, learnt, opened)


def _map(item: Item, name: str) -> bytes:
    return packed_map(Chart.of(item.model, item.dataset), name)


@st.cache_data(max_entries=4, show_spinner=False)
def _layers(_item: Item, store: str) -> bytes:
    return pack_layers(_item.model, _item.dataset, 0, store)


def _nothing() -> None:
    """Do nothing: the next run reads the value that the component sent."""


def _sent(key: str, value: str) -> int | None:
    """Return the number of the row that the component has just sent, if any."""
    sent = sent_by(key, value)
    return int(sent) if isinstance(sent, int | float) and sent >= 0 else None
