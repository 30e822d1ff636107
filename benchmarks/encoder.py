"""Latent positions as features, with a free q(X) and with encoders (Damianou 2015, Table 6.1).

The data are oil flow, with 1000 training and 1000 test rows. The models train without labels; their
latent means are the features of logistic regression and of a support vector machine. M1 has a free
q(X) and infers the test rows iteratively. M3 is the variational back-constraint: here an encoder
maps y_n to the mean and variance of q(x_n). With the literal constraint, mean = y_n, the features
of a one-layer model are the outputs themselves, so the table has a row for the outputs. M2, whose
prior is a Gaussian process over the outputs, is in benchmarks.deep_reproduced.
"""

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from benchmarks.common import DataAbsent, benchmark_data, skip, table, write_row
from benchmarks.paired import standardised
from gplvm_core import BayesianGPLVM
from gplvm_core.numerics import Array

CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "logistic": lambda: LogisticRegression(max_iter=10_000),
    "logistic_barely_regularised": lambda: LogisticRegression(C=1000.0, max_iter=10_000),
    "svm": SVC,
}
ENCODERS = {"M1, free q(X)": None, "M3, kernel encoder": "kernel", "M3, network encoder": "network"}
N_ONE_BY_ONE = 50


def accuracies(
    train: Array, test: Array, labels: NDArray[np.int_], expected: NDArray[np.int_]
) -> dict[str, float]:
    """Return the percentage of test rows that each classifier labels correctly."""
    return {
        name: 100.0 * make().fit(train, labels).score(test, expected)
        for name, make in CLASSIFIERS.items()
    }


def seconds_a_row(model: BayesianGPLVM, rows: Array) -> dict[str, float]:
    """Return seconds per row of `transform`, for many rows in one call and for single rows."""
    begin = time.perf_counter()
    model.transform(rows)
    together = (time.perf_counter() - begin) / len(rows)
    each = []
    for row in rows[:N_ONE_BY_ONE]:
        begin = time.perf_counter()
        model.transform(row[None])
        each.append(time.perf_counter() - begin)
    return {"row_of_1000_seconds": together, "row_alone_seconds": float(np.median(each))}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=10)
    options = parser.parse_args()
    try:
        data = benchmark_data("oil_flow")
    except DataAbsent as absent:
        return skip("encoder", absent)
    train, test = standardised(data["train_Y"], data["test_Y"])
    labels, expected = (np.argmax(data[f"{part}_labels"], axis=1) for part in ("train", "test"))

    outputs = accuracies(train, test, labels, expected)
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in ENCODERS}
    for seed in range(options.seeds):
        for name, kind in ENCODERS.items():
            begin = time.perf_counter()
            model = BayesianGPLVM(random_state=seed, encoder=kind).fit(train)  # type: ignore[arg-type]
            seconds = time.perf_counter() - begin
            places = np.asarray(model.transform(test))
            rebuilt = model.inverse_transform(places)
            found = accuracies(model.latent_mean_, places, labels, expected) | {
                "bound": model.bound_,
                "density": model.score(test),
                "reconstruction_rms": float(np.sqrt(np.mean((rebuilt - test) ** 2))),
                "training_seconds": seconds,
                **seconds_a_row(model, test),
            }
            runs[name].append(found)
            shown = ", ".join(f"{key} {found[key]:.1f}" for key in CLASSIFIERS)
            print(f"seed {seed}, {name}: bound {model.bound_:.0f}, {shown}", flush=True)
    keys = list(next(iter(runs.values()))[0])
    middle = {
        name: {key: float(np.median([run[key] for run in each])) for key in keys}
        for name, each in runs.items()
    }
    print(f"\nmedian of {options.seeds} seeds; accuracies in per cent")
    rows = [(name, *figures.values()) for name, figures in middle.items()]
    rows.append(("outputs themselves", *outputs.values(), *[""] * (len(keys) - len(outputs))))
    print(table(("", *keys), rows))
    write_row(
        "encoder",
        {"median": middle, "outputs": outputs, "runs": runs},
        seed=list(range(options.seeds)),
        settings={"n_components": 10, "n_inducing": 50, "train_rows": 1000, "test_rows": 1000},
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
