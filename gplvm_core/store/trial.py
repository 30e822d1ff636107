"""Check that a file contains a usable model and its data set."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from gplvm_core.readers import Dataset
from gplvm_core.readers.errors import plural
from gplvm_core.readers.kinds import coded_table
from gplvm_core.store.entry import card_of
from gplvm_core.store.errors import StoreError, reading


def check_usable(model: Any, dataset: Any) -> None:
    """Raise a StoreError unless this is a fitted model with its data set; generates one row."""
    if not isinstance(model, BaseEstimator):
        raise StoreError(f"The file contains a {type(model).__name__} in place of a model.")
    if not isinstance(dataset, Dataset):
        raise StoreError(f"The file contains a {type(dataset).__name__} in place of a data set.")
    with reading("The model in this file"):
        check_is_fitted(model)
        card_of(model, dataset, "trial", "", ())
        check_fits(model, dataset)


def check_fits(model: Any, dataset: Dataset) -> None:
    """Raise a StoreError for a data set that is not the model's: of other rows or columns."""
    if dataset.task is not None:
        _check_predicts(model, dataset)
        return
    if not hasattr(model, "latent_mean_"):
        return
    latent = model.latent_mean_
    if len(latent) != len(dataset.targets):
        raise StoreError(
            f"The model was trained on {plural(len(latent), 'row')}, but its data set has "
            f"{len(dataset.targets)}."
        )
    several = model.capabilities.views
    for view, values in (dataset.view_values if several else {"": dataset.values}).items():
        part = model.of_view(view) if several else model
        row = np.asarray(part.inverse_transform(part.latent_mean_[:1]))
        columns = next((v.columns for v in dataset.views if v.name == view), dataset.columns)
        if columns:  # raises an error for words that the data set does not have
            row = coded_table(columns, row)
        if row.shape != (1, *values.shape[1:]) or not np.isfinite(row).all():
            raise StoreError("The model cannot generate rows like those of its data set.")


def _check_predicts(model: Any, dataset: Dataset) -> None:
    """Raise a StoreError unless the model answers the question of its data set."""
    task = dataset.task
    assert task is not None
    if not model.capabilities.predicts or model.n_features_in_ != sum(task.input_columns.widths):
        raise StoreError(
            f"The data set asks for “{task.target}”, which the model does not predict."
        )
    row = task.of(dataset.column_names or (), dataset.values, np.arange(1))
    inputs = np.where(np.isnan(row.inputs), model.input_center_, row.inputs)
    if not np.isfinite(np.asarray(model.predict(inputs))).all():
        raise StoreError("The model cannot predict a row of its data set.")
