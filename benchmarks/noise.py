"""One noise variance for all outputs compared with one per output, on several data sets.

    python -m benchmarks.noise [--seeds 0 1 2] [--only wine digits]
    python -m benchmarks.noise --cost

Every data set is split at random into training rows (at most 500) and 60 held-out rows. Columns
that are constant among the training rows are left out. The models are the estimator with its
defaults (10 latent dimensions, 50 inducing inputs, 500 iterations, or 200 for more than 1000
columns). The four settings are:

- one noise, with all columns divided by one scale;
- one noise, with a scale for each column;
- one noise per output;
- one noise per output, with a kernel RBF + linear.

The baselines are probabilistic PCA and, for at most 130 columns, a mixture of full Gaussians. The
components and ridge of the mixture are chosen on a fifth of the training rows.

Three measures use the held-out rows. The density is the difference of bounds in nats per row, in
the data's units. The error is the root mean square error if a random half of every row's entries is
hidden, in units of the columns' spread. The residual is that of reconstructed complete rows, as a
fraction of their spread, for all columns together (sharpness: lower is sharper) and as the mean
over the columns.
"""

import argparse
import sys
import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from sklearn.datasets import load_breast_cancer
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.common import DataAbsent, benchmark_data, table, write_row
from gplvm_core import RBF, BayesianGPLVM, Linear, ProbabilisticPCA, load_dataset
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, evaluate_layer
from gplvm_core.numerics import Array
from gplvm_core.statistics import Targets

N_TRAIN, N_TEST = 500, 60
MANY_COLUMNS, FEW_COLUMNS = 1000, 130
VARIANTS: dict[str, dict[str, Any]] = {
    "one noise": {"noise": "shared", "scaling": "global"},
    "one noise, columns scaled": {"noise": "shared", "scaling": "columns"},
    "per output": {"noise": "per_output"},
    "per output, RBF + linear": {"noise": "per_output", "kernel": RBF() + Linear()},
}
HEADER = ("model", "bound", "density", "completion", "residual", "by column", "neighbours", "s")


@dataclass(frozen=True)
class Split:
    """Training rows and held-out rows."""

    train: Float[Array, "N D"]
    test: Float[Array, "n D"]
    labels: Any  # the labels of the training rows, or None

    @property
    def spread(self) -> Float[Array, " D"]:
        return self.train.std(axis=0)


def rows_of(name: str) -> tuple[Array, Any]:
    """Return all rows of a data set, and their labels if there are any."""
    if name == "oil flow":
        data = benchmark_data("oil_flow")
        return data["train_Y"], data["train_labels"]
    if name == "features":
        return benchmark_data("cmu35_features")["Y"], None
    if name == "tumours":
        found = load_breast_cancer()
        return found.data, found.target
    dataset = load_dataset(name)
    return np.asarray(dataset.values), dataset.labels


NAMES = (
    "wine",
    "tumours",
    "oil flow",
    "digits",
    "digits_views",
    "poses",
    "features",
    "heads",
    "faces",
)


def split_of(name: str, seed: int) -> Split:
    values, labels = rows_of(name)
    order = np.random.default_rng(seed).permutation(len(values))
    n_train = min(N_TRAIN, len(order) - N_TEST)
    train, test = order[:n_train], order[n_train : n_train + N_TEST]
    varies = np.ptp(values[train], axis=0) > 0.0
    kept = None if labels is None else np.unique(labels, axis=0, return_inverse=True)[1][train]
    return Split(values[train][:, varies], values[test][:, varies], kept)


def measured(model: Any, split: Split, seconds: float, seed: int) -> dict[str, float]:
    hidden = np.random.default_rng(seed).random(split.test.shape) < 0.5
    gaps = np.where(hidden, np.nan, split.test)
    filled = model.complete(gaps)
    error = ((filled - split.test) / split.spread)[hidden]
    left = model.denoise(split.test) - split.test
    centred = split.test - split.train.mean(axis=0)
    found = {
        "bound": float(getattr(model, "bound_", np.nan)),
        "density": float(np.mean(model.score_samples(split.test))),
        "completion": float(np.sqrt(np.mean(error**2))),
        "residual": float(np.sqrt(np.sum(left**2) / np.sum(centred**2))),
        "by_column": float(np.mean(np.sqrt(np.mean((left / split.spread) ** 2, axis=0)))),
        "neighbours": np.nan,
        "cpu_seconds": seconds,
    }
    if split.labels is not None and hasattr(model, "relevance_"):
        places = model.latent_mean_ * np.sqrt(model.relevance_)
        told = cross_val_predict(KNeighborsClassifier(1), places, split.labels, cv=LeaveOneOut())
        found["neighbours"] = float(np.sum(told != split.labels))
    return found


