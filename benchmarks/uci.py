"""Deep regression on five UCI sets with their published splits, beside a GP and boosted trees.

    python -m benchmarks.uci [--sets yacht energy] [--splits 3] [--models gp "deep 2" trees]

Splits of Hernández-Lobato & Adams (2015), a tenth of the rows kept aside each time. The sparse GP
and every layer of the deep ones have 100 inducing inputs, all settings are the estimators' own:
hidden layers as wide as the inputs. Log-likelihood of a test row in nats and root mean square
error, in the units of the data; ± a standard error over splits that share rows (see
gplvm_core.comparison). Published, all 20 splits (Salimbeni & Deisenroth 2017, two layers): energy
−0.72, yacht −0.46. Sets of more than 2000 rows take part with 2000 of the training rows.
"""

import argparse
import sys
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingRegressor

from benchmarks.common import DataAbsent, benchmark_data, skip, table, write_row
from gplvm_core import DeepGP, SparseGPRegression
from gplvm_core.comparison import Contender, Step, compare
from gplvm_core.comparison.baselines import WithNoise

SETS = ("yacht", "energy", "wine", "power", "protein")
N_INDUCING, MOST_ROWS = 100, 2000
MODELS = ("gp", "deep 2", "deep 3", "trees")

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


def contender(name: str, width: int, n_inducing: int) -> Contender:
    """A model by its name, for so many inputs."""
    trees = GradientBoostingRegressor(
        n_estimators=300, learning_rate=0.05, max_depth=4, subsample=0.8
    )
    made: dict[str, Any] = {
        "gp": SparseGPRegression(n_inducing),
        "deep 2": DeepGP((width,), n_inducing),
        "deep 3": DeepGP((width, width), n_inducing),
        "trees": WithNoise(trees),
    }
    return Contender(name, made[name])


def splits_of(test: NDArray[np.int_], n_rows: int, count: int) -> list[Split]:
    """The first of the published splits; the training rows thinned out at random to MOST_ROWS."""
    found = []
    for row in test[:count]:
        aside = row[row >= 0].astype(np.intp)
        train = np.setdiff1d(np.arange(n_rows), aside)
        if len(train) > MOST_ROWS:
            train = np.sort(np.random.default_rng(0).permutation(train)[:MOST_ROWS])
        found.append((train, aside))
    return found


def run(name: str, data: dict[str, Any], options: argparse.Namespace) -> None:
    """All models on the splits of one set."""
    X, y = (np.asarray(data[f"{name}_{part}"], dtype=np.float64) for part in ("X", "y"))
    splits = splits_of(data[f"{name}_test"], len(X), options.splits)
    models = [contender(each, X.shape[1], options.inducing) for each in options.models]

    def told(step: Step) -> None:
        if step.message not in seen:
            seen.add(step.message)
            print(f"  {step.message}, {step.seconds:.0f} s", file=sys.stderr, flush=True)

    seen: set[str] = set()
    found = compare(models, X, y, cv=splits, callback=told)
    rows = []
    for model in options.models:
        gain, less = (found.difference(each, model) for each in ("log_likelihood", "rmse"))
        rows.append(
            (
                model,
                found.mean("log_likelihood", model),
                "" if model == found.reference else str(gain),
                found.mean("rmse", model),
                "" if model == found.reference else str(less),
                found.mean("seconds", model),
            )
        )
    header = ("", "log-likelihood", "difference", "rmse", "difference", "CPU seconds")
    print(f"\n{name}, {len(splits)} splits, {len(splits[0][0])} training rows")
    print(table(header, rows), flush=True)
    write_row(
        "uci",
        {"data": name, "each": {key: value.tolist() for key, value in found.values.items()}},
        seed=list(range(len(splits))),
        settings={"n_inducing": options.inducing, "models": options.models},
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS[:2])
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=MODELS)
    parser.add_argument("--inducing", type=int, default=N_INDUCING)
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    try:
        data = benchmark_data("uci_regression")
    except DataAbsent as absent:
        return skip("uci", absent)
    for name in options.sets:
        run(name, data, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
