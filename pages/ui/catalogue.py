"""All models that can be opened: the gallery's and the user's, behind one kind of key."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from gplvm_core.datasets import Dataset
from gplvm_core.store import Entry, Library, StoreError, workspace

GALLERY_FOLDER = Path(__file__).resolve().parents[2] / "assets" / "models"
GALLERY_ORDER = ("faces", "heads", "poses", "digits", "flow")


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


def gallery() -> Library:
    """The models that come with the app; they cannot be changed."""
    return Library(GALLERY_FOLDER, read_only=True)


def user_library() -> Library:
    """The user's own models."""
    return Library(workspace() / "library")


def gallery_items() -> tuple[Listed, ...]:
    """The gallery in its order of showing."""
    listed = [Listed(f"gallery:{entry.id}", entry) for entry in gallery().entries()]
    places = {name: place for place, name in enumerate(GALLERY_ORDER)}
    listed.sort(key=lambda item: (places.get(item.entry.dataset_name, 99), item.entry.title))
    return tuple(listed)


def library_items() -> tuple[Listed, ...]:
    """The user's models, newest first."""
    listed = [Listed(f"library:{entry.id}", entry) for entry in user_library().entries()]
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
        "Choose a model in the Gallery or the Library."
    )


def open_item(key: str) -> Item:
    """Load the model and its data; kept in memory for the next call.

    Raises ValueError for a malformed key, StoreError for a missing or damaged model.
    """
    library, identifier = library_of(key)
    entry = library.entry(identifier)
    if entry.broken is not None:
        raise StoreError(entry.broken)
    model, dataset = loaded(str(library.root), identifier, entry.created, entry.bytes)
    return Item(key, entry.title, model, dataset)


@st.cache_resource(max_entries=12, show_spinner="Opening the model …")
def loaded(root: str, identifier: str, created: str, size: int) -> tuple[Any, Dataset]:
    """The model and dataset of one file; `created` and `size` make a changed file a new one."""
    library = Library(Path(root), read_only=True)
    return library.model(identifier), library.dataset(identifier)


def go_to_explore(key: str) -> None:
    """Open a model in Explore."""
    st.switch_page("pages/explore.py", query_params={"model": key})


def go_to_dynamics(key: str) -> None:
    """Open a model with time in Dynamics."""
    st.switch_page("pages/dynamics.py", query_params={"model": key})


def plays(model_class: str) -> bool:
    """Whether models of this class know the time."""
    return model_class == "DynamicalGPLVM"
