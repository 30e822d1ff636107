"""The models that the link names for a comparison; all must have the same data."""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any
from zlib import crc32

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.comparison import Placed, evidence_of
from gplvm_core.datasets import Dataset
from gplvm_core.kernels import KernelError
from gplvm_core.training import ComparisonRun
from gplvm_core.wire.model import Chart, pack_model
from gplvm_core.wire.placed import pack_placed
from pages.ui.compare.recipes import RECIPES, Made, Recipe, made_already
from pages.ui.shared.catalogue import Item, Listed, at_level, items, one_view, open_item, titles_of
from pages.ui.shared.dimension_names import names_data, space_of, visitor_names
from pages.ui.shared.doors import can_compare
from pages.ui.shared.last import SEEN
from pages.ui.shared.link import go_to
from pages.ui.shared.own_labels import own_labels
from pages.ui.shared.words import model_words, seconds_in_words

# Two ready models of the same data; with PCA, the first shows best what a map gains.
READY = ("gallery:flow", "gallery:deep-flow")
MOST, LEAST = 4, 2
OF_THE_ROWS = ("rows", "labels", "by")  # parameters of the link that apply to these data only
MOST_ROWS = 5000
USE_OWN = "compare_own_labels"  # session key: whether the visitor's own labels are used
NO_DRAWING = "This method only places rows; it cannot generate a row from a position."


@dataclass(frozen=True, eq=False)
class Member:
    """A model in the comparison: key in the link, name, and what is drawn and measured.

    chart: the packed model, if it is generative; positions: the rows of any other model. seconds:
    training time, if known. named: the visitor's names of the dimensions, for the browser.
    """

    key: str
    name: str
    facts: str
    store: str
    chart: Chart
    positions: Array | None = None
    model: Any = None
    seconds: float | None = None
    named: dict[str, Any] | None = None

    @property
    def draws(self) -> bool:
        return self.positions is None

    @property
    def packed(self) -> bytes:
        """Return the message for the browser.

        Raises KernelError if the browser cannot evaluate a kernel.
        """
        return packed(self, self.store)

    @property
    def placed(self) -> Placed:
        """Return the data from which the measures of maps are computed."""
        size = len(self.packed) / 1e6
        if self.positions is not None:
            pair = (0, 1)
            return Placed(
                self.name, self.positions, np.ones(2), pair, seconds=self.seconds, megabytes=size
            )
        chart, model = self.chart, self.model
        return Placed(
            self.name,
            chart.latent_mean,
            chart.relevance,
            chart.pair,
            chart.posterior,
            on=len(chart.on),
            seconds=self.seconds,
            megabytes=size,
            **evidence_of(model),
        )


@dataclass(frozen=True)
class Waiting:
    """A model in the link without a result: not started (run is None), in training, or failed."""

    recipe: Recipe
    run: ComparisonRun | None


def linked_keys() -> tuple[str, ...]:
    """Return the keys in the link, `models=…,…`, or `model=…` and another; empty without models."""
    wanted = [key for key in st.query_params.get("models", "").split(",") if key]
    if wanted:
        return tuple(dict.fromkeys(wanted))[:MOST]
    first = st.query_params.get("model") or _usual()
    return () if first is None else (first, partner(first))


def _usual() -> str | None:
    """Return the key of the model opened last if it can be compared, else of a ready model."""
    there = [each.key for each in comparable()]
    seen = st.session_state.get(SEEN)
    if seen in there:
        try:
            return first_of(seen).key
        except (ValueError, OSError):
            pass  # the last model cannot be compared, so start as on a first visit
    return READY[0] if READY[0] in there else next(iter(there), None)


def partner(key: str) -> str:
    """Return the visitor's other model of the same rows to start with; PCA without any."""
    with suppress(ValueError, OSError):
        first = first_of(key)
        for each in fitting(first):
            if each.key.startswith("library:") and _of_the_same(each.key, first):
                return each.key
    return "pca"


def _of_the_same(key: str, first: Item) -> bool:
    with suppress(ValueError, OSError):
        return same(one_view(open_item(key)).dataset, first.dataset)
    return False


def set_keys(keys: tuple[str, ...], *dropped: str) -> None:
    """Change the models in the link; remove the map position and the `dropped` parameters."""
    go_to("model", "at", *dropped, models=",".join(keys))


def comparable() -> tuple[Listed, ...]:
    """Return all stored models that have maps."""
    return tuple(
        each for each in items() if not each.entry.broken and can_compare(each.entry.capabilities)
    )


def fitting(item: Item) -> tuple[Listed, ...]:
    """Return other stored models that seem to have the same data, by name and size."""
    shape = item.dataset.values.shape
    return tuple(
        each
        for each in comparable()
        if each.key != item.key
        and each.entry.dataset_name == item.dataset.name
        and (each.entry.n_points, each.entry.n_outputs) == shape
    )


