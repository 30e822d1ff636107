"""The five pages of the app and their addresses; restarts deep links through app.py."""

from contextlib import nullcontext

import streamlit as st

ROUTED = "routed"  # session key: whether app.py has run in this session

PAGES = (
    ("pages/gallery.py", "Gallery", ":material/grid_view:"),
    ("pages/explore.py", "Explore", ":material/explore:"),
    ("pages/compare.py", "Compare", ":material/compare:"),
    ("pages/train.py", "Train", ":material/model_training:"),
    ("pages/learn.py", "Learn", ":material/school:"),
)


def route() -> st.Page:
    """Declare all pages, the first as the landing page; return the one to run.

    The pages have no icons, since the browser would fetch icons from an external server.
    """
    st.session_state[ROUTED] = True
    return st.navigation(
        [st.Page(path, title=title, default=path == PAGES[0][0]) for path, title, _ in PAGES],
        position="top",
    )


def bottom_bar(here: str) -> None:
    """Show links to the five pages at the lower edge of a phone; Streamlit would hide them.

    The style sheet shows this bar only on narrow screens, and marks the page with the title `here`.
    """
    with st.container(horizontal=True, gap=None, key="rooms"):
        for path, title, icon in PAGES:
            with st.container(key="room_here") if title == here else nullcontext():
                st.page_link(path, label=title, icon=icon)


def enter_through_app() -> None:
    """Rerun a page through app.py if it ran without it; every page calls this function first.

    Until the server's first call of st.navigation, Streamlit treats the folder pages/ as a
    multipage app of the old kind: it runs the page of a deep link without app.py. This function
    declares the pages, so that Streamlit stops running pages without app.py on the whole server.
    Then it reruns the page through app.py.
    """
    if ROUTED not in st.session_state:
        route()
        st.rerun()
