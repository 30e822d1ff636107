"""Three-phase oil flow, 1000 × 12, Q = 10, M = 50 (Titsias & Lawrence 2010, §5.1).

    python -m benchmarks.oil_flow [--seeds 10] [--dimensions 2 3 4 6 8 10]

The estimator's defaults are compared with the plain schedule, which has twice the evaluations.
Bounds and densities are for the data divided by one global scale. The published numbers of
nearest-neighbour errors, of 1000 rows, are 3 (Titsias & Lawrence 2010) and 1 (Damianou 2015). After
1000 evaluations, GPy reaches a bound of −1118 and has 5 errors. With --dimensions, the defaults are
trained with each of these numbers of latent dimensions instead.
"""

import argparse
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import DataAbsent, benchmark_data, skip, table, write_row
from benchmarks.paired import median, train_default, train_plain
from gplvm_core.numerics import Array

N_HELD_OUT = 300  # the number of rows in the test third


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--dimensions", type=int, nargs="+", default=[])
    options = parser.parse_args()
    try:
        data = benchmark_data("oil_flow")
    except DataAbsent as absent:
        return skip("oil_flow", absent)
    train, test = data["train_Y"], data["test_Y"][:N_HELD_OUT]
    labels = np.argmax(data["train_labels"], axis=1)

    if options.dimensions:
        return by_dimensions(train, test, labels, options.dimensions, options.seeds)
    own: list[dict[str, Any]] = []
    plain: list[dict[str, Any]] = []
    for seed in range(options.seeds):
        own.append(train_default(train, test, labels, seed))
        plain.append(train_plain(train, test, labels, seed, evaluations=1000))
        print(
            f"seed {seed}: bound {own[-1]['bound_at_500_evaluations']:.0f} at 500 evaluations, "
            f"{own[-1]['bound']:.0f} in all, errors {own[-1]['neighbour_errors']}; "
            f"plain {plain[-1]['bound']:.0f}, errors {plain[-1]['neighbour_errors']}",
            flush=True,
        )
    middle = {"defaults": median(own), "plain schedule": median(plain)}
    keys = [key for key in middle["defaults"] if key in middle["plain schedule"]]
    rows = [(name, *(figures[key] for key in keys)) for name, figures in middle.items()]
    print(f"\nmedian of {options.seeds} seeds")
    print(table(("", *keys), rows))
    write_row(
        "oil_flow",
        {"median": middle, "defaults": own, "plain": plain},
        seed=list(range(options.seeds)),
        settings={"n_components": 10, "n_inducing": 50, "held_out_rows": N_HELD_OUT},
    )
    return 0


def by_dimensions(
    train: Array, test: Array, labels: NDArray[np.int_], counts: list[int], n_seeds: int
) -> int:
    """Train the defaults with several numbers of latent dimensions; write the medians."""
    found: dict[int, dict[str, float]] = {}
    for count in counts:
        runs = [
            train_default(train, test, labels, seed, n_components=count) for seed in range(n_seeds)
        ]
        found[count] = median(runs)
        print(f"{count} dimensions: {found[count]}", flush=True)
    rows = [(count, *figures.values()) for count, figures in found.items()]
    print(f"\nmedian of {n_seeds} seeds")
    print(table(("dimensions", *next(iter(found.values()))), rows))
    write_row(
        "oil_flow",
        {str(count): figures for count, figures in found.items()},
        seed=list(range(n_seeds)),
        settings={"dimensions": counts, "n_inducing": 50, "held_out_rows": N_HELD_OUT},
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
