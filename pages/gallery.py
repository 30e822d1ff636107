"""Gallery: an introduction with a live map, followed by the ready models and the user's models."""

import streamlit as st

from pages.ui.gallery.hero import hero
from pages.ui.gallery.mine import mine
from pages.ui.gallery.ready import ready, shelved
from pages.ui.shared.catalogue import library_items
from pages.ui.shared.inputs import one_of
from pages.ui.shared.link import go_to
from pages.ui.shared.routes import enter_through_app

SHELVES = {"ready": ready, "mine": mine}
CONTROL = "gallery_shelf"  # session key


def shelf_bar(shelf: str) -> None:
    """Show the choice between the shelves Ready and Mine."""
    st.session_state[CONTROL] = shelf  # the link takes precedence, also after Back
    titles = {"ready": f"Ready {len(shelved())}", "mine": f"Mine {len(library_items())}"}

    def switch() -> None:
        chosen = st.session_state[CONTROL]
        go_to("shelf", **({} if chosen == "ready" else {"shelf": chosen}))

    with st.container(horizontal=True, vertical_alignment="center", key="gallery_shelves"):
        st.header("Pick a model", anchor=False, width="content")
        one_of("Shelf", titles, CONTROL, lasts=False, hidden=True, on_change=switch)


enter_through_app()
asked = st.query_params.get("shelf", "ready")
shown = asked if asked in SHELVES else "ready"
if shown == "ready":
    hero()
else:
    st.title("Gallery", anchor=False)
shelf_bar(shown)
SHELVES[shown]()
