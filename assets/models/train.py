"""Train the gallery's models from the project's own data sets: `make gallery`.

Every model has a fixed seed, so the same machine makes the same files. Training takes a few
minutes.

--calibrate writes calibration.json: the fraction of hidden values that are inside the models'
intervals. For this, models are trained without a tenth of the rows. They complete these rows from
half of the values; with several views, also from the other views. Models of sequences are trained
without the middle of every sequence.

--densities writes two files for the tab Fill in: the log densities of training rows
(densities.json), and the choices that held-out rows led to for the density of the rows
(recipes.json).

--intervals writes the factors of the models' intervals (intervals.json).
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
    DeepManifoldRelevance,
    DynamicalGPLVM,
    ManifoldRelevance,
    StateSpaceGPLVM,
    load_dataset,
)
from gplvm_core.datasets import Dataset
from gplvm_core.models.estimators.second_stage import map_only
from gplvm_core.numerics import Array
from gplvm_core.readers.frames import from_columns
from gplvm_core.readers.spread import spread_rows
from gplvm_core.store import Library

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Exhibit:
    """A model of the gallery: its data set, its title and its settings.

    by_rule: whether the model in time is a state-space model; without: the covariate that is taken
    out of the map.
    """

    dataset: str
    title: str
    settings: dict[str, Any]
    in_time: bool = False
    by_rule: bool = False
    without: str = ""


# One inducing input takes 40 kB on disk for the faces, and 74 kB for the people.
GALLERY = {
    "people": Exhibit(
        "people",
        "People who do not exist",
        {"n_components": 12, "n_inducing": 100, "max_iter": 600},
    ),
    "ages": Exhibit(
        "people",
        "The same face at another age",
        {"n_components": 12, "n_inducing": 50, "max_iter": 1000},
        without="age",
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
    "limbs": Exhibit(
        "body_parts",
        "A body in three parts",
        {"n_components": (3,), "view_components": 3, "n_inducing": 40, "max_iter": 400},
    ),
    "pairs": Exhibit(
        "lit_pairs", "Two heads under one light", {"n_components": 10, "n_inducing": 40}
    ),
    "walker": Exhibit(
        "walker",
        "From a silhouette to the body",
        {
            "n_components": 8,
            "n_inducing": 100,
            "max_iter": 400,
            "time_kernel": "matern32",
            "noise": "per_output",
        },
        in_time=True,
    ),
    "pendulum": Exhibit(
        "pendulum",
        "A pendulum swings on",
        {"n_components": 5, "n_inducing": 60, "max_iter": 3000},
        in_time=True,
        by_rule=True,
    ),
    "digits": Exhibit("digits", "Handwritten digits", {"n_components": 10, "n_inducing": 60}),
    "flow": Exhibit("flow", "Oil, water and gas in a pipe", {"n_components": 8, "n_inducing": 40}),
    "countries": Exhibit(
        "countries", "142 countries over fifty years", {"n_components": 5, "n_inducing": 30}
    ),
    "turned": Exhibit(
        "turned_digit",
        "One digit, turned",
        {"n_components": 10, "n_inducing": 40, "max_iter": 1500},
    ),
    "spikes": Exhibit(
        "spikes", "A path, found from spikes alone", {"n_components": 5, "n_inducing": 30}
    ),
    "deep-flow": Exhibit(
        "flow", "The same pipe, in two layers", {"n_components": (5, 8), "n_inducing": 40}
    ),
}


def gallery_model(
    name: str,
) -> BayesianGPLVM | DeepGPLVM | DeepManifoldRelevance | ManifoldRelevance | StateSpaceGPLVM:
    """Return the gallery's model of that name, not fitted yet."""
    # The jitter is so large that the bound does not depend on a processor's rounding.
    settings = {"jitter": 1e-4, "max_iter": 500} | GALLERY[name].settings
    settings |= {"random_state": 0, "n_jobs": os.cpu_count()}
    dataset = load_dataset(GALLERY[name].dataset)
    if isinstance(settings["n_components"], tuple):
        return (DeepManifoldRelevance if dataset.views else DeepGPLVM)(**settings)
    if dataset.views:
        return ManifoldRelevance(**settings)
    if dataset.columns:
        return BayesianGPLVM(**settings, kinds=dataset.kinds)
    if not GALLERY[name].in_time:
        return BayesianGPLVM(**settings)
    return (StateSpaceGPLVM if GALLERY[name].by_rule else DynamicalGPLVM)(**settings)


