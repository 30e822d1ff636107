"""The outputs of a multi-view model, and which of them are drawn."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy import ndarray as Array

from gplvm_core.datasets import Dataset
from gplvm_core.figures.view_parts import MOST_NAMED_VIEWS
from gplvm_core.readers.kinds import coded_table, in_own_values
from gplvm_core.wire.views import WHOLE, ViewRows

MOST_OUTPUTS = 4  # the largest number of outputs drawn side by side


def rows_of_views(dataset: Dataset) -> dict[str, ViewRows]:
    """Return the views as rows that can be drawn, and `WHOLE` if the whole row has a drawing."""
    views = {view.name: ViewRows.of(dataset, view.name) for view in dataset.views}
    if draws_whole(dataset):
        views[WHOLE] = ViewRows.of(dataset)
    return views


def draws_whole(dataset: Dataset) -> bool:
    """Return whether all views together have a drawing, such as a body of many joints."""
    return dataset.drawing.kind in ("image", "skeleton")


def possible_outputs(model: Any, dataset: Dataset) -> tuple[str, ...]:
    """Return the outputs that can be drawn: the views, and the whole row if it has a drawing."""
    return ((WHOLE,) if draws_whole(dataset) else ()) + tuple(model.views_)


def first_outputs(model: Any, dataset: Dataset) -> tuple[str, ...]:
    """Return the outputs drawn initially: all views if they are few, else the whole row."""
    possible = possible_outputs(model, dataset)
    if len(model.views_) > MOST_NAMED_VIEWS and possible[0] == WHOLE:
        return possible[:1]
    return tuple(name for name in possible if name != WHOLE)[:MOST_OUTPUTS]


def generated(model: Any, dataset: Dataset, points: Array) -> dict[str, Array]:
    """Predict every view, and all views as one row, at latent points: (n, D) by name.

    A word is its number among the words of the data set.
    """
    views, rows = model.inverse_transform(points), rows_of_views(dataset)
    coded = {name: as_numbers(rows[name], views[name]) for name in model.views_}
    return {**coded, WHOLE: np.hstack(list(coded.values()))}


def as_numbers(rows: ViewRows, table: Any) -> Array:
    """Convert rows of a view, as the model returns them, to numbers; None is missing."""
    return coded_table(rows.columns, table) if rows.columns else np.asarray(table)


def as_given(rows: Mapping[str, ViewRows], given: Mapping[str, Array]) -> dict[str, Any]:
    """Convert rows (n, D) of some views to the model's input: words, or numbers."""
    return {
        name: in_own_values(rows[name].columns, values) if rows[name].columns else values
        for name, values in given.items()
    }
