"""Settings chosen by held-out rows, compared with the defaults on rows that no search has seen.

On every data set, `choose` uses half of the rows. The defaults and the chosen settings are then
trained on this half, and fill hidden halves of the other rows. The table has the continuous ranked
probability score in units of the data's spread, the share of values inside their 95 % intervals,
and the CPU seconds of both trainings and of the search.

`--grid` trains every combination of dimensions, inducing points and noise instead, on nine data
sets and two seeds. Five of the sets choose the defaults; the other four judge them.

`--views` searches for several views over time, silhouettes and poses: four or five sequences are
searched, and two others judge the pose that the defaults, and the settings with the best mean in
the search, predict from the silhouettes. With `--to pose` only the poses count in the search.
"""

import argparse
import itertools
import time
import warnings
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from benchmarks.common import benchmark_data, write_row
from benchmarks.intervals import views_of
from benchmarks.views_silhouettes import joint_error
from gplvm_core import BayesianGPLVM, ManifoldRelevance, load_dataset
from gplvm_core.comparison import choose
from gplvm_core.comparison.one_column import INTERVAL
from gplvm_core.comparison.settings import in_words
from gplvm_core.comparison.tasks import Data, Judge, OfRows, Rows
from gplvm_core.numerics import Array
from gplvm_core.prediction.intervals import crps

SETS = ("wine", "iris", "flow", "digits", "diabetes", "poses")
OF_SKLEARN = ("wine", "iris", "diabetes", "breast_cancer")
MOST_ROWS = 400
MOST_TRAINED = 300  # rows of a training of the grid
CHOOSING = ("wine", "diabetes", "flow", "digits", "iris")
JUDGING = ("breast_cancer", "poses", "oil", "walker")
COMPONENTS, INDUCING, NOISES = (5, 10), (25, 50, 100), ("shared", "per_output")
SEEDS = (0, 1)
# The sequences that are searched, and those that judge.
VIEWS = {"silhouettes": ((0, 1, 3, 4, 6), (2, 5)), "walker": ((0, 4, 6, 10), (2, 8))}


def rows_of(name: str) -> Array:
    """Return the rows of a data set of the project or of scikit-learn."""
    if name in OF_SKLEARN:
        from sklearn import datasets

        return np.asarray(getattr(datasets, f"load_{name}")().data)
    if name == "oil":
        return benchmark_data("oil_flow")["train_Y"]
    if name == "walker":
        return views_of("walker", slice(None))["pose"]
    return load_dataset(name).values


def scores(
    model: Any, data: Data, train: Rows, test: Rows, *, derive: bool = True
) -> dict[str, float]:
    """Train on some rows, and return the score and coverage on the others, and CPU seconds.

    derive: whether the derived density fills the hidden halves, or the map alone.
    """
    start = time.process_time()
    problems: list[str] = []
    trained = OfRows(model, data, derive, problems).fit(train[:, None].astype(float))
    seconds = time.process_time() - start
    found = Judge("fill", data, 0)(trained, (train, test), 0)
    if problems:
        raise ValueError(problems[0])
    return {**found, "cpu_seconds": seconds}


def judged(model: Any, data: Data, train: Rows, test: Rows) -> str:
    """`scores` as a cell of the table."""
    found = scores(model, data, train, test)
    return f"{found['crps']:.3f} · {100 * found['inside_95']:.0f} % · {found['cpu_seconds']:.1f}"


