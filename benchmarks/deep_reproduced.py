"""Small experiments on deep models from the literature, with available data.

    python -m benchmarks.deep_reproduced [--only step sinusoids warped hierarchy digits bodies
                                          features] [--seeds 10] [--first 0]

- step: 40 equidistant points, noise 0.02 (Damianou 2015, §6.3.1).
- sinusoids: the sum sin 2πx + ½ sin 6πx, noise 0.1 (Chamberlin 2016, ch. 3, gives no
  numbers). On step and sinusoids, a sparse GP and two layers have 20 inducing inputs each; there
  are 321 test points.
- warped: a GP of a GP with ten outputs, 25 of 120 points for training (Damianou 2015, Fig. 6.8). A
  GP with one layer less than the true function is compared with a deep GP with one layer more. A
  paired t-test compares the errors.
- hierarchy: a top signal, two signals below it, ten outputs (ibid., Fig. 6.9). The table has the
  number of dimensions that are on in each layer. The table also has the R² of the true signals,
  predicted by neighbours in these dimensions, compared with stacked PCA and Isomap.
- digits: 50 images each of 0, 1 and 6, depth 1 to 5 (§6.3.2). The table has the bound. For each
  layer it also has the number of points whose nearest neighbour is another digit; distances use
  the dimensions that are on.
- bodies: two recordings of walking as two views below two layers (Fig. 6.13), or with a separate
  hidden space for each view below a shared top. The recordings are in step or, for comparison, the
  frames of one recording are shuffled. The table has the shared and private dimensions of the
  space from which the views branch.
- features: oil flow, 1000 training and 1000 test rows (Table 6.1). The latent means of an
  autoencoder whose prior depends on the outputs (M2) are the features of classifiers. There is one
  seed and 100 iterations, because the prior costs N³. See benchmarks.encoder for M1 and M3.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import ttest_rel
from sklearn.decomposition import PCA
from sklearn.manifold import Isomap
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from benchmarks.common import DataAbsent, benchmark_data, skip, table, write_row
from benchmarks.encoder import accuracies
from benchmarks.paired import standardised
from gplvm_core import (
    RBF,
    BayesianGPLVM,
    DeepGP,
    DeepGPLVM,
    DeepManifoldRelevance,
    DynamicalGPLVM,
    SparseGPRegression,
)
from gplvm_core.datasets import load_dataset
from gplvm_core.numerics import Array

N_TEST = 321
CURVES: dict[str, tuple[float, Callable[[Array], Array]]] = {
    "step": (0.02, lambda x: (x < 0.5).astype(float)),
    "sinusoids": (0.1, lambda x: np.sin(2.0 * np.pi * x) + 0.5 * np.sin(6.0 * np.pi * x)),
}
# A dimension is on if it has more than 0.05 nats and the layer below depends on it.
LEAST_TOLD, LEAST_USED = 0.05, 1e-3
WIDTHS: dict[int, tuple[int, ...]] = {
    2: (5, 10),
    3: (5, 5, 10),
    4: (5, 5, 5, 10),
    5: (5, 5, 5, 5, 10),
}


def gaussian_draws(generator: np.random.Generator, inputs: Array, scale: float, n: int) -> Array:
    """Return `count` draws of a GP with an RBF kernel at the inputs."""
    gram = RBF(1.0, scale).K(inputs, inputs) + 1e-8 * np.eye(len(inputs))
    return np.asarray(np.linalg.cholesky(gram) @ generator.normal(size=(len(inputs), n)))


def judged(model: Any, points: Array, wanted: Array) -> dict[str, float]:
    """Return the bound, the density of a test point in nats, and the error."""
    if isinstance(model, DeepGP):
        density, mean = model.score_samples(points, wanted), model.predict(points)
    else:
        mean, std = model.predict(points, return_std=True, noise=True)
        each = -0.5 * np.log(2.0 * np.pi * std**2) - 0.5 * ((wanted - mean) / std) ** 2
        density = each.reshape(len(points), -1).sum(axis=1)
    error = float(np.sqrt(np.mean((mean - wanted) ** 2)))
    return {"bound": model.bound_, "log-likelihood": float(density.mean()), "rmse": error}


def against(name: str, found: list[list[dict[str, float]]], first: int = 0) -> None:
    """Compare scores of one layer and of several: means, paired differences, how often depth is
    better.
    """
    rows = []
    for measure in found[0][0]:
        one, deep = (np.array([each[at][measure] for each in found]) for at in (0, 1))
        gain = deep - one
        better = -gain if measure == "rmse" else gain
        error = gain.std(ddof=1) / np.sqrt(len(gain))
        chance = float(ttest_rel(deep, one).pvalue)
        told = f"{gain.mean():+.3g} ± {error:.2g}"
        rows.append((measure, one.mean(), deep.mean(), told, int(np.sum(better > 0.0)), chance))
    print(f"\n{name}, {len(found)} seeds")
    print(table(("", "GP", "deep", "difference", "deep ahead", "p, paired"), rows), flush=True)
    seeds = list(range(first, first + len(found)))
    write_row("deep_reproduced", {"data": name, "each": found}, seed=seeds)


def curve(name: str, seeds: int) -> None:
    """Return a step, or sinusoids."""
    noise, function = CURVES[name]
    x, new = np.linspace(0.0, 1.0, 40)[:, None], np.linspace(0.0, 1.0, N_TEST)[:, None]
    found = []
    for seed in range(seeds):
        generator = np.random.default_rng(seed)
        y, wanted = (function(at[:, 0]) + noise * generator.normal(size=len(at)) for at in (x, new))
        models = SparseGPRegression(20, random_state=seed), DeepGP((1,), 20, random_state=seed)
        found.append([judged(model.fit(x, y), new, wanted) for model in models])
        print(seed, found[-1], flush=True)
    against(name, found)


def warped_draw(seed: int) -> tuple[Array, Array, Array, Array]:
    """Return inputs and outputs of a GP of a GP: 25 training and 95 held-out points."""
    generator = np.random.default_rng(seed)
    x = np.linspace(-1.0, 1.0, 120)[:, None]
    hidden = gaussian_draws(generator, x, 0.5, 1) + 2.0 * generator.normal() * x
    y = gaussian_draws(generator, hidden, 0.5, 10) + 0.02 * generator.normal(size=(120, 10))
    drawn = generator.permutation(120)
    train, test = np.sort(drawn[:25]), np.sort(drawn[25:])
    return x[train], y[train], x[test], y[test]


def warped(first: int, seeds: int) -> None:
    """Measure the effect of depth on draws of a GP of a GP.

    first: the first seed.
    """
    found = []
    for seed in range(first, seeds):
        x, y, new, wanted = warped_draw(seed)
        models = SparseGPRegression(25, random_state=seed), DeepGP((1, 1), 25, random_state=seed)
        found.append([judged(model.fit(x, y), new, wanted) for model in models])
        print(seed, found[-1], flush=True)
    against("warped", found, first)


def on(layer: Any) -> NDArray[np.bool_]:
    """Return which dimensions of a layer's inputs are on."""
    used = layer.relevance_ * layer.latent_mean_.var(axis=0)
    return np.asarray((layer.information_ > LEAST_TOLD) & (used > LEAST_USED * used.max()))


