"""Train a model of the tour: only its map, and without warnings."""

import warnings
from typing import Any

from gplvm_core.models.estimators.second_stage import map_only


def fitted(model: Any, rows: Any, outputs: Any = None, **given: Any) -> Any:
    """Fit only the map of a model, and return the model.

    Warnings are ignored: the pictures show partial training, constant columns and dark pixels.
    outputs, given: further arguments of `fit`.
    """
    with map_only(model), warnings.catch_warnings(action="ignore"):
        return model.fit(rows, outputs, **given)
