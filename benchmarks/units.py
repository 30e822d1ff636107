"""One scale for all columns, one scale per column, or one scale and one noise per column.

The columns of the first sets have different units. Those of the other sets share a unit. A model is
trained on half of at most 600 rows with each choice. Then the map alone, and the derived density,
fill hidden halves of the other rows. The table has the continuous ranked probability score in units
of every column's spread (mean spread if the columns share a unit).
"""

import argparse
import warnings
from typing import Any

import numpy as np

from benchmarks.common import benchmark_data, write_row
from benchmarks.settings import MOST_TRAINED, SEEDS, rows_of, scores
from gplvm_core import BayesianGPLVM
from gplvm_core.comparison.tasks import Data, Scaling
from gplvm_core.numerics import Array

OF_UCI = ("energy", "red_wine", "protein", "yacht", "power")
MIXED = ("wine", "diabetes_raw", "breast_cancer", "energy", "red_wine", "protein")
ALIKE = ("iris", "yacht", "power", "flow", "oil", "digits", "poses", "walker")
CHOICES: dict[str, dict[str, Any]] = {
    "one scale": {"scaling": "global", "noise": "shared"},
    "a scale per column": {"scaling": "columns", "noise": "shared"},
    "a scale and a noise per column": {"noise": "per_output"},
}


def table_of(name: str) -> Array:
    """Return the rows of a data set."""
    if name in OF_UCI:
        return benchmark_data("uci_regression")[f"{name.removeprefix('red_')}_X"]
    if name == "diabetes_raw":
        from sklearn.datasets import load_diabetes

        return np.asarray(load_diabetes(scaled=False).data)
    return rows_of(name)


def measure(name: str) -> None:
    """Print the line of a data set: map alone · derived density, for every choice."""
    values = table_of(name)
    units: Scaling = "columns" if name in MIXED else "global"
    data, cells = Data.checked(values, units, None, None, timed=False), []
    for choice, options in CHOICES.items():
        figures = {}
        for way, derive in (("map", False), ("density", True)):
            found = []
            for seed in SEEDS:
                order = np.random.default_rng(seed).permutation(len(values))[: 2 * MOST_TRAINED]
                train, test = np.array_split(order, 2)
                width = min(10, values.shape[1])
                model = BayesianGPLVM(width, min(50, len(train)), random_state=seed, **options)
                found.append(scores(model, data, train, test, derive=derive))
            for key in found[0]:
                figures[f"{key}_{way}"] = float(np.mean([each[key] for each in found]))
        settings = {"data": name, "choice": choice}
        write_row("units", figures, seed=SEEDS, settings=settings)
        cells.append(f"{figures['crps_map']:.3f} · {figures['crps_density']:.3f}")
    spread = np.std(values, axis=0)
    spread = spread[spread > 0.0]
    ratio = spread.max() / np.quantile(spread, 0.5, method="lower")
    print(f"| {name} | {ratio:.1f} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", default=MIXED + ALIKE, choices=MIXED + ALIKE)
    asked = parser.parse_args()
    print(f"| data | largest ÷ median spread | {' | '.join(CHOICES)} |")
    print("|---|--:|" + "--:|" * len(CHOICES))
    for name in asked.only:
        with warnings.catch_warnings(action="ignore"):
            measure(name)


if __name__ == "__main__":
    main()
