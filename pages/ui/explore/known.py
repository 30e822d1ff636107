"""The known factors that a map takes out: the value at which it is shown, what they explain."""

from typing import Any

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core import is_factor_left
from gplvm_core.figures.variance_shares import shown_columns, variance_shares_figure
from gplvm_core.readers.names import names_of
from pages.ui.shared.catalogue import ANOTHER, Item, at_level
from pages.ui.shared.inputs import lasting_selectbox, one_of
from pages.ui.shared.plain import plain
from pages.ui.shared.words import percent

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
    words += [ANOTHER] if known.fewest else []
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
        more = f", {known.usual}" if found.at.usual else ""
        if not found.at.values:
            more = ": the average of these, with the scatter between them as noise"
        st.caption(plain(f"All answers are for {found.at.words}{more}."), width="content")
    return found


def what_was_taken_out(item: Item) -> None:
    """Show whether the known factors are still on the map, and what they explain of each column."""
    if item.at is None:
        return
    expander = st.expander(
        "What was taken out",
        icon=":material/filter_alt:",
        on_change="rerun",
        key="explore_taken_out",
    )
    with expander:
        if not expander.open:
            return
        left, shares = _found(item.at.model, item.visit)
        for sentence in left:
            st.markdown(plain(f"{sentence}."))
        names = number_names(item)
        st.plotly_chart(
            variance_shares_figure(shares, names, item.at.names),
            key=f"explore_taken_out|{item.visit}",
            config={"displayModeBar": False},
            alt=f"Shares of the variance of every column. {shares_in_words(shares, names)}",
        )
        st.caption(plain(shares_in_words(shares, names)))


def number_names(item: Item) -> list[str]:
    """Return the names of the columns of numbers, or of all outputs of a table without words."""
    columns, names = item.dataset.columns, names_of(item.dataset)
    if not columns:
        return list(names)
    return [name for name, own in zip(names, columns, strict=True) if own.is_number]


def shares_in_words(shares: dict[str, Array], names: list[str]) -> str:
    """Name the columns that the factors explain most and least, and how many are drawn."""
    shown, own = shown_columns(shares), shares["factors"]
    if not shown:
        return "There is no column of numbers."
    few = f" Of {len(names):,} columns, {len(shown)} are shown." if len(shown) < len(names) else ""
    mean = percent(float(np.nanmean(own)))
    return (
        f"On average, {mean} of a column's variance is taken out; most of "
        f"{names[shown[0]]} ({percent(float(own[shown[0]]))}).{few}"
    )


@st.cache_data(max_entries=8, show_spinner="Measuring what was taken out …")
def _found(_model: Any, name: str) -> tuple[list[str], dict[str, Array]]:
    """Return a sentence for each factor, and the shares of variance of all columns of numbers."""
    shares, links = _model.variance_shares(), _model.posterior_.links
    if links is not None:
        shares = {part: own[links.measured] for part, own in shares.items()}
    return [each.words for each in is_factor_left(_model)], shares
