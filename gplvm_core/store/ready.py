"""The ready models of the gallery, which come with the package."""

import json
from pathlib import Path
from typing import Any

from gplvm_core.prediction import Clusters, Fill, Recipe
from gplvm_core.store.errors import StoreError
from gplvm_core.store.library import Library

HERE = Path(__file__).resolve().parents[2]
# In a wheel, the app and the ready models are the package `manifolio`, beside the core.
READY = (HERE / "manifolio" if (HERE / "manifolio").is_dir() else HERE) / "assets" / "models"


def ready_model(name: str) -> Any:
    """Return a ready model of the gallery, fitted, by its name, such as "people".

    Raises StoreError, with the names that exist, for an unknown name.

    Examples
    --------
    >>> from gplvm_core import ready_model
    >>> ready_model("flow").latent_mean_.shape
    (600, 8)
    """
    library = Library(READY, read_only=True)
    names = sorted(entry.id for entry in library.entries())
    if name not in names:
        raise StoreError(f"{name!r} is not a ready model. There are {', '.join(names)}.")
    return library.model(name)


def ready_recipes() -> dict[str, Recipe]:
    """Return the recipes of the ready models' densities, by the model's name and its bound."""
    path = READY / "recipes.json"
    stored = json.loads(path.read_text()) if path.exists() else {}
    return {name: recipe_of(each) for name, each in stored.items()}


def recipe_of(stored: dict[str, Any]) -> Recipe:
    """Return a recipe from its entry in recipes.json."""
    fills = tuple(Fill(*values) for values in stored["fills"])
    clusters = Clusters(*stored["clusters"])
    return Recipe(int(stored["size"]), float(stored["strength"]), fills, clusters)
