"""The kernel over time that training chooses, beside the fixed Matérn 3/2.

    python -m benchmarks.time_kernels [--only pendulum poses …]

Needs statsmodels and its series (see `benchmarks.forecasters`). Of every series, the last 20 rows
and a gap of 12 rows are hidden, at a third and at two thirds of the rest. `DynamicalGPLVM` is
trained on the other rows with its default, time_kernel="auto", and with "matern32". Errors of the
path alone are root mean squares, in standard deviations of the columns.
"""

import argparse
import sys
import time
import warnings

import numpy as np
from jaxtyping import Float

from benchmarks.common import table, write_row
from benchmarks.forecasters import AHEAD, series
from gplvm_core import DynamicalGPLVM
from gplvm_core.numerics import Array

GAP, PLACES = 12, (1 / 3, 2 / 3)


def judged(values: Float[Array, "N D"], gap: slice, kernel: str) -> tuple[float, float, float, str]:
    """The errors in the gap and ahead, the CPU seconds of training, and the kernel."""
    times, end = np.arange(float(len(values))), len(values) - AHEAD
    kept = np.delete(np.arange(end), np.r_[gap])
    begin = time.process_time()
    model = DynamicalGPLVM(time_kernel=kernel, second_stage="off", random_state=0)
    model.fit(values[kept], times=times[kept])
    spent = time.process_time() - begin
    spread = np.where(values.std(axis=0) > 1e-9, values.std(axis=0), np.inf)
    errors = [
        float(np.sqrt(np.mean(((model.forecast(times[rows]) - values[rows]) / spread) ** 2)))
        for rows in (gap, slice(end, None))
    ]
    return errors[0], errors[1], spent, type(model.time_kernel_.parts[0]).__name__


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*")
    asked = parser.parse_args()
    names = ["series", "gap at", "kernel"]
    names += ["gap, auto", "gap, fixed", "ahead, auto", "ahead, fixed", "CPU ratio"]
    lines = []
    for name, values, _ in series():
        if asked.only and name not in asked.only:
            continue
        for place in PLACES:
            start = round(place * (len(values) - AHEAD))
            gap = slice(start, start + GAP)
            with warnings.catch_warnings(action="ignore"):
                auto, fixed = (judged(values, gap, kernel) for kernel in ("auto", "matern32"))
            ratio = auto[2] / fixed[2]
            lines.append([name, start, auto[3], auto[0], fixed[0], auto[1], fixed[1], ratio])
            print(lines[-1], file=sys.stderr, flush=True)
    print(table(names, lines))
    write_row("time_kernels", {"rows": lines}, seed=0, settings={"gap": GAP, "ahead": AHEAD})
    return 0


if __name__ == "__main__":
    sys.exit(main())
