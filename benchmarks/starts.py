"""Compare n_restarts="auto" with one start: final bounds and seconds on ten small tables.

Run: `MANIFOLIO_DATA=… python -m benchmarks.starts [--seeds 5]`. Tables whose file is missing are
left out.
"""

import argparse
import time
import warnings
from contextlib import suppress
from typing import Literal

import numpy as np
from sklearn.datasets import load_diabetes, load_digits, load_iris, load_wine

from benchmarks.common import DataAbsent, benchmark_data
from gplvm_core import BayesianGPLVM

STARTS: tuple[int | Literal["auto"], ...] = (1, "auto")


def tables() -> dict[str, np.ndarray]:
    """Return tables of 55 to 400 rows."""
    found = {
        "iris, 150 × 4": load_iris().data,
        "wine, 178 × 13": standardised(load_wine().data),
        "diabetes, 300 × 10": standardised(load_diabetes().data)[:300],
        "digits, 200 × 64": load_digits().data[:200].astype(float),
    }
    with suppress(DataAbsent):
        rows = benchmark_data("oil_flow")["train_Y"]
        for seed in range(3):
            some = np.random.default_rng(seed).choice(len(rows), 100, replace=False)
            found[f"oil flow, 100 × 12, part {seed + 1}"] = rows[some]
        found["oil flow, 400 × 12"] = rows[:400]
    with suppress(DataAbsent):
        found["motion, 201 × 59"] = benchmark_data("cmu35_features")["Y"][::13]
    with suppress(DataAbsent):
        found["stick man, 55 × 123"] = benchmark_data("stick_man")["Y"]
    return found


def standardised(rows: np.ndarray) -> np.ndarray:
    """Scale columns to mean 0 and standard deviation 1."""
    return (rows - rows.mean(axis=0)) / rows.std(axis=0)


def main() -> None:
    """Print a row for every table: mean bounds, wins, and the ratio of the seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    seeds = range(parser.parse_args().seeds)
    print("| table | one start | auto | gain, nats | better · equal · worse | seconds, ratio |")
    print("|---|--:|--:|--:|--:|--:|")
    for name, rows in tables().items():
        bounds, seconds = np.empty((2, len(seeds))), np.empty((2, len(seeds)))
        for s in seeds:
            for a, starts in enumerate(STARTS):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    begin = time.process_time()
                    model = BayesianGPLVM(
                        10,
                        min(50, len(rows)),
                        n_restarts=starts,
                        random_state=s,
                        second_stage="off",
                    ).fit(rows)
                    seconds[a, s] = time.process_time() - begin
                bounds[a, s] = model.bound_
        gain = bounds[1] - bounds[0]
        wins = f"{(gain > 0.5).sum()} · {(np.abs(gain) <= 0.5).sum()} · {(gain < -0.5).sum()}"
        first, second = bounds.mean(axis=1)
        ratio = seconds[1].sum() / seconds[0].sum()
        print(
            f"| {name} | {first:.1f} | {second:.1f} | {gain.mean():+.1f} | {wins} | {ratio:.2f} |"
        )


if __name__ == "__main__":
    main()
