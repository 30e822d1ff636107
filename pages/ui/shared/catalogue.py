"""All models that can be opened: the gallery's and the user's, behind one kind of key."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from gplvm_core.datasets import Dataset
from gplvm_core.models import Capabilities
from gplvm_core.store import Entry, Library, StoreError, workspace
from pages.ui.shared.kept import kept
from pages.ui.shared.words import percent

GALLERY_FOLDER = Path(__file__).resolve().parents[3] / "assets" / "models"
GALLERY_ORDER = (
    "people",
    "heads",
    "poses",
    "lit_pairs",
    "faces",
    "digits",
    "flow",
)


@dataclass(frozen=True)
class Listed:
    """One line of the catalogue: the key that opens it and what the library says about it."""

    key: str
    entry: Entry


@dataclass(frozen=True)
class Item:
    """An opened model with the data that it was trained on."""

    key: str
    title: str
    model: Any
    dataset: Dataset
    views: tuple[str, ...] = ()  # those of a model of several
    view: str | None = None  # the one that is looked at alone
    alone: tuple[str, ...] = ()  # those that can be

    @property
    def version(self) -> str:
        """Changes whenever what is shown does."""
        bound = f"{float(self.model.bound_):.10g}"
        return bound if self.view is None else f"{bound}|{self.view}"

    @property
    def own_noise(self) -> bool:
        """Whether every output has a noise of its own."""
        return getattr(self.model, "noise", "shared") == "per_output"


def gallery() -> Library:
    """The models that come with the app; they cannot be changed."""
    return Library(GALLERY_FOLDER, read_only=True)


def calibration(key: str) -> str:
    """How many of the values that a gallery model was not trained on lie inside its intervals.

    In words, as `assets/models/train.py --calibrate` measured it; nothing where it was not.
    """
    path = GALLERY_FOLDER / "calibration.json"
    measured = json.loads(path.read_text()) if path.exists() else {}
    known = measured.get(key.removeprefix("gallery:")) if key.startswith("gallery:") else None
    return calibration_in_words(known) if known else ""


def calibration_in_words(measured: dict[str, float]) -> str:
    """What `assets/models/train.py --calibrate` found: of values, of a gap, of whole views."""
    if "inside_gap" in measured:
        return (
            f"95 % intervals hold {percent(measured['inside_gap'])} of the values of an unseen gap"
        )
    words = f"95 % intervals hold {percent(measured['inside'])} of unseen values"
    whole = {key.removeprefix("inside_"): share for key, share in measured.items() if "_" in key}
    views = " and ".join(
        f"{percent(share)} where all of “{view}” is" for view, share in whole.items()
    )
    return f"{words}, {views}" if views else words


def user_library() -> Library:
    """The user's own models."""
    library = Library(workspace() / "library")
    tidied(str(library.root))
    return library


@st.cache_resource(show_spinner=False)
def tidied(root: str) -> None:
    """Once in a server's life: what killed processes left goes, and the files are private."""
    Library(root).tidy()


def gallery_items() -> tuple[Listed, ...]:
    """The gallery in its order of showing."""
    listed = [Listed(f"gallery:{entry.id}", entry) for entry in gallery().entries()]
    places = {name: place for place, name in enumerate(GALLERY_ORDER)}
    listed.sort(key=lambda item: (places.get(item.entry.dataset_name, 99), item.entry.title))
    return tuple(listed)


def library_items() -> tuple[Listed, ...]:
    """The user's models, newest first."""
    try:
        entries = user_library().entries()
    except StoreError:  # a folder that cannot be read, of which Library and Train tell
        return ()
    listed = [Listed(f"library:{entry.id}", entry) for entry in entries]
    listed.sort(key=lambda item: item.entry.created, reverse=True)
    return tuple(listed)


def items() -> tuple[Listed, ...]:
    """Everything that can be opened: gallery first, then the user's models."""
    return gallery_items() + library_items()


def library_of(key: str) -> tuple[Library, str]:
    """The library and the id that a key names; ValueError when it names neither."""
    place, _, identifier = key.partition(":")
    if place == "gallery" and identifier:
        return gallery(), identifier
    if place == "library" and identifier:
        return user_library(), identifier
    raise ValueError(
        f"“{key}” names no model: a key is “gallery:…” or “library:…”. "
        "Choose a model in the Gallery."
    )


def capabilities_of(key: str) -> Capabilities | None:
    """What the model of a key can do, by its card; None when there is no such model any more."""
    library, identifier = library_of(key)
    try:
        entry = library.entry(identifier)
    except StoreError:
        return None
    return None if entry.broken else entry.capabilities


def open_item(key: str) -> Item:
    """Load the model and its data; kept in memory for the next call.

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
    """The views that no row is without: those that can be looked at alone."""
    values = item.dataset.view_values if item.views else {}
    return tuple(view for view in item.views if not np.isnan(values[view]).all(axis=1).any())


def one_view(item: Item, wanted: str | None = None) -> Item:
    """One view of a model of several, the wanted or the first; any other model as it is.

    Views that some rows are without are passed over. Raises ValueError if that leaves none.
    """
    if not item.views:
        return item
    possible = whole_views(item)
    if not possible:
        raise ValueError(
            f"“{item.title}” has no view that is there in every row, so none can be shown alone. "
            "The tab Views shows them all together."
        )
    view = wanted if wanted in possible else possible[0]
    model, dataset = loaded_view(f"{item.key}|{item.version}", view, item.model, item.dataset)
    return replace(item, model=model, dataset=dataset, view=view, alone=possible)


@kept(12)
def loaded(root: str, identifier: str, created: str, size: int) -> tuple[Any, Dataset]:
    """The model and dataset of one file; `created` and `size` make a changed file a new one."""
    library = Library(Path(root), read_only=True)
    return library.model(identifier), library.dataset(identifier)


@st.cache_resource(max_entries=12, show_spinner=False)
def loaded_view(name: str, view: str, _model: Any, _dataset: Dataset) -> tuple[Any, Dataset]:
    """A view as a model and a data set of its own."""
    return _model.of_view(view), _dataset.view(view)
