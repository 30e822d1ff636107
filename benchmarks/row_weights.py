"""How much wide rows should count beside a prior over time: the default weight, and the weight 1.

    python -m benchmarks.row_weights [--only NAME ...] [--seeds 0 1]

A DynamicalGPLVM has the defaults of its constructor except for the seed, eight latent dimensions
and 300 iterations. Of every sequence the frames from 40 % to 60 % are held out (gap), and the
frames from 80 % on. Of these, up to 20 frames are forecast from their times, and all of them are a
new sequence in which the second half of the columns is hidden: all frames together (new sequence),
or each frame alone (new rows). Errors are root mean squares in shares of the data's standard
deviation; the score is the CRPS in the same shares; the third number is the share of values inside
their 95 % intervals, which are not calibrated. "walks" are eight of the walks and runs of
`motion_capture`; all other sequences are part of the project.
"""

import argparse
import sys
import time
import warnings
from typing import Any

import numpy as np

from benchmarks.common import DataAbsent, benchmark_data, table, write_row
from benchmarks.state_space import RECORDED, series
from gplvm_core import DynamicalGPLVM
from gplvm_core.numerics import Array
from gplvm_core.prediction.intervals import crps

SETTINGS: dict[str, Any] = {"n_components": 8, "max_iter": 300}
NAMES = ("pendulum", *RECORDED, "walks")
TASKS = ("gap", "forecast", "new sequence", "new rows")
MOST_FORECAST, N_WALKS = 20, 8


def loaded(name: str) -> tuple[Array, Array, Array]:
    """Return the rows, times and sequences of one data set."""
    if name != "walks":
        values, times, sequences = series(name)
        count = len(values)
        times = np.arange(float(count)) if times is None else np.ravel(times)
        return values, times, np.zeros(count) if sequences is None else np.asarray(sequences)
    data = benchmark_data("cmu35_features")
    values, sequences = data["Y"], data["sequence"]
    own = np.isin(sequences, np.unique(sequences)[:N_WALKS])
    values, sequences = values[own], sequences[own]
    times = np.concatenate(
        [np.arange(float(np.sum(sequences == at))) for at in np.unique(sequences)]
    )
    return values, times, sequences


def measured(model: DynamicalGPLVM, name: str) -> dict[str, Any]:
    """Train a model; return error, score and coverage of every task."""
    values, times, sequences = loaded(name)
    spread = float(np.sqrt(np.mean(values.var(axis=0))))
    part = np.empty(len(values), dtype=int)  # 0: training rows, 1: gap, 2: the end
    for label in np.unique(sequences):
        rows = np.flatnonzero(sequences == label)
        share = np.arange(len(rows)) / len(rows)
        part[rows] = np.where(share >= 0.8, 2, (share >= 0.4) & (share < 0.6))
    train = part == 0
    begin = time.process_time()
    model.fit(values[train], times=times[train], sequences=sequences[train])
    seconds = time.process_time() - begin
    found: dict[str, list[tuple[Array, Array]]] = {task: [] for task in TASKS}

    def keep(task: str, truth: Array, mean: Array, std: Array) -> None:
        found[task].append(((mean - truth).ravel(), std.ravel()))

    for label in np.unique(sequences):
        gap = np.flatnonzero((sequences == label) & (part == 1))
        end = np.flatnonzero((sequences == label) & (part == 2))
        for task, rows in (("gap", gap), ("forecast", end[:MOST_FORECAST])):
            told = model.forecast(times[rows], sequence=label, return_std=True)
            keep(task, values[rows], *told)
        hidden = slice(values.shape[1] // 2, None)
        seen = values[end].copy()
        seen[:, hidden] = np.nan
        for task, at in (("new sequence", times[end]), ("new rows", None)):
            mean, std = model.complete(seen, times=at, return_std=True)
            keep(task, values[end][:, hidden], mean[:, hidden], std[:, hidden])
    each = dict[str, Any]()
    for task, parts in found.items():
        wrong, std = (np.concatenate(own) for own in zip(*parts, strict=True))
        each[task] = (
            float(np.sqrt(np.mean(wrong**2)) / spread),
            float(crps(wrong, std).mean() / spread),
            float(np.mean(np.abs(wrong) < 1.96 * std)),
        )
    return each | {
        "weight": model.data_weight_,
        "dimensions_on": model.n_effective_,
        "cpu_seconds": seconds,
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1])
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    rows, found = [], dict[str, Any]()
    for name in options.only:
        for seed in options.seeds:
            for weight in ("auto", 1.0):
                model = DynamicalGPLVM(data_weight=weight, random_state=seed, **SETTINGS)
                try:
                    own = measured(model, name)
                except DataAbsent as absent:
                    print(absent)
                    continue
                found[f"{name}, weight {weight}, seed {seed}"] = own
                numbers = (" ".join(f"{value:.3f}" for value in own[task]) for task in TASKS)
                last = own["dimensions_on"], own["cpu_seconds"]
                rows.append((name, seed, own["weight"], *numbers, *last))
                print(rows[-1], flush=True)
    print(table(("sequence", "seed", "weight", *TASKS, "on", "CPU s"), rows))
    write_row("row_weights", found, seed=options.seeds[0], settings=SETTINGS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