def mixture(split: Split, seed: int) -> dict[str, Any]:
    """Return the held-out density of a mixture, fitted to columns of unit spread, in the data's
    units.
    """
    train, test = split.train / split.spread, split.test / split.spread
    count = len(train) // 5
    tried = {}
    for n_components in (1, 2, 3, 5, 8, 12, 16):
        for ridge in (1e-6, 1e-4, 1e-3, 1e-2, 1e-1):
            one = GaussianMixture(n_components, reg_covar=ridge, random_state=seed)
            try:
                tried[n_components, ridge] = one.fit(train[count:]).score(train[:count])
            except ValueError:
                continue
    n_components, ridge = max(tried, key=lambda chosen: tried[chosen])
    best = GaussianMixture(n_components, reg_covar=ridge, random_state=seed).fit(train)
    density = best.score(test) - np.sum(np.log(split.spread))
    return {"density": float(density), "components": n_components, "ridge": ridge}


def compare(name: str, seed: int) -> None:
    split = split_of(name, seed)
    n_points, n_outputs = split.train.shape
    iterations = 200 if n_outputs > MANY_COLUMNS else 500
    print(f"\n{name}: {n_points} × {n_outputs}, seed {seed}", flush=True)
    figures: dict[str, Any] = {}
    for title, options in VARIANTS.items():
        start = time.process_time()
        model = BayesianGPLVM(max_iter=iterations, random_state=seed, **options)
        model.fit(split.train)
        figures[title] = measured(model, split, time.process_time() - start, seed)
    start = time.process_time()
    linear = ProbabilisticPCA(min(10, n_outputs - 1), scaling="columns").fit(split.train)
    figures["probabilistic PCA"] = measured(linear, split, time.process_time() - start, seed)
    if n_outputs <= FEW_COLUMNS:
        figures["mixture"] = mixture(split, seed)
    rows = [[title, *(own.get(key, np.nan) for key in KEYS)] for title, own in figures.items()]
    print(table(HEADER, rows), flush=True)
    settings = {"data": name, "rows": n_points, "columns": n_outputs, "iterations": iterations}
    write_row("noise", figures, seed=seed, settings=settings)


def cost() -> None:
    """Measure the CPU time of the bound and its gradients on one thread; the models alternate."""
    found = {}
    for n_points, n_outputs in ((1000, 12), (1797, 64), (1000, 560), (400, 2576)):
        generator = np.random.default_rng(0)
        mean = generator.normal(size=(n_points, 10))
        targets = np.sin(mean @ generator.normal(size=(10, n_outputs)))
        targets += 0.3 * generator.normal(size=targets.shape)
        layer = Layer(RBF(1.0, np.full(10, 2.0)), mean[:50].copy(), 1.0)
        belief, whole = Belief(mean, np.full_like(mean, 0.1)), Targets.whole(targets)
        ways: dict[str, tuple[Targets, bool]] = {
            "one noise": (Targets.of(targets), False),
            "one noise, all columns": (whole, False),
            "per output": (whole, True),
        }
        seconds: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(15):
            for name, (seen, own) in ways.items():
                start = time.process_time()
                evaluate_layer(
                    layer,
                    belief,
                    seen,
                    jitter=1e-6,
                    profile=True,
                    most_ratio=1e6,
                    per_output=own,
                )
                seconds[name].append(time.process_time() - start)
        found[f"{n_points} × {n_outputs}"] = {
            name: 1e3 * float(np.median(own)) for name, own in seconds.items()
        }
    names = ("one noise", "one noise, all columns", "per output")
    rows = [
        [size, *(own[name] for name in names), own["per output"] / own["one noise"]]
        for size, own in found.items()
    ]
    print(table(("N × D, ms of CPU", *names, "per output ÷ one noise"), rows))
    write_row("noise_cost", found, seed=0, settings={"n_latent": 10, "n_inducing": 50})


KEYS = (
    "bound",
    "density",
    "completion",
    "residual",
    "by_column",
    "neighbours",
    "cpu_seconds",
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--cost", action="store_true", help="only the cost of an evaluation")
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.cost:
        cost()
        return 0
    for seed in arguments.seeds:
        for name in arguments.only:
            try:
                compare(name, seed)
            except DataAbsent as absent:
                print(f"SKIPPED {name}: {absent}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
