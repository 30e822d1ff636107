"""Streamlit components that draw in the browser; their bytes are sent separately."""

from typing import TYPE_CHECKING, Any, cast

import streamlit as st

from gplvm_core.offline.scripts import asset, script
from pages.ui.shared.parcels import parcels

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer
    from streamlit.delta_generator import DeltaGenerator


def component(name: str, html: str, *styles: str) -> "ComponentRenderer":
    """A component of assets/canvas: its HTML, its styles, and streamlit/{name}.js with its imports.

    styles: in addition to those of the kit, which all components share.
    """
    return _keyed(
        st.components.v2.component(
            f"manifolio_{name}",
            html=asset(html),
            css=asset("kit/kit.css", *styles),
            js=script(f"streamlit/{name}.js"),
        )
    )


def _keyed(renderer: "ComponentRenderer") -> "ComponentRenderer":
    """Return the component for keys with any characters, since keys contain names of data."""

    def mount(*, key: str, **others: Any) -> Any:
        return renderer(key=plain_key(key), **others)

    return cast("ComponentRenderer", mount)


def plain_key(key: str) -> str:
    """The key under which Streamlit stores the state of a component."""
    # Streamlit refuses two underscores in a row; an invisible word joiner separates them.
    return key.replace("__", "_\u2060_").replace("__", "_\u2060_")


def room_for(drawing: str, place: int | None = None) -> "DeltaGenerator":
    """A container with the height of its later content, so that the content below does not move.

    drawing: a name whose height is in the stylesheet; place: distinguishes several on a page.
    """
    return st.container(gap=None, key=f"room_{drawing}" + ("" if place is None else f"_{place}"))


def hold_bytes(key: str, data: bytes) -> None:
    """Framed bytes in the browser under a name, for components; fetched once."""
    _store(key=key, data={"address": parcels.hold(data)})


_store = _keyed(st.components.v2.component("manifolio_store", js=script("streamlit/store.js")))

# Call with key and data (within: class of a container, words: labels before and after a click):
# buttons in the container change their label immediately.
answer_at_once = _keyed(
    st.components.v2.component("manifolio_at_once", js=script("streamlit/at_once.js"))
)

# Call with key and data (parameters): writes the parameters into the link.
write_link = _keyed(st.components.v2.component("manifolio_link", js=script("streamlit/link.js")))

# Call with key: expanders of the page stay open or closed as the visitor left them.
remember_folds = _keyed(
    st.components.v2.component("manifolio_folds", js=script("streamlit/page_folds.js"))
)

# Call with key and data (of: what the page shows, kind: the type of content): scrolls to the top
# when the content changes.
begin_at_top = _keyed(st.components.v2.component("manifolio_top", js=script("streamlit/top.js")))
