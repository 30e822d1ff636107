"""The model's answers for the tab Fill in.

`st.cache_data` caches the results, so that an undo or a rerun costs nothing. `name` is the model's
key and version.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.datasets import Dataset
from gplvm_core.models.estimators.with_known import for_training
from gplvm_core.new_rows.without_density import log_scores, rows_at_once, scored_rows
from pages.ui.shared.catalogue import GALLERY_FOLDER
from pages.ui.shared.density import density_of, named
from pages.ui.shared.kept import kept

Rest = ParamSpec("Rest")
Answer = TypeVar("Answer")

N_ALTERNATIVES = 3
N_SAMPLES = 4
N_DRAWS = 64  # draws from q(x*) over which the class probabilities are averaged
N_FILLED = 16  # random fills of a row with gaps over which they are averaged, if there is a density
LEAST_WEIGHT = 0.01  # alternatives with a lower weight are not shown


@dataclass(frozen=True, eq=False)
class Completion:
    """A whole row (D,) and its standard deviations; None if the model has no uncertainty.

    chance: the probability of each word or count (NaN for numbers), None for tables of numbers.
    """

    mean: Array
    std: Array | None
    chance: Array | None = None


@dataclass(frozen=True, eq=False)
class Possibilities:
    """Alternatives, best first: weights (K,), latent means (K, Q), rows (K, D); samples (S, D)."""

    weights: Array
    latent: Array
    rows: Array
    samples: Array


@dataclass(frozen=True, eq=False)
class Position:
    """The mean (Q,) and standard deviation of q(x*); the latter is None if points are certain."""

    mean: Array
    std: Array | None


def rows_asked(dataset: Dataset, values: Array) -> Any:
    """Return rows in the form that the model's methods accept, with words instead of numbers."""
    return dataset.in_own_values(values) if dataset.columns else values


def scores(model: Any, dataset: Dataset, values: Array) -> Array:
    """Return how typical rows are, in nats: their log density, or else the change of the bound."""
    if density_of(model) is not None:
        return np.asarray(model.score_samples(rows_asked(dataset, values), method="density"))
    return log_scores(model, dataset, values)


def completed_rows(model: Any, dataset: Dataset, values: Array) -> tuple[Array, Array, Array]:
    """Return completed rows, standard deviations and probabilities; NaN where undefined."""
    asked = rows_asked(dataset, values)
    if not dataset.columns or model.fitted_.fractions:  # only numbers
        mean, std = map(np.asarray, model.complete(asked, return_std=True))
        return mean, std, np.full(mean.shape, np.nan)
    whole, std, chance = model.complete(asked, return_std=True, return_probability=True)
    return dataset.coded(whole), std, chance


def of_model(most: int) -> Callable[[Callable[Rest, Answer]], Callable[Rest, Answer]]:
    """Cache a function of a model, its name and more; a new density of the rows is another model.

    most: the size of the cache. Parameters that begin with "_" do not identify an answer.
    """

    def decorate(function: Callable[Rest, Answer]) -> Callable[Rest, Answer]:
        cached: Any = st.cache_data(max_entries=most, show_spinner=False)(function)

        def ask(model: Any, name: str, *others: Any) -> Any:
            return cached(model, named(model, name), *others)

        return cast(Callable[Rest, Answer], wraps(function)(ask))

    return decorate


@of_model(64)
def completed(_model: Any, name: str, row: Array, _dataset: Dataset) -> Completion:
    """Return the row with its gaps (NaN) filled; without gaps, the model's reconstruction."""
    if _dataset.columns:
        mean, std, chance = completed_rows(_model, _dataset, row[None])
        return Completion(mean[0], std[0], chance[0])
    fill = _model.complete if np.isnan(row).any() else _model.denoise
    mean, std = fill(row[None], return_std=True)
    return Completion(mean[0], std[0])


@of_model(64)
def possibilities(_model: Any, name: str, row: Array, _dataset: Dataset) -> Possibilities:
    """Return alternative completions of a row with gaps, and random completions."""
    found = _model.alternatives(rows_asked(_dataset, row[None]), n_alternatives=N_ALTERNATIVES)
    present = found[0][0] >= LEAST_WEIGHT
    weights, latent, rows = (part[0, present] for part in found)
    asked = rows_asked(_dataset, row[None])
    samples = _model.sample_completions(asked, N_SAMPLES, random_state=0)[:, 0]
    if _dataset.columns:
        rows, samples = _dataset.coded(rows), _dataset.coded(samples)
    return Possibilities(weights, latent, rows, samples)


@st.cache_data(max_entries=64, show_spinner=False)
def position(_model: Any, name: str, row: Array, _dataset: Dataset) -> Position:
    """Return the row's position on the latent map."""
    rows = rows_asked(_dataset, row[None])
    if not np.any(_model.latent_variance_):
        return Position(_model.transform(rows)[0], None)
    mean, std = _model.transform(rows, return_std=True)
    return Position(mean[0], std[0])


