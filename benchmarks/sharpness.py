"""Photographs and rendered heads: the sharpness of a model's pictures, and completed half faces.

    python -m benchmarks.sharpness [--seed 0] [--only NAME]

Sharpness is the median size (root mean square) of a picture's gradient, relative to the same
quantity in the data. Sharpness is measured at the positions of the training points, and halfway
from each position to the nearest other one; for the people, also inside a rectangle around eyes
and mouth. Half faces: a tenth of the rows is held out (one photograph of each person), and their
left halves are hidden. The root mean square error of the completed half is relative to the data's
spread. The settings are those of the gallery and, for the photographs, some others.
"""

import argparse
import sys
import time
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from benchmarks.common import table, write_row
from gplvm_core import BayesianGPLVM, load_dataset
from gplvm_core.datasets import Dataset
from gplvm_core.numerics import Array

BASE: dict[str, Any] = {"jitter": 1e-4, "random_state": 0}
SETTINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "people": ("people", {"n_components": 12, "n_inducing": 100, "max_iter": 600}),
    "heads": ("heads", {"n_components": 10, "n_inducing": 60, "max_iter": 500}),
    "faces": ("faces", {"n_components": 10, "n_inducing": 128, "max_iter": 800}),
    "faces, 20 dimensions": ("faces", {"n_components": 20, "n_inducing": 128, "max_iter": 800}),
    "faces, 40 dimensions": ("faces", {"n_components": 40, "n_inducing": 128, "max_iter": 800}),
    "faces, own noise": (
        "faces",
        {"n_components": 10, "n_inducing": 128, "max_iter": 800, "noise": "per_output"},
    ),
}
Region = tuple[slice, slice]
WHOLE: Region = (slice(None), slice(None))
INSIDE: dict[str, Region] = {"people": (slice(34, 78), slice(28, 68))}  # rows, columns


def sharpness(rows: Array, shape: tuple[int, ...], region: Region = WHOLE) -> float:
    """Return the root mean square difference between neighbouring pixels, as the median over
    pictures.
    """
    pictures = np.clip(rows, 0.0, 255.0).reshape(-1, *shape)[:, region[0], region[1]]
    steps = np.diff(pictures, axis=1)[:, :, 1:] ** 2 + np.diff(pictures, axis=2)[:, 1:] ** 2
    return float(np.median(np.sqrt(steps.mean(axis=(1, 2)))))


def held_out(dataset: Dataset, generator: np.random.Generator) -> NDArray[np.intp]:
    """Return the held-out rows: one row per label if there are many labels, or a tenth."""
    if dataset.labels is not None and len(dataset.label_names) >= 20:
        return np.array(
            [generator.choice(np.flatnonzero(dataset.labels == k)) for k in set(dataset.labels)]
        )
    return generator.permutation(dataset.n_points)[: dataset.n_points // 10]


def measured(dataset: Dataset, settings: dict[str, Any], seed: int) -> dict[str, float]:
    """Return sharpness at and between training points, half-face error, and seconds."""
    begin = time.perf_counter()
    values, shape = dataset.values, dataset.drawing.shape
    rows = held_out(dataset, np.random.default_rng(seed))
    train = np.delete(values, rows, axis=0)
    model = BayesianGPLVM(**BASE, **settings, second_stage="off").fit(train)
    places, weights = model.latent_mean_, np.sqrt(model.relevance_)
    distance = cdist(weights * places, weights * places)
    np.fill_diagonal(distance, np.inf)
    between = 0.5 * (places + places[distance.argmin(axis=1)])
    regions = {"": WHOLE}
    if dataset.name in INSIDE:
        regions[", eyes and mouth"] = INSIDE[dataset.name]
    hidden = np.zeros(shape, dtype=bool)
    hidden[:, : shape[1] // 2] = True
    gap = hidden.ravel()
    truth = values[rows]
    filled = model.complete(np.where(gap, np.nan, truth))
    error = np.sqrt(np.mean((filled - truth)[:, gap] ** 2))
    spread = np.sqrt(np.mean(np.var(train[:, gap], axis=0)))
    drawn = {"at": places, "between": between}
    return {
        f"{name}{words}": sharpness(np.asarray(model.inverse_transform(where)), shape, region)
        / sharpness(train, shape, region)
        for words, region in regions.items()
        for name, where in drawn.items()
    } | {
        "half face": float(error / spread),
        "seconds": time.perf_counter() - begin,
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=list(SETTINGS))
    asked = parser.parse_args()
    found: dict[str, dict[str, float]] = {}
    for name in [asked.only] if asked.only else SETTINGS:
        which, settings = SETTINGS[name]
        with warnings.catch_warnings(action="ignore"):  # pixels that never change cause warnings
            found[name] = measured(load_dataset(which), settings, asked.seed)
        print(name, found[name], flush=True)
    print(table(("", *found[name]), [(each, *found[each].values()) for each in found]))
    write_row(
        "sharpness", found, seed=asked.seed, settings={each: SETTINGS[each][1] for each in found}
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
