"""The tab Fill in: hide a part of a row, or bring one with gaps, and see the model fill it in."""

import streamlit as st

from pages.ui.explore.fill.items import Source, board, keep
from pages.ui.explore.fill.own import offer_all_rows, open_chosen, own_rows
from pages.ui.explore.fill.painter import painter
from pages.ui.explore.fill.row_form import row_form
from pages.ui.shared.about import about, bullets
from pages.ui.shared.catalogue import Item
from pages.ui.shared.density import can_learn, dense, show_learning
from pages.ui.shared.words import TERMS

KEYS = (
    "**Keys.** On the picture, arrow keys move the brush (with Shift in larger steps), Space hides "
    "or shows, [ and ] change the brush, Ctrl+Z undoes."
)
DENSITY = (
    "**The density of the rows** is a mixture of Gaussians that is derived from the map. It also "
    "uses correlations between columns that the map leaves over. The map and the density have "
    "filled gaps of three kinds in held-out rows. The better one fills the gaps here, and its "
    "intervals are calibrated on these rows. Other possibilities are always places on the map."
)
SOURCES: dict[Source, str] = {"data": "Rows of the data", "own": "Your own rows"}


def fill(item: Item, name: str) -> None:
    """The tab for one model."""
    open_chosen(item, name)
    key = f"complete_source|{name}"
    # A widget with a value in the session must not have a default as well.
    st.session_state.setdefault(key, board(name).source)
    source = st.segmented_control(
        "Rows",
        list(SOURCES),
        format_func=lambda source: SOURCES[source],
        required=True,
        key=key,
        label_visibility="collapsed",
    )
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
        "**What happens.** The model looks for places on its map that explain what is visible, "
        "and generates the rest from there. The uncertainty has three sources: the position on "
        "the map, the mapping, and the noise.",
        *((DENSITY,) if can_learn(item.model) else ()),
        "**Rows of the data** are rows that the model saw complete in training. To see how well "
        "it completes new rows, bring rows of your own to the tab *New rows*.",
        *(() if item.dataset.columns else (KEYS,)),
        f"**The map.** {TERMS['latent']}",
        *bullets(item.dataset.notes),
    )
