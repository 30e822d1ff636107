"""How typical a row is: its log density among those of training rows, computed in steps."""

import time

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.datasets import Dataset
from gplvm_core.figures.typicality import share_below, typicality_figure
from gplvm_core.readers.errors import plural
from gplvm_core.wire.completion import RowItem
from pages.ui.explore.fill.items import row_of
from pages.ui.explore.fill.model import (
    ROWS_AT_ONCE,
    log_densities,
    log_density,
    ready_densities,
    scored_rows,
)
from pages.ui.shared.catalogue import Item
from pages.ui.shared.words import percent, whole

HEIGHT = 290
# A new stroke waits for at most one such step.
SPELL = 0.2  # seconds
PAUSE = 0.25  # seconds between the starts of two steps


def typicality_panel(item: Item, name: str, current: RowItem) -> None:
    """The distribution when it is known; until then a fragment that computes it."""
    st.markdown("**How typical it is**")
    missing = np.isnan(current.values)
    count = len(scored_rows(item.dataset, missing))
    if count == 0:
        st.markdown("No training row has values in all the columns that this row has.")
        return
    densities = worked(item, name, missing)
    if len(densities) < count:
        st.fragment(keep_working, run_every=PAUSE)(item, name, missing, count)
        return
    value = log_density(item.model, name, current.values, item.dataset)
    st.plotly_chart(
        typicality_figure(densities, value, height=HEIGHT),
        key=f"complete_typicality|{name}",
        config={"displayModeBar": False},
        alt="Distribution of the training rows' log densities, with this item's marked.",
    )
    st.caption(in_words(item.dataset, current, value, densities))


def worked(item: Item, name: str, missing: Array) -> Array:
    """The log densities after one more step; those of all rows when it is done."""
    rows = scored_rows(item.dataset, missing)
    ready = None if missing.any() else ready_densities(name)
    if ready is not None and len(ready) == len(rows):
        return ready
    gaps, began = np.packbits(missing).tobytes(), time.monotonic()
    parts: list[Array] = [np.zeros(0)]
    for start in range(0, len(rows), ROWS_AT_ONCE):
        if time.monotonic() - began > SPELL:
            break
        parts.append(log_densities(item.model, name, item.dataset, gaps, start))
    return np.concatenate(parts)


def keep_working(item: Item, name: str, missing: Array, count: int) -> None:
    """Do one step and show the progress; rerun the page at the end."""
    done = len(worked(item, name, missing))
    if done == count:
        st.rerun()
    st.progress(done / count, f"Log densities of {count} training rows …")


def in_words(dataset: Dataset, current: RowItem, value: float, densities: Array) -> str:
    """The item's log density, its rank, and the rows that it is compared with."""
    count, partial = len(densities), bool(np.isnan(current.values).any())
    rows = (
        f"all {plural(count, 'training row')}"
        if count == dataset.n_points
        else f"{count} of {dataset.n_points:,} training rows"
    )
    if np.isnan(dataset.values).any():
        rows += " with values in the same columns"
    part = "known part of the row" if partial else "whole row"
    words = (
        f"More typical than {percent(share_below(densities, value))} of {rows}; hiding cells does "
        f"not change this. Log density of the {part}: {whole(value)} nats"
    )
    if partial:
        words += ", compared on the same columns"
    words += "."
    if row_of(current.id) is None:
        words += " Training rows rank a little higher than new rows."
    return words
