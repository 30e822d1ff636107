"""A new film of one view; the model infers another view, jointly for all frames."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.datasets import Dataset
from gplvm_core.prediction.paths import StepCallback
from gplvm_core.readers.errors import plural
from gplvm_core.readers.kinds import in_own_values
from gplvm_core.readers.names import names_of
from gplvm_core.readers.tables.csv_text import csv_text
from gplvm_core.wire.sequence import Cue, Reel, SequencePanel, pack_reel, pack_stage
from gplvm_core.wire.views import ViewRows, is_label_view
from pages.ui.explore.cards import Chances, cards, chances_at
from pages.ui.explore.inference import filling
from pages.ui.explore.shown_player import show_player, stores
from pages.ui.explore.views.model import charts_of
from pages.ui.shared.catalogue import Item
from pages.ui.shared.component import hold_bytes, room_for
from pages.ui.shared.dimension_names import names_data, space_of
from pages.ui.shared.download import download
from pages.ui.shared.intervals import inside_in_words, learning_in_words, of_film
from pages.ui.shared.outputs import as_given, as_numbers
from pages.ui.shared.plain import plain
from pages.ui.shared.telling import errors_told
from pages.ui.shared.words import file_stem

ANSWERS = 2  # the number of answers for each frame alone
WITH_TIME, FIRST, SECOND = "With time", "Alone: first answer", "Alone: second answer"
DIFFERENT = 0.5  # answers count as different beyond this number of the view's standard deviations


@dataclass(frozen=True, eq=False)
class Film:
    """A film: rows (n, D) of one view in the order of their times, and the wanted view.

    truth: the wanted view of the rows, if it is known.
    """

    given: str
    rows: Array
    times: Array
    to: str
    truth: Array | None = None
    mark: str = ""


@dataclass(frozen=True, eq=False)
class Followed:
    """The wanted view of a film, inferred with time (n, D), and for each frame alone (n, 2, D)."""

    together: Array
    std: Array
    alone: Array
    path: Array
    path_std: Array


def follow(model: Any, film: Film, rows: dict[str, ViewRows], callback: StepCallback) -> Followed:
    """Infer all frames together, and each frame alone."""
    given = as_given(rows, {film.given: film.rows})
    alone = model.transfer(given, film.to, n_alternatives=ANSWERS)
    together = model.transfer(
        given, film.to, times=film.times, return_std=True, return_latent=True, callback=callback
    )
    values, std, path, path_std = together
    each = [as_numbers(rows[film.to], alone[:, k]) for k in range(ANSWERS)]
    together = as_numbers(rows[film.to], values)
    return Followed(together, std, np.stack(each, axis=1), path, path_std)


def show_film(item: Item, name: str, rows: dict[str, ViewRows], film: Film) -> None:
    """Infer and play the film: the given view, the answer that uses time, and those that do not."""
    asked, key = f"views_film_asked|{name}", f"{name}|{film.mark}|{film.given}|{film.to}"
    stopped = st.session_state.get(asked) == key
    if stopped:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown("Cancelled.", width="content")
            st.button("Follow the film", on_click=lambda: st.session_state.pop(asked, None))
        return
    known = st.session_state.get(f"views_film|{name}")
    if known is not None and known[0] == key:
        found: Followed | None = known[1]
    else:
        found = None
        with errors_told():
            found = filling(
                key,
                partial(follow, item.model, film, rows),
                lambda: st.session_state.update({asked: key}),
            )
    if found is None:
        return
    st.session_state[f"views_film|{name}"] = key, found
    reel = reel_of(item.model, rows, film, found)
    chart = charts_of(item.model, item.dataset)[film.to]
    own = stores(f"views film|{name}")
    with room_for("player"):
        show_player(
            key=f"views_player|{name}",
            data={"stores": own, "names": names_data(item, space_of(item))},
        )
        hold_bytes(key=own["stage"], data=pack_stage(chart, own["stage"]))
        reel_bytes = pack_reel(reel, whole(rows), own["reel"], key, Cue(float(film.times[0]), True))
        hold_bytes(key=own["reel"], data=reel_bytes)
    asked_of = of_film(film.given, film.to)
    words = (
        summary(rows[film.to], film, found),
        inside_in_words(item.model, asked_of),
        learning_in_words(item.model, asked_of),
    )
    st.caption(plain(" ".join(filter(None, words))))
    text = partial(film_csv, rows[film.to], film, found)
    file = f"{file_stem(item.title)}-{file_stem(film.to)}-film.csv"
    download(f"“{film.to}” of the film (CSV)", text, file, icon="table")


def whole(rows: dict[str, ViewRows]) -> Dataset:
    return next(iter(rows.values())).whole


def reel_of(model: Any, rows: dict[str, ViewRows], film: Film, found: Followed) -> Reel:
    """Return the film for the player; rows with words are cards."""
    given, to = rows[film.given], rows[film.to]

    def panel(
        title: str, like: ViewRows, values: Array, chances: Chances | None = None, **more: Any
    ) -> SequencePanel:
        card = cards(like, values, chances or {}) if like.columns else None
        return SequencePanel(title, values, card=card, like=like, **more)

    sure = chances_at(model.of_view(film.to), to, found.path, found.path_std**2)
    panels = [
        panel(f"Given: {film.given}", given, film.rows),
        panel(WITH_TIME, to, found.together, sure, std=found.std),
        *(
            panel(title, to, found.alone[:, k], nothing="no other answer")
            for k, title in enumerate((FIRST, SECOND))
        ),
    ]
    return Reel(
        title="A new film",
        times=film.times,
        panels=tuple(panels),
        latent_mean=found.path,
        latent_variance=found.path_std**2,
    )


def spread_of(rows: ViewRows) -> float:
    """Return the standard deviation of a view's rows around their mean, over all columns."""
    return float(np.sqrt(np.nanmean(np.nanvar(rows.values, axis=0)))) or 1.0


