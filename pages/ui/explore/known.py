"""The value of the known factors at which a map shows its outputs."""

import streamlit as st

from pages.ui.shared.catalogue import Item, at_level
from pages.ui.shared.inputs import lasting_selectbox, one_of
from pages.ui.shared.plain import plain

SIDE_BY_SIDE = 5  # more values, and longer ones, are in a menu
LETTERS = 40


def chosen_level(item: Item) -> Item:
    """Ask for a value of the known factors that the map takes out; return the map at this value.

    Return maps without such factors unchanged.
    """
    known = getattr(item.model, "known_", None)
    if known is None:
        return item
    words = [known.words(point) for point in known.choices]
    usual = at_level(item).at
    assert usual is not None
    first = words.index(usual.words)
    label, key = plain(usual.names), f"explore_level|{item.key}"
    numbers = {number: plain(word) for number, word in enumerate(words)}
    with st.container(horizontal=True, vertical_alignment="bottom", key="known_level"):
        if len(words) <= SIDE_BY_SIDE and sum(map(len, words)) <= LETTERS:
            number = one_of(label, numbers, key, usual=first)
        else:
            number = lasting_selectbox(
                label, [*numbers], first, format_func=words.__getitem__, key=key, width=240
            )
        found = at_level(item, number)
        assert found.at is not None
        most = ", the most frequent value" if found.at.usual else ""
        st.caption(plain(f"Rows are drawn for {found.at.words}{most}."), width="content")
    return found