def explained(signals: Array, places: Array) -> float:
    """Return R² of signals, predicted by the mean of five neighbours; rows are left out in turn."""
    told = cross_val_predict(KNeighborsRegressor(5), places, signals, cv=LeaveOneOut())
    return 1.0 - float(np.sum((told - signals) ** 2) / np.sum((signals - signals.mean(0)) ** 2))


def hierarchy(seeds: int) -> None:
    """Measure the recovery of three levels of signals."""
    found, rows = [], []
    for seed in range(seeds):
        generator = np.random.default_rng(seed)
        top = np.linspace(-1.5, 1.5, 150)[:, None]
        below = gaussian_draws(generator, top, 0.6, 2)
        y = gaussian_draws(generator, below, 1.0, 10) + 0.02 * generator.normal(size=(150, 10))
        model = DeepGPLVM((4, 6), 30, random_state=seed).fit(y)
        upper, lower = model.layers_
        each = {
            "bound": model.bound_,
            "one layer": BayesianGPLVM(6, 30, random_state=seed).fit(y).bound_,
            "top on": int(on(upper).sum()),
            "hidden on": int(on(lower).sum()),
        }
        for name, make in (("PCA", lambda n: PCA(n)), ("Isomap", lambda n: Isomap(n_components=n))):
            middle = make(2).fit_transform(y)
            each[f"{name}: hidden"] = explained(below, middle)
            each[f"{name}: top"] = explained(top, make(1).fit_transform(middle))
        each["deep: hidden"] = explained(below, lower.latent_mean_[:, on(lower)])
        each["deep: top"] = explained(top, upper.latent_mean_[:, on(upper)])
        found.append(each)
        rows.append((seed, *each.values()))
    print(f"\nhierarchy, {seeds} seeds; the truth: 1 dimension at the top, 2 below")
    print(table(("seed", *found[0]), rows), flush=True)
    write_row("deep_reproduced", {"data": "hierarchy", "each": found}, seed=list(range(seeds)))


def digits(seeds: int) -> None:
    """Measure the effect of depth on 150 images."""
    data = load_dataset("digits")
    assert data.labels is not None
    labels = np.asarray(data.labels)
    kept = np.sort(np.concatenate([np.flatnonzero(labels == one)[:50] for one in (0, 1, 6)]))
    Y, labels = data.targets[kept], labels[kept]
    found, rows = [], []
    for seed in range(seeds):
        for depth in range(1, 6):
            settings: dict[str, Any] = {"n_inducing": 50, "random_state": seed}
            begin = time.process_time()
            if depth == 1:
                model: Any = BayesianGPLVM(10, max_iter=800, **settings).fit(Y)
                layers: tuple[Any, ...] = (model,)
            else:
                model = DeepGPLVM(WIDTHS[depth], **settings).fit(Y)
                layers = model.layers_
            wrong = [_errors(layer, labels) for layer in layers]
            dimensions = [int(on(layer).sum()) for layer in layers]
            off = sum(" is off" in getattr(layer, "verdict_", "") for layer in layers)
            figures = {
                "bound": model.bound_,
                "errors, top first": wrong,
                "dimensions on": dimensions,
                "layers off": off,
                "CPU seconds": time.process_time() - begin,
            }
            found.append({"depth": depth, "seed": seed, **figures})
            rows.append((depth, seed, *figures.values()))
            print(rows[-1], flush=True)
    print("\ndigits 0, 1 and 6, 50 of each")
    print(table(("depth", "seed", *figures), rows), flush=True)
    write_row("deep_reproduced", {"data": "digits", "each": found}, seed=list(range(seeds)))


