"""Complete: hide a part of a row, or bring one with gaps, and see the model fill it in."""

import streamlit as st

from pages.ui.catalogue import Item
from pages.ui.complete_items import Source, board, keep
from pages.ui.complete_table import completed_table, own_rows
from pages.ui.model_head import chosen_key, model_head, model_menu, opened
from pages.ui.painter import painter
from pages.ui.routes import enter_through_app
from pages.ui.words import TERMS

LAST_MODEL = "complete_model"
SOURCES: dict[Source, str] = {"data": "Rows of the data", "own": "Your own rows"}


def nothing_chosen() -> None:
    """What the page is for, and the one button that starts."""
    st.title("Complete", anchor=False)
    st.html(
        '<p class="mf-lead">Paint over a part of a picture, a body or a table row: the model fills '
        "it in from what is left, says how sure it is, and what else it could have been. Rows of "
        "your own with gaps are filled the same way.</p>"
    )
    left, _ = st.columns([1, 2])
    with left:
        model_menu(None, "complete")
        if st.button("See the ready models", type="primary", icon=":material/grid_view:"):
            st.switch_page("pages/gallery.py")


def complete(key: str) -> None:
    """The page for one model."""
    item = opened(key, "Complete", LAST_MODEL)
    if item is None:
        return
    name = f"{key}|{item.version}"
    model_head(item, "complete")
    source = st.segmented_control(
        "Rows",
        list(SOURCES),
        format_func=lambda source: SOURCES[source],
        default=board(name).source,
        required=True,
        key=f"complete_source|{name}",
        label_visibility="collapsed",
    )
    own = None
    if source == "own":
        own = own_rows(item)
        if own is None:
            return
    keep(name, board(name).on(source))
    painter(item, name, own)
    if own is not None:
        completed_table(item, name, own)
    about(item)


def about(item: Item) -> None:
    """What the words mean, and what the page cannot claim."""
    with st.expander("About this page", icon=":material/info:"):
        st.markdown(
            "**What happens.** The model looks for places on its map that explain what is visible, "
            "and generates the rest from there. The uncertainty counts three things: that the "
            "place is not known exactly, that the mapping is not known exactly, and the noise."
        )
        st.markdown(
            "**Rows of the data** are rows that the model was trained on: it has seen them whole. "
            "How well it completes rows that it has never seen, only rows of your own can show."
        )
        st.markdown(
            "**Keys.** On the picture, arrow keys move the brush (with Shift in larger steps), "
            "Space hides or shows, [ and ] change the brush, Ctrl+Z undoes."
        )
        st.markdown(f"**The map.** {TERMS['latent']}")
        for note in item.dataset.notes:
            st.markdown(f"- {note}")


enter_through_app()
current = chosen_key(LAST_MODEL)
if current is None:
    nothing_chosen()
else:
    complete(current)
