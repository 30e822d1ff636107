"""All models that can be opened, from the gallery and the user's library, with uniform keys."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from gplvm_core.datasets import Dataset
from gplvm_core.models import Capabilities
from gplvm_core.models.estimators.with_known import at_value
from gplvm_core.store import READY, Entry, Library, StoreError, workspace
from pages.ui.shared.intervals import ready_intervals
from pages.ui.shared.kept import kept
from pages.ui.shared.words import moment_in_words, percent

GALLERY_FOLDER = READY
GALLERY_ORDER = (
    "people",
    "heads",
    "poses",
    "body_parts",
    "walker",
    "pendulum",
    "lit_pairs",
    "countries",
    "faces",
    "digits",
    "turned_digit",
    "spikes",
    "flow",
)


@dataclass(frozen=True)
class Listed:
    """One entry of the catalogue: the key that opens it, and the library's entry."""

    key: str
    entry: Entry


ANOTHER = "another value"


@dataclass(frozen=True)
class Level:
    """A value of the known factors that a map takes out, and the model without this value."""

    values: tuple[Any, ...]  # of the factors; (): a value that is not in the data
    words: str
    number: int  # among the values to choose from
    usual: bool  # whether it is the most frequent one
    model: Any

    @property
    def names(self) -> str:
        """The names of the factors."""
        return ", ".join(self.model.known_.names)

    @property
    def code(self) -> str:
        """Python code that asks a model at this value."""
        if not self.values:
            return ".unseen()"
        if len(self.values) == 1:
            return f".given({self.values[0]!r})"
        return f".given(**{dict(zip(self.model.known_.names, self.values, strict=True))!r})"


@dataclass(frozen=True)
class Item:
    """An opened model with the data that it was trained on."""

    key: str
    title: str
    model: Any
    dataset: Dataset
    views: tuple[str, ...] = ()  # names of the views of a multi-view model
    view: str | None = None  # the view that is shown
    alone: tuple[str, ...] = ()  # views that can be shown separately
    at: Level | None = None  # the value of the known factors at which the model is asked

    @property
    def version(self) -> str:
        """A text that changes whenever the model's content changes."""
        bound = f"{float(self.model.bound_):.10g}"
        parts = (bound, self.view, None if self.at is None else self.at.words)
        return "|".join(each for each in parts if each is not None)

    @property
    def visit(self) -> str:
        """A name for the visitor's place on the map, the same at all values of known factors."""
        return f"{self.key}|{replace(self, at=None).version}"

    @property
    def own_noise(self) -> bool:
        """Whether every output has its own noise."""
        posterior = getattr(self.model, "posterior_", None)
        own = getattr(posterior, "each", None) is not None
        return own or bool(self.dataset.columns)


def gallery() -> Library:
    """Return the models that come with the app; nobody can change them."""
    return Library(GALLERY_FOLDER, read_only=True)


def calibration(key: str) -> str:
    """Return a sentence: which fraction of held-out values is inside a gallery model's intervals.

    `assets/models/train.py --calibrate` measures the fraction; without a measurement, return "".
    """
    path = GALLERY_FOLDER / "calibration.json"
    measured = json.loads(path.read_text()) if path.exists() else {}
    known = measured.get(key.removeprefix("gallery:")) if key.startswith("gallery:") else None
    return calibration_in_words(known) if known else ""


def calibration_in_words(measured: dict[str, float]) -> str:
    """Describe the result of `assets/models/train.py --calibrate`: values, a gap, whole views."""
    unseen = "an unseen block" if "inside_gap" in measured else "unseen values"
    share = measured.get("inside_gap", measured.get("inside", 0.0))
    words = f"Error bars: {percent(share)} of {unseen} inside (95 % promised)"
    views = sorted(share for key, share in measured.items() if "_" in key and key != "inside_gap")
    if not views:
        return words
    low, high = percent(views[0]), percent(views[-1])
    shares = low if low == high else f"{low} to {high}"
    return f"{words}, {shares} if a whole view is missing"


def user_library() -> Library:
    """Return the library of the user's models."""
    library = Library(workspace() / "library")
    tidied(str(library.root))
    return library


@st.cache_resource(show_spinner=False)
def tidied(root: str) -> None:
    """Remove the files of killed processes, and make all files private; runs once per server."""
    Library(root).tidy()


def gallery_items() -> tuple[Listed, ...]:
    """Return the gallery's models in the order of their cards."""
    listed = [Listed(f"gallery:{entry.id}", entry) for entry in gallery().entries()]
    places = {name: place for place, name in enumerate(GALLERY_ORDER)}
    listed.sort(key=lambda item: (places.get(item.entry.dataset_name, 99), item.entry.title))
    return tuple(listed)