def _errors(layer: Any, labels: NDArray[Any]) -> int:
    """Count the rows whose nearest neighbour in a layer's scaled inputs has another label."""
    kept = on(layer) if on(layer).any() else np.full(len(layer.relevance_), True)
    places = (layer.latent_mean_ * np.sqrt(layer.relevance_))[:, kept]
    told = cross_val_predict(KNeighborsClassifier(1), places, labels, cv=LeaveOneOut())
    return int(np.sum(told != labels))


def bodies(seeds: int) -> int:
    """Measure shared and private dimensions of two recordings of walking."""
    try:
        data = benchmark_data("cmu35_features")
    except DataAbsent as absent:
        return skip("deep_reproduced", absent)
    one, other = (data["Y"][data["sequence"] == at] for at in (0, 1))
    # The recordings are in step at the lag at which the angles of the joints agree best.
    length = 78
    lags = range(len(other) - length + 1)
    apart = [np.sum((one[:length, 7:] - other[lag : lag + length, 7:]) ** 2) for lag in lags]
    lag = int(np.argmin(apart))
    views = {"one": one[:length], "other": other[lag : lag + length]}
    shapes: dict[str, dict[str, Any]] = {
        "bottom": {"n_components": (3, 8)},
        "top": {"n_components": (8,), "view_components": 8},
    }
    rows, found = [], []
    for seed, (parted, widths) in product(range(seeds), shapes.items()):
        shuffled = np.random.default_rng(seed).permutation(length)
        for name, order in (("in step", np.arange(length)), ("shuffled", shuffled)):
            begin = time.process_time()
            model = DeepManifoldRelevance(
                **widths, n_inducing=30, scaling="columns", random_state=seed
            )
            model.fit({"one": views["one"], "other": views["other"][order]})
            parts = model.segmentation()
            hidden = [*model.layers_, *(each for own in model.own_layers_.values() for each in own)]
            figures = {
                "bound": model.bound_,
                "shared": len(parts.get(frozenset(views), ())),
                "private": [len(parts.get(frozenset({view}), ())) for view in views],
                "off": sum(" is off" in each.verdict_ for each in hidden),
                "CPU seconds": time.process_time() - begin,
            }
            found.append({"data": name, "parted": parted, "seed": seed, **figures})
            rows.append((parted, name, seed, *figures.values()))
    print(f"\ntwo bodies, 78 frames each, the other {lag} frames later")
    print(table(("views part at the", "", "seed", *figures), rows), flush=True)
    write_row("deep_reproduced", {"data": "bodies", "each": found}, seed=list(range(seeds)))
    return 0


def features() -> int:
    """Measure latent means as features of classifiers."""
    try:
        data = benchmark_data("oil_flow")
    except DataAbsent as absent:
        return skip("deep_reproduced", absent)
    train, test = standardised(data["train_Y"], data["test_Y"])
    labels, expected = (np.argmax(data[f"{part}_labels"], axis=1) for part in ("train", "test"))
    begin = time.process_time()
    model = DynamicalGPLVM(10, 50, time_kernel="rbf", max_iter=100, random_state=0)
    model.fit(train, times=train)
    places, _ = model.forecast_latent(test)
    found = accuracies(model.latent_mean_, places, labels, expected) | {
        "bound": model.bound_,
        "CPU seconds": time.process_time() - begin,
    }
    print("\nfeatures of oil flow, prior over the outputs (M2)")
    print(table(tuple(found), [tuple(found.values())]), flush=True)
    write_row("deep_reproduced", {"data": "features", "M2": found}, seed=0)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=10, help="the seeds before this one")
    parser.add_argument(
        "--first", type=int, default=0, help="the first seed of the experiment: warped"
    )
    parts: dict[str, Callable[[int], Any]] = {
        "step": partial(curve, "step"),
        "sinusoids": partial(curve, "sinusoids"),
        "warped": lambda seeds: warped(options.first, seeds),
        "hierarchy": hierarchy,
        "digits": lambda seeds: digits(min(seeds, 3)),
        "bodies": lambda seeds: bodies(min(seeds, 3)),
        "features": lambda _: features(),
    }
    parser.add_argument("--only", nargs="+", choices=parts, default=list(parts))
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    for name in options.only:
        parts[name](options.seeds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