@of_model(64)
def log_density(_model: Any, name: str, row: Array, _dataset: Dataset) -> float:
    """Return log p(observed cells of the row | training data) in nats."""
    return float(scores(_model, _dataset, row[None])[0])


@kept(1)
def _ready_densities() -> dict[str, list[float]]:
    path = GALLERY_FOLDER / "densities.json"
    return json.loads(path.read_text()) if path.exists() else {}


def ready_densities(name: str) -> Array | None:
    """Return the stored log densities of a ready model's scored rows; None for other models.

    The stored key contains the bound, so that values of another training are never used.
    """
    found = _ready_densities().get(name.removeprefix("gallery:"))
    return None if found is None or not name.startswith("gallery:") else np.array(found)


@of_model(512)
def log_densities(_model: Any, name: str, _dataset: Dataset, gaps: bytes, start: int) -> Array:
    """Return log densities of a few scored rows, from number `start`, with the item's gaps.

    gaps: the item's missing columns as bits. Each call computes only a few rows, so that finished
    parts stay cached if the visitor leaves early.
    """
    missing = np.unpackbits(np.frombuffer(gaps, np.uint8), count=_dataset.n_outputs).astype(bool)
    rows = scored_rows(_dataset, missing)[start : start + rows_at_once(_model, _dataset)]
    values = _dataset.values[rows].copy()
    values[:, missing] = np.nan
    return scores(for_training(_model, rows, _dataset), _dataset, values)


@st.cache_data(max_entries=256, show_spinner=False)
def word_chances(_model: Any, name: str, row: Array, c: int, _dataset: Dataset) -> Array:
    """Return the probabilities of a column's words, in the order of the data set's words."""
    rows = rows_asked(_dataset, row[None])
    found = dict(zip(_model.class_words(c), _model.class_probabilities(rows, c)[0], strict=True))
    return np.array([found.get(word, 0.0) for word in _dataset.columns[c].words])


def label_column(dataset: Dataset) -> tuple[int, Array] | None:
    """Return the number of the column whose words are the labels, and the labels of its words."""
    for c, column in enumerate(dataset.columns):
        own, labels, words = dataset.values[:, c], dataset.labels, [*map(str, column.words)]
        if labels is None or not words or sorted(words) != sorted(dataset.label_names):
            continue
        numbers = np.array([dataset.label_names.index(word) for word in words])
        known = ~np.isnan(own) & (labels >= 0)
        if known.any() and (numbers[own[known].astype(int)] == labels[known]).all():
            return c, numbers
    return None


@of_model(64)
def class_probabilities(
    _model: Any, name: str, _dataset: Dataset, row: Array, own_row: int | None
) -> Array:
    """Return the probability of each label, from a logistic regression on latent positions.

    The probabilities are averages over the row's possible positions. own_row: the item's number if
    it is a training row, which the regression then leaves out.
    """
    from sklearn.linear_model import LogisticRegression

    assert _dataset.labels is not None
    scale = _model.latent_scale_
    others = (np.arange(_dataset.n_points) != own_row) & (_dataset.labels >= 0)
    labels = _dataset.labels[others]
    probabilities = np.zeros(_dataset.classes[-1] + 1)
    if len(np.unique(labels)) < 2:
        probabilities[labels[:1]] = 1.0
        return probabilities
    classifier = LogisticRegression(C=10.0, max_iter=500)
    classifier.fit(_model.latent_mean_[others] * scale, labels)
    drawn = _possible_positions(_model, name, row, _dataset)
    probabilities[classifier.classes_] = classifier.predict_proba(drawn * scale).mean(axis=0)
    return probabilities


def _possible_positions(model: Any, name: str, row: Array, dataset: Dataset) -> Array:
    """Draw positions (N_DRAWS, Q) of a row.

    A row with gaps is filled at random by the density of the rows, and each filled row is placed.
    Without a density, the positions come from the mixture of the alternatives' q(x*).
    """
    generator, gaps = np.random.default_rng(0), np.isnan(row).any()
    density = density_of(model)
    if gaps and density is not None and not model.capabilities.views:
        rows = density.rows.sample_completions(row[None], N_FILLED, generator)[:, 0]
        return np.asarray(model.transform(rows))
    here = position(model, name, row, dataset)
    centres, weights = here.mean[None], np.ones(1)
    if gaps:
        others_found = possibilities(model, name, row, dataset)
        if len(others_found.weights):
            centres, weights = others_found.latent, others_found.weights
    drawn = centres[generator.choice(len(weights), N_DRAWS, p=weights / weights.sum())]
    if here.std is not None:
        drawn = drawn + here.std * generator.standard_normal(drawn.shape)
    return np.asarray(drawn)
