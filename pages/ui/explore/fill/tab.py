"""The tab Fill in, where the model fills hidden parts of a row, or the gaps of a visitor's row."""

import numpy as np
import streamlit as st

from gplvm_core.readers.new_rows import NewRows
from pages.ui.explore.bring import CHOSEN, bring_training, rows_brought
from pages.ui.explore.fill.items import STRIP, Board, Source, board, keep, nothing_hidden, show_row
from pages.ui.explore.fill.painter import painter
from pages.ui.explore.fill.row_form import row_form
from pages.ui.explore.head import turn_to
from pages.ui.shared.about import about, bullets
from pages.ui.shared.catalogue import Item
from pages.ui.shared.density import can_learn, dense, show_learning
from pages.ui.shared.doors import ROWS
from pages.ui.shared.inputs import one_of
from pages.ui.shared.place import MapPlace
from pages.ui.shared.telling import errors_told
from pages.ui.shared.words import TERMS

KEYS = (
    "**Keys.** On the picture, arrow keys move the brush (with Shift in larger steps), Space "
    "hides or shows, [ and ] change the brush's size, and Ctrl+Z undoes a stroke."
)
DENSITY = (
    "**The density of the rows** is a mixture of Gaussians that is derived from the map. It also "
    "uses correlations between columns that the map does not explain. The map and the density "
    "were both tested on gaps of three kinds in held-out rows. The better method fills the gaps "
    "here, and its intervals are calibrated on these held-out rows. Other possibilities "
    "always come from places on the map."
)
ROUNDED = 1e-3  # rounding error of a coordinate in a link; see assets/canvas/map/inspector.js
SOURCES: dict[Source, str] = {"data": "Rows of the data", "own": "Your own rows"}


def fill(item: Item, name: str) -> None:
    """Show the tab for one model."""
    open_kept_row(item, name)
    open_chosen(item, name)
    key = f"complete_source|{name}"
    # Streamlit warns if a widget has both a value in the session and a default.
    st.session_state.setdefault(key, board(name).source)
    source = one_of("Rows", SOURCES, key, lasts=False, hidden=True)
    own = None
    if source == "own":
        own = own_rows(item)
        if own is None:
            return
    keep(name, board(name).on(source or "data"))
    item = dense(item, name)
    show_learning(item, name)
    if own is None:
        offer_all_rows(item)
    if item.dataset.columns:
        row_form(item, name, own)
    else:
        painter(item, name, own)
    about(
        "**What happens.** The model looks for places on its map that explain the visible part, "
        "and generates the rest from these places. The uncertainty has three sources: the "
        "position on the map, the mapping, and the noise.",
        *((DENSITY,) if can_learn(item.model) else ()),
        "**Rows of the data** are training rows: the model has already seen the values that you "
        "hide. To see how well it completes new rows, bring your rows in the tab *New rows*.",
        *(() if item.dataset.columns else (KEYS,)),
        f"**The map.** {TERMS['latent']}",
        *bullets(item.dataset.notes),
    )


def open_kept_row(item: Item, name: str) -> None:
    """Select the training row at the visitor's point on the map, once for every such row."""
    row = kept_row(item)
    state = f"fill_kept_row|{name}"
    if row is not None and st.session_state.get(state) != row:
        st.session_state[state] = row
        show_row(name, item.dataset, row)


def kept_row(item: Item) -> int | None:
    """Return the training row at the point in the link; None if there is no point or no row there.

    The link's coordinates are rounded.
    """
    if item.model.capabilities.views or item.model.capabilities.layers:
        return None
    latent = item.model.latent_mean_
    try:
        point = MapPlace.from_query(st.query_params.to_dict(), latent.shape[1]).point
    except ValueError:
        return None
    if point is None or len(latent) != item.dataset.n_points:
        return None
    away = np.abs(latent - point).max(axis=1)
    row = int(away.argmin())
    return row if away[row] < ROUNDED else None


def own_rows(item: Item) -> NewRows | None:
    """Return the visitor's rows; if there are none, show a button that opens New rows."""
    own = None
    with errors_told():
        own = rows_brought(item)
    if own is None:
        st.markdown("Bring rows in the tab *New rows*, then complete them here.")
        st.button(
            "Bring rows",
            type="primary",
            icon=":material/table_rows:",
            on_click=turn_to,
            args=(item.key, ROWS.tab),
        )
    return own


def open_chosen(item: Item, name: str) -> None:
    """Show the row that the visitor chose in New rows."""
    chosen = st.session_state.pop(CHOSEN, None)
    if chosen is None or chosen[0] != name:
        return
    try:
        own = rows_brought(item)
    except ValueError:  # New rows shows the error
        return
    row = chosen[1]
    if own is None or row >= len(own.values):
        return
    before = board(name)
    turn = before.turn | {"own": row // min(STRIP, len(own.values))}
    shown = f"own {row} {own.mark}"
    # The visitor wants to see the unchanged row, so nothing is hidden at first.
    masks = {shown: nothing_hidden(item.dataset)} | before.masks
    keep(name, Board("own", turn, shown, masks, None))
    st.session_state[f"complete_source|{name}"] = "own"
    st.session_state[f"fill_row|{name}|own {own.mark}"] = row


def offer_all_rows(item: Item) -> None:
    """For training data with gaps, show a button that fills all gaps in New rows."""

    def fill_all() -> None:
        bring_training(item)
        turn_to(item.key, ROWS.tab)

    if item.dataset.missing is not None:
        st.button("Fill all rows in New rows", icon=":material/auto_fix_high:", on_click=fill_all)