def first_of(key: str) -> Item:
    """Open the model whose data all other models must share. Raises ValueError or StoreError."""
    item = one_view(open_item(key))
    if not can_compare(item.model.capabilities):
        raise ValueError(
            f"“{item.title}” predicts a column, but Compare shows maps. The model's tab Predict "
            "compares it with simpler models."
        )
    if len(item.dataset.values) > MOST_ROWS:
        raise ValueError(
            f"“{item.title}” has {len(item.dataset.values):,} rows; Compare shows maps of at most "
            f"{MOST_ROWS:,} rows."
        )
    labels = own_labels(item)
    if labels.names and st.session_state.get(USE_OWN, True):
        return replace(item, dataset=labels.on(item.dataset))
    return item


def offer_own_labels(first: Item) -> None:
    """Show the switch between the visitor's own labels and those of the data."""
    if own_labels(first).names:
        # The widget's own key would be forgotten on another page.
        on = st.toggle("Use your labels", value=st.session_state.get(USE_OWN, True))
        if on != st.session_state.get(USE_OWN, True):
            st.session_state[USE_OWN] = on
            st.rerun()


def _mark(first: Item) -> str:
    """Return a text that changes with the labels."""
    labels = first.dataset.labels
    given = b"" if labels is None else labels.tobytes()
    return f"{crc32(given + ' '.join(first.dataset.label_names).encode()):x}"


def stored(key: str, first: Item) -> Member:
    """Return a stored model as a member. Raises ValueError if its data differ."""
    item = at_level(first if key == first.key else one_view(open_item(key)))
    # Maps of the same columns can be compared, whatever known factors they take out.
    if not same(replace(item.dataset, known={}), replace(first.dataset, known={})):
        raise ValueError(f"“{item.title}” and “{first.title}” are models of different data.")
    member = of_model(key, item.model, first.dataset, f"{key}|{item.version}|{_mark(first)}")
    title = titles_of(comparable()).get(key, item.title)
    title = title if item.view is None else f"{title}: {item.view}"
    space = space_of(item)
    return replace(
        member,
        facts=" · ".join((title, *([] if item.at is None else [item.at.words]), member.facts)),
        chart=replace(member.chart, names=visitor_names(item, space)),
        named=names_data(item, space),
    )


def of_model(key: str, model: Any, dataset: Dataset, store: str) -> Member:
    chart = Chart.of(model, dataset)
    count = chart.n_latent
    in_use = f"{len(chart.on)} of {count} {'dimension' if count == 1 else 'dimensions'} in use"
    return Member(key, model_words(type(model).__name__), in_use, store, chart, model=model)


def added(recipe: Recipe, first: Item) -> Member | Waiting:
    """Return a model that was trained for this comparison, or its training."""
    found = made_already(first, recipe)
    if not isinstance(found, Made):
        return Waiting(recipe, found)
    kind = "" if found.model is None else f"{float(found.model.bound_):.10g}"
    store = f"{recipe.key}|{first.key}|{first.version}|{kind}|{_mark(first)}"
    if found.model is not None:
        member = of_model(recipe.key, found.model, first.dataset, store)
        facts = f"{member.facts} · trained in {took(found.seconds)}"
        return replace(member, name=recipe.title, facts=facts, seconds=found.seconds)
    facts = f"places rows only · took {took(found.seconds)}"
    chart = Chart.of(first.model, first.dataset)
    return Member(
        recipe.key, recipe.title, facts, store, chart, found.positions, seconds=found.seconds
    )


def took(seconds: float) -> str:
    return seconds_in_words(seconds) if seconds >= 1.0 else "under a second"


def member_of(key: str, first: Item) -> Member | Waiting:
    """Return the member. Raises ValueError or StoreError if it cannot be compared."""
    recipe = RECIPES.get(key)
    return stored(key, first) if recipe is None else added(recipe, first)


def named(members: list[Member]) -> list[Member]:
    """Return the members, with numbers after names that occur twice."""
    seen: dict[str, int] = {}
    found = []
    for member in members:
        seen[member.name] = count = seen.get(member.name, 0) + 1
        found.append(replace(member, name=f"{member.name} ({count})") if count > 1 else member)
    return found


def same(one: Dataset, other: Dataset) -> bool:
    return one.values.shape == other.values.shape and bool(
        np.array_equal(one.values, other.values, equal_nan=True)
    )


@st.cache_data(max_entries=24, show_spinner=False)
def packed(_member: Member, store: str) -> bytes:
    if _member.positions is not None:
        return pack_placed(_member.chart, _member.positions, _member.name, store)
    try:
        # The names are sent separately, so that a renaming does not change these bytes.
        return pack_model(replace(_member.chart, names=()), store)
    except KernelError as error:
        raise ValueError(f"{_member.name} cannot be drawn here: {error}") from error
