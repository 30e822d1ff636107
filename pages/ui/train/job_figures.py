"""The figures of a training job: map, bound and dimensions, live or from the saved model."""

from contextlib import suppress
from typing import Any

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core import training
from gplvm_core.figures.dimensions import dimensions_on, joint_relevance, leading_pair
from gplvm_core.figures.latent_map import latent_map_figure
from gplvm_core.figures.light import bars, dots, principal_places
from gplvm_core.figures.relevance import relevance_figure
from gplvm_core.figures.trace import thinned, trace_figure
from gplvm_core.likelihoods import TableColumns
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.errors import plural
from gplvm_core.readers.kinds import TableColumn
from gplvm_core.training import Snapshot
from gplvm_core.wire.model import shown_pair
from pages.ui.shared.catalogue import open_item
from pages.ui.shared.words import TERMS
from pages.ui.train.column_live import column_figures, is_regression
from pages.ui.train.job_controls import ENDED
from pages.ui.train.light_figures import bound_picture, drawn, light

MAP_HEIGHT, BOUND_HEIGHT, BARS_HEIGHT = 460, 200, 290  # pixels
FALLS = (
    "The line may fall where training begins anew: with the next start, with more rows, or with "
    "parameters that were held until then. With many rows it is the bound of those that train; a "
    "finished model's bound, above, is that of all rows."
)
START = (
    "Training starts at the first two principal components of the data. The model's map appears "
    "after the first step."
)


def live_figures(job_id: str) -> None:
    """Show the job's bound, ARD bars and latent map, live or from the saved model."""
    try:
        job = training.here().snapshot(job_id)
    except ValueError:
        return
    if is_regression(job):
        column_figures(job)
        return
    state = figures_state(job)
    if state is None:
        if job.active:
            first_map(job)
        return
    latent_mean, relevance, information, pair = state
    labels, names, row_names = words_of(job, len(latent_mean))
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown("**Map so far**" if job.active else "**Map**", help=TERMS["latent"])
        drawn(
            "map",
            latent_map_figure(
                latent_mean,
                labels,
                names,
                dimensions=pair,
                height=MAP_HEIGHT,
                row_names=row_names,
            ),
            lambda: map_picture(latent_mean[:, list(pair)], labels),
            f"Latent map of {plural(len(latent_mean), 'point')} in the dimensions "
            f"{pair[0] + 1} and {pair[1] + 1}, coloured by label.",
        )
    with right:
        bound = job.trace["bound"]
        if len(bound) > 1:
            st.markdown("**Bound**", help=f"{TERMS['bound']} {FALLS}")
            drawn(
                "trace",
                trace_figure(job.trace, height=BOUND_HEIGHT),
                lambda: bound_picture(job),
                f"The bound over time; it is {bound[-1]:,.0f} nats now.",
            )
        st.markdown("**Dimensions**", help=f"{TERMS['relevance']}\n\n{TERMS['information']}")
        drawn(
            "relevance",
            relevance_figure(relevance, information, height=BARS_HEIGHT),
            lambda: bars(np.asarray(information)[np.argsort(-np.asarray(relevance))]),
            relevance_in_words(relevance, information),
        )


def first_map(job: Snapshot) -> None:
    """Show the initial positions, until the model has made its first step."""
    picture = start_picture(job.id)
    if picture:
        st.markdown("**Map at the start**", help=START)
        light(picture, MAP_HEIGHT, "The first two principal components of the data.")


def map_picture(places: Array, labels: Array | None) -> str:
    """Draw points, coloured by label if there is one label per point."""
    same = labels is not None and len(labels) == len(places)
    some = thinned(len(places))
    return dots(places[some], labels[some] if labels is not None and same else None)


def figures_state(job: Snapshot) -> tuple[Array, Array, Array, tuple[int, int]] | None:
    """Return latent mean, relevance, information and the dimensions of the map.

    They are those of the last step, then of the saved model, whose map in Explore opens with the
    same dimensions.
    """
    if job.status in ENDED and job.entry is not None:
        try:
            item = open_item(f"library:{job.entry}")
            model = item.model
        except (ValueError, OSError):
            pass  # the model was deleted in the Gallery, so the last step is shown
        else:
            if model.capabilities.layers and not model.capabilities.views:
                # A layer that is off would show all rows at the same position.
                layer = next((each for each in model.layers_ if not each.doubt_), model.layers_[-1])
                width = layer.latent_mean_.shape[1]
                relevance = layer.relevance_[:width]
                return layer.latent_mean_, relevance, layer.information_, leading_pair(relevance)
            relevance = joint_relevance(model.relevance_)
            information = getattr(model, "information_", np.full(len(relevance), np.nan))
            pair = shown_pair(model, item.dataset)
            return model.latent_mean_, relevance, information, pair
    if job.progress is None:
        return None
    now = job.progress
    return now.latent_mean, now.relevance, now.information, leading_pair(now.relevance)


def relevance_in_words(relevance: Any, information: Any) -> str:
    """Describe the bars for screen readers."""
    on = np.flatnonzero(dimensions_on(information)) + 1
    order = np.argsort(-np.asarray(relevance)) + 1
    return (
        f"Dimensions by falling relevance: {', '.join(map(str, order))}. "
        f"On: {', '.join(map(str, on)) or 'none'}."
    )


def words_of(job: Snapshot, count: int) -> tuple[Any, tuple[str, ...], Any]:
    """Return labels, their names and the rows' names of the points on the map.

    The data of a job that reads a file are a preview of it, whose rows are not those of the map.
    """
    labels, names, row_names = stored_words(job.id)
    if job.status in ENDED and job.entry is not None:
        with suppress(ValueError, OSError):  # the model was deleted
            own = open_item(f"library:{job.entry}").dataset
            labels, names, row_names = own.labels, own.label_names, own.row_names
    return None if labels is None or len(labels) != count else labels, names, row_names


@st.cache_resource(max_entries=32, show_spinner=False)
def stored_words(job_id: str) -> tuple[Any, tuple[str, ...], Any]:
    """Return labels, their names and the rows' names; a job's data never change."""
    dataset = training.here().dataset(job_id)
    return dataset.labels, dataset.label_names, dataset.row_names


def as_at_the_start(dataset: Dataset) -> Array:
    """Return rows in which words and counts are numbers on one scale, as training starts."""
    if dataset.kinds is None:
        return dataset.values

    def started(columns: tuple[TableColumn, ...], own: Any) -> Array:
        table = TableColumns(columns)
        return table.starting(table.encoded(own))

    if dataset.columns:
        return started(dataset.columns, dataset.in_own_values())
    own = dataset.views_in_own_values()
    parts = (started(v.columns, own[v.name]) if v.columns else own[v.name] for v in dataset.views)
    return np.hstack([*parts])


@st.cache_data(max_entries=32, show_spinner=False)
def start_picture(job_id: str) -> str:
    """Draw the data's principal components; return "" if there are none."""
    dataset = training.here().dataset(job_id)
    if dataset.n_points < 2:
        return ""
    values = as_at_the_start(dataset)
    places, rows = principal_places(values)
    labels = dataset.labels
    return dots(places, labels[rows] if labels is not None and len(labels) > rows[-1] else None)
