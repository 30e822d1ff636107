"""The known factors that a map takes out: the value at which it is shown, what they explain."""

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core import is_factor_left
from gplvm_core.figures.variance_shares import shown_columns, variance_shares_figure
from gplvm_core.models.data.known import TakenOut
from gplvm_core.readers.names import names_of
from gplvm_core.wire.levels import Levels
from gplvm_core.wire.model import Chart
from pages.ui.shared.catalogue import ANOTHER, Item, at_level
from pages.ui.shared.component import sent_by
from pages.ui.shared.inputs import one_of
from pages.ui.shared.link import go_to, whole_number
from pages.ui.shared.plain import plain
from pages.ui.shared.words import percent

SIDE_BY_SIDE = 5  # more values, and longer ones, are in a menu
LETTERS = 40
LEVEL = "level"  # parameter of the link


def chosen_level(item: Item, *, on_map: bool) -> Item:
    """Return the map at the value of its known factors that the link names, or at the usual one.

    on_map: the map itself has the choice; else ask for the value. Return maps without such factors
    unchanged.
    """
    known = getattr(item.model, "known_", None)
    if known is None:
        return item
    words = level_words(known)
    usual = Levels.of(item.model).first
    asked = whole_number(st.query_params.get(LEVEL))
    number = usual if asked is None or not 0 < asked <= len(words) else asked - 1
    found = at_level(item, number)
    assert found.at is not None
    if on_map:
        return found
    label, key = plain(found.at.names), f"explore_level|{item.key}|{number}"
    numbers = {number: plain(word) for number, word in enumerate(words)}
    with st.container(horizontal=True, vertical_alignment="bottom", key="known_level"):

        def switch() -> None:
            take_level(st.session_state[key])

        if len(words) <= SIDE_BY_SIDE and sum(map(len, words)) <= LETTERS:
            one_of(label, numbers, key, usual=number, lasts=False, on_change=switch)
        else:
            st.selectbox(
                label,
                [*numbers],
                number,
                format_func=words.__getitem__,
                key=key,
                width=240,
                on_change=switch,
            )
        st.caption(_answers_for(found), width="content")
    return found


def level_words(known: TakenOut) -> list[str]:
    """Return the values to choose from in words."""
    return [*map(known.words, known.choices), *([ANOTHER] if known.fewest else [])]


def take_level(number: int) -> None:
    """Put a value, counted from 0, into the link."""
    go_to(**{LEVEL: str(number + 1)})


def take_sent_level(key: str) -> None:
    """Put the value that a map sent into the link; key: that of the map's component."""
    number = sent_by(key, "level")
    if isinstance(number, int):
        take_level(number)


def _answers_for(item: Item) -> str:
    """Say at which value all answers are."""
    assert item.at is not None
    more = f", {item.at.model.known_.usual}" if item.at.usual else ""
    if not item.at.values:
        more = ": the average of these, with the scatter between them as noise"
    return plain(f"All answers are for {item.at.words}{more}.")


def chart_of(item: Item) -> Chart:
    """Return a map's chart; the browser switches between the values of its known factors."""
    if item.at is None:
        return Chart.of(item.model, item.dataset)
    levels = Levels.of(item.at.model)
    if item.at.model.known_.fewest:
        levels = replace(levels, other=ANOTHER)
    if item.at.values:
        return replace(Chart.of(item.at.model, item.dataset), levels=levels)
    levels = replace(levels, points=levels.points[:0])
    return replace(Chart.of(item.model, item.dataset), levels=levels)


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
        st.caption(_answers_for(item))
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
