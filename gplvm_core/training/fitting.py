"""Fit a model to a data set: the map first, then the steps of the second stage."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gplvm_core.models.estimators.second_stage import (
    AUTO,
    OFF,
    LaterStep,
    can_hide_values,
    map_only,
    steps_of,
)
from gplvm_core.optimise import Progress
from gplvm_core.readers import DataError, Dataset
from gplvm_core.readers.error_columns import ERRORS
from gplvm_core.readers.frames import from_columns
from gplvm_core.readers.kinds import coded_table
from gplvm_core.readers.rows.table import TableDataset


def fitted_map(
    model: Any, dataset: Dataset, callback: Callable[[Progress], None], run: Any = None
) -> Any:
    """Fit the model without its second stage; run: the `progress.run` to continue.

    Models in closed form do not call the callback. Raises DataError if the model cannot learn the
    data set.
    """
    accepted = inspect.signature(model.fit).parameters
    errors = dataset.covariates.get(ERRORS)
    if errors is not None and "errors" not in accepted:
        raise DataError(
            f"A {type(model).__name__} takes no known errors, and {dataset.title!r} has some. "
            "Train a BayesianGPLVM, or read the table without its columns of errors."
        )
    known = {"times": dataset.times, "sequences": dataset.sequences, "errors": errors}
    further: dict[str, Any] = {
        name: given for name, given in known.items() if name in accepted and given is not None
    }
    if "callback" in accepted:
        further |= {"callback": callback, "resume": run}
    with map_only(model):
        return _fitted(model, dataset, further, accepted)


def later_steps(fitted: Any, dataset: Dataset) -> tuple[LaterStep, ...]:
    """Return the steps of the second stage for a model that was fitted to the data set."""
    if getattr(fitted, "second_stage", AUTO) == OFF:
        return ()
    rows = dataset.views_in_own_values() if dataset.views else dataset.values
    if can_hide_values(fitted):
        rows = dataset.in_own_values()
    return steps_of(fitted, rows, dataset.sequences)


def on_the_map(fitted: Any, dataset: Dataset) -> Dataset:
    """Return the rows to store with a model: if others were streamed, only the rows on the map."""
    rows = getattr(fitted, "rows_", None)
    kept = rows and rows.kept
    if isinstance(dataset, TableDataset):
        table = getattr(fitted, "columns_", None)
        return dataset.kept(kept, () if table is None else table.columns)
    if kept is None:
        return dataset
    columns = fitted.columns_.columns
    note = f"{len(kept):,} of the table's {dataset.n_points:,} rows are stored here"
    some = dataset.taken(kept)
    targets = coded_table(columns, some.in_own_values())  # the words of the model, in its order
    return replace(some, targets=targets, columns=columns, notes=(*some.notes, note))


def _fitted(model: Any, dataset: Dataset, further: dict[str, Any], accepted: Any) -> Any:
    if dataset.task is not None:
        return _fit_column(model, dataset, further)
    if dataset.known:
        if "known" not in accepted:
            raise DataError(
                f"A {type(model).__name__} cannot take out known factors. Train a "
                "BayesianGPLVM, or take out nothing."
            )
        further["known"] = from_columns(dataset.known, "")
    if "views" in accepted:
        if not dataset.views:
            raise DataError(
                f"A {type(model).__name__} learns several views of the same things, and the "
                f"data set {dataset.title!r} has none. Join tables with Dataset.of_views."
            )
        if dataset.kinds is not None:
            _check_learns_kinds(model, dataset, "Train a ManifoldRelevance")
            model.set_params(kinds=dataset.kinds)
        return model.fit(dataset.views_in_own_values(), **further)
    if dataset.views and dataset.kinds is not None:
        raise DataError(
            f"A {type(model).__name__} learns one table, and {dataset.title!r} has views with "
            "words or counts. Train a ManifoldRelevance."
        )
    outputs = dataset.rows() if isinstance(dataset, TableDataset) else dataset.values
    if dataset.columns:
        _check_learns_kinds(model, dataset, "Train a BayesianGPLVM or a BayesianPCA")
        if not isinstance(dataset, TableDataset):
            outputs = dataset.in_own_values()
        model.set_params(kinds=dataset.kinds)
    return model.fit(outputs, **further)


def _check_learns_kinds(model: Any, dataset: Dataset, remedy: str) -> None:
    """Raise DataError for a model that learns only numbers."""
    if "kinds" not in model.get_params(deep=False):
        raise DataError(
            f"A {type(model).__name__} learns only numbers, and {dataset.title!r} also has words "
            f"or counts. {remedy}, or leave those columns out."
        )


def _fit_column(model: Any, dataset: Dataset, further: dict[str, Any]) -> Any:
    """Train a regression on the rows that are not kept aside."""
    task = dataset.task
    assert task is not None
    if not model.capabilities.predicts:
        raise DataError(
            f"A {type(model).__name__} makes a map, and the data set {dataset.title!r} asks for "
            f"“{task.target}”. Train a SparseGPRegression or a DeepGP, or remove the task."
        )
    train, _ = task.rows(dataset.n_points)
    given = task.of(dataset.column_names or (), dataset.values, train)
    if given.variance is not None:
        further = further | {"X_variance": given.variance}
    further.pop("times", None)
    return model.fit(given.inputs, given.target, **further)
