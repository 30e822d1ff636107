"""The estimator's training compared with a plain L-BFGS schedule on digits, poses and faces.

    python -m benchmarks.training [--seeds 3]

Every fourth row is held out. Both schedules train from the same start; the plain schedule has twice
the evaluations. Bounds and densities are for the data divided by one global scale.
"""

import argparse
import sys
from typing import Any

import numpy as np

from benchmarks.common import table, write_row
from benchmarks.paired import median, train_default, train_plain
from gplvm_core import load_dataset

DATASETS = ("digits", "poses", "faces")
KEYS = (
    "bound_at_500_evaluations",
    "bound",
    "evaluations",
    "seconds",
    "held_out_by_bound",
    "held_out_by_sampling",
)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()

    rows: list[tuple[Any, ...]] = []
    figures: dict[str, Any] = {}
    for name in DATASETS:
        values = load_dataset(name).values
        held = np.arange(len(values)) % 4 == 3
        train, test = values[~held], values[held]
        own = [train_default(train, test, None, seed) for seed in range(options.seeds)]
        plain = [
            train_plain(train, test, None, seed, evaluations=1000) for seed in range(options.seeds)
        ]
        size = f"{train.shape[0]}×{train.shape[1]}"
        for kind, runs in (("defaults", own), ("plain schedule", plain)):
            middle = median(runs)
            rows.append((name, size, kind, *(middle[key] for key in KEYS)))
        figures[name] = {"size": train.shape, "defaults": own, "plain": plain}
        print(f"{name}: done", flush=True)
    print(f"\nmedian of {options.seeds} seeds")
    print(table(("data", "size", "training", *KEYS), rows))
    write_row(
        "training",
        figures,
        seed=list(range(options.seeds)),
        settings={"n_components": 10, "n_inducing": 50},
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
