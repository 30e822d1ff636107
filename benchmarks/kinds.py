"""Tables of numbers, words and counts with hidden entries, against models made for such tables.

    python -m benchmarks.kinds [--seeds 5] [--only penguins hearts spikes labels]

Penguins and hearts: 20 % of all entries are hidden. Spikes: counts of 50 simulated neurons, of 15
of which the last 100 of 350 rows say nothing. Penguins need the package palmerpenguins, hearts
scikit-lego, both for their data alone. Labels: see kinds_labels. Costs are CPU seconds of one
thread.
"""

import argparse
import importlib.util
import io
import time
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import norm, poisson
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegressionCV, PoissonRegressor, RidgeCV
from sklearn.preprocessing import StandardScaler

from benchmarks import kinds_labels
from benchmarks.common import DataAbsent, table, write_row
from gplvm_core import RBF, BayesianGPLVM
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, MixedOutputs, evaluate_layer, evaluate_mixed, updated
from gplvm_core.likelihoods import Links
from gplvm_core.numerics import Array
from gplvm_core.statistics import Targets

HIDDEN, LEAST = 0.2, 1e-3
SETTINGS: dict[str, Any] = {"n_components": 6, "n_inducing": 40, "max_iter": 150}
Flags = NDArray[np.bool_]
# What a method says of a column: mean and 95 % interval (or None) of numbers, chances of words.
Said = dict[str, Any]


