"""Train the gallery's models from the project's own data sets: `make gallery`.

Every model is seeded, so the same machine makes the same files. Takes a few minutes. With
--calibrate they are trained without a tenth of the rows, which then are completed from half of
their values: how many of the others lie inside the intervals is kept in calibration.json.
"""

import argparse
import json
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gplvm_core import (
    BayesianGPLVM,
    DeepGPLVM,
    DynamicalGPLVM,
    ManifoldRelevance,
    load_dataset,
)
from gplvm_core.datasets import Dataset
from gplvm_core.store import Library

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Exhibit:
    """A model of the gallery: its data set, its title and its settings."""

    dataset: str
    title: str
    settings: dict[str, Any]
    in_time: bool = False


# Every inducing input of the faces takes 40 kB on disk.
GALLERY = {
    "people": Exhibit(
        "people",
        "People who do not exist",
        {"n_components": 10, "n_inducing": 80, "max_iter": 400},
    ),
    "faces": Exhibit(
        "faces", "Forty people", {"n_components": 10, "n_inducing": 128, "max_iter": 800}
    ),
    "heads": Exhibit(
        "heads", "Six heads under a moving light", {"n_components": 10, "n_inducing": 60}
    ),
    "poses": Exhibit(
        "poses", "A body climbing, swinging, jumping", {"n_components": 10, "n_inducing": 60}
    ),
    "moves": Exhibit(
        "poses", "The same body, through time", {"n_components": 10, "n_inducing": 60}, in_time=True
    ),
    "pairs": Exhibit(
        "lit_pairs", "Two heads under one light", {"n_components": 10, "n_inducing": 40}
    ),
    "silhouettes": Exhibit(
        "silhouettes", "A body and its silhouette", {"n_components": 10, "n_inducing": 60}
    ),
    "digits": Exhibit("digits", "Handwritten digits", {"n_components": 10, "n_inducing": 60}),
    "flow": Exhibit("flow", "Oil, water and gas in a pipe", {"n_components": 8, "n_inducing": 40}),
    "deep-flow": Exhibit(
        "flow", "The same pipe, in two layers", {"n_components": (5, 8), "n_inducing": 40}
    ),
}


def gallery_model(name: str) -> BayesianGPLVM | DeepGPLVM | ManifoldRelevance:
    """The gallery's model of that name, not fitted yet."""
    # A jitter that leaves the bound's digits to the model and not to a processor's rounding.
    settings = {"jitter": 1e-4, "max_iter": 500} | GALLERY[name].settings
    settings |= {"random_state": 0, "n_jobs": os.cpu_count()}
    if load_dataset(GALLERY[name].dataset).views:
        return ManifoldRelevance(**settings)
    if isinstance(settings["n_components"], tuple):
        return DeepGPLVM(**settings)
    return DynamicalGPLVM(**settings) if GALLERY[name].in_time else BayesianGPLVM(**settings)


def known_beside(name: str, dataset: Dataset) -> dict[str, Any]:
    """What the model is told beside the rows."""
    if not GALLERY[name].in_time:
        return {}
    return {"times": dataset.times, "sequences": dataset.sequences}


CALIBRATION = HERE / "calibration.json"
MOST_HELD_OUT = 60
TWO_SIDED_95 = 1.959964  # standard deviations of a Gaussian


def calibrate(name: str) -> dict[str, float] | None:
    """The share of held-out values inside their 95 % intervals; None for views and sequences."""
    dataset, model = load_dataset(GALLERY[name].dataset), gallery_model(name)
    if dataset.views or GALLERY[name].in_time:
        return None
    generator = np.random.default_rng(0)
    order = generator.permutation(dataset.n_points)
    held = order[: min(dataset.n_points // 10, MOST_HELD_OUT)]
    trained = np.sort(order[len(held) :])
    model.fit(dataset.values[trained])
    rows = dataset.values[held]
    hidden = generator.random(rows.shape) < 0.5
    hidden &= np.ptp(dataset.values[trained], axis=0) > 0.0
    mean, std = model.complete(np.where(hidden, np.nan, rows), return_std=True)
    inside = np.abs(rows - mean)[hidden] <= TWO_SIDED_95 * std[hidden]
    return {"inside": round(float(inside.mean()), 4), "rows": len(held)}


def keep_calibration(name: str) -> None:
    known = json.loads(CALIBRATION.read_text()) if CALIBRATION.exists() else {}
    found = calibrate(name)
    if found is not None:
        known[name] = found
        CALIBRATION.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
    print(f"{name}: {found or 'not calibrated: views, or a sequence'}", flush=True)


def main() -> None:
    """Train the models that are named, or all, and put them in this folder."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("names", nargs="*", default=list(GALLERY), metavar="NAME")
    parser.add_argument("--calibrate", action="store_true", help="measure, and leave the models")
    asked = parser.parse_args()
    if asked.calibrate:
        for name in asked.names:
            keep_calibration(name)
        return
    library = Library(HERE)
    for name in asked.names:
        exhibit, start = GALLERY[name], time.perf_counter()
        dataset, model = load_dataset(exhibit.dataset), gallery_model(name)
        model.fit(dataset.view_values or dataset.values, **known_beside(name, dataset))
        shutil.rmtree(HERE / name, ignore_errors=True)
        library.add(model, dataset, exhibit.title, tags=("gallery",), id=name)
        print(
            f"{name}: bound {model.bound_:.1f} nats, {model.n_effective_} dimensions on, "
            f"{time.perf_counter() - start:.0f} s; {model.result_.reason}"
        )


if __name__ == "__main__":
    main()
