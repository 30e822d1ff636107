"""The predictions of a row's views, and the training rows that correspond to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.figures.cells import error_units
from gplvm_core.figures.view_parts import Part
from gplvm_core.readers.errors import in_digits, plural
from gplvm_core.wire.views import ViewRows, is_label_view
from pages.ui.explore.views.desk import Desk, choose
from pages.ui.explore.views.model import (
    Private,
    matched,
    shares_something,
    transferred,
    word_chances,
)
from pages.ui.explore.views.strip import Pictures, Tile
from pages.ui.shared.catalogue import Item
from pages.ui.shared.density import named
from pages.ui.shared.plain import plain
from pages.ui.shared.telling import errors_told
from pages.ui.shared.words import percent, words_of_row

N_MATCHES = 6
MOST_ALTERNATIVES = 6
MOST_GIVEN = 8  # largest number of given views that are drawn
MOST_SAID, LEAST_SAID = 5, 0.01  # words of a column, and the least probability of further words
PRIVATES: dict[Private, str] = {"nearest": "Alternatives", "prior": "Average"}
PRIVATE_WORDS = (
    "The given view leaves some dimensions open; each **alternative** copies them from a training "
    "row that is near in the shared dimensions. The **average** over all possible values is a "
    "single picture, blurred where the alternatives differ."
)


@dataclass(frozen=True, eq=False)
class Asked:
    """A row: its given views, (D,) each, its other views if they are known, and its description.

    private, count: how to treat the dimensions that the given views leave open. row: the number of
    a training row.
    """

    values: Mapping[str, Array]
    truth: Mapping[str, Array]
    words: str
    private: Private
    count: int
    row: int | None = None


def ask_private(name: str, kept: Desk) -> tuple[Private, int]:
    """Ask whether to show alternatives, and how many, or their average."""
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


def answers(
    item: Item,
    name: str,
    asked: Asked,
    wanted: Sequence[str],
    rows: dict[str, ViewRows],
    parts: tuple[Part, ...],
) -> None:
    """Show the given views, and beside them the predictions of the wanted views."""
    pictures = Pictures({view: rows[view] for view in (*asked.values, *wanted)})
    left, right = st.columns([1, 5], gap="medium")
    with left:
        st.markdown("**Given**")
        given = list(asked.values.items())[:MOST_GIVEN]
        st.html(pictures.strip([Tile(view, row, view) for view, row in given]))
        st.caption(plain(asked.words))
    with right:
        for to in wanted:
            with errors_told():
                answer(item, name, asked, to, rows, pictures, parts)


def answer(
    item: Item,
    name: str,
    asked: Asked,
    to: str,
    rows: dict[str, ViewRows],
    pictures: Pictures,
    parts: tuple[Part, ...],
) -> None:
    """Show the predictions of one view, and the training rows that correspond."""
    values = dict(asked.values)
    if not shares_something(parts, tuple(values), to):
        st.info(
            f"“{plain(to)}” shares no dimension with the given views, so these views cannot "
            "predict it.",
            icon=":material/info:",
        )
        return
    # One column of words has one answer: its probabilities.
    labels = len(rows[to].columns) == 1 and rows[to].columns[0].is_words
    private: Private = "prior" if labels else asked.private
    found = transferred(item.model, named(item.model, name), values, to, asked.count, private, rows)
    truth = asked.truth.get(to)
    tiles = [
        Tile(to, row, PRIVATES["prior"].lower() if private == "prior" else f"{number + 1}")
        for number, row in enumerate(found.rows)
    ]
    if truth is not None and not np.isnan(truth).all():
        error = error_in_words(rows[to], found.rows, truth)
        tiles.append(Tile(to, truth, "the truth", error, True))
    st.markdown(f"**“{plain(to)}” may look like this**")
    st.html(pictures.strip(tiles))
    for column, chances in word_chances(item.model, name, values, to, rows).items():
        st.markdown(chances_in_words("" if labels else column, chances))
    if private == "nearest" and len(found.rows) < asked.count:
        st.caption(
            f"The model found only {plural(len(found.rows), 'alternative')}, because "
            + (
                "other training rows nearby give the same alternatives."
                if any(part.views == (to,) and part.dimensions for part in parts)
                else f"no axis of this map is of “{plain(to)}” alone, so none can differ by itself."
            )
        )
    near = matched(item.model, name, values, to, N_MATCHES, rows)
    st.markdown(f"**Rows whose “{plain(to)}” fits best**")
    st.html(
        pictures.strip(
            [
                Tile(
                    to,
                    rows[to].values[row],
                    "the row itself" if row == asked.row else words_of_row(item.dataset, int(row)),
                    f"distance {distance}",
                    bool(row == asked.row),
                )
                for row, distance in zip(near.rows, told_apart(near.distances), strict=True)
            ]
        )
    )


def told_apart(values: Array) -> list[str]:
    """Write numbers with as few digits, from 2 to 6, as tell different ones apart."""
    count = len(set(values.tolist()))
    written = [[in_digits(value, digits) for value in values] for digits in range(2, 7)]
    return next((texts for texts in written if len(set(texts)) == count), written[-1])


def chances_in_words(column: str, chances: Sequence[tuple[str, float]]) -> str:
    """Describe the probable words of a column: "species: **Adelie** 93 %, Gentoo 6 %"."""
    (best, highest), *others = chances[:MOST_SAID]
    said = [f"{plain(word)} {percent(chance)}" for word, chance in others if chance >= LEAST_SAID]
    best = f"**{plain(best)}** {percent(highest)}"
    return f"{plain(column)}: " * bool(column) + ", ".join([best, *said])


def error_in_words(rows: ViewRows, found: Array, truth: Array) -> str:
    """Describe how far the nearest alternative is from the true row."""
    if is_label_view(rows) or rows.columns or not len(found):
        return ""
    unit, words = error_units(rows.drawing, rows.values)
    errors = np.sqrt(np.nanmean(((found - truth) / unit) ** 2, axis=1))
    best = int(np.argmin(errors))
    which = f"{best + 1} is closest, with error" if len(found) > 1 else "error"
    return f"{which} {in_digits(errors[best], 3)}{words}"
