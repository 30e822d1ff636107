"""The five rooms of the app and their addresses; and the way back into the app for deep links."""

from contextlib import nullcontext

import streamlit as st

ROUTED = "routed"  # session key: this session has been through app.py

PAGES = (
    ("pages/gallery.py", "Gallery", ":material/grid_view:"),
    ("pages/explore.py", "Explore", ":material/explore:"),
    ("pages/compare.py", "Compare", ":material/compare:"),
    ("pages/train.py", "Train", ":material/model_training:"),
    ("pages/learn.py", "Learn", ":material/school:"),
)


def route() -> st.Page:
    """Declare all pages, the first as the landing page; returns the one to run.

    Without icons: the browser would fetch a page's icon for its tab from a server far away.
    """
    st.session_state[ROUTED] = True
    return st.navigation(
        [st.Page(path, title=title, default=path == PAGES[0][0]) for path, title, _ in PAGES],
        position="top",
    )


def bottom_bar(here: str) -> None:
    """The five rooms at the lower edge of a phone, where Streamlit would hide them in a sidebar.

    The stylesheet shows it on narrow screens only, and marks the room whose title is `here`.
    """
    with st.container(horizontal=True, gap=None, key="rooms"):
        for path, title, icon in PAGES:
            with st.container(key="room_here") if title == here else nullcontext():
                st.page_link(path, label=title, icon=icon)


def enter_through_app() -> None:
    """Call first on every page: starts the app around a page that was run without it.

    Until the first call of st.navigation in a server's life, Streamlit takes the folder pages/ for
    a multipage app of the old kind and runs the page of a deep link alone, without app.py.
    Declaring the pages ends that for the whole server; the rerun then comes through app.py.
    """
    if ROUTED not in st.session_state:
        route()
        st.rerun()
