"""Fractions of a mixture, predicted from its spectrum by models of fractions and of numbers.

Real data: the 12 measurements of oil flow and the fractions of oil, water and gas (400 training
rows, 400 held out). Simulated mixtures of four spectra, saturated and with noise (300 and 400
rows): in "zeros" a tenth of the fractions are 0, in "trace" one fraction is about 1 %.

ManifoldRelevance learns measurements and fractions as views. "numbers": the fractions as columns of
numbers. "log-ratio": isometric log-ratios as numbers, zeros replaced by 0.01, moved back by draws.
"fractions": kinds={"parts": "fraction"}. Intervals of PLS and ridge regression have the errors of
cross-validation. "impossible": held-out rows with a negative prediction or another sum than one.

    python -m benchmarks.fractions
"""

import argparse
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.special import softmax
from sklearn.cross_decomposition import PLSRegression
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.common import benchmark_data, table, write_row
from gplvm_core import ManifoldRelevance
from gplvm_core.models.data.fractions import Fractions
from gplvm_core.numerics import Array

SEEDS, HELD_OUT = 5, 400
LEVELS = (0.025, 0.975)
MOST_COMPONENTS = 12
REPLACED, DRAWS = 0.01, 1000
SIZE: dict[str, Any] = {"n_components": 8, "n_inducing": 50, "max_iter": 200, "second_stage": "off"}
# Predictions, and both ends of their 95 % intervals.
Found = tuple[Array, Array, Array]
Data = tuple[Float[Array, "N P"], Float[Array, "N D"]]


def oil_flow(generator: np.random.Generator) -> Data:
    """Return measurements and the fractions of the three phases."""
    data = benchmark_data("oil_flow")
    rows = generator.permutation(len(data["train_Y"]))[: 400 + HELD_OUT]
    two = data["train_fractions"][rows]
    return data["train_Y"][rows], np.column_stack([two, 1.0 - two.sum(axis=1)])


def spectra(parts: Float[Array, "N D"], strength: Array, generator: np.random.Generator) -> Array:
    """Return saturated spectra of mixtures, with noise."""
    at, pure = np.linspace(0.0, 1.0, 40), []
    for height in strength:
        center = generator.uniform(0.0, 1.0, 3)
        width, peak = generator.uniform(0.04, 0.12, 3), generator.uniform(0.5, 1.0, 3)
        bumps = peak[:, None] * np.exp(-0.5 * ((at - center[:, None]) / width[:, None]) ** 2)
        pure.append(height * bumps.sum(axis=0))
    seen = 1.0 - np.exp(-1.5 * parts @ np.array(pure))
    return seen + 0.01 * generator.standard_normal(seen.shape)


def with_zeros(generator: np.random.Generator) -> Data:
    """Return mixtures of which a tenth of the fractions are 0."""
    parts = generator.dirichlet([1.5] * 4, 300 + HELD_OUT)
    parts[(generator.random(parts.shape) < 0.1) & (parts < parts.max(axis=1, keepdims=True))] = 0.0
    parts /= parts.sum(axis=1, keepdims=True)
    return spectra(parts, np.ones(4), generator), parts


def with_a_trace(generator: np.random.Generator) -> Data:
    """Return mixtures whose last fraction is about 1 % and absorbs 20 times as much."""
    usual = np.array([0.0, 0.0, -1.0, -4.0])
    parts = softmax(usual + generator.standard_normal((300 + HELD_OUT, 4)), axis=1)
    return spectra(parts, np.array([1.0, 1.0, 1.0, 20.0]), generator), parts


MIXTURES = {"oil flow": oil_flow, "zeros": with_zeros, "trace": with_a_trace}


def regression(model: GridSearchCV, seen: Array, parts: Array, new: Array) -> Found:
    """Predict by a regression; its intervals have the errors of cross-validation."""
    errors = cross_val_predict(model, seen, parts, cv=5) - parts
    found = model.fit(seen, parts).predict(new)
    wide = 1.96 * np.sqrt(np.mean(errors**2, axis=0))
    return found, found - wide, found + wide


def pls(seen: Array, parts: Array, new: Array, seed: int) -> Found:
    """Partial least squares, with the number of components chosen by cross-validation."""
    steps = make_pipeline(StandardScaler(), PLSRegression())
    sizes = range(1, min(MOST_COMPONENTS, seen.shape[1]) + 1)
    return regression(
        GridSearchCV(steps, {"plsregression__n_components": sizes}, cv=5), seen, parts, new
    )