def known_beside(name: str, dataset: Dataset, rows: Any = slice(None)) -> dict[str, Any]:
    """Return the arguments of fit other than the rows, for some of the rows."""
    if taken := GALLERY[name].without:
        return {"known": from_columns({taken: dataset.covariates[taken][rows]}, "")}
    if not GALLERY[name].in_time:
        return {}
    return {"times": dataset.times[rows], "sequences": dataset.sequences[rows]}


CALIBRATION = HERE / "calibration.json"
MOST_HELD_OUT = 60
TWO_SIDED_95 = 1.959964  # in standard deviations of a Gaussian


def calibrate(name: str) -> dict[str, float]:
    """Return the share of held-out values inside their 95 % intervals.

    The held-out values are one half of each partly visible row. With several views, each view is
    also hidden completely and predicted from the others. In sequences they are a gap, predicted
    from the frames before and after the gap.
    """
    dataset, model = load_dataset(GALLERY[name].dataset), gallery_model(name)
    if GALLERY[name].in_time:
        return (calibrate_films if dataset.views else calibrate_in_time)(dataset, model)
    generator = np.random.default_rng(0)
    order = generator.permutation(dataset.n_points)
    held = order[: min(dataset.n_points // 10, MOST_HELD_OUT)]
    trained = np.sort(order[len(held) :])
    if dataset.columns:
        return calibrate_columns(dataset, model, trained, held, generator)
    views = dataset.view_values or {"": dataset.values}
    seen = as_given({view: values[trained] for view, values in views.items()})
    model.fit(seen, **known_beside(name, dataset, trained))
    if GALLERY[name].without:
        model = model.given(known_beside(name, dataset, held)["known"])
    rows = {view: values[held] for view, values in views.items()}
    varies = {view: np.ptp(values[trained], axis=0) > 0.0 for view, values in views.items()}
    half = {view: (generator.random(rows[view].shape) < 0.5) & varies[view] for view in views}
    found = {"inside": share_inside(model, rows, half), "rows": len(held)}
    if dataset.views:
        for to in views:
            others = {view: each for view, each in rows.items() if view != to}
            filled = model.transfer(others, to, return_std=True)
            inside = within(rows[to], *filled)[:, varies[to]]
            found[f"inside_{to}"] = float(inside.mean())
    return found


def calibrate_columns(
    dataset: Dataset,
    model: BayesianGPLVM,
    trained: Array,
    held: Array,
    generator: np.random.Generator,
) -> dict[str, float]:
    """Return the fraction of hidden numbers and counts inside the model's 95 % quantiles."""
    model.fit(dataset.in_own_values(dataset.values[trained]))
    rows = dataset.values[held]
    hidden = generator.random(rows.shape) < 0.5
    seen = dataset.in_own_values(np.where(hidden, np.nan, rows))
    inside = []
    for at, column in enumerate(dataset.columns):
        if not column.is_words:
            low, high = model.column_quantiles(seen, at, (0.025, 0.975))
            within_own = (low <= rows[:, at]) & (rows[:, at] <= high)
            inside.append(within_own[hidden[:, at]])
    return {"inside": float(np.concatenate(inside).mean()), "rows": len(held)}


def as_given(views: dict[str, Array]) -> Any:
    """Return the input of a model: views by name, or the rows if there is only one view."""
    return views if len(views) > 1 else views[""]


def share_inside(model: Any, rows: dict[str, Array], hidden: dict[str, Array]) -> float:
    """Return the fraction of hidden values inside the intervals predicted from the others."""
    seen = {view: np.where(hidden[view], np.nan, rows[view]) for view in rows}
    completed = model.complete(as_given(seen), return_std=True)
    means, stds = completed if len(rows) > 1 else ({"": each} for each in completed)
    inside = [within(rows[view], means[view], stds[view])[hidden[view]] for view in rows]
    return float(np.concatenate(inside).mean())


def calibrate_in_time(
    dataset: Dataset, model: DynamicalGPLVM | StateSpaceGPLVM
) -> dict[str, float]:
    """Return the coverage for the middle fifth of every sequence, which the tab Time hides
    initially.
    """
    held = np.zeros(dataset.n_points, dtype=bool)
    for sequence in np.unique(dataset.sequences):
        (rows,) = np.nonzero(dataset.sequences == sequence)
        held[rows[len(rows) * 2 // 5 : len(rows) * 3 // 5 + 1]] = True
    kept = ~held
    model.fit(dataset.values[kept], times=dataset.times[kept], sequences=dataset.sequences[kept])
    varies = np.ptp(dataset.values[kept], axis=0) > 0.0
    inside = []
    for sequence in np.unique(dataset.sequences):
        own = dataset.sequences == sequence
        gap, times = held[own], dataset.times[own]
        if isinstance(model, StateSpaceGPLVM):
            seen = np.where(gap[:, None], np.nan, dataset.values[own])
            mean, std = model.complete(seen, times=times, return_std=True)
            filled = mean[gap], std[gap]
        else:
            filled = model.forecast(times[gap], sequence=sequence, return_std=True)
        inside.append(within(dataset.values[own][gap], *filled)[:, varies])
    return {"inside_gap": float(np.concatenate(inside).mean()), "rows": int(held.sum())}


def calibrate_films(dataset: Dataset, model: ManifoldRelevance) -> dict[str, float]:
    """Return the coverage for a left-out film: for a gap in all views, and for each view given the
    others.
    """
    held = dataset.sequences == dataset.sequences.max()
    times, kept = dataset.times[held], ~held
    views = dataset.view_values
    trained = {view: values[kept] for view, values in views.items()}
    model.fit(trained, times=dataset.times[kept], sequences=dataset.sequences[kept])
    rows = {view: values[held] for view, values in views.items()}
    varies = {view: np.ptp(values, axis=0) > 0.0 for view, values in trained.items()}
    gap = np.zeros(len(times), dtype=bool)
    gap[len(times) * 2 // 5 : len(times) * 3 // 5 + 1] = True
    seen = {view: np.where(gap[:, None], np.nan, values) for view, values in rows.items()}
    inside, found = [], {}
    for to, values in rows.items():
        filled = model.transfer(seen, to, times=times, return_std=True)
        inside.append(within(values, *filled)[gap][:, varies[to]].ravel())
        others = {view: each for view, each in rows.items() if view != to}
        whole = model.transfer(others, to, times=times, return_std=True)
        found[f"inside_{to}"] = float(within(values, *whole)[:, varies[to]].mean())
    found["inside_gap"] = float(np.concatenate(inside).mean())
    return found | {"rows": int(held.sum())}


def within(values: Array, mean: Array, std: Array) -> Array:
    """Return whether each value is inside its interval."""
    return np.abs(values - mean) <= TWO_SIDED_95 * std


def keep_calibration(name: str) -> None:
    found = {key: round(value, 4) for key, value in calibrate(name).items()}
    known = json.loads(CALIBRATION.read_text()) if CALIBRATION.exists() else {}
    known[name] = found
    CALIBRATION.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
    print(f"{name}: {found}", flush=True)


DENSITIES = HERE / "densities.json"
MOST_SCORED = 100  # number of training rows that the tab Fill in compares a row with


def keep_densities(name: str) -> None:
    """Store log densities of evenly spread training rows under the model's name and bound."""
    library = Library(HERE, read_only=True)
    model, dataset = library.model(name), library.dataset(name)
    rows = dataset.values[spread_rows(dataset.n_points, MOST_SCORED)]
    without = not getattr(model, "can_have_density", False)
    if without or model.capabilities.views or dataset.columns or np.isnan(rows).any():
        return
    known = json.loads(DENSITIES.read_text()) if DENSITIES.exists() else {}
    known = {key: values for key, values in known.items() if not key.startswith(f"{name}|")}
    known[f"{name}|{model.bound_:.10g}"] = [float(f"{d:.8g}") for d in model.score_samples(rows)]
    lines = (f"{json.dumps(key)}: {json.dumps(known[key])}" for key in sorted(known))
    DENSITIES.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{name}: {len(rows)} densities", flush=True)


RECIPES = HERE / "recipes.json"
INTERVALS = HERE / "intervals.json"


def keep_recipes(name: str) -> None:
    """Store the choices that held-out rows led to for the density; with several views, also for
    each view.

    The page derives the density from these choices (`pages/ui/shared/density.py`).
    """
    library = Library(HERE, read_only=True)
    model, dataset = library.model(name), library.dataset(name)
    found = {f"{name}|{model.bound_:.10g}": (model, dataset.view_values or dataset.values)}
    for view in dataset.view_values:
        own = model.of_view(view)
        found[f"{name}|{own.bound_:.10g}|{view}"] = (own, dataset.view(view).values)
    known = json.loads(RECIPES.read_text()) if RECIPES.exists() else {}
    known = {key: recipe for key, recipe in known.items() if not key.startswith(f"{name}|")}
    for key, (each, rows) in found.items():
        if not each.can_have_density:
            continue
        start = time.process_time()
        recipe = each.fit_density(rows).density_.recipe
        fills = [
            [float(f"{v:.4g}") if isinstance(v, float) else v for v in vars(fill).values()]
            for fill in recipe.fills
        ]
        clusters = recipe.clusters
        known[key] = {
            "size": recipe.size,
            "strength": recipe.strength,
            "clusters": [clusters.size, clusters.strength, float(f"{clusters.share:.4g}")],
            "fills": fills,
        }
        print(f"{key}: {time.process_time() - start:.1f} CPU s", flush=True)
    lines = (f"{json.dumps(key)}: {json.dumps(known[key])}" for key in sorted(known))
    RECIPES.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def keep_intervals(name: str) -> None:
    """The factors of the model's intervals (`calibrate`), under its name and bound."""
    library = Library(HERE, read_only=True)
    model, dataset = library.model(name), library.dataset(name)
    if not getattr(model, "can_calibrate", False):
        return
    start = time.process_time()
    rows = dataset.view_values or dataset.values
    sequences = None if model.times_ is not None else dataset.sequences
    model.calibrate(rows, sequences=sequences)
    known = json.loads(INTERVALS.read_text()) if INTERVALS.exists() else {}
    known = {key: values for key, values in known.items() if not key.startswith(f"{name}|")}
    known[f"{name}|{model.bound_:.10g}"] = {
        "factors": [
            [
                list(vars(own.asked).values()),
                [float(f"{factor:.3g}") for factor in own.widened],
                *(round(share, 4) for share in (own.before, own.inside)),
                *(own.values, own.parts),
            ]
            for own in model.intervals_.factors
        ],
        "adapting": [list(vars(asked).values()) for asked in model.intervals_.adapting],
    }
    lines = (f"{json.dumps(key)}: {json.dumps(known[key])}" for key in sorted(known))
    INTERVALS.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{name}: {time.process_time() - start:.1f} CPU s", flush=True)
    for own in model.intervals_.factors:
        print(f"  {own.asked}: {own.before:.1%} inside, then {own.inside:.1%}", flush=True)
    for asked in model.intervals_.adapting:
        print(f"  better with an updated mapping: {asked}", flush=True)


def main() -> None:
    """Train the named models, or all models, and write them to this folder."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("names", nargs="*", default=list(GALLERY), metavar="NAME")
    parser.add_argument("--calibrate", action="store_true", help="measure, and leave the models")
    parser.add_argument("--densities", action="store_true", help="compute, and leave the models")
    parser.add_argument("--intervals", action="store_true", help="compute, and leave the models")
    asked = parser.parse_args()
    if asked.intervals:
        for name in asked.names:
            keep_intervals(name)
        return
    if asked.densities:
        for name in asked.names:
            keep_densities(name)
            keep_recipes(name)
        return
    if asked.calibrate:
        for name in asked.names:
            keep_calibration(name)
        return
    library = Library(HERE)
    for name in asked.names:
        exhibit, start = GALLERY[name], time.perf_counter()
        dataset, model = load_dataset(exhibit.dataset), gallery_model(name)
        rows: Any = dataset.view_values or dataset.values
        rows = dataset.in_own_values() if dataset.columns else rows
        with map_only(model):
            model.fit(rows, **known_beside(name, dataset))
        shutil.rmtree(HERE / name, ignore_errors=True)
        library.add(model, dataset, exhibit.title, tags=("gallery",), id=name)
        print(
            f"{name}: bound {model.bound_:.1f} nats, {model.n_effective_} dimensions on, "
            f"{time.perf_counter() - start:.0f} s; {model.result_.reason}"
        )


if __name__ == "__main__":
    main()
