"""The panels of the tab Fill in: position on the map, class, typicality, exports."""

from dataclasses import replace
from functools import partial
from html import escape

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.figures.latent_map import latent_map_figure
from gplvm_core.figures.position import mark_position
from gplvm_core.readers.names import names_of
from gplvm_core.wire.completion import RowItem
from gplvm_core.wire.model import Chart
from pages.ui.explore.fill.files import row_csv, row_png, words_in
from pages.ui.explore.fill.items import row_of
from pages.ui.explore.fill.model import (
    Completion,
    class_probabilities,
    label_column,
    position,
    possibilities,
    word_chances,
)
from pages.ui.explore.fill.typicality import typicality_panel
from pages.ui.shared.as_text import ask_as_text
from pages.ui.shared.catalogue import Item
from pages.ui.shared.dimension_names import space_of, visitor_names
from pages.ui.shared.download import download
from pages.ui.shared.plain import plain
from pages.ui.shared.words import classes_of, percent

HEIGHT = 290
MOST_CLASSES = 6
PLOT = {"displayModeBar": False}


def panels(item: Item, name: str, current: RowItem, row: Array, answer: Completion) -> None:
    """Show the panels and the exports below the painter."""
    labelled = bool(item.dataset.classes)
    places = st.columns(3 if labelled else 2, gap="medium")
    with places[0]:
        map_panel(item, name, row)
    if labelled:
        with places[1]:
            class_panel(item, name, current, row)
    with places[-1]:
        typicality_panel(item, name, current)
    export(item, current, row, answer)


def map_panel(item: Item, name: str, row: Array) -> None:
    """Show the row's position q(x*) among the training points."""
    st.markdown("**Position on the map**")
    model, dataset = item.model, item.dataset
    here = position(model, name, row, dataset)
    if len(here.mean) == 1:
        spread = "" if here.std is None else f" ± {here.std[0]:.2f}"
        st.markdown(f"The model has one latent dimension: {here.mean[0]:.2f}{spread}.")
        return
    names = visitor_names(item, space_of(item, 0))
    chart = replace(Chart.of_top(model, dataset), names=names)
    dimensions = chart.pair
    figure = latent_map_figure(
        model.latent_mean_,
        *classes_of(dataset),
        dimensions=dimensions,
        height=HEIGHT,
        names=chart.axes,
    )
    figure.update_layout(showlegend=False)
    figure.update_traces(marker={"size": 5, "opacity": 0.5})
    weights, others = np.zeros(0), np.zeros((0, len(here.mean)))
    if np.isnan(row).any():
        found = possibilities(model, name, row, dataset)
        weights, others = found.weights, found.latent
    mark_position(figure, here.mean, here.std, others, weights, dimensions=dimensions)
    st.plotly_chart(
        figure,
        key=f"complete_map|{name}",
        config=PLOT,
        alt="The training points on the latent map, and the position of this row.",
    )
    words = "The cross is the position that the model infers from the visible cells."
    if model.capabilities.layers:
        words = f"This is the map of the top layer. {words}"
    if here.std is not None:
        words += " The ellipse shows two standard deviations of that position."
    if len(weights) > 1:
        words += " Rings are alternative positions; a larger ring is more probable."
    st.caption(words)


def class_panel(item: Item, name: str, current: RowItem, row: Array) -> None:
    """Show the most probable labels as bars."""
    st.markdown("**Which class**")
    dataset = item.dataset
    assert dataset.labels is not None
    own, learnt = row_of(current.id), label_column(dataset)
    if learnt is None:
        probabilities = class_probabilities(item.model, name, dataset, row, own)
    else:
        column, numbers = learnt
        probabilities = word_chances(item.model, name, row, column, dataset)[np.argsort(numbers)]
    truth = None if own is None or dataset.labels[own] < 0 else int(dataset.labels[own])
    order = np.argsort(-probabilities, kind="stable")[:MOST_CLASSES]
    st.html(
        "".join(
            class_bar(
                dataset.label_names[label] if dataset.label_names else str(label),
                float(probabilities[label]),
                label == truth,
            )
            for label in order
        )
    )
    rest = float(1.0 - probabilities[order].sum())
    words = f"All others together: {percent(rest)}. " if len(probabilities) > len(order) else ""
    if learnt is not None:
        called = plain(dataset.columns[column].name)
        st.caption(f"{words}The model's probabilities of {called}, from the row's other columns.")
        return
    st.caption(
        f"{words}Estimated from the row's position on the map"
        + (", without the row's own label." if truth is not None else "."),
        help="Computed by a logistic regression on the training points' positions, and averaged "
        "over this row's possible positions; for missing cells, over random fills.",
    )


def class_bar(label: str, probability: float, true: bool) -> str:
    mark = " ✓" if true else ""
    note = ", the row's own label" if true else ""
    return (
        '<div style="margin:.15rem 0 .45rem;font-size:.85rem" '
        f'aria-label="{escape(label)}{note}: {percent(probability)}">'
        '<div style="display:flex;justify-content:space-between">'
        f"<span>{escape(label)}{mark}</span><span>{percent(probability)}</span></div>"
        '<div style="height:.45rem;border-radius:.25rem;overflow:hidden;'
        'background:color-mix(in srgb,currentColor 12%,transparent)">'
        f'<div style="height:100%;width:{100 * probability:.1f}%;background:#0072B2"></div>'
        "</div></div>"
    )


def export(item: Item, current: RowItem, row: Array, answer: Completion) -> None:
    """Offer the completed row as numbers and as a picture."""
    dataset = item.dataset
    stem = "".join(c if c.isalnum() else "-" for c in f"{item.title} {current.title}").strip("-")
    marked = ask_as_text((*names_of(dataset), *words_in(dataset)), "row")
    with st.container(horizontal=True):
        download(
            "Completed row (CSV)",
            lambda: row_csv(dataset, current, row, answer, marked),
            f"{stem}.csv",
        )
        if not dataset.columns:
            picture = partial(row_png, dataset, answer.mean)
            download("Picture (PNG)", picture, f"{stem}.png", icon="image")
