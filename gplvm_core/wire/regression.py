"""Pack a fitted regression into bytes, so that the browser can answer for any inputs."""

from typing import Any

import numpy as np
from numpy import ndarray as Array

from gplvm_core.prediction import Posterior
from gplvm_core.readers import Dataset
from gplvm_core.readers.column_task import is_one_hot
from gplvm_core.readers.kinds import TableColumn
from gplvm_core.readers.spread import spread_rows
from gplvm_core.wire.basis import kernel_parts
from gplvm_core.wire.frame import frame

MOST_DRAWN = 400  # rows that are drawn beside the curves
EDGES = (0.0, 100.0)  # percentiles of an input at the ends of its slider


def pack_regression(model: Any, dataset: Dataset, name: str) -> bytes:
    """Pack the layers of a regression, its inputs with their ranges, and some rows of its data.

    name: key of the bytes in the browser. Raises ValueError for a model that the browser cannot
    evaluate: one with a separate noise for each output, or with inputs connected to every layer.
    Raises KernelError for a kernel that the browser cannot evaluate.
    """
    task = dataset.task
    if task is None:
        raise ValueError(f"{dataset.title} has no column to predict.")
    train, _ = task.rows(dataset.n_points)
    names = list(dataset.column_names or ())
    rows = task.of(names, dataset.values, train)
    given = dataset.values[train][:, [names.index(name) for name in task.inputs]]
    arrays: dict[str, Array] = {}
    layers = []
    posteriors = [layer.posterior_ for layer in getattr(model, "layers_", ())] or [model.posterior_]
    width = rows.inputs.shape[1]
    for number, posterior in enumerate(posteriors):
        if posterior.n_latent != width or posterior.each is not None or posterior.links is not None:
            raise ValueError("The browser cannot evaluate this model.")
        width = posterior.n_outputs
        own, described = _layer(posterior)
        arrays |= {f"{key}{number}": values for key, values in own.items()}
        layers.append(described)
    some = spread_rows(len(train), MOST_DRAWN)
    arrays["rows"] = given[some].astype(np.float32)
    arrays["targets"] = rows.target[some].astype(np.float32)
    arrays["input_center"] = np.asarray(model.input_center_, dtype=float)
    arrays["input_scale"] = np.asarray(model.input_scale_, dtype=float)
    header = {
        "name": name,
        "target": task.target,
        "low": float(rows.target.min()),
        "high": float(rows.target.max()),
        "mean": float(rows.target.mean()),
        "inputs": [*map(_input, task.input_columns.columns, given.T)],
        "layers": layers,
        "verdicts": [layer.verdict_ for layer in getattr(model, "layers_", ())],
    }
    return frame(header, arrays)


def _layer(posterior: Posterior) -> tuple[dict[str, Array], dict[str, Any]]:
    """Return a layer's arrays, in double precision because weights and gap contain K⁻¹."""
    width = posterior.n_outputs
    arrays = {
        "inducing": posterior.inducing.astype(float),
        "weights": posterior.weights.astype(float),
        "gap": posterior.gap.astype(float),
        "group": np.asarray(posterior.groups).astype(np.int32),
        "center": np.broadcast_to(posterior.center, (width,)).astype(float),
        "scale": np.broadcast_to(posterior.scale, (width,)).astype(float),
    }
    if posterior.slope is not None:
        arrays["slope"] = posterior.slope.astype(float)
    kernel = kernel_parts(posterior.kernel, posterior.n_latent, posterior.n_latent)
    return arrays, {"kernel": kernel, "noise": float(posterior.noise_variance)}


def _input(column: TableColumn, values: Array) -> dict[str, Any]:
    """Return an input's range and median in the training rows, and whether its values are whole.

    The values of a column of words are the numbers of its words. `apart`: whether each word is an
    input of its own.
    """
    known = values[~np.isnan(values)]
    if column.is_words:
        counts = np.bincount(known.astype(int), minlength=len(column.words))
        low, middle, high = 0.0, float(counts.argmax()), float(len(column.words) - 1)
    else:
        known = known if len(known) else np.zeros(1)
        low, high = np.percentile(known, EDGES).tolist()
        middle, high = float(np.median(known)), high if high > low else low + 1.0
    return {
        "name": column.name,
        "low": low,
        "high": high,
        "middle": middle,
        "whole": bool(np.all(known == np.round(known))),
        "words": [str(word) for word in column.words],
        "apart": is_one_hot(column),
    }
