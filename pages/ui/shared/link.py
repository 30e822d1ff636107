"""The page's link: what it says of the page, written without a step in the browser's history."""

import streamlit as st

from pages.ui.shared.component import write_link


def keep_in_link(**parameters: str) -> None:
    """Write what the page shows into the link, which Back and Forward then find there.

    For what the link does not say yet; Python sees it there at the next run.
    """
    known = st.query_params.to_dict()
    if any(known.get(name) != value for name, value in parameters.items()):
        write_link(key=f"link|{'|'.join(parameters)}", data=parameters)


def go_to(*dropped: str, **parameters: str) -> None:
    """Change the link in one step, to which Back returns; dropped: parameters that it loses."""
    known = st.query_params.to_dict()
    wanted = {name: value for name, value in known.items() if name not in dropped} | parameters
    if wanted != known:
        st.query_params.from_dict(wanted)


def whole_number(text: str | None) -> int | None:
    """What a parameter of the link says; None where it says none, or none that can be meant."""
    return int(text) if text and text.isdecimal() and len(text) < 10 else None
