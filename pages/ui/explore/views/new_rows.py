"""New rows of one view, for which the model predicts another view: separate rows, or a film."""

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core import load_dataset
from gplvm_core.figures.view_parts import Part
from gplvm_core.readers.calendar_steps import in_brackets
from gplvm_core.readers.new_rows import NewRows
from gplvm_core.wire.sequence import usual_step
from gplvm_core.wire.views import ViewRows
from pages.ui.explore.ask_rows import asked_rows
from pages.ui.explore.bring import Brought, bring, brought, unseen_of
from pages.ui.explore.views.answers import Asked, answers, ask_private
from pages.ui.explore.views.desk import choose, desk, keep
from pages.ui.explore.views.film import Film, show_film
from pages.ui.explore.views.model import shares_something
from pages.ui.explore.views.predicted import predicted_view
from pages.ui.shared.catalogue import Item, one_view
from pages.ui.shared.plain import plain
from pages.ui.shared.telling import errors_told

FILM, SEPARATE = "One film", "Separate rows"


def ask_new(item: Item, name: str) -> tuple[str, str]:
    """Ask for the view of the new rows and the wanted view."""
    possible = {view: view for view in item.views}
    given = choose("View of the new rows", possible, item.views[0], f"views_new|{name}")
    others = [view for view in item.views if view != given]
    if len(others) == 1:
        return given, others[0]
    return given, st.selectbox("Show", others, key=f"views_new_to|{name}|{given}", width=180)


def for_new_rows(
    item: Item,
    name: str,
    given: str,
    to: str,
    parts: tuple[Part, ...],
    rows: dict[str, ViewRows],
) -> None:
    """Ask for rows of one view, and show another view of them."""
    source = one_view(item, given, partly=True)
    begin_with_unseen(source, name)
    own = asked_rows(source, f"{name}|{given}")
    if own is None:
        return
    truth = known_truth(source, own, to)
    timed = item.model.capabilities.timed and np.shape(item.model.times_)[1] == 1
    if len(own.values) > 1 and timed and (step := asked_step(item, name)) is not None:
        times = step * np.array([own.number(n) - 1 for n in range(len(own.values))], dtype=float)
        show_film(item, name, rows, Film(given, own.values, times, to, truth, f"{own.mark}|{step}"))
        return
    count = len(own.values)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        row = 0
        if count > 1:
            row = st.number_input("Row", 1, count, key=f"views_new_row|{name}|{own.mark}") - 1
        private, alternatives = ask_private(name, desk(name))
        keep(name, private=private, count=alternatives)
    title = f"Row {own.number(row)}"
    if own.row_names is not None:
        title += f", {own.row_names[row]}"
    known = {} if truth is None else {to: truth[row]}
    asked = Asked({given: own.values[row]}, known, title, private, alternatives)
    answers(item, name, asked, (to,), rows, parts)
    if shares_something(parts, (given,), to):
        with errors_told():
            predicted_view(item, name, own, given, to, rows)


def begin_with_unseen(source: Item, name: str) -> None:
    """At the first visit, load the model's example film, if there is one."""
    first, unseen = f"views_began|{name}", unseen_of(source)
    if unseen and source.view == source.views[0] and not st.session_state.get(first):
        st.session_state[first] = True
        if brought(source) is None:
            bring(source, Brought(load_dataset(unseen).title, dataset=unseen))


def asked_step(item: Item, name: str) -> float | None:
    """Ask for the time between two rows of a film; return None for separate rows."""
    times = np.asarray(item.model.times_, dtype=float)[:, 0]
    sequences = np.asarray(item.model.sequences_)
    usual = usual_step(np.sort(times[sequences == sequences[0]]))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        how = choose(
            "The rows are",
            {FILM: FILM, SEPARATE: SEPARATE},
            FILM,
            f"views_new_film|{name}",
            help="In a film, the frames before and after an ambiguous frame decide what it shows.",
        )
        if how == SEPARATE:
            return None
        unit = in_brackets(item.dataset.time_unit)
        step = st.number_input(
            f"Time between frames{plain(unit)}",
            min_value=usual / 100.0,
            value=usual,
            format="%.4g",
            key=f"views_new_step|{name}",
            width=180,
        )
    return float(step)


def known_truth(source: Item, own: NewRows, to: str) -> Array | None:
    """Return the true values of the wanted view, if known; a visitor's own rows have none."""
    asked = brought(source)
    if asked is None or not asked.dataset:
        return None
    values = load_dataset(asked.dataset).view_values[to]
    return values[[own.number(n) - 1 for n in range(len(own.values))]]
