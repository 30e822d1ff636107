"""Test a regression while it trains, by its predictions of the rows kept aside."""

import warnings
from typing import Any

from sklearn.base import BaseEstimator, clone

from gplvm_core import models
from gplvm_core.comparison.one_column import Predicted, predicted_by, task_of
from gplvm_core.optimise import Progress
from gplvm_core.readers import Dataset
from gplvm_core.training.progress import Snapshot


def model_of(job: Snapshot) -> Any:
    """Return the unfitted estimator of a job; None if it is not one of this package."""
    kind = getattr(models, job.model_class, None)
    if not isinstance(kind, type) or not issubclass(kind, BaseEstimator):
        return None
    return kind(**job.parameters)


def present_predictions(job: Snapshot, dataset: Dataset) -> Predicted | None:
    """Predict the rows kept aside with the model at the job's last step; None before any step."""
    model, progress = model_of(job), job.progress
    if model is None or progress is None or progress.run is None or dataset.task is None:
        return None
    _, train, held = task_of(dataset)
    noise = {} if train.variance is None else {"X_variance": train.variance}

    def stop(_: Progress) -> None:
        raise StopIteration

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the job reports them in its notes
        fitted = clone(model).fit(
            train.inputs, train.target, callback=stop, resume=progress.run, **noise
        )
    return predicted_by(fitted, held)