def right_in_words(rows: ViewRows, film: Film, found: Followed) -> str:
    """Describe how many known words of the wanted view are predicted right; "" if there are none.

    The words of all frames are counted, of all columns.
    """
    worded = [d for d, column in enumerate(rows.columns) if column.is_words]
    if film.truth is None or np.isnan(film.truth[:, worded]).all():
        return ""
    truth = film.truth[:, worded]
    known = ~np.isnan(truth)
    together, alone = (
        int(np.sum(each[:, worded][known] == truth[known]))
        for each in (found.together, found.alone[:, 0])
    )
    words = plural(int(known.sum()), "word")
    return f" Of {words}, {together:,} are right with time, and {alone:,} frame by frame."


def apart(first: Array, second: Array) -> Array:
    """Return the root mean square difference (n,) of rows, NaN if one of the two is missing."""
    return np.asarray(np.sqrt(np.mean((first - second) ** 2, axis=1)))


def summary(rows: ViewRows, film: Film, found: Followed) -> str:
    """Describe how many frames have two answers, what time decided, and the errors if known."""
    if rows.columns:
        words = f"The model infers the {plural(len(film.rows), 'frame')} together."
        return words + right_in_words(rows, film, found)
    first, second = found.alone[:, 0], found.alone[:, 1]
    two = apart(first, second) > DIFFERENT * spread_of(rows)
    frames = plural(len(film.rows), "frame")
    if is_label_view(rows) or not two.any():
        words = f"Each of the {frames} has only one answer, even without the other frames."
    else:
        changed = two & (apart(found.together, second) < apart(found.together, first))
        words = (
            f"Without the other frames, the view “{film.given}” has two different answers in "
            f"{two.sum():,} of {frames}. Time chose the second answer in {changed.sum():,} of "
            "these frames."
        )
    if film.truth is not None and not np.isnan(film.truth).all():
        together, alone = (
            float(np.sqrt(np.nanmean((each - film.truth) ** 2))) for each in (found.together, first)
        )
        words += f" Error per value: {together:.2g} with time, {alone:.2g} frame by frame."
    return words


def film_csv(rows: ViewRows, film: Film, found: Followed) -> bytes:
    """Write the wanted view with its standard deviations, a line for every frame."""
    names = names_of(rows)
    header = ["time", *names, *(f"{name} std" for name in names)]
    table = in_own_values(rows.columns, found.together) if rows.columns else found.together
    lines = np.column_stack([film.times, table, found.std]).tolist()
    return csv_text([header, *(list(map(_cell, line)) for line in lines)]).encode()


def _cell(value: Any) -> str:
    """Write a number with eight digits, and a missing number as an empty cell."""
    if isinstance(value, str):
        return value
    return "" if np.isnan(value) else f"{value:.8g}"
