"""Models whose density, and the scores of their training rows, are ready for new rows."""

import copy
from collections.abc import Callable
from typing import Any

from gplvm_core.new_rows.places import rows_for
from gplvm_core.readers import Dataset

FOLDS = 5


def prepare(
    model: Any, dataset: Dataset, callback: Callable[[int, int], None] | None = None
) -> Any:
    """Return the model with a density and out-of-fold scores of its training rows.

    The model does not change: the result is a copy if anything was missing. Models that cannot
    have a density are returned as they are. dataset: the training rows. callback: called as
    callback(done, folds) between folds; an exception that it raises ends the work.
    """
    if not can_have_density(model):
        return model
    known = model.density_
    if known is not None and known.typicality is not None:
        return model
    found = copy.copy(model)
    settings = {}
    if known is not None:
        settings = {"components": len(known.rows.weights) - 1, "prior_strength": known.strength}
    Y = rows_for(model, dataset, dataset.values)
    return found.fit_density(Y, **settings, folds=FOLDS, callback=callback)


def can_have_density(model: Any) -> bool:
    """Whether the model has latent points without known inputs, and all columns are numbers."""
    if not hasattr(model, "fit_density"):
        return False
    network = model._network
    return not network.known and not any(edge.posterior.links for edge in network.ends.values())
