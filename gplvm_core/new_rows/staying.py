"""Add new rows permanently: to a data set, and to a model's map."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from gplvm_core.models.data.rows import as_floats
from gplvm_core.models.estimators.second_stage import has_known_errors
from gplvm_core.models.estimators.with_known import apart_from_known
from gplvm_core.numerics import Array
from gplvm_core.readers import DataError, Dataset

BROUGHT = "added later"
"""The fact (0 or 1) that marks rows that were added to a data set."""


def with_rows(
    dataset: Dataset, rows: Float[Array, "n D"], names: Sequence[str] | None = None
) -> Dataset:
    """Return a data set with rows added at its end.

    The new rows have no labels, and all their facts except "added later" are unknown. The result
    has no times and no sequences, because the new rows have none.

    Parameters
    ----------
    dataset : Dataset
        The data set to extend, with a single view.
    rows : array_like of shape (n, D)
        The rows to add, in the columns of the data set; NaN marks missing values.
    names : sequence of str, optional
        Names of the rows to add.

    Raises
    ------
    DataError
        If the columns differ, if the data set has several views, or if known factors are taken
        out.
    """
    rows = as_floats(rows, "rows")
    if dataset.known:
        raise DataError(
            f"The known factors ({', '.join(dataset.known)}) of the rows are unknown: bring the "
            "rows and their factors to Train in one file."
        )
    if dataset.views or rows.ndim != 2 or rows.shape[1] != dataset.n_outputs:
        raise DataError(
            f"rows must have the {dataset.n_outputs:,} columns of {dataset.name}, which must have "
            f"one view; got the shape {rows.shape}"
        )
    count, known = len(rows), dataset.n_points
    labels = None if dataset.labels is None else np.append(dataset.labels, np.full(count, -1))
    row_names = dataset.row_names
    if row_names is not None or names is not None:
        before = [f"Row {n + 1}" for n in range(known)] if row_names is None else list(row_names)
        new = [f"New row {n + 1}" for n in range(count)] if names is None else list(names)
        row_names = np.array([*before, *new])
    facts = {name: _longer(fact, count) for name, fact in dataset.covariates.items()}
    marks = facts.pop(BROUGHT, np.zeros(known + count))
    facts[BROUGHT] = np.append(marks[:known], np.ones(count))
    return replace(
        dataset,
        name=f"{dataset.name}_and_more",
        targets=_stacked(dataset.targets, rows),
        labels=labels,
        times=None,
        time_unit="",
        sequences=None,
        row_names=row_names,
        covariates=facts,
    )


def _stacked(targets: NDArray[Any], rows: Array) -> NDArray[Any]:
    """Append rows to targets. Bytes stay bytes if the rows consist of whole numbers to 255."""
    if targets.dtype == np.uint8:
        whole = np.clip(np.rint(np.nan_to_num(rows)), 0, 255).astype(np.uint8)
        if np.array_equal(whole, rows):
            return np.vstack([targets, whole])
    return np.vstack([targets.astype(float), rows])


def _longer(fact: NDArray[Any], count: int) -> NDArray[Any]:
    """Append unknown values to a fact of the rows."""
    shape = (count, *fact.shape[1:])
    if fact.dtype.kind in "fiub":
        return np.concatenate([fact.astype(float), np.full(shape, np.nan)])
    return np.concatenate([fact, np.full(shape, "", dtype=fact.dtype)])


def can_add(model: Any) -> bool:
    """Whether the model's `extend` can add rows to its map without training."""
    return (
        hasattr(model, "extend")
        and getattr(model, "time_kernel", None) is None
        and getattr(model, "columns_", None) is None
        and not has_known_errors(model)
        and apart_from_known(model)
    )


def added(model: Any, rows: Float[Array, "n D"]) -> Any:
    """Return a copy of the model with rows added to its map, without training again.

    Parameters
    ----------
    model : estimator
        A fitted model with `extend`. It does not change.
    rows : array_like of shape (n, D)
        The rows to add; NaN marks missing values.

    Returns
    -------
    estimator
        The copy. It has no density and no calibrated intervals, because those of the given model
        describe only the previous rows.
    """
    return deepcopy(model).extend(rows)
