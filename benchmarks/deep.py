"""Gains and costs of depth: one layer compared with two.

    python -m benchmarks.deep [--seeds 10] [--oil-seeds 5] [--only step "smooth curve" "oil flow"]

Regression: 50 training points and 500 test points; the seed draws the points and the noise. The
functions are a step, a curve whose frequency grows, a step across a square, and a smooth curve of
one lengthscale, where depth cannot help. SparseGPRegression has all points as inducing inputs.
DeepGP has one hidden layer with as many dimensions as there are inputs, and 20 inducing inputs per
layer. The table has the bound in nats, the log-likelihood of a test point in nats (for DeepGP by
200 draws) and the root mean square error. The table also has paired differences with their standard
errors, and the number of seeds in which two layers are better.

Oil flow (1000 × 12; the seed draws the inducing inputs): BayesianGPLVM and DeepGPLVM with widths
(5, 10), 50 inducing inputs, 800 iterations each. Two layers are also measured with a linear mean of
the hidden layer, and with a last layer that receives the top as an input. The bound is in units of
the global scale. The density of 200 test rows is in nats per row and in the same units. The density
is computed in two ways: as the difference of bounds, and by importance sampling with 2000 draws per
row. Neighbour errors of the classes use the two leading dimensions of the top. The table also has
CPU seconds. Mixtures of full Gaussians are listed by the number of components, each with the best
of four ridges.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.common import DataAbsent, benchmark_data, skip, table, write_row
from benchmarks.paired import standardised
from gplvm_core import BayesianGPLVM, DeepGP, DeepGPLVM, SparseGPRegression
from gplvm_core.numerics import Array

N_TRAIN, N_TEST, N_HELD_OUT, DRAWS = 50, 500, 200, 2000
MODELS = ("one layer", "two layers", "linear mean", "input connections")
COMPONENTS, RIDGES = (1, 2, 5, 10, 15, 20, 30), (1e-4, 1e-3, 1e-2, 1e-1)
MEASURES = ("bound", "log-likelihood", "rmse")
CURVES: dict[str, tuple[int, float, Callable[[Array], Array]]] = {
    "step": (1, 0.05, lambda x: np.sign(x[:, 0])),
    "growing frequency": (1, 0.05, lambda x: np.sin(10.0 * (x[:, 0] + 1.0) ** 2 / 2.0)),
    "step across a square": (2, 0.05, lambda x: np.sign(x[:, 0] + x[:, 1])),
    "smooth curve": (1, 0.1, lambda x: np.sin(4.0 * x[:, 0])),
}


def curve(name: str, seed: int, n_points: int) -> tuple[Array, Array]:
    """Return inputs in [−1, 1] and noisy outputs."""
    n_inputs, noise, function = CURVES[name]
    generator = np.random.default_rng(seed)
    x = generator.uniform(-1.0, 1.0, (n_points, n_inputs))
    return x, function(x) + noise * generator.normal(size=n_points)


def regression(name: str, seed: int) -> dict[str, dict[str, float]]:
    """Measure both models on one draw."""
    x, y = curve(name, seed, N_TRAIN)
    new, wanted = curve(name, 10_000 + seed, N_TEST)
    found: dict[str, dict[str, float]] = {}
    begin = time.process_time()
    shallow = SparseGPRegression(N_TRAIN, random_state=seed).fit(x, y)
    seconds = time.process_time() - begin
    mean, std = shallow.predict(new, return_std=True, noise=True)
    density = -0.5 * np.log(2.0 * np.pi * std**2) - 0.5 * ((wanted - mean) / std) ** 2
    found["one layer"] = _measures(shallow.bound_, density, mean - wanted, seconds)
    begin = time.process_time()
    deep = DeepGP((x.shape[1],), 20, random_state=seed).fit(x, y)
    seconds = time.process_time() - begin
    density = deep.score_samples(new, wanted)
    found["two layers"] = _measures(deep.bound_, density, deep.predict(new) - wanted, seconds)
    return found


def _measures(bound: float, density: Array, error: Array, seconds: float) -> dict[str, float]:
    values = (bound, float(density.mean()), float(np.sqrt(np.mean(error**2))))
    return dict(zip(MEASURES, values, strict=True)) | {"seconds": seconds}


def compare(name: str, seeds: int) -> None:
    """Compare both models on one kind of curve, over the seeds."""
    found = [regression(name, seed) for seed in range(seeds)]
    rows: list[tuple[Any, ...]] = []
    for measure in MEASURES:
        one, two = (
            np.array([each[model][measure] for each in found])
            for model in ("one layer", "two layers")
        )
        gain = two - one
        error = gain.std(ddof=1) / np.sqrt(seeds)
        ahead = int(np.sum(gain < 0.0 if measure == "rmse" else gain > 0.0))
        rows.append((measure, one.mean(), two.mean(), f"{gain.mean():+.3g} ± {error:.2g}", ahead))
    seconds = np.mean([each["two layers"]["seconds"] for each in found])
    print(f"\n{name}, {seeds} seeds; {seconds:.1f} CPU seconds a deep fit")
    print(table(("", "one layer", "two layers", "difference", "two ahead"), rows), flush=True)
    write_row(
        "deep",
        {"data": name, "each": found},
        seed=list(range(seeds)),
        settings={"n_train": N_TRAIN, "n_test": N_TEST, "n_inducing": 20},
    )


def oil_flow(seeds: range, models: Sequence[str]) -> int:
    """Measure both latent models on oil flow, and mixtures."""
    try:
        data = benchmark_data("oil_flow")
    except DataAbsent as absent:
        return skip("deep", absent)
    train, test = standardised(data["train_Y"], data["test_Y"][:N_HELD_OUT])
    labels = np.argmax(data["train_labels"], axis=1)
    found, rows = [], []
    for seed in seeds:
        settings: dict[str, Any] = {"n_inducing": 50, "max_iter": 800, "random_state": seed}
        made = {
            "one layer": BayesianGPLVM(10, **settings),
            "two layers": DeepGPLVM((5, 10), **settings),
            "linear mean": DeepGPLVM((5, 10), mean="linear", **settings),
            "input connections": DeepGPLVM((5, 10), input_connections=True, **settings),
        }
        for name in models:
            model: Any = made[name]
            begin = time.process_time()
            model.fit(train)
            seconds = time.process_time() - begin
            leading = np.argsort(-model.relevance_)[:2]
            by_neighbour = cross_val_predict(
                KNeighborsClassifier(1), model.latent_mean_[:, leading], labels, cv=LeaveOneOut()
            )
            figures = {
                "bound": model.bound_,
                "held out": float(model.score(test)),
                "sampled": float(model.score_samples(test, n_samples=DRAWS).mean()),
                "neighbour errors": int(np.sum(by_neighbour != labels)),
                "dimensions on": model.n_effective_,
                "seconds": seconds,
            }
            found.append({"model": name, "seed": seed, **figures})
            rows.append((name, seed, *figures.values()))
            print(rows[-1], flush=True)
            for layer in getattr(model, "layers_", ()):
                print(f"  {layer.verdict_}; {layer.freedom_:.1f} degrees of freedom")
    print("\noil flow, by the seed of the inducing inputs")
    print(table(("model", "seed", *figures), rows))
    mixtures = {n: _mixture(train, test, n) for n in COMPONENTS}
    print(table(("components", "held out"), list(mixtures.items())))
    told = {"data": "oil flow", "each": found, "mixtures": mixtures}
    write_row("deep", told, seed=list(seeds))
    return 0


def _mixture(train: Array, test: Array, n_components: int) -> float:
    """Return the held-out density of a mixture.

    Its ridge is chosen on the test rows, which favours the mixture.
    """
    tried = (
        GaussianMixture(n_components, reg_covar=ridge, random_state=0).fit(train)
        for ridge in RIDGES
    )
    return max(float(each.score(test)) for each in tried)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--oil-first", type=int, default=0, help="the first seed")
    parser.add_argument(
        "--oil-seeds", type=int, default=5, help=("the number of seeds before the first one")
    )
    parser.add_argument("--oil-models", nargs="+", choices=MODELS, default=MODELS)
    parser.add_argument("--only", nargs="+", choices=(*CURVES, "oil flow"))
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    chosen = options.only or (*CURVES, "oil flow")
    for name in CURVES:
        if name in chosen:
            compare(name, options.seeds)
    seeds = range(options.oil_first, options.oil_seeds)
    return oil_flow(seeds, options.oil_models) if "oil flow" in chosen else 0


if __name__ == "__main__":
    sys.exit(main())