def ridge(seen: Array, parts: Array, new: Array, seed: int) -> Found:
    steps = make_pipeline(StandardScaler(), RidgeCV(np.logspace(-6, 3, 19)))
    return regression(steps, seen, parts, new)


def views(seen: Array, parts: Array, seed: int, kinds: dict[str, str] | None) -> ManifoldRelevance:
    """Train a model of the measurements and of the fractions, with calibrated intervals."""
    data = {"seen": seen, "parts": parts}
    return ManifoldRelevance(**SIZE, random_state=seed, kinds=kinds).fit(data).calibrate(data)


def moments(model: ManifoldRelevance, new: Array) -> tuple[Array, Array]:
    mean, std = model.transfer({"seen": new}, "parts", private="prior", return_std=True)
    return mean, std


def numbers(seen: Array, parts: Array, new: Array, seed: int) -> Found:
    mean, std = moments(views(seen, parts, seed, None), new)
    return mean, mean - 1.96 * std, mean + 1.96 * std


def log_ratio(seen: Array, parts: Array, new: Array, seed: int) -> Found:
    """Isometric log-ratios (Egozcue et al. 2003) as numbers."""
    gone = parts == 0.0
    whole = np.where(gone, REPLACED, parts * (1.0 - REPLACED * gone.sum(axis=1, keepdims=True)))
    names = tuple(map(str, range(parts.shape[1])))
    basis = Fractions(names, tuple(range(len(names))), 1.0).basis
    mean, std = moments(views(seen, np.log(whole) @ basis, seed, None), new)
    normal = np.random.default_rng(0).standard_normal((DRAWS, *mean.shape))
    drawn = softmax((mean + std * normal) @ basis.T, axis=-1)
    low, high = np.quantile(drawn, LEVELS, axis=0)
    return drawn.mean(axis=0), low, high


def fractions(seen: Array, parts: Array, new: Array, seed: int) -> Found:
    model = views(seen, parts, seed, {"parts": "fraction"})
    given = {"seen": new}
    ends = [model.column_quantiles(given, "parts", d, LEVELS) for d in range(parts.shape[1])]
    low, high = np.stack(ends, axis=-1)
    return moments(model, new)[0], low, high


MODELS: dict[str, Callable[[Array, Array, Array, int], Found]] = {
    "PLS": pls,
    "ridge": ridge,
    "numbers": numbers,
    "log-ratio": log_ratio,
    "fractions": fractions,
}


def measured(name: str, model: str, seed: int) -> list[float]:
    """Return R² (mean and worst fraction), coverage, width, impossible rows, and seconds."""
    seen, parts = MIXTURES[name](np.random.default_rng(seed))
    new, truth = seen[-HELD_OUT:], parts[-HELD_OUT:]
    start = perf_counter()
    found, low, high = MODELS[model](seen[:-HELD_OUT], parts[:-HELD_OUT], new, seed)
    seconds = perf_counter() - start
    explained = 1.0 - np.mean((found - truth) ** 2, axis=0) / truth.var(axis=0)
    inside = (low <= truth) & (truth <= high)
    impossible = (found < 0.0).any(axis=1) | (np.abs(found.sum(axis=1) - 1.0) > 1e-6)
    own = (explained.mean(), explained.min(), inside.mean(), np.mean(high - low))
    return [*map(float, own), float(impossible.mean()), seconds]


def main() -> int:
    """Measure every model on all mixtures, print the table and write a row of results."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--seeds", type=int, default=SEEDS)
    seeds = options.parse_args().seeds
    found = {}
    for name in MIXTURES:
        for model in MODELS:
            each = np.array([measured(name, model, seed) for seed in range(seeds)])
            mean, spread = each.mean(axis=0), each[:, 0].std()
            found[f"{name}, {model}"] = [*mean.tolist(), float(spread)]
            print(name, model, np.round(mean, 4), flush=True)
    heads = ("", "R²", "worst", "inside", "width", "impossible", "s", "± R²")
    print(table(heads, [(name, *(f"{x:.4g}" for x in own)) for name, own in found.items()]))
    write_row("fractions", found, seed=list(range(seeds)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
