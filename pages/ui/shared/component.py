"""Streamlit components that draw in the browser, and the bytes that they fetch."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import streamlit as st

from gplvm_core.offline.scripts import asset, script
from pages.ui.shared.parcels import parcels

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer
    from streamlit.delta_generator import DeltaGenerator


def component(name: str, html: str, *styles: str) -> "ComponentRenderer":
    """Return a component of assets/canvas: HTML, styles, and streamlit/{name}.js with its imports.

    styles: style sheets in addition to the kit's style sheet, which all components share.
    """
    return _keyed(
        st.components.v2.component(
            f"manifolio_{name}",
            html=asset(html),
            css=asset("kit/kit.css", *styles),
            js=imported(script(f"streamlit/{name}.js")),
        )
    )


def imported(text: str) -> str:
    """Return a short script that imports a long one from the server.

    Streamlit sends a component's script again with every change of its data. The browser fetches
    the imported script once, and keeps it for further visits.
    """
    path = parcels.hold_script(text)
    return (
        f"const {{ default: mount }} = await import(location.origin + {path!r});\n"
        "export default mount;\n"
    )


def _keyed(renderer: "ComponentRenderer") -> "ComponentRenderer":
    """Wrap a component so that its key may have any characters; keys contain names of data."""

    def mount(*, key: str, **others: Any) -> Any:
        return renderer(key=plain_key(key), **others)

    return cast("ComponentRenderer", mount)


def plain_key(key: str) -> str:
    """Return the key under which Streamlit stores the state of a component."""
    # Streamlit refuses two underscores in a row; an invisible word joiner separates them.
    return key.replace("__", "_\u2060_").replace("__", "_\u2060_")


def sent_by(key: str, name: str) -> Any:
    """Return what a component has sent under a name; None if it sent nothing.

    Streamlit deletes the state of a component that is no longer drawn, and may still call its
    callback afterwards, if the visitor has meanwhile gone elsewhere.
    """
    state: Any = st.session_state.get(plain_key(key))
    return state.get(name) if isinstance(state, Mapping) else getattr(state, name, None)


def room_for(drawing: str, place: int | None = None) -> "DeltaGenerator":
    """Return a container that already has its content's final height, so that nothing below moves.

    drawing: a name for which the style sheet has a height; place: distinguishes several containers
    on a page.
    """
    return st.container(gap=None, key=f"room_{drawing}" + ("" if place is None else f"_{place}"))


def hold_bytes(key: str, data: bytes) -> None:
    """Make framed bytes available to components under a name; the browser fetches them once."""
    _store(key=key, data={"address": parcels.hold(data)})


_store = _keyed(st.components.v2.component("manifolio_store", js=script("streamlit/store.js")))

# Changes the labels of a container's buttons immediately after a click. Call it with key and data
# (within: the container's class; words: labels before and after).
answer_at_once = _keyed(
    st.components.v2.component("manifolio_at_once", js=script("streamlit/at_once.js"))
)

# Writes parameters into the link. Call it with key and data (parameters).
write_link = _keyed(st.components.v2.component("manifolio_link", js=script("streamlit/link.js")))

# Remembers which expanders the visitor opened or closed. Call it with key.
remember_folds = _keyed(
    st.components.v2.component("manifolio_folds", js=script("streamlit/page_folds.js"))
)

# Presses Back and Next of the tour for the arrow keys. Call it with key.
turn_by_arrows = _keyed(
    st.components.v2.component("manifolio_turning", js=script("streamlit/turning.js"))
)

# Scrolls to the top when the content changes. Call it with key and data (of: the content's name;
# kind: the type of content).
begin_at_top = _keyed(st.components.v2.component("manifolio_top", js=script("streamlit/top.js")))
