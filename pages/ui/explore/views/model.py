"""The model's answers for the tab Views.

`st.cache_data` caches the results, so that a repeated question takes no time. `name` is the model's
key and version.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.datasets import Dataset
from gplvm_core.figures.view_parts import Part, parts_of
from gplvm_core.wire.model import Chart
from gplvm_core.wire.views import ViewRows, is_label_view
from pages.ui.shared.outputs import as_given, as_numbers, rows_of_views

Private = Literal["nearest", "prior"]


@dataclass(frozen=True, eq=False)
class Transferred:
    """Alternatives for a view: rows (K, D), best first, and their standard deviations."""

    rows: Array
    std: Array


@dataclass(frozen=True, eq=False)
class Matches:
    """The training rows (K,) that correspond to a query, nearest first, and their distances."""

    rows: Array
    distances: Array


def parts_at(model: Any, threshold: float) -> tuple[Part, ...]:
    """Return the parts of the latent space for a threshold in nats per point."""
    return parts_of(model.segmentation(threshold), model.drops_)


def charts_of(model: Any, dataset: Dataset) -> dict[str, Chart]:
    """Return one packed model per view, in the form that the browser draws."""
    rows = rows_of_views(dataset)
    # In a deep model, this is the layer directly below the space that the views share.
    at = len(model.layers_) if model.capabilities.layers else None
    return {name: Chart.of(model.of_view(name), rows[name], at) for name in model.views_}


@st.cache_data(max_entries=64, show_spinner=False)
def transferred(
    _model: Any,
    name: str,
    given: dict[str, Array],
    to: str,
    count: int,
    private: Private,
    _rows: dict[str, ViewRows],
) -> Transferred:
    """Return at most `count` alternatives for view `to` of a row that is given in other views.

    With private="prior" there is a single answer, averaged over the dimensions that the given views
    leave open.
    """
    views = as_given(_rows, {view: row[None] for view, row in given.items()})
    count = 1 if private == "prior" else count
    mean, std = _model.transfer(views, to, n_alternatives=count, private=private, return_std=True)
    spread = std.reshape(-1, std.shape[-1])
    rows = as_numbers(_rows[to], mean[0] if count > 1 else mean)
    there = ~np.isnan(rows).any(axis=1)
    return Transferred(rows[there], spread[there])


@st.cache_data(max_entries=64, show_spinner=False)
def word_chances(
    _model: Any, name: str, given: dict[str, Array], to: str, _rows: dict[str, ViewRows]
) -> dict[str, list[tuple[str, float]]]:
    """Return the words of every column of words of view `to`, with their probabilities.

    The most probable word is first.
    """
    views = as_given(_rows, {view: row[None] for view, row in given.items()})
    found = {}
    for at, column in enumerate(_rows[to].columns):
        if column.is_words:
            chances = _model.class_probabilities(views, to, at)[0]
            order = np.argsort(-chances, kind="stable")
            words = _model.class_words(to, at)
            found[column.name] = [(str(words[k]), float(chances[k])) for k in order]
    return found


@st.cache_data(max_entries=64, show_spinner=False)
def whole_from(_model: Any, name: str, given: dict[str, Array]) -> Array:
    """Return a whole row (D,): the given views, and the mean prediction of the other views.

    Only views of numbers have a drawing of all views together.
    """
    views = {view: row[None] for view, row in given.items()}
    mean, std = _model.transform(views, return_std=True)
    found = _model.inverse_transform(mean, X_variance=std**2)
    whole = np.hstack([found[view][0] for view in _model.views_])
    known = np.hstack([given.get(v, np.full(found[v].shape[1], np.nan)) for v in _model.views_])
    return np.where(np.isnan(known), whole, known)


@st.cache_data(max_entries=64, show_spinner=False)
def matched(
    _model: Any,
    name: str,
    given: dict[str, Array],
    to: str,
    count: int,
    _rows: dict[str, ViewRows],
) -> Matches:
    """Return the training rows whose view `to` best fits a row that is given in other views."""
    views = as_given(_rows, {view: row[None] for view, row in given.items()})
    rows, distances = _model.correspondences(views, to, n_matches=count)
    return Matches(rows[0], distances[0])


@st.cache_data(max_entries=64, show_spinner=False)
def varied(
    _model: Any, name: str, point: tuple[float, ...], dims: tuple[int, ...], count: int, seed: int
) -> Array:
    """Return latent points (count, Q): the given dimensions are resampled, the others fixed."""
    drawn = _model.vary(np.array(point)[None], list(dims), n_samples=count, random_state=seed)
    return np.asarray(drawn[:, 0])


def on_the_way(
    start: tuple[float, ...], end: tuple[float, ...], dims: tuple[int, ...], count: int
) -> Array:
    """Return latent points (count, Q) on a path between two points that changes only `dims`.

    The other dimensions have their values at the end of the path.
    """
    points = np.repeat(np.array(end)[None], count, axis=0)
    share = np.linspace(0.0, 1.0, count)[:, None]
    chosen = list(dims)
    points[:, chosen] = (1.0 - share) * np.array(start)[chosen] + share * np.array(end)[chosen]
    return points


def class_of(rows: ViewRows, values: Array) -> str | None:
    """Return the class of a row of a label view, or of a view with one column of words.

    Return None for other views, and for a row without a label.
    """
    if np.isnan(values).any():
        return None
    if len(rows.columns) == 1 and rows.columns[0].is_words:
        return str(rows.columns[0].words[int(values[0])])
    if not is_label_view(rows):
        return None
    assert rows.column_names is not None  # a label view always has label names
    return rows.column_names[int(np.argmax(values))]


def shares_something(parts: tuple[Part, ...], given: tuple[str, ...], to: str) -> bool:
    """Return whether the given views share a dimension with the wanted view."""
    return any(
        part.dimensions and to in part.views and any(view in part.views for view in given)
        for part in parts
    )
