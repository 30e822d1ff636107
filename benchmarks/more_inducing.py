"""How far the immediate rise of the bound foretells its rise after training, and what more inducing
inputs gain in regression.

For every table and number of inducing inputs M, a model is trained with M and with 2M inducing
inputs. `more_inducing_` of the first is compared with the difference of their bounds.

Run: `MANIFOLIO_DATA=… python -m benchmarks.more_inducing [--seeds 3]`. Tables whose file is missing
are left out. With `--regression`: errors and densities of the tables in uci_regression.npz with
fewer than 2,000 rows, mean of the first five splits. With `--deep`: the same for `DeepGP`, two
tables, 50 and 100 inducing inputs a layer.
"""

import argparse
import time
import warnings
from collections.abc import Sequence

import numpy as np

from benchmarks.common import benchmark_data
from benchmarks.starts import tables
from gplvm_core import BayesianGPLVM, DeepGP, SparseGPRegression

SIZES = (10, 25, 50)


def trained(rows: np.ndarray, n_inducing: int, seed: int) -> BayesianGPLVM:
    """Return a model with one start."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return BayesianGPLVM(
            10, n_inducing, n_restarts=1, random_state=seed, second_stage="off"
        ).fit(rows)


def regressions(model: type[SparseGPRegression | DeepGP], names: Sequence[str]) -> None:
    """Print a row for every table and M: error, log density, bound per row and CPU seconds."""
    print("| table | M | RMSE | log density, nats | bound per row, nats | CPU s |")
    print("|---|--:|--:|--:|--:|--:|")
    stored = benchmark_data("uci_regression")
    for name in names:
        X, y = stored[f"{name}_X"], stored[f"{name}_y"]
        for size in (50, 100, 200)[: 2 if model is DeepGP else 3]:
            found = []
            for test in stored[f"{name}_test"][:5]:
                own, begin = np.setdiff1d(np.arange(len(y)), test), time.process_time()
                fitted = model(n_inducing=size, random_state=0).fit(X[own], y[own])
                spent = time.process_time() - begin
                mean, std = fitted.predict(X[test], return_std=True)
                error = y[test] - mean
                density = -0.5 * (np.log(2.0 * np.pi * std**2) + (error / std) ** 2)
                bound = fitted.bound_ / len(own)
                found.append((np.sqrt(np.mean(error**2)), density.mean(), bound, spent))
            own_row = " | ".join(f"{each:.3f}" for each in np.mean(found, axis=0))
            print(f"| {name} | {size} | {own_row} |", flush=True)


def main() -> None:
    """Print a row for every table and M: both rises in nats per row, and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--regression", action="store_true")
    parser.add_argument("--deep", action="store_true")
    given = parser.parse_args()
    if given.regression:
        return regressions(SparseGPRegression, ("yacht", "energy", "wine"))
    if given.deep:
        return regressions(DeepGP, ("yacht", "energy"))
    seeds = range(given.seeds)
    print("| table | M | at once, nats per row | after training | ratio of the means |")
    print("|---|--:|--:|--:|--:|")
    for name, rows in tables().items():
        for size in SIZES:
            if 2 * size > len(rows):
                continue
            rises = np.empty((2, len(seeds)))
            for s in seeds:
                fewer, more = (trained(rows, each, s) for each in (size, 2 * size))
                expected = fewer.more_inducing_
                assert expected is not None and expected.more == 2 * size
                rises[:, s] = expected.rise, more.bound_ - fewer.bound_
            at_once, after = (", ".join(f"{e:.2g}" for e in own / len(rows)) for own in rises)
            ratio = rises[1].mean() / rises[0].mean()
            print(f"| {name} | {size} | {at_once} | {after} | {ratio:.1f} |", flush=True)


if __name__ == "__main__":
    main()
