"""The remaining time that Train predicts, compared with the actual remaining time.

Five kinds of training are observed in the same way as the training of a job. Seconds are CPU time,
so that other work on the machine does not count; `--wall` uses elapsed time instead. A ratio is the
predicted time left divided by the actual time left. The table has the ratio after a tenth of the
work, and the lowest and highest ratio from then until nine tenths.
"""

import argparse
import sys
import time
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.common import table, write_row
from gplvm_core import (
    BayesianGPLVM,
    DeepGPLVM,
    DynamicalGPLVM,
    ManifoldRelevance,
    load_dataset,
)
from gplvm_core.optimise import Progress
from gplvm_core.training.progress import Pace

FIRST, LAST = 0.1, 0.9  # as fractions of the seconds
TENTHS = np.linspace(FIRST, LAST, 17)


def kinds(steps: int) -> dict[str, tuple[Any, Any, dict[str, Any]]]:
    """Return the model, the data and further arguments of fit, by the kind of training."""
    common: dict[str, Any] = {"max_iter": steps, "random_state": 0, "second_stage": "off"}
    wine, faces, flow = (load_dataset(name) for name in ("wine", "faces", "flow"))
    pairs, poses = load_dataset("lit_pairs"), load_dataset("poses")
    moves = slice(0, 150)
    # movements have both times and sequences
    assert poses.times is not None and poses.sequences is not None
    timed = {"times": poses.times[moves], "sequences": poses.sequences[moves]}
    return {
        "small table": (BayesianGPLVM(10, 50, **common), wine.values, {}),
        "faces": (BayesianGPLVM(10, 50, **common), faces.values, {}),
        "views": (ManifoldRelevance(8, 40, **common), pairs.view_values, {}),
        "sequence": (DynamicalGPLVM(8, 40, **common), poses.values[moves], timed),
        "deep": (DeepGPLVM((6, 4), 30, **common), flow.values[:300], {}),
        "ends early": (BayesianGPLVM(2, 10, **common), flow.values[:60], {}),
    }


def watched(model: Any, data: Any, further: dict[str, Any], clock: Any) -> dict[str, Any]:
    """Train, and compare the predicted time left with the actual time left."""
    pace, begin = Pace(), clock()
    told: list[tuple[float, float]] = []  # for each moment: seconds, and the predicted time left

    def watch(progress: Progress) -> None:
        seconds = clock() - begin
        left = pace.seconds_left(replace(progress, seconds=seconds))
        if left is not None:
            told.append((seconds, left))

    with warnings.catch_warnings(action="ignore"):
        model.fit(data, callback=watch, **further)
    took = clock() - begin
    at = [min(told, key=lambda each: abs(each[0] - share * took)) for share in TENTHS]
    ratios = [left / (took - seconds) for seconds, left in at]
    return {
        "seconds": took,
        "foreseen_at_a_tenth": at[0][0] + at[0][1],
        "ratio_at_a_tenth": ratios[0],
        "lowest": min(ratios),
        "highest": max(ratios),
        "ended": model.result_.status,
        "steps": model.result_.iterations,
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--wall", action="store_true")
    options = parser.parse_args()
    clock = time.perf_counter if options.wall else time.process_time

    figures: dict[str, Any] = {}
    for name, (model, data, further) in kinds(options.steps).items():
        figures[name] = watched(model, data, further, clock)
        print(f"{name}: done", flush=True)
    keys = tuple(next(iter(figures.values())))
    rows = [(name, *(found[key] for key in keys)) for name, found in figures.items()]
    print(table(("training", *keys), rows))
    write_row("foreseen", figures, seed=0, settings={"max_iter": options.steps, **vars(options)})
    return 0


if __name__ == "__main__":
    sys.exit(main())
