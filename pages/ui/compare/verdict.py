"""The recommendation: a picture, sentences, and the button that tests on new rows."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st
from numpy import ndarray as Array

from gplvm_core.comparison import (
    Comparison,
    Step,
    advice,
    compare_kept_aside,
    compare_tables_kept_aside,
    looked_at,
    panels_html,
    refusal,
    results,
)
from gplvm_core.models.estimators.with_known import apart_from_known
from gplvm_core.readers.errors import listed
from gplvm_core.training import begin_comparison, comparison_of
from pages.ui.compare.members import Member
from pages.ui.compare.recipes import numbers_of, scaling_of
from pages.ui.shared.catalogue import Item
from pages.ui.shared.plain import plain
from pages.ui.shared.running import ended, rows_for, rows_used, running

# These limit the waiting time. Larger data are thinned evenly, and the page says so.
MOST_ROWS, SPLITS, N_INDUCING, MAX_ITER = 300, 5, 40, 150


@dataclass(frozen=True)
class Verdict:
    """The recommendation: the test on new rows (or None), the picture as HTML, and sentences."""

    tested: Comparison | None
    picture: str
    words: tuple[str, ...]


def verdict(first: Item, members: list[Member]) -> Verdict:
    """Show the recommendation's picture and sentences, and return the recommendation."""
    looked = {member.name: looked_at_once(member, first, member.store) for member in members}
    key = "kept aside|" + "|".join(f"{member.name}|{member.store}" for member in members)
    run = comparison_of(key)
    found = run.result if run is not None and isinstance(run.result, Comparison) else None
    given = results(looked, found)
    words = advice(given)
    apart = [plain(member.name) for member in members if without_factors(member)]
    if apart and first.dataset.labels is None:
        words += (
            f"Known factors are taken out of {listed(apart)}. Rows that are near each other in the "
            "table do not judge such a map.",
        )
    picture = panels_html([member.name for member in members], given)
    st.html(picture)
    with st.container(key="compare_advice"):
        st.markdown("  \n".join(plain(sentence) for sentence in words))
    trial(first, members, key)
    return Verdict(found, picture, words)


def without_factors(member: Member) -> bool:
    """Whether known factors are taken out of a map."""
    return not apart_from_known(member.model)


@st.cache_data(max_entries=32, show_spinner="Measuring the maps …")
def looked_at_once(_member: Member, _first: Item, store: str) -> tuple[str, Array] | None:
    data = _first.dataset
    if data.labels is None and without_factors(_member):
        return None  # rows of one batch are near each other in the table
    by_column = scaling_of(data) == "columns" and not data.columns
    return looked_at(_member.placed, numbers_of(data), data.labels, by_column=by_column)


def trial(first: Item, members: list[Member], key: str) -> None:
    """Show the button that tests the models on new rows, or the progress of the test."""
    if running(key, "compare", "Uses the random splits that are finished."):
        return
    run = ended(key)
    rows = rows_for(first.dataset, MOST_ROWS)
    able = {member.name: member.model for member in members if refusal(member.model) is None}
    without = refused(members)

    def begin_trial() -> None:
        begin_comparison(key, lambda callback: tried(first, able, rows, callback))

    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Test again" if run is not None else "Test on new rows",
            key="compare_try",
            type="primary" if run is None else "secondary",
            icon=":material/balance:",
            help=f"Trains each model, and simpler models, on {SPLITS} random parts of the rows, "
            f"and tests them on the other rows. {rows_used(first.dataset, rows, 'minutes')}",
            on_click=begin_trial,
        )
        if without:
            st.caption(without)


def refused(members: list[Member]) -> str:
    """Return a sentence on the models that cannot be tested, with the reasons."""
    why: dict[str, list[str]] = {}
    for member in members:
        reason = refusal(member.model)
        if reason is not None:
            why.setdefault(reason, []).append(plain(member.name))
    return " ".join(f"Without {listed(names)}: {words}." for words, names in why.items())


def tried(
    first: Item, models: dict[str, Any], rows: Any, callback: Callable[[Step], None]
) -> Comparison:
    """Compare models of the same kinds; large models are reduced to train faster."""
    dataset = first.dataset
    labels = None if dataset.labels is None else dataset.labels[rows]
    small = {name: smaller(model) for name, model in models.items()}
    # Warnings about parts of the rows need not apply to the whole data.
    with warnings.catch_warnings(action="ignore"):
        if dataset.columns:
            return compare_tables_kept_aside(
                small, dataset.columns, dataset.values[rows], cv=SPLITS, callback=callback
            )
        return compare_kept_aside(
            small,
            dataset.values[rows],
            labels,
            scaling=scaling_of(dataset),
            cv=SPLITS,
            callback=callback,
        )


def smaller(model: Any) -> Any:
    """Return an untrained copy with fewer inducing inputs and steps, for parts of the rows."""
    from sklearn.base import clone

    most = {"n_inducing": N_INDUCING, "max_iter": MAX_ITER, "n_restarts": 1}
    asked = model.get_params()
    fewer = {
        name: min(asked[name] if isinstance(asked[name], int) else value, value)
        for name, value in most.items()
        if name in asked
    }
    if "n_jobs" in asked:
        fewer["n_jobs"] = None
    return clone(model).set_params(**fewer)
