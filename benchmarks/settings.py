"""Settings chosen by held-out rows, compared with the defaults on rows that no search has seen.

On every data set, `choose` uses half of the rows. The defaults and the chosen settings are then
trained on this half, and fill hidden halves of the other rows. The table has the continuous ranked
probability score in units of the data's spread, the share of values inside their 95 % intervals,
and the CPU seconds of both trainings and of the search.
"""

import argparse
import time
import warnings
from typing import Any

import numpy as np

from gplvm_core import BayesianGPLVM, load_dataset
from gplvm_core.comparison import choose
from gplvm_core.comparison.settings import in_words
from gplvm_core.comparison.tasks import Data, Judge, OfRows, Rows
from gplvm_core.numerics import Array

SETS = ("wine", "iris", "flow", "digits", "diabetes", "poses")
OF_SKLEARN = ("wine", "iris", "diabetes")
MOST_ROWS = 400


def rows_of(name: str) -> Array:
    """Return the rows of a data set of the project or of scikit-learn."""
    if name in OF_SKLEARN:
        from sklearn import datasets

        return np.asarray(getattr(datasets, f"load_{name}")().data)
    return load_dataset(name).values


def judged(model: Any, data: Data, train: Rows, test: Rows) -> str:
    """Train on some rows, and return the score and coverage on the others, and CPU seconds."""
    start = time.process_time()
    problems: list[str] = []
    trained = OfRows(model, data, True, problems).fit(train[:, None].astype(float))
    seconds = time.process_time() - start
    found = Judge("fill", data, 0)(trained, (train, test), 0)
    if problems:
        return problems[0]
    return f"{found['crps']:.3f} · {100 * found['inside_95']:.0f} % · {seconds:.1f}"


def measure(name: str, seed: int) -> str:
    """Return a line of the table."""
    values = rows_of(name)
    order = np.random.default_rng(seed).permutation(len(values))[:MOST_ROWS]
    train, test = np.array_split(order, 2)
    usual = BayesianGPLVM(min(10, values.shape[1]), random_state=seed)
    data = Data.checked(values, None, None, None, timed=False)
    start = time.process_time()
    choice = choose(usual, values[train], "fill", scaling=data.scaling, random_state=seed)
    seconds = time.process_time() - start
    before, after = (judged(each, data, train, test) for each in (usual, choice.model))
    return f"| {name} | {before} | {after} | {in_words(choice.settings)} | {seconds:.0f} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", default=SETS, choices=SETS)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    print("| data | defaults | chosen | chosen settings | search, CPU s |\n|---|--:|--:|---|--:|")
    for name in asked.only:
        with warnings.catch_warnings(action="ignore"):
            print(measure(name, asked.seed), flush=True)


if __name__ == "__main__":
    main()
