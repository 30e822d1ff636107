"""Deep regression on five UCI sets with published splits, compared with a GP and boosted trees.

    python -m benchmarks.uci [--sets yacht energy] [--splits 3] [--models gp "deep 2" trees]
    python -m benchmarks.uci --sets energy --first 4 --splits 8     # a piece of a long run
    python -m benchmarks.uci --sets energy --gather                 # one table of all pieces

The splits of Hernández-Lobato & Adams (2015) hold out a tenth of the rows each. The sparse GP and
every layer of the deep models have 100 inducing inputs; all other settings are the defaults of the
estimators. Hidden layers are as wide as the inputs. The table has the log-likelihood of a test row
in nats and the root mean square error, in the units of the data, ± a standard error that accounts
for rows that are in several splits (see gplvm_core.comparison). The published log-likelihoods of
two layers for all 20 splits (Salimbeni & Deisenroth 2017) are −0.72 on energy and −0.46 on yacht.

Sets with more than 2000 training rows use 2000 of them. With --gather, the table has only the
splits on which all models were measured with the same settings.
"""

import argparse
import json
import sys
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingRegressor

from benchmarks.common import RESULTS, DataAbsent, benchmark_data, skip, table, write_row
from gplvm_core import DeepGP, SparseGPRegression
from gplvm_core.comparison import Comparison, Contender, Step, compare
from gplvm_core.comparison.baselines import WithNoise
from gplvm_core.models.problems.regression import SUBSET

SETS = ("yacht", "energy", "wine", "power", "protein")
N_INDUCING, MOST_ROWS = 100, 2000
MODELS = ("gp", "deep 2", "deep 3", "trees")

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


def contender(name: str, width: int, n_inducing: int) -> Contender:
    """Return the model that has this name, for this number of inputs."""
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


def splits_of(test: NDArray[np.int_], n_rows: int, first: int, end: int) -> list[Split]:
    """Return some of the published splits, with at most MOST_ROWS random training rows."""
    found = []
    for row in test[first:end]:
        aside = row[row >= 0].astype(np.intp)
        train = np.setdiff1d(np.arange(n_rows), aside)
        if len(train) > MOST_ROWS:
            train = np.sort(np.random.default_rng(0).permutation(train)[:MOST_ROWS])
        found.append((train, aside))
    return found


def settings(options: argparse.Namespace) -> dict[str, int]:
    """Return the settings that all rows of one table share."""
    return {"n_inducing": options.inducing, "subset": SUBSET, "most_rows": MOST_ROWS}


def run(name: str, data: dict[str, Any], options: argparse.Namespace) -> Comparison:
    """Measure all models on splits of one set; the seed of each split is its number."""
    X, y = (np.asarray(data[f"{name}_{part}"], dtype=np.float64) for part in ("X", "y"))
    splits = splits_of(data[f"{name}_test"], len(X), options.first, options.splits)
    models = [contender(each, X.shape[1], options.inducing) for each in options.models]

    def told(step: Step) -> None:
        if step.message not in seen:
            seen.add(step.message)
            print(f"  {step.message}, {step.seconds:.0f} s", file=sys.stderr, flush=True)

    seen: set[str] = set()
    found = compare(models, X, y, cv=splits, random_state=options.first, callback=told)
    write_row(
        "uci",
        {"data": name, "each": {key: value.tolist() for key, value in found.values.items()}},
        seed=list(range(options.first, options.first + len(splits))),
        settings={**settings(options), "models": options.models},
    )
    return found


def gathered(name: str, data: dict[str, Any], options: argparse.Namespace) -> Comparison:
    """Return the latest result of every model and split with these settings."""
    known: dict[tuple[str, int], dict[str, float]] = {}
    for line in (RESULTS / "uci.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        same = settings(options).items() <= row["settings"].items()
        if row["figures"]["data"] == name and same:
            for place, model in enumerate(row["settings"]["models"]):
                for at, split in enumerate(row["seed"]):
                    each = row["figures"]["each"].items()
                    known[model, split] = {key: value[at][place] for key, value in each}
    models = options.models
    splits = [at for at in range(20) if all((model, at) in known for model in models)]
    if not splits:
        raise SystemExit(f"no split of {name} was measured for {', '.join(models)}")
    values = {
        key: np.array([[known[model, at][key] for model in models] for at in splits])
        for key in known[models[0], splits[0]]
    }
    print(f"\nsplits {', '.join(map(str, splits))}")
    pairs = splits_of(data[f"{name}_test"], len(data[f"{name}_X"]), 0, 1)
    overlap = float(np.mean([len(test) / len(train) for train, test in pairs]))
    return Comparison(tuple(models), values, models[0], overlap)


def told_of(name: str, found: Comparison) -> None:
    """Return the table of results of one data set."""
    rows = []
    for model in found.names:
        gain, less = (found.difference(each, model) for each in ("log_likelihood", "rmse"))
        own = model == found.reference
        rows.append(
            (
                model,
                found.mean("log_likelihood", model),
                "" if own else str(gain),
                found.mean("rmse", model),
                "" if own else str(less),
                found.mean("seconds", model),
            )
        )
    header = ("", "log-likelihood", "difference", "rmse", "difference", "CPU seconds")
    print(f"\n{name}, {found.n_splits} splits")
    print(table(header, rows), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS[:2])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument(
        "--splits", type=int, default=5, help=("the number of splits before the first one")
    )
    parser.add_argument("--models", nargs="+", choices=MODELS, default=MODELS)
    parser.add_argument("--inducing", type=int, default=N_INDUCING)
    parser.add_argument("--gather", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    try:
        data = benchmark_data("uci_regression")
    except DataAbsent as absent:
        return skip("uci", absent)
    for name in options.sets:
        told_of(name, (gathered if options.gather else run)(name, data, options))
    return 0


if __name__ == "__main__":
    sys.exit(main())
