"""Errors with few labels: features from all rows, or only from labelled rows (Damianou 2015,
§4.3.3).

    python -m benchmarks.semi_supervised [--seeds 10]

Digits 0, 2, 4 and 6 (430 rows to learn from, 287 to test), and oil flow (300 and 700 of its
training rows). Every seed draws another split and other labelled rows, at least one of each class.
All methods have the same classifier, logistic regression. Ten draws per row also weaken the
regularisation tenfold, so the table has rows of PCA for C = 1 and C = 10.
"""

import argparse
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from benchmarks.common import DataAbsent, benchmark_data, table, write_row
from gplvm_core import BayesianGPLVM
from gplvm_core.models.estimators.semi_supervised import SemiSupervisedClassifier
from gplvm_core.numerics import Array

N_COMPONENTS = 10
DRAWS = 10

Labels = NDArray[np.int_]


def datasets() -> Iterator[tuple[str, Array, Labels, int, tuple[int, ...]]]:
    """Return name, rows, labels, the number of training rows, and the numbers of labelled rows."""
    values, labels = load_digits(return_X_y=True)
    chosen = np.isin(labels, (0, 2, 4, 6))
    yield "digits", values[chosen], labels[chosen], 430, (8, 16, 32, 64, 128, 430)
    try:
        data = benchmark_data("oil_flow")
    except DataAbsent as absent:
        print(f"SKIPPED oil flow: {absent}", file=sys.stderr)
        return
    labels = np.argmax(data["train_labels"], axis=1)
    yield "oil flow", data["train_Y"], labels, 300, (6, 12, 24, 48, 100, 300)


def labelled_rows(labels: Labels, count: int, generator: np.random.Generator) -> Labels:
    """Return `count` random rows, with at least one row of each class."""
    first = [generator.choice(np.flatnonzero(labels == each)) for each in np.unique(labels)]
    others = np.setdiff1d(np.arange(len(labels)), first)
    more = generator.choice(others, count - len(first), replace=False)
    return np.concatenate([first, more]).astype(np.int_)


def errors(
    rows: Array, labels: Labels, known: Labels, test: Array, truth: Labels, model: BayesianGPLVM
) -> dict[str, float]:
    """Return the test error of each method in per cent, with only the known labels."""
    partly = np.full(len(rows), -1)
    partly[known] = labels[known]
    few, its = rows[known], labels[known]
    found: dict[str, Any] = {}
    whole = SemiSupervisedClassifier(FrozenEstimator(model), n_samples=DRAWS, random_state=0)
    found["semi-supervised"] = whole.fit(rows, partly).predict(test)
    scaled = LogisticRegression(max_iter=1000).fit(
        whole.feature_scale_ * model.latent_mean_[known], its
    )
    found["its means alone"] = scaled.predict(whole.feature_scale_ * model.transform(test))
    alone = SemiSupervisedClassifier(
        BayesianGPLVM(N_COMPONENTS, random_state=0, max_iter=300), n_samples=DRAWS, random_state=0
    )
    found["labelled rows only"] = alone.fit(few, its).predict(test)
    for name, all_rows in (("PCA", rows), ("PCA of labelled rows", few)):
        components = PCA(min(N_COMPONENTS, *few.shape)).fit(all_rows)
        size = components.transform(all_rows).std(axis=0)[0]
        for weight in (1.0, float(DRAWS)):
            linear = LogisticRegression(C=weight, max_iter=10_000)
            linear.fit(components.transform(few) / size, its)
            answer = linear.predict(components.transform(test) / size)
            found[f"{name}, C = {weight:.0f}"] = answer
    return {name: 100.0 * float(np.mean(answer != truth)) for name, answer in found.items()}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=10)
    options = parser.parse_args()
    # Splits of the digits have constant pixels, and small splits have fewer rows than inducing
    # inputs.
    warnings.simplefilter("ignore", UserWarning)
    figures: dict[str, Any] = {}
    for name, values, labels, n_train, counts in datasets():
        runs: dict[int, list[dict[str, float]]] = {count: [] for count in counts}
        for seed in range(options.seeds):
            generator = np.random.default_rng(seed)
            order = generator.permutation(len(values))
            train, test = order[:n_train], order[n_train:]
            model = BayesianGPLVM(N_COMPONENTS, random_state=seed).fit(values[train])
            for count in counts:
                known = labelled_rows(labels[train], count, generator)
                runs[count].append(
                    errors(values[train], labels[train], known, values[test], labels[test], model)
                )
            print(f"{name}, seed {seed}: done", flush=True)
        methods = list(runs[counts[0]][0])
        spread = {
            method: {count: [run[method] for run in runs[count]] for count in counts}
            for method in methods
        }
        rows = [
            (method, *(f"{np.mean(each):.1f} ± {np.std(each):.1f}" for each in found.values()))
            for method, found in spread.items()
        ]
        print(
            f"\n{name}: errors in per cent, mean ± one standard deviation of {options.seeds} seeds"
        )
        print(table(("labelled rows", *map(str, counts)), rows), flush=True)
        figures[name] = {method: {str(n): e for n, e in f.items()} for method, f in spread.items()}
    write_row(
        "semi_supervised",
        {"errors_per_cent": figures},
        seed=list(range(options.seeds)),
        settings={"n_components": N_COMPONENTS, "n_inducing": 50, "draws": DRAWS},
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
