"""Training over time with natural-gradient steps at the beginning of each phase, and without them.

    python -m benchmarks.natural_training [--seeds 3] [--only NAME] [--kernel rbf]

Models of 8 dimensions and 40 inducing inputs are trained on sequences that are part of the project,
with a kernel over time (by default Matérn 3/2) and 500 iterations. "Views" are silhouettes and
poses as two views; the spikes are counts. The weights of all rows and views are 1, so that training
maximises `bound_`. The CPU share is the CPU time in which the training with steps reaches the final
bound of the training without steps, as a fraction of that training's time.
"""

import argparse
import sys
import time
import warnings
from typing import Any

import numpy as np

from benchmarks.common import table, write_row
from gplvm_core import DynamicalGPLVM, ManifoldRelevance, load_dataset
from gplvm_core.models.problems import paths

SEQUENCES = ("poses", "talking_head", "silhouettes", "walker", "views", "spikes")
SETTINGS: dict[str, Any] = {"n_components": 8, "n_inducing": 40, "max_iter": 500}


def trained(name: str, kernel: str, seed: int, steps: int) -> tuple[Any, float]:
    """Train with a number of natural-gradient steps; return the model and its CPU seconds."""
    paths.NATURAL_STEPS = steps
    dataset = load_dataset("silhouettes" if name == "views" else name)
    known: dict[str, Any] = {"times": dataset.times, "sequences": dataset.sequences}
    begin = time.process_time()
    if name == "views":
        several = ManifoldRelevance(
            **SETTINGS, random_state=seed, time_kernel=kernel, view_weights={}
        )
        model: Any = several.fit(dataset.view_values, **known)
    else:
        options: dict[str, Any] = {
            "time_kernel": kernel,
            "kinds": dataset.kinds,
            "random_state": seed,
            "data_weight": 1.0,
        }
        model = DynamicalGPLVM(**SETTINGS, **options).fit(dataset.values, **known)
    return model, time.process_time() - begin


def compared(name: str, kernel: str, seed: int) -> dict[str, float]:
    """Train both ways, and return bounds, gain, seconds and the CPU share."""
    plain, before = trained(name, kernel, seed, 0)
    model, after = trained(name, kernel, seed, 20)
    reached = np.flatnonzero(model.trace_["bound"] >= plain.bound_)
    share = np.nan
    if len(reached):
        seconds = model.trace_["seconds"]
        share = after * seconds[reached[0]] / seconds[-1] / before
    gain = model.bound_ - plain.bound_
    return {
        "without": plain.bound_,
        "with": model.bound_,
        "gain": gain,
        "seconds without": before,
        "seconds with": after,
        "CPU share": float(share),
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", choices=SEQUENCES)
    parser.add_argument("--kernel", default="matern32")
    asked = parser.parse_args()
    found: dict[str, dict[str, float]] = {}
    for name in [asked.only] if asked.only else SEQUENCES:
        for seed in range(asked.seeds):
            with warnings.catch_warnings(action="ignore"):
                found[f"{name}, seed {seed}"] = compared(name, asked.kernel, seed)
            print(f"{name}, seed {seed}", found[f"{name}, seed {seed}"], flush=True)
    print(table(("", *next(iter(found.values()))), [(k, *v.values()) for k, v in found.items()]))
    settings = {**SETTINGS, "seeds": asked.seeds, "kernel": asked.kernel}
    write_row("natural_training", found, seed=0, settings=settings)
    return 0


if __name__ == "__main__":
    sys.exit(main())
