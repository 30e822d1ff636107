"""Prepare a model's density, and the scores of its training rows, for new rows."""

import copy
from collections.abc import Callable
from typing import Any

from gplvm_core.models.estimators.second_stage import FOLDS
from gplvm_core.new_rows.places import rows_for
from gplvm_core.prediction import Recipe
from gplvm_core.readers import Dataset


def prepare(
    model: Any,
    dataset: Dataset,
    callback: Callable[[float], None] | None = None,
    recipe: Recipe | None = None,
) -> Any:
    """Return the model with a density and out-of-fold scores of its training rows.

    The model does not change: the result is a copy if anything was missing. Models that cannot have
    a density are returned as they are. dataset: the training rows. callback: called with the
    fraction of the work that is done; an exception that it raises ends the work. recipe:
    `density_.recipe` of the same model with the same rows; it saves time if the model has no
    density.
    """
    if not getattr(model, "can_have_density", False):
        return model
    known = model.density_
    if known is not None and known.typicality is not None:
        return model
    recipe = recipe if known is None else known.recipe
    Y = rows_for(model, dataset, dataset.values)
    return copy.copy(model).fit_density(Y, folds=FOLDS, recipe=recipe, callback=callback)
