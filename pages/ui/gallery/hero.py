"""The first screen: the name, one sentence, and a live map of a ready model."""

import streamlit as st

from gplvm_core.wire.model import Chart
from pages.ui.shared.catalogue import gallery_items, open_item
from pages.ui.shared.component import component, hold_bytes, room_for
from pages.ui.shared.doors import MAP, open_own_file
from pages.ui.shared.first_screen import HERO, OWN, SENTENCE, first_pictures
from pages.ui.shared.lead import lead
from pages.ui.shared.packed import packed_map

show_hero = component("hero", "hero/hero.html", "hero/hero.css")


def hero() -> None:
    """Show the name and the sentence, and the map if its model exists."""
    key = HERO if HERO in {each.key for each in gallery_items()} else None
    with st.container(horizontal=True, vertical_alignment="bottom", key="hero_head"):
        with st.container(gap="xxsmall"):
            st.title("Manifolio", anchor=False)
            lead(SENTENCE if key else f"Walk through what a model imagines. {OWN}")
        if key and st.button("Explore this map", type="primary", key="hero_open", icon=MAP.icon):
            MAP.open(key)
        if st.button("Use your own data", key="hero_own", icon=":material/upload_file:"):
            open_own_file()
    if key is not None:
        _live(key)


def _live(key: str) -> None:
    """Show the map; the browser computes the output under the pointer."""
    try:
        item = open_item(key)
    except (ValueError, OSError):  # the model's card further down shows the error
        return
    name = f"{key}|{item.version}"
    first_map, picture = first_pictures(key, item.version)
    with room_for("hero"):
        show_hero(
            key=f"hero|{name}",
            data={"store": name, "map": first_map, "picture": picture},
        )
        hold_bytes(key=f"bytes|{name}", data=packed_map(Chart.of(item.model, item.dataset), name))