def library_items() -> tuple[Listed, ...]:
    """Return the user's models, newest first."""
    try:
        entries = user_library().entries()
    except StoreError:  # a folder that cannot be read; Gallery and Train report it
        return ()
    listed = [Listed(f"library:{entry.id}", entry) for entry in entries]
    listed.sort(key=lambda item: item.entry.created, reverse=True)
    return tuple(listed)


def items() -> tuple[Listed, ...]:
    """Return every model that can be opened: first the gallery, then the user's models."""
    return gallery_items() + library_items()


def titles_of(listed: Sequence[Listed]) -> dict[str, str]:
    """Return the titles by key; the moment of the training tells equal titles apart."""
    counts = Counter(each.entry.title for each in listed)
    return {
        each.key: f"{each.entry.title} ({moment_in_words(each.entry.created)})"
        if counts[each.entry.title] > 1
        else each.entry.title
        for each in listed
    }


def library_of(key: str) -> tuple[Library, str]:
    """Return the library and the id that a key names. Raises ValueError for a malformed key."""
    place, _, identifier = key.partition(":")
    if place == "gallery" and identifier:
        return gallery(), identifier
    if place == "library" and identifier:
        return user_library(), identifier
    raise ValueError(f"“{key}” names no model. Choose a model in the Gallery.")


def capabilities_of(key: str) -> Capabilities | None:
    """Return the model's capabilities from its card; None if the model no longer exists."""
    library, identifier = library_of(key)
    try:
        entry = library.entry(identifier)
    except StoreError:
        return None
    return None if entry.broken else entry.capabilities


def open_item(key: str) -> Item:
    """Load the model and its data, or return them from the cache.

    Raises ValueError for a malformed key, StoreError for a missing or damaged model.
    """
    library, identifier = library_of(key)
    try:
        entry = library.entry(identifier)
    except StoreError as error:
        raise StoreError(
            f"There is no model “{identifier}” here. It may have been deleted; choose another one "
            "in the Gallery."
        ) from error
    if entry.broken is not None:
        raise StoreError(entry.broken)
    model, dataset = loaded(str(library.root), identifier, entry.created, entry.bytes)
    views = tuple(model.views_) if model.capabilities.views else ()
    return Item(key, entry.title, model, dataset, views)


def whole_views(item: Item) -> tuple[str, ...]:
    """Return the views that every row has; only these can be shown alone."""
    values = item.dataset.view_values if item.views else {}
    return tuple(view for view in item.views if not np.isnan(values[view]).all(axis=1).any())


def one_view(item: Item, wanted: str | None = None, *, partly: bool = False) -> Item:
    """Return a multi-view model's wanted view, or its first; return other models unchanged.

    Views that some rows lack are skipped, because the rows of a map have numbers that do not depend
    on the view; partly: they are returned with the data of the rows that have them, which is enough
    to read new rows. Raises ValueError if no view remains.
    """
    if not item.views:
        return item
    possible = item.views if partly else whole_views(item)
    if not possible:
        raise ValueError(
            f"No view of “{item.title}” has all rows, so no view can be shown alone. The tab Views "
            "shows all views together."
        )
    view = wanted if wanted in possible else possible[0]
    model, dataset = loaded_view(f"{item.key}|{item.version}", view, item.model, item.dataset)
    return replace(item, model=model, dataset=dataset, view=view, alone=possible)


def at_level(item: Item, number: int | None = None) -> Item:
    """Return the map at a value of its known factors; return other models unchanged.

    number: among `known_.choices`; None: the most frequent value; the number after the last: a
    value that is not in the data.
    """
    known = getattr(item.model, "known_", None)
    if known is None:
        return item
    if number == len(known.choices):
        level = Level((), ANOTHER, number, False, item.model)
        return replace(item, model=item.model.unseen(), at=level)
    usual = int(np.argmax((known.choices == known.levels[0]).all(axis=1)))
    number = usual if number is None else number
    point = known.choices[number]
    level = Level(known.values(point), known.words(point), number, number == usual, item.model)
    return replace(item, model=at_value(item.model, point), at=level)


@kept(12)
def loaded(root: str, identifier: str, created: str, size: int) -> tuple[Any, Dataset]:
    """Load the model and data set of one file; `created` and `size` detect a changed file."""
    library = Library(Path(root), read_only=True)
    model = library.model(identifier)
    if Path(root) == GALLERY_FOLDER and getattr(model, "can_calibrate", False):
        name = f"{identifier}|{float(model.bound_):.10g}"
        model.intervals_ = ready_intervals(GALLERY_FOLDER / "intervals.json", name)
    return model, library.dataset(identifier)


@st.cache_resource(max_entries=12, show_spinner=False)
def loaded_view(name: str, view: str, _model: Any, _dataset: Dataset) -> tuple[Any, Dataset]:
    """Return one view as a separate model, and the data of the rows that have it."""
    there = ~np.isnan(_dataset.view_values[view]).all(axis=1)
    dataset = _dataset if there.all() else _dataset.taken(np.flatnonzero(there))
    return _model.of_view(view), dataset.view(view)
