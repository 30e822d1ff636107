"""The early end of training: what it saves, and what it costs.

    python -m benchmarks.flat [--seeds 3]

A phase of training ends when the bound rises by less than 0.001 nats a row in 20 iterations. Every
table is trained with and without this rule, on four fifths of its rows, by default settings. The
table has the iterations, the CPU seconds, the bound in nats a row, and the root mean square error,
in spreads, of half of the cells of the other rows, which the map fills. Oil flow needs the folder
MANIFOLIO_DATA.
"""

import argparse
import sys
import time
import warnings

import numpy as np
from jaxtyping import Float

from benchmarks.common import DataAbsent, benchmark_data, skip, table, write_row
from gplvm_core import BayesianGPLVM, load_dataset
from gplvm_core.models.training import schedule
from gplvm_core.numerics import Array

NEVER = 10**9
TABLES = ("wine", "countries", "diabetes", "oil_flow")


def rows_of(name: str) -> Float[Array, "N D"]:
    if name == "oil_flow":
        return np.asarray(next(own for own in benchmark_data(name).values() if own.ndim == 2))
    return np.asarray(load_dataset(name).values, dtype=float)


def trained(rows: Float[Array, "N D"], seed: int) -> dict[str, float | str]:
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(rows))
    train, test = rows[order[len(rows) // 5 :]], rows[order[: len(rows) // 5]]
    spread = np.nanstd(train, axis=0)
    begin = time.process_time()
    model = BayesianGPLVM(10, 50, random_state=seed, second_stage="off").fit(train)
    seconds = time.process_time() - begin
    hidden = generator.random(test.shape) < 0.5
    hidden[hidden.all(axis=1), 0] = False
    filled = model.complete(np.where(hidden, np.nan, test), method="map")
    wrong = ((filled - test) / spread)[hidden & ~np.isnan(test)]
    return {
        "iterations": model.result_.iterations,
        "seconds": seconds,
        "bound": model.bound_ / len(train),
        "gap_error": float(np.sqrt(np.mean(wrong**2))),
        "reason": model.result_.reason,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    asked = parser.parse_args()
    lines = []
    usual = schedule.LOOKED_BACK
    for name in TABLES:
        try:
            rows = rows_of(name)
        except DataAbsent as absent:
            return skip("flat", absent)
        for seed in range(asked.seeds):
            for rule, back in (("without", NEVER), ("with", usual)):
                schedule.LOOKED_BACK = back
                with warnings.catch_warnings(action="ignore"):
                    found = trained(rows, seed)
                write_row("flat", found, seed=seed, settings={"table": name, "rule": rule})
                lines.append([name, seed, rule, *list(found.values())[:4]])
                print(lines[-1], found["reason"], flush=True)
    header = ["table", "seed", "rule", "iterations", "CPU s", "nats a row", "gap error"]
    print(table(header, lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
