"""The numbers behind the verdict: a table grouped by purpose, and the exports."""

from dataclasses import replace

import numpy as np
import streamlit as st

from gplvm_core.comparison import MeasureTable, measured, table_of
from gplvm_core.offline.compare import MapOf, offline_comparison
from gplvm_core.readers.errors import listed
from pages.ui.compare.depth_worth import depth_worth_button
from pages.ui.compare.members import NO_DRAWING, Member
from pages.ui.compare.recipes import numbers_of, scaling_of
from pages.ui.compare.verdict import Verdict
from pages.ui.shared.about import bullets
from pages.ui.shared.catalogue import Item
from pages.ui.shared.download import download
from pages.ui.shared.words import file_stem


def numbers(first: Item, members: list[Member], best: Verdict) -> None:
    """Show the numbers and the notes below the maps."""
    at_once = {
        member.name: measured_at_once(member, first, f"{member.store}|{member.name}")
        for member in members
    }
    table = table_of(at_once, best.tested)
    st.subheader("The numbers", anchor=False)
    st.html(table.to_html())
    notes = (*table.notes, *noted(members))
    if notes:
        with st.expander("Details", icon=":material/info:"):
            for line in bullets(notes):
                st.markdown(line)
    with st.container(horizontal=True, key="compare_files"):
        export(table, first, members, best)
        depth_worth_button(first.key)


def noted(members: list[Member]) -> tuple[str, ...]:
    """Return the models' notes about their training and data, without repetitions."""
    found: dict[str, list[str]] = {}
    for member in members:
        for note in getattr(member.model, "notes_", ()):
            found.setdefault(note, []).append(member.name)
    return tuple(f"{note} ({listed(names)})" for note, names in found.items())


@st.cache_data(max_entries=32, show_spinner="Measuring the maps …")
def measured_at_once(_member: Member, _first: Item, store: str) -> dict[str, float]:
    data = _first.dataset
    if not data.columns:
        by_column = scaling_of(data) == "columns"
        return measured(_member.placed, data.values, data.labels, by_column=by_column)
    # Words have no reconstruction error. The bound is given per value of the table, not per number
    # that encodes a word.
    placed, rows = replace(_member.placed, posterior=None), numbers_of(data)
    if placed.bound is not None:
        share = np.sum(~np.isnan(rows)) / np.sum(~np.isnan(data.values))
        placed = replace(placed, bound=placed.bound * float(share))
    return measured(placed, rows, data.labels)


def export(table: MeasureTable, first: Item, members: list[Member], best: Verdict) -> None:
    """Show the buttons that export the table, or everything as one page."""
    stem = f"compare-{file_stem(first.title)}"
    with st.popover("Export", icon=":material/download:"):
        download("Table as CSV", table.to_csv, f"{stem}.csv", key="compare_take_csv")
        download("Table as Markdown", table.to_markdown, f"{stem}.md", key="compare_take_md")
        download(
            "Everything as one HTML file",
            lambda: whole_page(table, first, members, best),
            f"{stem}.html",
            key="compare_take_html",
            help="Opens in any browser, without a network.",
        )


def whole_page(table: MeasureTable, first: Item, members: list[Member], best: Verdict) -> str:
    """Return one HTML file with the linked maps, the recommendation and the table."""
    maps = [
        MapOf(member.name, member.facts, member.chart, member.positions, NO_DRAWING)
        for member in members
    ]
    return offline_comparison(
        maps,
        f"Models of {first.dataset.title}",
        picture=best.picture,
        words=best.words,
        table=table.to_html(),
        source=" ".join((first.dataset.source, *table.notes)),
    )
