"""The pages of the app and their addresses; and the way back into the app for deep links."""

import streamlit as st

ROUTED = "routed"  # session key: this session has been through app.py

# Without icons: the browser would fetch a page's icon for its tab from a server far away.
PAGES = (
    ("pages/gallery.py", "Gallery"),
    ("pages/explore.py", "Explore"),
    ("pages/dynamics.py", "Dynamics"),
    ("pages/views.py", "Views"),
    ("pages/depth.py", "Depth"),
    ("pages/complete.py", "Complete"),
    ("pages/compare.py", "Compare"),
    ("pages/train.py", "Train"),
    ("pages/library.py", "Library"),
    ("pages/learn.py", "Learn"),
)


def route() -> st.Page:
    """Declare all pages, the first as the landing page; returns the one to run."""
    st.session_state[ROUTED] = True
    return st.navigation(
        [st.Page(path, title=title, default=path == PAGES[0][0]) for path, title in PAGES],
        position="top",
    )


def enter_through_app() -> None:
    """Call first on every page: starts the app around a page that was run without it.

    Until the first call of st.navigation in a server's life, Streamlit takes the folder pages/ for
    a multipage app of the old kind and runs the page of a deep link alone, without app.py.
    Declaring the pages ends that for the whole server; the rerun then comes through app.py.
    """
    if ROUTED not in st.session_state:
        route()
        st.rerun()
