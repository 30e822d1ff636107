"""Write the small files of a schema for tests/store/test_migrations.py.

    PYTHONPATH=. python tests/store/write_old.py FOLDER [KIND …]

Run this program once before the schema number increases, with the version that writes the old
schema. A file contains a fitted model and its predictions; a job is a checkpoint in the middle of
training, with its data set and the bounds of the whole training.
"""

import sys
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from sklearn.base import clone

import gplvm_core
from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.optimise import Progress
from gplvm_core.store import save
from gplvm_core.training.checkpoint import JobFiles
from gplvm_core.training.progress import Snapshot, empty_trace, extended_trace

SMALL = {"n_components": 2, "n_inducing": 4, "max_iter": 12, "random_state": 0}
PAUSED_AFTER = 5
KINDS = ["number", "yes/no", "category", "count", "exposure"]


def outputs() -> np.ndarray:
    """Return fourteen points on a circle, seen in three columns."""
    angle = np.linspace(0.0, 6.0, 14)
    return np.column_stack([np.cos(angle), np.sin(angle), np.cos(angle + 1.0)])


def with_gaps() -> np.ndarray:
    table = outputs()
    table[2:5, 0] = table[7, 2] = np.nan
    return table


def views() -> dict[str, np.ndarray]:
    return {"left": outputs(), "right": outputs() @ [[1.0, 0.5], [0.2, -1.0], [0.0, 2.0]]}


def told(model: Any) -> dict[str, Any]:
    """Return a model of one table, and its predictions."""
    points = model.latent_mean_[:5] + 0.1
    mean, deviation = model.inverse_transform(points, return_std=True)
    return {"model": model, "points": points, "mean": mean, "deviation": deviation}


def sampled() -> Any:
    """Return a model that was trained on some of its rows."""
    with (
        mock.patch("gplvm_core.models.problems.many_rows.MANY", 14),
        mock.patch("gplvm_core.models.problems.many_rows.SAMPLES", (6, 6, 7, 8)),
        mock.patch("gplvm_core.models.problems.many_rows.FEW_INDUCING", 3),
    ):
        return gplvm_core.BayesianGPLVM(**SMALL).fit(outputs())


def several(model: Any) -> dict[str, Any]:
    """Return a model of several views, and the prediction of one view from another."""
    given = {"left": outputs()[:4]}
    found = {"model": model, "given": given, "transferred": model.transfer(given, "right")}
    return told(model.of_view("right")) | found


def table() -> Dataset:
    """Return a table of a number, yes/no answers, a category and counts with exposures."""
    number = outputs()[:, 0]
    rows = [
        [at, bool(at > 0.1), "abc"[n % 3], int(4.0 + 3.0 * at), 1.0 + n % 2]
        for n, at in enumerate(number.tolist())
    ]
    return Dataset.of_table("table", "A table", rows, KINDS)


def of_kinds() -> dict[str, Any]:
    """Return a model of a table of several kinds, and its answers about the table's rows."""
    rows = table().in_own_values()
    model = gplvm_core.BayesianGPLVM(**SMALL, kinds=KINDS).fit(rows)
    found = [model.class_probabilities(rows, at) for at in (1, 2)]
    counts = model.column_quantiles(rows, 3, [0.1, 0.9])
    return {"model": model, "classes": found, "counts": counts, "scores": model.score_samples(rows)}


def job(folder: Path, kind: str) -> None:
    """Return a job paused in the middle of training, as the queue writes it."""
    model, dataset = JOBS[kind]()
    given = dataset.view_values if kind == "job_views" else dataset.values
    if dataset.kinds is not None:
        model.set_params(kinds=dataset.kinds)
        given = dataset.in_own_values()
    timed = {} if dataset.times is None else {"times": dataset.times}
    seen: list[Progress] = []
    whole = clone(model).fit(given, callback=seen.append, **timed)
    trace = empty_trace()
    for progress in seen[:PAUSED_AFTER]:
        trace = extended_trace(trace, progress)
    snapshot = Snapshot(
        kind,
        "A circle",
        "paused",
        type(model).__name__,
        dataset.name,
        "2026-11-22T00:00:00+00:00",
        model.get_params(),
        seen[PAUSED_AFTER - 1],
        trace,
    )
    files = JobFiles(folder / "jobs", kind)
    files.folder.mkdir(exist_ok=True)
    files.write_data(dataset)
    files.write_state(snapshot, model)
    save(np.asarray(whole.trace_["bound"]), folder / f"{kind}_bounds.gplvm")


def circle(**further: Any) -> Dataset:
    return Dataset("circle", "A circle", outputs(), Drawing.of_vector(3), **further)


def circle_views() -> Dataset:
    made = {
        name: Dataset(name, name, values, Drawing.of_vector(values.shape[1]))
        for name, values in views().items()
    }
    return Dataset.of_views("circle", "A circle", made)


MODELS = {
    "whole": lambda: told(gplvm_core.BayesianGPLVM(**SMALL).fit(outputs())),
    "gaps": lambda: told(gplvm_core.BayesianGPLVM(**SMALL).fit(with_gaps())),
    "points": lambda: told(gplvm_core.GPLVM(n_components=2, max_iter=12).fit(outputs())),
    "sampled": lambda: told(sampled()),
    "linear": lambda: told(gplvm_core.ProbabilisticPCA(n_components=2).fit(outputs())),
    "views": lambda: several(gplvm_core.ManifoldRelevance(**SMALL | {"max_iter": 40}).fit(views())),
}
JOBS = {
    "job": lambda: (gplvm_core.BayesianGPLVM(**SMALL), circle()),
    "job_encoder": lambda: (gplvm_core.BayesianGPLVM(**SMALL, encoder="kernel"), circle()),
    "job_kinds": lambda: (gplvm_core.BayesianGPLVM(**SMALL), table()),
    "job_times": lambda: (gplvm_core.DynamicalGPLVM(**SMALL), circle(times=np.arange(14.0))),
    "job_views": lambda: (gplvm_core.ManifoldRelevance(**SMALL), circle_views()),
}

if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True)
    for kind in sys.argv[2:] or (*MODELS, "kinds", *JOBS):
        if kind in JOBS:
            job(target, kind)
        elif kind == "kinds":
            save(of_kinds(), target / "kinds.gplvm")
        else:
            save(MODELS[kind](), target / f"model_{kind}.gplvm")
