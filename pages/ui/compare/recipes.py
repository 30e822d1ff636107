"""Models that can be added with one click, and their training in the background."""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.comparison import Step, place
from gplvm_core.datasets import Dataset
from gplvm_core.likelihoods import TableColumns
from gplvm_core.models import GPLVM, BayesianGPLVM, BayesianPCA, ProbabilisticPCA
from gplvm_core.models.estimators.second_stage import map_only
from gplvm_core.optimise import Progress
from gplvm_core.training import ComparisonRun, begin_comparison, comparison_of
from pages.ui.shared.catalogue import Item

MOST_AT_ONCE = 5_000_000  # number of values; PCA of larger data runs in the background
N_LATENT, N_INDUCING, MAX_ITER = 10, 50, 200


@dataclass(frozen=True)
class Recipe:
    """A model that can be added; key: its name in links; quick: computed without waiting."""

    key: str
    title: str
    button: str
    help: str
    quick: bool = False

    def fits(self, dataset: Dataset) -> bool:
        """Return whether the model can learn these data: a plain GP-LVM learns only numbers."""
        return not dataset.columns or self.key != "gplvm"

    @property
    def draws(self) -> bool:
        return self.key not in ("isomap", "tsne")


RECIPES = {
    recipe.key: recipe
    for recipe in (
        Recipe(
            "pca",
            "Probabilistic PCA",
            "PCA",
            "A straight map: the simplest model, as a reference for the others.",
            quick=True,
        ),
        Recipe(
            "gplvm",
            "GP-LVM",
            "GP-LVM",
            "A curved map that fits one position per row, so it may overfit.",
        ),
        Recipe(
            "bayesian",
            "Bayesian GP-LVM, new",
            "Bayesian GP-LVM",
            "A curved map with uncertainty that switches off unneeded dimensions.",
        ),
        Recipe(
            "isomap",
            "Isomap",
            "Isomap",
            "Preserves distances along the data; it places rows, but cannot generate new rows.",
        ),
        Recipe(
            "tsne",
            "t-SNE",
            "t-SNE",
            "Preserves neighbours; it cannot generate new rows, and distances between groups "
            "mean nothing.",
        ),
    )
}


@dataclass(frozen=True, eq=False)
class Made:
    """The result of a recipe: a model, or only positions; seconds: the training time."""

    model: Any
    positions: Array | None
    seconds: float


def numbers_of(dataset: Dataset) -> Array:
    """Return the rows as numbers with meaningful distances: each word gets a column of 0 and 1."""
    if not dataset.columns:
        return dataset.values
    table = TableColumns(dataset.columns)
    return table.starting(table.encoded(dataset.in_own_values()))


def scaling_of(dataset: Dataset) -> Any:
    """Return the scaling for the data: pixels and joints share a unit, but columns may differ."""
    return "global" if dataset.drawing.kind in ("image", "skeleton") else "columns"


def run_key(item: Item, recipe: Recipe) -> str:
    return f"compare|{item.key}|{item.version}|{recipe.key}"


def begin(item: Item, recipe: Recipe) -> None:
    """Start the training unless it is already running."""
    dataset = item.dataset
    begin_comparison(run_key(item, recipe), lambda callback: made(recipe, dataset, callback))


def made_already(item: Item, recipe: Recipe) -> Made | ComparisonRun | None:
    """Return the result or the running training; compute a quick recipe immediately."""
    values = item.dataset.values
    at_once = recipe.quick and not item.dataset.columns
    if at_once and values.size <= MOST_AT_ONCE and not np.isnan(values).any():
        return _made_at_once(item.dataset, recipe, run_key(item, recipe))
    run = comparison_of(run_key(item, recipe))
    return run.result if run is not None and isinstance(run.result, Made) else run


@st.cache_resource(max_entries=12, show_spinner=False)
def _made_at_once(_dataset: Dataset, _recipe: Recipe, key: str) -> Made:
    return made(_recipe, _dataset, lambda step: None)


def made(recipe: Recipe, dataset: Dataset, callback: Callable[[Step], None]) -> Made:
    """Train the recipe's model; if the visitor ends the training, return the current model."""
    start = time.perf_counter()

    def follow(progress: Progress) -> None:
        callback(Step(recipe.title, 1, 1, progress.share, progress.seconds))

    rows, scaling = np.asarray(dataset.values, dtype=float), scaling_of(dataset)
    if not recipe.fits(dataset):
        raise ValueError(
            f"{recipe.title} cannot learn words and counts, which these data contain. "
            "Choose another model."
        )
    if recipe.key in ("isomap", "tsne"):
        if dataset.columns:
            rows, scaling = numbers_of(dataset), "global"
        found = place(recipe.key, rows, by_column=scaling == "columns")  # type: ignore[arg-type]
        return Made(None, found, time.perf_counter() - start)
    # Warnings are not logged, because the page shows the model's notes.
    with warnings.catch_warnings(action="ignore"):
        if dataset.columns:
            model = trained_on_table(recipe, dataset, follow)
        else:
            model = trained(recipe, rows, scaling, follow)
    return Made(model, None, time.perf_counter() - start)


def trained_on_table(recipe: Recipe, dataset: Dataset, follow: Callable[[Progress], None]) -> Any:
    """Train a model of words and counts on all rows; the recipe PCA uses a linear kernel."""
    estimator = BayesianPCA if recipe.key == "pca" else BayesianGPLVM
    model: Any = estimator(
        min(N_LATENT, max(dataset.n_outputs - 1, 1)),
        kinds=dataset.kinds,
        max_iter=MAX_ITER,
        random_state=0,
    )
    if recipe.key != "pca":
        model.set_params(n_inducing=min(N_INDUCING, dataset.n_points))
    with map_only(model):
        return model.fit(dataset.in_own_values(), callback=follow)


def trained(recipe: Recipe, rows: Array, scaling: Any, follow: Callable[[Progress], None]) -> Any:
    """Train a generative model on rows."""
    width, points = min(N_LATENT, max(rows.shape[1] - 1, 1)), min(N_INDUCING, len(rows))
    if recipe.key == "pca":
        return ProbabilisticPCA(min(width, len(rows) - 1), scaling=scaling).fit(rows)
    settings: Any = {"n_inducing": points, "scaling": scaling, "max_iter": MAX_ITER}
    if recipe.key == "gplvm":
        model: Any = GPLVM(min(2, width), random_state=0, **settings)
    else:
        model = BayesianGPLVM(width, random_state=0, **settings)
    with map_only(model):
        return model.fit(rows, callback=follow)
