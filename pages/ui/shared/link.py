"""Reads and writes the parameters of the page's link, without new entries in the history."""

import streamlit as st

from pages.ui.shared.component import write_link


def keep_in_link(**parameters: str) -> None:
    """Add missing parameters to the link, so that Back and Forward restore them.

    At the next run, Python reads these parameters from the link.
    """
    known = st.query_params.to_dict()
    if any(known.get(name) != value for name, value in parameters.items()):
        write_link(key=f"link|{'|'.join(parameters)}", data=parameters)


def go_to(*dropped: str, **parameters: str) -> None:
    """Change the link in one step that Back reverts; dropped: parameters to remove."""
    known = st.query_params.to_dict()
    wanted = {name: value for name, value in known.items() if name not in dropped} | parameters
    if wanted != known:
        st.query_params.from_dict(wanted)


def whole_number(text: str | None) -> int | None:
    """Return the value of a parameter of the link; None if it is missing or invalid."""
    return int(text) if text and text.isdecimal() and len(text) < 10 else None
