"""A histogram and a caption that show how typical a row is, compared with training rows."""

import time

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.datasets import Dataset
from gplvm_core.figures.typicality import share_below, typicality_figure
from gplvm_core.new_rows.without_density import rows_at_once, scored_rows
from gplvm_core.readers.errors import plural
from gplvm_core.wire.completion import RowItem
from pages.ui.explore.fill.items import row_of
from pages.ui.explore.fill.model import (
    log_densities,
    log_density,
    ready_densities,
)
from pages.ui.shared.catalogue import Item
from pages.ui.shared.density import density_of, learning
from pages.ui.shared.words import percent, whole

HEIGHT = 290
# A new stroke waits for at most one step of this length.
SPELL = 0.2  # seconds
PAUSE = 0.25  # seconds between the starts of two steps


def typicality_panel(item: Item, name: str, current: RowItem) -> None:
    """Show the histogram and its caption; until they are ready, compute them in steps."""
    st.markdown("**How typical**")
    if learning(name):  # its progress is shown above, and its result changes the comparison
        st.markdown("This row is compared when the density of the rows is learnt.")
        return
    missing = np.isnan(current.values)
    count = len(scored_rows(item.dataset, missing))
    if count == 0:
        st.markdown(
            "No training row has values in all columns of this row, so there is no comparison."
        )
        return
    densities = worked(item, name, missing)
    if len(densities) < count:
        st.fragment(keep_working, run_every=PAUSE)(item, name, missing, count)
        return
    value = log_density(item.model, name, current.values, item.dataset)
    figure = typicality_figure(densities, value, height=HEIGHT)
    figure.update_xaxes(title_text="← less typical · more typical →")
    st.plotly_chart(
        figure,
        key=f"complete_typicality|{name}",
        config={"displayModeBar": False},
        alt="A histogram of the training rows, from less to more typical, with a line at this row.",
    )
    st.caption(
        in_words(item.dataset, current, value, densities), help=details(item, current, value)
    )


def worked(item: Item, name: str, missing: Array) -> Array:
    """Compute one more step; return all log densities computed so far."""
    rows = scored_rows(item.dataset, missing)
    # The stored values of ready models are differences of bounds.
    bounds = density_of(item.model) is None and not missing.any()
    ready = ready_densities(name) if bounds else None
    if ready is not None and len(ready) == len(rows):
        return ready
    gaps, began = np.packbits(missing).tobytes(), time.monotonic()
    parts: list[Array] = [np.zeros(0)]
    for start in range(0, len(rows), rows_at_once(item.model, item.dataset)):
        if time.monotonic() - began > SPELL:
            break
        parts.append(log_densities(item.model, name, item.dataset, gaps, start))
    return np.concatenate(parts)


def keep_working(item: Item, name: str, missing: Array, count: int) -> None:
    """Do one step and show the progress; rerun the page at the end."""
    done = len(worked(item, name, missing))
    if done == count:
        st.rerun()
    st.progress(done / count, f"Comparing with {count} training rows …")


def in_words(dataset: Dataset, current: RowItem, value: float, densities: Array) -> str:
    """Describe how many training rows are less typical, and which rows were compared."""
    count, share = len(densities), share_below(densities, value)
    gaps = bool(np.isnan(dataset.values).any())
    if count == dataset.n_points:
        rows = f"all {plural(count, 'training row')}"
    elif gaps:
        rows = f"{plural(count, 'training row')} with values in the same columns"
    else:
        rows = f"{plural(count, 'training row')} (chosen evenly from {dataset.n_points:,})"
    if share == 0.0:
        words = f"Less typical than {rows}"
    elif share == 1.0:
        words = f"More typical than {rows}"
    else:
        words = f"More typical than {percent(share)} of {rows}"
    if np.isnan(current.values).any() and not gaps:
        words += ", compared in the columns where this row has values"
    words += ". Hiding cells does not change this."
    if row_of(current.id) is None:
        words += " New rows are usually a little less typical than training rows."
    return words


def details(item: Item, current: RowItem, value: float) -> str:
    """Explain the number behind the caption."""
    part = "known part of the row" if np.isnan(current.values).any() else "whole row"
    if density_of(item.model) is not None:
        return (
            "Rows are compared by their exact log density under a mixture of Gaussians that is "
            f"derived from the map. The log density of the {part} is {whole(value)} nats "
            "(a nat is 1.44 bits)."
        )
    return (
        "Rows are compared by the model's approximate log density. For the "
        f"{part}, it is {whole(value)} nats (a nat is 1.44 bits)."
    )
