"""The start of a sparse regression: the number of points and the lengthscales.

    python -m benchmarks.regression_starts [--sets energy yacht diabetes friedman1 friedman3]
                                           [--splits 2] [--iterations 500]

The model is SparseGPRegression with 100 inducing inputs. Its kernel starts from an exact regression
on SUBSET of the points, and no lengthscale is below SHORTEST times the inputs' spread. Three starts
are compared: the former start (100 points, any lengthscale), the former start with a lower limit of
the lengthscales, and the present start. The table has the bound and the log-likelihood of a test
row in nats, the root mean square error, how training ended, and CPU seconds. Energy and yacht, on
which the start was chosen, have their published splits. Diabetes and 600 points of Friedman's
functions (noise 1 and 0.1) have a random tenth held out.
"""

import argparse
import sys
import time
import warnings

import numpy as np
from sklearn import datasets

from benchmarks.common import DataAbsent, benchmark_data, skip, table, write_row
from benchmarks.uci import N_INDUCING, Split, splits_of
from gplvm_core import SparseGPRegression
from gplvm_core.comparison.repeated import gaussian
from gplvm_core.models.problems import regression
from gplvm_core.numerics import Array

STARTS = {
    "100 points": (100, 0.0),
    "100 points, no short lengthscales": (100, 0.1),
    "200 points, no short lengthscales": (200, 0.1),
}
PUBLISHED, NOISE = ("energy", "yacht"), {"friedman1": 1.0, "friedman3": 0.1}
SETS = (*PUBLISHED, "diabetes", *NOISE)
N_FRIEDMAN = 600


def data(name: str, splits: int) -> tuple[Array, Array, list[Split]]:
    """Return inputs, outputs, training and test rows. Raises DataAbsent."""
    if name in PUBLISHED:
        read = benchmark_data("uci_regression")
        X, y = (np.asarray(read[f"{name}_{part}"], dtype=np.float64) for part in ("X", "y"))
        return X, y, splits_of(read[f"{name}_test"], len(X), 0, splits)
    if name == "diabetes":
        X, y = datasets.load_diabetes(return_X_y=True)
    else:
        make = getattr(datasets, f"make_{name}")
        X, y = make(n_samples=N_FRIEDMAN, noise=NOISE[name], random_state=0)
    found = []
    for seed in range(splits):
        drawn, aside = np.random.default_rng(seed).permutation(len(X)), len(X) // 10
        found.append((np.sort(drawn[aside:]), np.sort(drawn[:aside])))
    return X, y, found


def run(name: str, splits: int, iterations: int) -> None:
    """Return the scores of all starts on the splits of one set."""
    X, y, pairs = data(name, splits)
    found, rows = [], []
    for split, (train, test) in enumerate(pairs):
        for start, (regression.SUBSET, regression.SHORTEST) in STARTS.items():
            begin = time.process_time()
            model = SparseGPRegression(N_INDUCING, max_iter=iterations, random_state=0)
            model.fit(X[train], y[train])
            seconds = time.process_time() - begin
            mean, std = model.predict(X[test], return_std=True, noise=True)
            density = gaussian((y[test] - mean)[:, None], std[:, None])
            figures = {
                "bound": model.bound_,
                "log-likelihood": float(density.mean()),
                "rmse": float(np.sqrt(np.mean((y[test] - mean) ** 2))),
                "ended": model.result_.status,
                "CPU seconds": seconds,
            }
            found.append({"split": split, "start": start, **figures})
            rows.append((split, start, *figures.values()))
    print(f"\n{name}")
    print(table(("split", "start", *figures), rows), flush=True)
    write_row(
        "regression_starts",
        {"data": name, "each": found},
        seed=0,
        settings={"n_inducing": N_INDUCING, "iterations": iterations},
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS)
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--iterations", type=int, default=500)
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    for name in options.sets:
        try:
            run(name, options.splits, options.iterations)
        except DataAbsent as absent:
            skip("regression_starts", absent)
    return 0


if __name__ == "__main__":
    sys.exit(main())
