"""The time and memory that Train predicts before the start, compared with those of the training.

Each kind of training is foreseen, and then trained as a job trains it, in another process.
Seconds are those of a processor, so that other work on the machine does not count. A ratio is the
predicted number divided by the actual one. `--only NAME` trains one kind.
"""

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.common import peak_mb, table, write_row
from gplvm_core import (
    BayesianGPLVM,
    BayesianPCA,
    Dataset,
    DeepGP,
    DeepGPLVM,
    Drawing,
    DynamicalGPLVM,
    ManifoldRelevance,
    SparseGPRegression,
    StateSpaceGPLVM,
    load_dataset,
)
from gplvm_core.readers.column_task import ColumnTask
from gplvm_core.readers.rows.folders import OWN, own_table
from gplvm_core.readers.rows.table import TableDataset, Use
from gplvm_core.training.fitting import fitted_map, later_steps, on_the_map
from gplvm_core.training.foresee import MAP, foreseen


def made(n_rows: int, width: int = 6) -> np.ndarray:
    """Rows near a curved surface."""
    rng = np.random.default_rng(0)
    rows = np.sin(rng.standard_normal((n_rows, 2)) @ rng.standard_normal((2, width)))
    return np.asarray(rows + 0.1 * rng.standard_normal((n_rows, width)))


def numbers(n_rows: int) -> Dataset:
    values = made(n_rows)
    names = tuple("abcdef")
    return Dataset("made", "Made", values, Drawing.of_vector(6), column_names=names)


def worded(n_rows: int) -> Dataset:
    """Five columns of numbers, one of words and one of counts."""
    values = made(n_rows, 7)
    words = np.array(["low", "middle", "high"])[np.digitize(values[:, 5], [-0.4, 0.4])]
    counts = np.random.default_rng(1).poisson(np.exp(values[:, 6]))
    table = pd.DataFrame(values[:, :5], columns=list("abcde")).assign(word=words, count=counts)
    return Dataset.of_table("worded", "Worded", table)


def asked(n_rows: int) -> Dataset:
    """A column to predict from five others."""
    task = ColumnTask("f", tuple("abcde"))
    given = numbers(n_rows)
    return Dataset(
        "asked", "Asked", given.targets, given.drawing, column_names=given.column_names, task=task
    )


def on_disk(data: Dataset, folder: Path) -> Dataset:
    """The rows as a table that is read from disk."""
    path = folder / "table.csv"
    pd.DataFrame(data.in_own_values()).to_csv(path, index=False)
    table = own_table(str(path), {OWN: "1"})
    return TableDataset.of(table, Use(data.column_names or (), kinds="auto"))


def kinds(steps: int, folder: Path) -> dict[str, tuple[Any, Callable[[], Dataset]]]:
    """The model and the data of every kind of training."""
    common: dict[str, Any] = {"max_iter": steps, "random_state": 0}

    def map_of(kind: Any = BayesianGPLVM, width: Any = 5, **others: Any) -> Any:
        return kind(width, n_inducing=30, **common | others)

    def part(name: str, count: int) -> Dataset:
        whole = load_dataset(name)
        return whole.taken(np.arange(min(count, whole.n_points)))

    return {
        "numbers": (map_of(), lambda: numbers(1200)),
        "many numbers": (map_of(), lambda: numbers(25_000)),
        "numbers on disk": (map_of(), lambda: on_disk(numbers(60_000), folder)),
        "words and counts": (map_of(), lambda: worded(2500)),
        "many words": (map_of(), lambda: worded(30_000)),
        "words on disk": (map_of(), lambda: on_disk(worded(30_000), folder)),
        "pictures": (map_of(), lambda: part("digits", 1797)),
        "wide": (map_of(), lambda: part("faces", 60)),
        "views": (map_of(ManifoldRelevance), lambda: part("lit_pairs", 40)),
        "over time": (map_of(DynamicalGPLVM), lambda: part("poses", 200)),
        "state space": (map_of(StateSpaceGPLVM), lambda: part("pendulum", 200)),
        "deep": (map_of(DeepGPLVM, (4, 3)), lambda: part("flow", 400)),
        "straight": (BayesianPCA(5, **common), lambda: part("flow", 600)),
        "regression": (SparseGPRegression(30, **common), lambda: asked(2000)),
        "deep regression": (map_of(DeepGP, (2,)), lambda: asked(2000)),
    }


def trained(model: Any, data: Dataset) -> dict[str, float]:
    """Train as a job does; return the seconds of the map and of every later step."""
    parts, begin = {}, time.thread_time()
    fitted = fitted_map(model, data, lambda progress: None)
    parts[MAP] = time.thread_time() - begin
    if isinstance(data, TableDataset):
        data = on_the_map(fitted, data)
    for step in later_steps(fitted, data):
        begin = time.thread_time()
        step.take(lambda share: None)
        parts[step.name] = time.thread_time() - begin
    return parts


def measured(name: str, steps: int, *, before: bool) -> dict[str, Any]:
    """Foresee a training, or train, and return its seconds by part, and its megabytes."""
    with TemporaryDirectory() as folder, warnings.catch_warnings(action="ignore"):
        model, data = kinds(steps, Path(folder))[name]
        os.environ[OWN] = "1"
        rows, begun, begin = data(), peak_mb(), time.thread_time()
        if before:
            found = foreseen(model, rows)
            tried = time.thread_time() - begin
            return {"parts": dict(found.parts), "mb": found.bytes / 1e6, "tried": tried}
        return {"parts": trained(model, rows), "mb": peak_mb() - begun}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        name, what = options.one
        print(json.dumps(measured(name, options.steps, before=what == "before")))
        return 0
    own, figures = [sys.executable, "-m", "benchmarks.before_start"], dict[str, Any]()
    for name in options.only or kinds(options.steps, Path()):
        found = []
        for what in ("before", "training"):
            command = [*own, "--steps", str(options.steps), "--one", name, what]
            found.append(json.loads(subprocess.check_output(command, text=True)))
        foretold, took = found
        seconds = [sum(each["parts"].values()) for each in found]
        figures[name] = {
            "foreseen_s": seconds[0],
            "took_s": seconds[1],
            "ratio": seconds[0] / seconds[1],
            "foreseen_mb": foretold["mb"],
            "took_mb": took["mb"],
            "trial_s": foretold["tried"],
        }
        print(f"{name}: {foretold['parts']} {took['parts']}", flush=True)
    keys = tuple(next(iter(figures.values())))
    print(table(("training", *keys), [(name, *own.values()) for name, own in figures.items()]))
    if not options.only:
        write_row("before_start", figures, seed=0, settings={"max_iter": options.steps})
    return 0


if __name__ == "__main__":
    sys.exit(main())
