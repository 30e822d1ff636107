"""Whether what a file holds is a model that can be used with its data set."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from gplvm_core.readers import Dataset
from gplvm_core.store.entry import card_of
from gplvm_core.store.errors import StoreError, reading


def check_usable(model: Any, dataset: Any) -> None:
    """StoreError unless this is a fitted model with its data set: one row is generated."""
    if not isinstance(model, BaseEstimator):
        raise StoreError(f"A {type(model).__name__} lies where the model should be.")
    if not isinstance(dataset, Dataset):
        raise StoreError(f"A {type(dataset).__name__} lies where the data set should be.")
    with reading("The model in this file"):
        check_is_fitted(model)
        card_of(model, dataset, "trial", "", ())
        if not hasattr(model, "latent_mean_"):
            return
        latent = model.latent_mean_
        if len(latent) != len(dataset.targets):
            raise StoreError(
                f"The model was trained on {len(latent)} rows, and the data set beside it has "
                f"{len(dataset.targets)}."
            )
        several = model.capabilities.views
        for view, values in (dataset.view_values if several else {"": dataset.values}).items():
            alone = model.of_view(view) if several else model
            row = np.asarray(alone.inverse_transform(latent[:1]))
            if row.shape != (1, *values.shape[1:]) or not np.isfinite(row).all():
                raise StoreError("The model generates no rows like those of its data set.")
