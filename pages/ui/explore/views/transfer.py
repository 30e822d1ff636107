"""Predictions of the other views from one given view, and the rows that correspond."""

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.figures.view_parts import MOST_NAMED_VIEWS, Part
from gplvm_core.models.problems.segmentation import LEAST_DROP
from gplvm_core.readers.errors import plural
from gplvm_core.wire.views import WHOLE, ViewRows, is_label_view
from pages.ui.explore.views.desk import Desk, choose, desk, keep
from pages.ui.explore.views.model import (
    Private,
    matched,
    parts_at,
    shares_something,
    transferred,
    whole_from,
)
from pages.ui.explore.views.strip import Pictures, Tile
from pages.ui.shared.catalogue import Item
from pages.ui.shared.outputs import draws_whole, rows_of_views
from pages.ui.shared.plain import plain
from pages.ui.shared.words import words_of_row

N_MATCHES = 6
MOST_ALTERNATIVES = 6
MOST_GIVEN = 8  # given views to draw, if there are many
PRIVATES: dict[Private, str] = {"nearest": "Alternatives", "prior": "Average"}
PRIVATE_WORDS = (
    "The given view leaves some dimensions open. Each **alternative** takes them from one training "
    "row that is near in the shared dimensions. The **average** over all possible values is one "
    "picture, blurred where the alternatives differ."
)


@st.fragment
def from_view_to_view(item: Item, name: str) -> None:
    """The choices, the alternatives beside the truth, and the correspondences."""
    st.header(
        "Given one view, show the others",
        anchor=False,
        help="The model looks for the place on the map that explains the given view, and draws the "
        "other views there.",
    )
    rows = rows_of_views(item.dataset)
    # The threshold that the model uses when it looks for matches.
    parts = parts_at(item.model, LEAST_DROP)
    kept = ask(item, name)
    values = {view: rows[view].values[kept.row] for view in kept.given}
    missing = [view for view in kept.given if np.isnan(values[view]).all()]
    if missing or not kept.given:
        st.info(
            f"Row {kept.row + 1} has no view “{plain(missing[0])}”; give another view or "
            "another row."
            if missing
            else "Choose at least one view to give.",
            icon=":material/info:",
        )
        return
    if kept.to == WHOLE:
        whole(item, name, kept, values, rows)
    else:
        wanted = [kept.to] if kept.to else [view for view in item.views if view not in kept.given]
        pictures = Pictures({view: rows[view] for view in (*kept.given, *wanted)})
        left, right = st.columns([1, 5], gap="medium")
        with left:
            st.markdown("**Given**")
            tiles = [Tile(view, values[view], view) for view in kept.given[:MOST_GIVEN]]
            st.html(pictures.strip(tiles))
            st.caption(plain(words_of_row(item.dataset, kept.row).capitalize()))
        with right:
            for to in wanted:
                try:
                    answer(item, name, kept, values, to, rows[to], pictures, parts)
                except ValueError as error:
                    st.error(plain(error), icon=":material/error:")
    st.caption(
        "The model saw all views of these rows in training, so predicting them is easier than "
        "predicting new rows. Distances are in lengthscales of the shared dimensions."
    )


def ask(item: Item, name: str) -> Desk:
    """Ask for the row, the given views, and the treatment of the open dimensions."""
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
    """Another row's number, counted from 1."""
    return int((row + np.random.default_rng().integers(1, max(count, 2))) % count) + 1


def ask_views(item: Item, name: str, kept: Desk) -> tuple[tuple[str, ...], str]:
    """With few views, ask for the given one; with many, for the wanted one (empty: all others)."""
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
    """Ask which of many views are given; initially half of them."""
    offered = [view for view in item.views if view != to]
    first = [view for view in kept.given if view in offered] or offered[: len(offered) // 2]
    given = st.multiselect("Given", offered, first, key=f"views_given|{name}|{to}")
    return tuple(view for view in item.views if view in given)


def ask_private(name: str, kept: Desk) -> tuple[Private, int]:
    """Alternatives, and how many, or their average."""
    private: Private = choose(
        "Open dimensions",
        PRIVATES,
        kept.private,
        f"views_private|{name}",
        help=PRIVATE_WORDS,
    )
    if private == "prior":
        return private, kept.count
    count = st.number_input(
        "How many", 1, MOST_ALTERNATIVES, kept.count, key=f"views_count|{name}", width=110
    )
    return private, int(count)


def whole(
    item: Item, name: str, kept: Desk, values: dict[str, Array], rows: dict[str, ViewRows]
) -> None:
    """A row of many views, some of them given, as one picture."""
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
    st.caption(plain(words_of_row(item.dataset, kept.row).capitalize()))


def answer(
    item: Item,
    name: str,
    kept: Desk,
    values: dict[str, Array],
    to: str,
    rows: ViewRows,
    pictures: Pictures,
    parts: tuple[Part, ...],
) -> None:
    """The predictions of one view, and the training rows that correspond."""
    if not shares_something(parts, kept.given, to):
        st.info(
            f"“{plain(to)}” shares no dimension with the given views, so they cannot predict it.",
            icon=":material/info:",
        )
        return
    found = transferred(item.model, name, values, to, kept.count, kept.private)
    truth = rows.values[kept.row]
    tiles = [
        Tile(to, row, PRIVATES["prior"].lower() if kept.private == "prior" else f"{number + 1}")
        for number, row in enumerate(found.rows)
    ]
    if not np.isnan(truth).all():
        tiles.append(Tile(to, truth, "the truth", error_in_words(rows, found.rows, truth), True))
    st.markdown(f"**“{plain(to)}” may look like this**")
    st.html(pictures.strip(tiles))
    if kept.private == "nearest" and len(found.rows) < kept.count:
        st.caption(
            f"No more than {plural(len(found.rows), 'alternative')}: "
            + (
                "the other training rows nearby give the same."
                if any(part.views == (to,) and part.dimensions for part in parts)
                else f"“{plain(to)}” has no private dimension that could differ."
            )
        )
    near = matched(item.model, name, values, to, N_MATCHES)
    st.markdown(f"**Rows whose “{plain(to)}” fits best**")
    st.html(
        pictures.strip(
            [
                Tile(
                    to,
                    rows.values[row],
                    "the row itself" if row == kept.row else words_of_row(item.dataset, int(row)),
                    f"distance {distance:.2f}",
                    bool(row == kept.row),
                )
                for row, distance in zip(near.rows, near.distances, strict=True)
            ]
        )
    )


def error_in_words(rows: ViewRows, found: Array, truth: Array) -> str:
    """How far the nearest of the alternatives is from the truth."""
    if is_label_view(rows) or not len(found):
        return ""
    errors = np.sqrt(np.nanmean((found - truth) ** 2, axis=1))
    best = int(np.argmin(errors))
    which = f"{best + 1} is closest, off by" if len(found) > 1 else "off by"
    return f"{which} {errors[best]:.3g}"
