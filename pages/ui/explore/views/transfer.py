"""Predictions of other views from a given view, and the training rows that correspond to it."""

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.figures.view_parts import MOST_NAMED_VIEWS, Part
from gplvm_core.models.problems.several import LEAST_DROP
from gplvm_core.wire.views import WHOLE, ViewRows
from pages.ui.explore.views.answers import Asked, answers, ask_private, error_in_words
from pages.ui.explore.views.desk import Desk, choose, desk, keep
from pages.ui.explore.views.model import parts_at, whole_from
from pages.ui.explore.views.new_rows import ask_new, for_new_rows
from pages.ui.explore.views.strip import Pictures, Tile
from pages.ui.shared.catalogue import Item
from pages.ui.shared.outputs import draws_whole, rows_of_views
from pages.ui.shared.plain import plain
from pages.ui.shared.words import capital, words_of_row

KNOWN, NEW = "Training rows", "New rows"


@st.fragment
def from_view_to_view(item: Item, name: str, *, of_new: bool = False) -> None:
    """Show the choices, the alternatives beside the truth, and the corresponding rows.

    of_new: whether new rows are shown first.
    """
    st.header(
        "Given one view, show the others",
        anchor=False,
        help="The model finds the position on the map that explains the given view, and draws "
        "the other views at this position.",
    )
    rows = rows_of_views(item.dataset)
    # The model uses the same threshold when it looks for corresponding rows.
    parts = parts_at(item.model, LEAST_DROP)
    first = NEW if of_new else KNOWN
    line = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    with line:
        whose = choose("Rows", {each: each for each in (KNOWN, NEW)}, first, f"views_whose|{name}")
    if whose == NEW:
        with line:
            views = ask_new(item, name)
        for_new_rows(item, name, *views, parts, rows)
    else:
        for_known_rows(item, name, parts, rows)


def for_known_rows(
    item: Item, name: str, parts: tuple[Part, ...], rows: dict[str, ViewRows]
) -> None:
    """Ask which views of a training row are given, and show the others beside the truth."""
    kept = ask(item, name)
    values = {view: rows[view].values[kept.row] for view in kept.given}
    missing = [view for view in kept.given if np.isnan(values[view]).all()]
    if missing or not kept.given:
        st.info(
            f"Row {kept.row + 1} has no view “{plain(missing[0])}”. Choose another view or another "
            "row."
            if missing
            else "Choose at least one given view.",
            icon=":material/info:",
        )
        return
    if kept.to == WHOLE:
        whole(item, name, kept, values, rows)
    else:
        wanted = [kept.to] if kept.to else [view for view in item.views if view not in kept.given]
        truth = {view: rows[view].values[kept.row] for view in wanted}
        words = capital(words_of_row(item.dataset, kept.row))
        asked = Asked(values, truth, words, kept.private, kept.count, kept.row)
        answers(item, name, asked, wanted, rows, parts)
    st.caption(
        "The model saw all views of these rows in training, so new rows are harder to predict. "
        "Distances are in lengthscales of the shared dimensions."
    )


def ask(item: Item, name: str) -> Desk:
    """Ask for the row, the given views, and how to treat dimensions that these views leave open."""
    kept = desk(name)
    count = item.dataset.n_points
    with st.container(
        horizontal=True, vertical_alignment="bottom", gap="medium", key="views_question"
    ):
        widget = f"views_row|{name}"
        st.session_state.setdefault(widget, min(kept.row, count - 1) + 1)
        row = st.number_input("Row", 1, count, key=widget, width=130) - 1
        st.button(
            "Another",
            icon=":material/casino:",
            key=f"views_other|{name}",
            on_click=lambda: st.session_state.update({widget: other_row(kept.row, count)}),
        )
        given, to = ask_views(item, name, kept)
        private, alternatives = kept.private, kept.count
        if to != WHOLE:
            private, alternatives = ask_private(name, kept)
    if len(item.views) > MOST_NAMED_VIEWS:
        given = ask_given(item, name, kept, to)
    return keep(name, row=int(row), given=given, to=to, private=private, count=alternatives)


def other_row(row: int, count: int) -> int:
    """Return the number of a random other row, counted from 1; row: the present row's number."""
    return int((row + np.random.default_rng().integers(1, max(count, 2))) % count) + 1


def ask_views(item: Item, name: str, kept: Desk) -> tuple[tuple[str, ...], str]:
    """Ask for the given view; with many views, ask for the wanted view (empty: all others)."""
    views = item.views
    if len(views) <= MOST_NAMED_VIEWS:
        first = kept.given[0] if kept.given else views[0]
        view = choose("Given", {view: view for view in views}, first, f"views_given|{name}")
        return (view,), ""
    possible = ((WHOLE,) if draws_whole(item.dataset) else ()) + views
    wanted = st.selectbox(
        "Show",
        possible,
        index=possible.index(kept.to) if kept.to in possible else 0,
        key=f"views_to|{name}",
        width=180,
    )
    return (), wanted


def ask_given(item: Item, name: str, kept: Desk, to: str) -> tuple[str, ...]:
    """Ask which of many views are given; initially, half of the views are given."""
    offered = [view for view in item.views if view != to]
    first = [view for view in kept.given if view in offered] or offered[: len(offered) // 2]
    given = st.multiselect("Given", offered, first, key=f"views_given|{name}|{to}")
    return tuple(view for view in item.views if view in given)


def whole(
    item: Item, name: str, kept: Desk, values: dict[str, Array], rows: dict[str, ViewRows]
) -> None:
    """Show a row of many views, some of which are given, as one picture."""
    truth = item.dataset.values[kept.row]
    gaps = np.hstack([values.get(v, np.full_like(rows[v].values[0], np.nan)) for v in item.views])
    found = whole_from(item.model, name, values)
    error = error_in_words(rows[WHOLE], found[None], truth)
    tiles = [
        Tile(WHOLE, gaps, "given"),
        Tile(WHOLE, found, "the prediction"),
        Tile(WHOLE, truth, "the truth", error, True),
    ]
    st.html(Pictures({WHOLE: rows[WHOLE]}).strip(tiles))
    st.caption(plain(capital(words_of_row(item.dataset, kept.row))))
