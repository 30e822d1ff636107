"""The visitor's rows in the tab Fill in, which the tab New rows has read."""

import streamlit as st

from gplvm_core.readers.new_rows import NewRows
from pages.ui.explore.bring import CHOSEN, bring_training, rows_brought
from pages.ui.explore.fill.items import STRIP, Board, board, keep, nothing_hidden
from pages.ui.explore.head import turn_to
from pages.ui.shared.catalogue import Item
from pages.ui.shared.doors import ROWS
from pages.ui.shared.telling import errors_told


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