def grid(name: str) -> None:
    """Train every combination on a data set, and print its scores, averaged over the seeds."""
    values = rows_of(name)
    data = Data.checked(values, None, None, None, timed=False)
    for n_components, n_inducing, noise in itertools.product(COMPONENTS, INDUCING, NOISES):
        found = []
        for seed in SEEDS:
            order = np.random.default_rng(seed).permutation(len(values))[: 2 * MOST_TRAINED]
            train, test = np.array_split(order, 2)
            model: Any = BayesianGPLVM(
                min(n_components, values.shape[1]),
                min(n_inducing, len(train)),
                scaling=data.scaling,
                random_state=seed,
            ).set_params(noise=noise)
            found.append(scores(model, data, train, test))
        figures = {key: float(np.mean([each[key] for each in found])) for key in found[0]}
        settings = {
            "data": name,
            "scaling": data.scaling,
            "n_components": n_components,
            "n_inducing": n_inducing,
            "noise": noise,
        }
        write_row("settings", figures, seed=SEEDS, settings=settings)
        print(settings, figures, flush=True)


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


def measure_views(name: str, seed: int, to: str | None = None) -> str:
    """Return a line of the table of several views. to: the view whose predictions count."""
    dataset = load_dataset(name)
    sequences, times = dataset.sequences, dataset.times
    assert sequences is not None and times is not None
    labels = np.unique(sequences)
    train = np.isin(sequences, labels[list(VIEWS[name][0])])
    known = {view: values[train] for view, values in dataset.view_values.items()}
    timeline: dict[str, Any] = {"times": times[train], "sequences": sequences[train]}
    usual = ManifoldRelevance(time_kernel="matern32", random_state=seed)
    start = time.process_time()
    wanted: dict[str, Any] = {"to": to, "scaling": "global", "random_state": seed}
    choice = choose(usual, known, "transfer", **wanted, **timeline)
    seconds = time.process_time() - start
    for each in choice.tried:
        print(in_words(each.settings), each, flush=True)
    pose, seen = dataset.view_values["pose"], dataset.view_values["silhouette"]
    unit = float(np.sqrt(np.mean(np.var(known["pose"], axis=0))))

    def judged(model: Any) -> str:
        start = time.process_time()
        model.fit(known, **timeline)
        seconds, found = time.process_time() - start, []
        for label in labels[list(VIEWS[name][1])]:
            rows = sequences == label
            given = {"silhouette": seen[rows]}
            mean, std = model.transfer(given, "pose", times=times[rows], return_std=True)
            found.append((mean - pose[rows], std))
        wrong, std = (np.vstack(each) for each in zip(*found, strict=True))
        score, inside = crps(wrong, std).mean() / unit, np.mean(np.abs(wrong) <= INTERVAL * std)
        figures = {
            "crps": float(score),
            "joint_error": joint_error(wrong, np.zeros_like(wrong)),
            "inside_95": float(inside),
            "cpu_seconds": seconds,
        }
        settings = {"to": to} | {key: model.get_params()[key] for key in choice.settings}
        write_row("settings", figures, seed=seed, settings={"data": name, **settings})
        return f"{figures['joint_error']:.1f} cm · {score:.3f} · {inside:.0%} · {seconds:.0f}"

    best = choice.tried[0].settings
    before, after = judged(clone(usual)), judged(clone(usual).set_params(**best))
    print(choice.sentence(), *choice.notes, flush=True)
    return f"| {name} | {before} | {after} | {in_words(best)} | {seconds:.0f} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=sorted({*SETS, *CHOOSING, *JUDGING, *VIEWS}))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--grid", action="store_true", help="train every combination instead")
    parser.add_argument("--views", action="store_true", help="several views over time")
    parser.add_argument("--to", help="with --views: the view whose predictions count")
    asked = parser.parse_args()
    if asked.grid:
        for name in asked.only or (*CHOOSING, *JUDGING):
            with warnings.catch_warnings(action="ignore"):
                grid(name)
        return
    print("| data | defaults | chosen | chosen settings | search, CPU s |\n|---|--:|--:|---|--:|")
    line = partial(measure_views, to=asked.to) if asked.views else measure
    for name in asked.only or (VIEWS if asked.views else SETS):
        with warnings.catch_warnings(action="ignore"):
            print(line(name, asked.seed), flush=True)


if __name__ == "__main__":
    main()
