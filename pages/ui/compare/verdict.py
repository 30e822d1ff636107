"""What speaks for which model: three sentences, the table behind them, and both to take home."""

import warnings
from collections.abc import Callable
from typing import Any

import streamlit as st

from gplvm_core.comparison import (
    Comparison,
    MeasureTable,
    Step,
    advice,
    compare_kept_aside,
    measured,
    refusal,
    table_of,
)
from gplvm_core.offline.compare import MapOf, offline_comparison
from gplvm_core.readers.errors import listed
from gplvm_core.training import ComparisonRun, begin_comparison, comparison_of
from pages.ui.compare.depth_worth import depth_worth_button
from pages.ui.compare.members import NO_DRAWING, Member
from pages.ui.compare.recipes import scaling_of
from pages.ui.shared.about import about, bullets
from pages.ui.shared.catalogue import Item
from pages.ui.shared.plain import plain
from pages.ui.shared.running import rows_for, rows_used, running
from pages.ui.shared.words import file_stem

# What a visitor can wait for; more rows are thinned out evenly, which is said.
MOST_ROWS, SPLITS, N_INDUCING, MAX_ITER = 300, 5, 40, 150


def verdict(first: Item, members: list[Member]) -> None:
    """Below the maps."""
    at_once = {
        member.name: measured_at_once(member, first, f"{member.store}|{member.name}")
        for member in members
    }
    key = "kept aside|" + "|".join(f"{member.name}|{member.store}" for member in members)
    run = comparison_of(key)
    found = run.result if run is not None and isinstance(run.result, Comparison) else None
    st.header("Which one should I use?", anchor=False)
    words = advice(at_once, found)
    st.markdown("\n".join(f"- {plain(sentence)}" for sentence in words))
    trial(first, members, key, run)
    told = table_of(at_once, found)
    st.html(told.to_html())
    if run is None or found is None:
        st.caption(
            "No best is marked here: of what was measured once, on rows that the models have seen, "
            "nobody knows how much is chance."
        )
    for note in told.notes:
        st.caption(plain(note))
    take_home(told, first, members, words)
    noted(members)
    depth_worth_button(first.key)


def noted(members: list[Member]) -> None:
    """What the models say of themselves and of these data, each thing once."""
    found: dict[str, list[str]] = {}
    for member in members:
        for note in getattr(member.model, "notes_", ()):
            found.setdefault(note, []).append(member.name)
    if found:
        told = tuple(f"{note} ({listed(names)})" for note, names in found.items())
        about(*bullets(told), title="About these models")


@st.cache_data(max_entries=32, show_spinner="Measuring the maps …")
def measured_at_once(_member: Member, _first: Item, store: str) -> dict[str, float]:
    data = _first.dataset
    by_column = scaling_of(data) == "columns"
    return measured(_member.placed, data.values, data.labels, by_column=by_column)


def trial(first: Item, members: list[Member], key: str, run: ComparisonRun | None) -> None:
    """The button that has the models tried on rows kept aside, and how far that is."""
    if running(key, "compare", "Keeps the splits that are finished."):
        return
    if run is not None and run.problem is not None:
        st.error(plain(run.problem), icon=":material/error:")
    rows = rows_for(first.dataset, MOST_ROWS)
    able = {member.name: member.model for member in members if refusal(member.model) is None}

    def begin_trial() -> None:
        begin_comparison(key, lambda callback: tried(first, able, rows, callback))

    st.button(
        "Try again" if run is not None else "Try them on rows kept aside",
        key="compare_try",
        type="primary" if run is None else "secondary",
        icon=":material/balance:",
        help=f"Trains every model anew on {SPLITS} random parts of the rows and judges it by the "
        "others, beside probabilistic PCA and a Gaussian mixture. It goes on if you leave.",
        on_click=begin_trial,
    )
    used = rows_used(first.dataset, rows, "a minute or two")
    st.caption(" ".join([used, *refused(members)]))


def refused(members: list[Member]) -> list[str]:
    """Who cannot be tried, and why."""
    why = {member.name: refusal(member.model) for member in members}
    return [f"Without {plain(name)}: {plain(words)}." for name, words in why.items() if words]


def tried(
    first: Item, models: dict[str, Any], rows: Any, callback: Callable[[Step], None]
) -> Comparison:
    """Models of the same kinds, smaller where they would take long."""
    dataset = first.dataset
    labels = None if dataset.labels is None else dataset.labels[rows]
    with warnings.catch_warnings(action="ignore"):  # of parts of the rows nothing is told
        return compare_kept_aside(
            {name: smaller(model) for name, model in models.items()},
            dataset.values[rows],
            labels,
            scaling=scaling_of(dataset),
            cv=SPLITS,
            callback=callback,
        )


def smaller(model: Any) -> Any:
    """With fewer inducing inputs and steps, for parts of the rows."""
    from sklearn.base import clone

    most = {"n_inducing": N_INDUCING, "max_iter": MAX_ITER, "n_restarts": 1}
    asked = model.get_params()
    fewer = {
        name: min(asked[name] or value, value) for name, value in most.items() if name in asked
    }
    if "n_jobs" in asked:
        fewer["n_jobs"] = None
    return clone(model).set_params(**fewer)


def take_home(
    told: MeasureTable, first: Item, members: list[Member], words: tuple[str, ...]
) -> None:
    """The table as files, and everything as one page."""
    stem = f"compare-{file_stem(first.title)}"
    with st.container(horizontal=True):
        for label, text, end, kind in (
            ("Table as CSV", told.to_csv, "csv", "text/csv"),
            ("As text", told.to_markdown, "md", "text/markdown"),
            (
                "All as one HTML file",
                lambda: whole_page(told, first, members, words),
                "html",
                "text/html",
            ),
        ):
            st.download_button(
                label,
                text,
                f"{stem}.{end}",
                kind,
                on_click="ignore",
                icon=":material/download:",
                key=f"compare_take_{end}",
                help="Opens in any browser, without a network and without this program."
                if end == "html"
                else None,
            )


def whole_page(
    told: MeasureTable, first: Item, members: list[Member], words: tuple[str, ...]
) -> str:
    """Linked maps, sentences and table in one file."""
    maps = [
        MapOf(member.name, member.facts, member.chart, member.positions, NO_DRAWING)
        for member in members
    ]
    return offline_comparison(
        maps,
        f"Models of {first.dataset.title}",
        words=words,
        table=told.to_html(),
        source=" ".join((first.dataset.source, *told.notes)),
    )
