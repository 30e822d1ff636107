"""The density of a model's rows, stored with the model or learnt at its first use.

Ready models store only their recipe, from which the density is derived in about a second.
"""

import copy
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy import ndarray as Array

from gplvm_core.likelihoods import TableColumns
from gplvm_core.prediction import DerivedDensity, Fill, Recipe
from gplvm_core.prediction.fills import gaps_of
from gplvm_core.store.ready import ready_recipes
from gplvm_core.training import begin_comparison, comparison_of
from pages.ui.shared.catalogue import Item
from pages.ui.shared.kept import kept
from pages.ui.shared.running import running
from pages.ui.shared.second_stage import following
from pages.ui.shared.words import percent

WAIT = 3.0  # seconds that a page waits for the density before it shows the map's answer
LEARNING = "Learning how typical rows are; until then the map fills the gaps"
# The help text beside the sentence of `in_words`.
HELD_OUT = (
    "The map was trained on the held-out rows, too; the density was not. Errors on new rows are "
    "therefore larger. If large regions of pictures are missing, either method may be better."
)
NO_DENSITY = "Filled by the map. Its intervals are not calibrated, and may be too narrow."
WIDENED = (
    "Filled by the map. How wide the intervals of numbers are was learnt on hidden values of rows "
    "that it had not seen."
)
AVERAGED = (
    "Filled by averages of the map and of models of each column given the others, because these "
    "averages predicted hidden values best. Intervals are as wide as hidden values need."
)


@dataclass(frozen=True)
class _Step:
    """The progress of learning a density, for the progress bar."""

    share: float
    message: str = LEARNING


def can_learn(model: Any) -> bool:
    """Return whether the model's rows can have a density; a classifier's rows cannot."""
    return bool(getattr(model, "can_have_density", False))


def density_of(model: Any) -> DerivedDensity | None:
    """Return the density of the model's rows; None if it was not learnt."""
    found: DerivedDensity | None = getattr(model, "density_", None)
    return found


def tested(model: Any) -> TableColumns | None:
    """Return the columns of a table with words, if they were tested on hidden values."""
    columns = getattr(model, "columns_", None)
    return columns if isinstance(columns, TableColumns) and columns.widths else None


def dense(item: Item, name: str) -> Item:
    """Return the item with a density; while there is no density yet, return the item unchanged.

    While the training of the model learns it, nothing else does.

    name: the model's key and version.
    """
    if density_of(item.model) is not None or not can_learn(item.model) or following(item):
        return item
    run = comparison_of(_key(name)) or begin_comparison(_key(name), _task(item, name))
    run.wait(max(0.0, WAIT - (time.monotonic() - run.began)))
    return item if run.result is None else replace(item, model=run.result)


def show_learning(item: Item, name: str) -> None:
    """Show the progress of learning the density; rerun the page at the end."""
    if density_of(item.model) is None:
        running(_key(name), f"density|{name}", "The map then fills the gaps")


def learning(name: str) -> bool:
    """Return whether the density of a model's rows is being learnt here."""
    run = comparison_of(_key(name))
    return run is not None and not run.done


def named(model: Any, name: str) -> str:
    """Return the model's name in caches of answers that depend on its second stage."""
    learnt = (
        ("density", density_of(model)),
        ("intervals", getattr(model, "intervals_", None)),
        ("hidden values", tested(model)),
    )
    return "|".join([name, *(each for each, found in learnt if found is not None)])


def how_filled(item: Item, name: str, row: Array) -> str:
    """Describe the method that filled a row's gaps, and its quality; "" for rows without gaps."""
    density = density_of(item.model)
    if not np.isnan(row).any():
        return ""
    if density is None:
        run = comparison_of(_key(name))
        if run is None or not run.done:
            if can_learn(item.model):
                return ""
            columns = tested(item.model)
            if columns is None:
                return NO_DENSITY
            return WIDENED if columns.beside is None else AVERAGED
        return "Filled by the map, because the density of the rows could not be learnt."
    kind = gaps_of(np.isnan(row)[None], [width for _, width in density.data])[0]
    used = {fill.used: fill for fill in density.fills if fill.gaps == kind}
    return in_words(used[True], used[False]) if len(used) == 2 else ""


def in_words(used: Fill, other: Fill) -> str:
    """Describe the method, the errors of both methods, and the check of the method's intervals."""
    names = {"map": "map", "density": "density of the rows"}
    parts = {
        "few values": "with few gaps",
        "scattered values": "with many scattered gaps",
        "a block": "with a block of gaps",
        "a whole view": "without a whole view",
    }
    if used.error < 0.98 * other.error:
        reason = "it was better"
    elif used.score < other.score:
        reason = "its intervals were better"
    else:
        reason = "it was not clearly worse"
    digits = 2 if f"{used.error:.2f}" != f"{other.error:.2f}" else 3
    return (
        f"Filled by the {names[used.method]}. In held-out rows {parts[used.gaps]}, {reason} than "
        f"the {names[other.method]}: error {used.error:.{digits}f} against "
        f"{other.error:.{digits}f} of the columns' spread. Before calibration, "
        f"{percent(used.inside)} of the values were inside their 95 % intervals."
    )


@kept(1)
def _recipes() -> dict[str, Recipe]:
    return ready_recipes()


def stored_recipe(name: str) -> Recipe | None:
    """Return the recipe of a ready model, else None. name: the model's key and version."""
    return _recipes().get(name.removeprefix("gallery:")) if name.startswith("gallery:") else None


def _key(name: str) -> str:
    return f"density|{name}"


def _task(item: Item, name: str) -> Callable[[Callable[[Any], None]], Any]:
    """Return a task that learns the density of a copy, because other visitors may use the model."""
    recipe = stored_recipe(name)

    def task(report: Callable[[Any], None]) -> Any:
        model = copy.copy(item.model)
        rows = (
            item.dataset.views_in_own_values() if model.capabilities.views else item.dataset.values
        )
        return model.fit_density(rows, recipe=recipe, callback=lambda share: report(_Step(share)))

    return task
