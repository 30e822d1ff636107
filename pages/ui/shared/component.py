"""What draws itself in the browser, as Streamlit components; the bytes for them travel alone."""

from typing import TYPE_CHECKING, Any, cast

import streamlit as st

from gplvm_core.offline.scripts import asset, script
from pages.ui.shared.parcels import parcels

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer
    from streamlit.delta_generator import DeltaGenerator


def component(name: str, html: str, *styles: str) -> "ComponentRenderer":
    """A component of assets/canvas: its html, its styles, and streamlit/{name}.js with its imports.

    styles: beside those of the kit, which all share.
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
    """The same, for keys of any letters: they have names of data in them."""

    def mount(*, key: str, **others: Any) -> Any:
        return renderer(key=plain_key(key), **others)

    return cast("ComponentRenderer", mount)


def plain_key(key: str) -> str:
    """The key under which Streamlit has the state of a component."""
    # Streamlit refuses two underscores in a row; a joint, which nobody sees, parts them.
    return key.replace("__", "_\u2060_").replace("__", "_\u2060_")


def room_for(drawing: str, place: int | None = None) -> "DeltaGenerator":
    """A container as high as what will be drawn in it, before it is there: what is below stays.

    drawing: one of those whose heights the stylesheet has; place: of several on a page.
    """
    return st.container(gap=None, key=f"room_{drawing}" + ("" if place is None else f"_{place}"))


def hold_bytes(key: str, data: bytes) -> None:
    """Framed bytes in the browser, for the component that asks for their name; fetched once."""
    _store(key=key, data={"address": parcels.hold(data)})


_store = _keyed(st.components.v2.component("manifolio_store", js=script("streamlit/store.js")))

# Called with key and data (within: a class, words: by words): buttons that answer with the click.
answer_at_once = _keyed(
    st.components.v2.component("manifolio_at_once", js=script("streamlit/at_once.js"))
)

# Called with key and data (parameters of the link): writes them into the link in place.
write_link = _keyed(st.components.v2.component("manifolio_link", js=script("streamlit/link.js")))

# Called with key and data (of: what the page shows): when that changes, the page is at its top.
begin_at_top = _keyed(st.components.v2.component("manifolio_top", js=script("streamlit/top.js")))
