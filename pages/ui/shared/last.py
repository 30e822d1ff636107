"""The model that was opened last, stored in the session and in the browser for the next visit.

If a link names no model, the browser adds the last one before the page begins. No cookie is used.
"""

import streamlit as st

from gplvm_core.offline.scripts import script
from pages.ui.shared.catalogue import items
from pages.ui.shared.component import write_link

SEEN = "model_seen"  # session key: the model that was opened last
PARAMETER = "last"

_remember = st.components.v2.component("manifolio_last", js=script("streamlit/last.js"))


def recall() -> None:
    """Read the model of the last visit from the browser; ignore a model that no longer exists."""
    key = st.query_params.get(PARAMETER)
    if key is None:
        return
    if SEEN not in st.session_state and key in {each.key for each in items()}:
        st.session_state[SEEN] = key
    write_link(key="link|last", data={PARAMETER: None})


def remember(key: str) -> None:
    """Store the key of the open model."""
    st.session_state[SEEN] = key
    _remember(key="last", data={"model": key})