def shipped(package: str, *parts: str) -> Path:
    """A file that a package ships. Raises DataAbsent."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise DataAbsent(f"the data are in the package {package}, which is not installed")
    return Path(spec.submodule_search_locations[0]).joinpath(*parts)


def penguins() -> tuple[pd.DataFrame, dict[str, str]]:
    """344 penguins: four measures, species, island, sex (the year left out)."""
    found = pd.read_csv(shipped("palmerpenguins", "data", "penguins.csv")).drop(columns="year")
    words = {"species": "category", "island": "category", "sex": "yes/no"}
    return found, {name: words.get(name, "number") for name in map(str, found.columns)}


def hearts() -> tuple[pd.DataFrame, dict[str, str]]:
    """303 patients: five measures and nine columns of words, grades and yes/no."""
    with zipfile.ZipFile(shipped("sklego", "data", "hearts.zip")) as archive:
        found = pd.read_csv(io.BytesIO(archive.read("heart.csv")))
    found = found[found["thal"].isin(["fixed", "normal", "reversible"])].reset_index(drop=True)
    words = {name: "yes/no" for name in ("sex", "fbs", "exang", "target")}
    words |= {"cp": "category", "restecg": "category", "thal": "category"}
    words |= {"slope": "grade", "ca": "grade"}
    return found, {name: words.get(name, "number") for name in map(str, found.columns)}


def ours(rows: pd.DataFrame, kinds: dict[str, str], seed: int) -> Said:
    model = BayesianGPLVM(**SETTINGS, kinds=kinds, random_state=seed).fit(rows)
    expected, said = model._expected(model._outputs(rows)), Said()
    for at, column in enumerate(expected.columns.columns):
        if column.is_words:
            said[column.name] = dict(zip(column.words, expected.classes(at).T, strict=True))
        else:
            interval = expected.quantiles(at, np.array([0.025, 0.975]))
            said[column.name] = expected.moments(at)[0], *interval
    return said


def one_hot(rows: pd.DataFrame, kinds: dict[str, str], seed: int) -> Said:
    """Words as columns of 0 and 1, all Gaussian: the way without kinds."""
    parts, places = [], {}
    for name, kind in kinds.items():
        column = rows[name]
        if kind == "number":
            part = column.to_numpy(float)[:, None]
        else:
            words = sorted(column.dropna().unique(), key=str)
            same = column.to_numpy(object)[:, None] == np.array(words, dtype=object)
            part = np.where(column.isna().to_numpy()[:, None], np.nan, same.astype(float))
            places[name] = words
        parts.append(part)
    ends = np.cumsum([0, *(part.shape[1] for part in parts)])
    model = BayesianGPLVM(**SETTINGS, noise="per_output", random_state=seed)
    mean, std = model.fit(np.hstack(parts))._reconstruct(np.hstack(parts), noise=True)
    std, said = np.sqrt(std), Said()
    for name, first, last in zip(kinds, ends[:-1], ends[1:], strict=True):
        own = mean[:, first:last]
        if name in places:
            chance = np.clip(own, 0.01, None)
            chance = chance / chance.sum(axis=1, keepdims=True)
            said[name] = dict(zip(places[name], chance.T, strict=True))
        else:
            edge = 1.96 * std[:, first]
            said[name] = own[:, 0], own[:, 0] - edge, own[:, 0] + edge
    return said


def chained(rows: pd.DataFrame, kinds: dict[str, str], seed: int) -> Said:
    """Ridge and logistic regressions of every column on all others, five rounds."""
    return _rounds(rows, kinds, 5, _linear)


def forest(rows: pd.DataFrame, kinds: dict[str, str], seed: int) -> Said:
    """A forest for every column on all others, three rounds."""

    def fit(inputs: Array, target: Any, *, words: bool) -> Any:
        kind = RandomForestClassifier if words else RandomForestRegressor
        return kind(200, min_samples_leaf=3, random_state=seed).fit(inputs, target)

    return _rounds(rows, kinds, 3, fit)


def _linear(inputs: Array, target: Any, *, words: bool) -> Any:
    if not words:
        return RidgeCV(np.geomspace(0.01, 1000.0, 11)).fit(inputs, target)
    # Its defaults change between versions; scoring says what they are here.
    return LogisticRegressionCV(
        Cs=np.geomspace(0.01, 10.0, 4), cv=3, scoring="neg_log_loss", max_iter=2000
    ).fit(inputs, target)


def _rounds(
    rows: pd.DataFrame, kinds: dict[str, str], rounds: int, fit: Callable[..., Any]
) -> Said:
    """Every column from all others, whose gaps are filled in by the round before."""
    filled, words = {}, {}
    for name, kind in kinds.items():
        own = rows[name]
        if kind == "number":
            filled[name] = own.astype(float).fillna(own.astype(float).mean()).to_numpy()[:, None]
            continue
        words[name] = sorted(own.dropna().unique(), key=str)
        same = own.to_numpy(object)[:, None] == np.array(words[name], dtype=object)
        share = same.sum(axis=0) / same.sum()
        filled[name] = np.where(own.isna().to_numpy()[:, None], share, same.astype(float))
    said = Said()
    for _ in range(rounds):
        for name in kinds:
            gone = rows[name].isna().to_numpy()
            others = np.hstack([own for other, own in filled.items() if other != name])
            inputs = StandardScaler().fit_transform(others)
            seen = rows[name][~gone]
            if name in words:
                model = fit(inputs[~gone], seen.astype(str), words=True)
                order = [list(model.classes_).index(str(word)) for word in words[name]]
                chance = model.predict_proba(inputs)[:, order]
                said[name] = dict(zip(words[name], chance.T, strict=True))
                filled[name][gone] = chance[gone]
            else:
                target = seen.to_numpy(float)
                mean = fit(inputs[~gone], target, words=False).predict(inputs)
                said[name] = mean, None, None
                filled[name][gone] = mean[gone, None]
    return said


METHODS: dict[str, Callable[[pd.DataFrame, dict[str, str], int], Said]] = {
    "kinds": ours,
    "Gaussian one-hot": one_hot,
    "chained ridge/logistic": chained,
    "forest": forest,
}


def judged(full: pd.DataFrame, gone: Flags, kinds: dict[str, str], said: Said) -> dict[str, float]:
    """Measures on the hidden entries."""
    errors, inside, losses, right, sure = [], [], [], [], []
    for at, (name, kind) in enumerate(kinds.items()):
        hidden = gone[:, at] & full[name].notna().to_numpy()
        truth = full[name][hidden]
        if kind == "number":
            mean, low, high = said[name]
            own = truth.to_numpy(float)
            errors += list((mean[hidden] - own) / full[name].std())
            if low is not None:
                inside += list((low[hidden] <= own) & (own <= high[hidden]))
            continue
        for row, word in zip(np.flatnonzero(hidden), truth, strict=True):
            chances = {other: own[row] for other, own in said[name].items()}
            best = max(chances, key=chances.__getitem__)
            losses.append(-np.log(max(chances.get(word, LEAST), LEAST)))
            right.append(best == word)
            sure.append(chances[best])
    bins = np.minimum((10 * np.array(sure)).astype(int), 9)
    off = [
        abs(np.mean(np.array(right)[bins == b]) - np.mean(np.array(sure)[bins == b]))
        * np.mean(bins == b)
        for b in np.unique(bins)
    ]
    return {
        "rmse": float(np.sqrt(np.mean(np.square(errors)))),
        "accuracy": float(np.mean(right)),
        "log loss": float(np.mean(losses)),
        "calibration error": float(np.sum(off)),
        "coverage": float(np.mean(inside)) if inside else np.nan,
    }


def tables(load: Callable[[], tuple[pd.DataFrame, dict[str, str]]], seeds: int) -> dict[str, Any]:
    """Mean measures and CPU seconds of every method over the seeds."""
    full, kinds = load()
    every: dict[str, list[dict[str, float]]] = {name: [] for name in METHODS}
    for seed in range(seeds):
        gone = np.random.default_rng(seed).random(full.shape) < HIDDEN
        # A row of which nothing is left says nothing.
        gone[(gone | full.isna().to_numpy()).all(axis=1)] = False
        keep = full.notna().any(axis=1).to_numpy()
        shown = full.astype(object).mask(gone)[keep].reset_index(drop=True)
        truth, hidden = full[keep].reset_index(drop=True), gone[keep]
        for name, method in METHODS.items():
            start = time.process_time()
            said = method(shown, kinds, seed)
            seconds = time.process_time() - start
            every[name].append(judged(truth, hidden, kinds, said) | {"CPU s": seconds})
    return {
        name: {key: float(np.mean([one[key] for one in own])) for key in own[0]}
        for name, own in every.items()
    }


def spikes(seeds: int, level: float = 0.9) -> dict[str, Any]:
    """Nats a hidden count, and how many dimensions are on, for counts of a two-dimensional path."""
    every: dict[str, list[float]] = {}
    dimensions = []
    for seed in range(seeds):
        generator = np.random.default_rng(seed)
        times = np.linspace(0.0, 12.0, 350)
        path = np.column_stack([np.sin(times) + 0.3 * np.sin(2.7 * times), np.cos(1.3 * times)])
        path = generator.permutation(path / path.std(axis=0))
        places = generator.normal(size=(60, 2))
        gram = RBF(1.0, 1.2).K(path, places)
        rates = gram @ generator.normal(size=(60, 50)) / np.sqrt(6.0)
        rates = np.exp(rates - rates.mean(axis=0))
        rates = level * rates / rates.mean(axis=0)
        counts = generator.poisson(rates)
        seen, asked = counts[:250], counts[250:, 35:]
        shown = counts.astype(float)
        shown[250:, 35:] = np.nan
        model = BayesianGPLVM(**SETTINGS, kinds=["count"] * 50, random_state=seed).fit(seen)
        expected = model._expected(model._outputs(shown[250:]))
        chance = [
            expected.counts(35 + k, int(asked.max()))[np.arange(100), asked[:, k]]
            for k in range(15)
        ]
        own = {"kinds": -np.log(np.maximum(chance, 1e-12)).mean()}
        base = seen[:, 35:].mean(axis=0)
        own["base rate"] = -poisson.logpmf(asked, np.maximum(base, 1e-3)).mean()
        own["truth"] = -poisson.logpmf(asked, rates[250:, 35:]).mean()
        fitted = [
            PoissonRegressor(alpha=1.0, max_iter=500)
            .fit(np.sqrt(seen[:, :35]), seen[:, 35 + k])
            .predict(np.sqrt(counts[250:, :35]))
            for k in range(15)
        ]
        own["Poisson regressions"] = -np.mean(poisson.logpmf(asked, np.transpose(fitted)))
        roots = np.sqrt(shown)
        plain = BayesianGPLVM(**SETTINGS, noise="per_output", random_state=seed).fit(roots[:250])
        mean, variance = plain._reconstruct(roots[250:], noise=True)
        edges = [np.sqrt(np.maximum(asked + half, 0.0)) for half in (-0.5, 0.5)]
        std = np.sqrt(variance[:, 35:])
        below, above = (norm.cdf((edge - mean[:, 35:]) / std) for edge in edges)
        below = np.where(asked == 0, 0.0, below)
        own["Gaussian of roots"] = -np.log(np.maximum(above - below, 1e-12)).mean()
        for name, value in own.items():
            every.setdefault(name, []).append(float(value))
        dimensions.append(model.n_effective_)
    found = {name: {"nats a count": float(np.mean(own))} for name, own in every.items()}
    found["kinds"]["dimensions on"] = float(np.mean(dimensions))
    return found


def cost() -> dict[str, Any]:
    """CPU milliseconds of an evaluation and of an update at N 1000, M 50, D 64, Q 8."""
    generator = np.random.default_rng(0)
    mean, variance = generator.normal(size=(1000, 8)), np.full((1000, 8), 0.2)
    values = (generator.normal(size=(1000, 64)) + mean @ generator.normal(size=(8, 64))) > 0.0
    belief, kernel = Belief(mean, variance), RBF(1.0, np.full(8, 3.0))
    layer, found = Layer(kernel, mean[:50], 1.0), {}
    settings: dict[str, Any] = {"jitter": 1e-6, "most_ratio": 1e6}
    for name, share in (("complete", 0.0), ("20 % random gaps", 0.2)):
        own = np.where(generator.random(values.shape) < share, np.nan, values.astype(float))
        mixed = MixedOutputs(own, Links(np.zeros(64)))
        # Weights that differ between the columns, as they do from the first update on.
        at = updated(replace(layer, local=mixed.started()), belief, mixed, **settings)
        plain = partial(evaluate_layer, layer, belief, Targets.whole(own - np.nanmean(own, axis=0)))
        each: dict[str, Callable[[], Any]] = {
            "Gaussian": partial(plain, profile=True, per_output=True, **settings),
            "kinds": partial(evaluate_mixed, at, belief, mixed, profile=True, **settings),
            "update": partial(updated, at, belief, mixed, **settings),
        }
        found[name] = {key: _milliseconds(function) for key, function in each.items()}
    return found


def _milliseconds(function: Callable[[], Any], rounds: int = 7) -> float:
    seconds = []
    for _ in range(rounds):
        start = time.process_time()
        function()
        seconds.append(time.process_time() - start)
    return 1000.0 * float(np.median(seconds))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument(
        "--only", nargs="*", default=["penguins", "hearts", "spikes", "labels", "cost"]
    )
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    tasks: dict[str, Callable[[], dict[str, Any]]] = {
        "penguins": lambda: tables(penguins, options.seeds),
        "hearts": lambda: tables(hearts, options.seeds),
        "spikes": lambda: spikes(options.seeds),
        "labels": lambda: kinds_labels.few_labels(options.seeds),
        "cost": cost,
    }
    results: dict[str, Any] = {}
    for name in options.only:
        try:
            results[name] = tasks[name]()
        except DataAbsent as absent:
            print(f"{name}: {absent}")
            continue
        columns = list(dict.fromkeys(key for own in results[name].values() for key in own))
        shown = [
            [row, *(own.get(key, "") for key in columns)] for row, own in results[name].items()
        ]
        print(f"\n{name}\n{table([name, *columns], shown)}")
    settings = SETTINGS | {"labels": kinds_labels.SETTINGS}
    write_row("kinds", results, seed=list(range(options.seeds)), settings=settings)


if __name__ == "__main__":
    main()
