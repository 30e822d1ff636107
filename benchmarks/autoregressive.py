"""Forecasts of the Mackey–Glass series: 72 training points, 1110 free steps (Damianou 2015, §4.3.2,
Table 4.1).

    python -m benchmarks.autoregressive [--histories 10]

The series follows dζ/dt = −b ζ(t) + a ζ(t − T)/(1 + ζ(t − T)¹⁰) with (a, b, T) = (0.2, 0.1, 17). It
has one value per unit of time, and the window has 18 values. The source states neither the
beginning of the series nor its units. Here each history begins with a constant drawn from U(0.5,
1.5), and its first 300 values are left out. Errors are in standard deviations of the series, so a
forecast of the series' mean has errors of about 0.88 and 1. The published mean absolute and mean
squared errors are 0.529 and 0.550. With moment matching they are 0.700 and 0.914, and for naive
forecasts 0.799 and 1.157.
"""

import argparse
import sys
import time
import warnings
from typing import Any

import numpy as np

from benchmarks.common import table, write_row
from gplvm_core.models.estimators.autoregressive import AutoregressiveGP
from gplvm_core.numerics import Array
from gplvm_core.prediction.forecast import forecast

WINDOW, TRAINED, FREE, LEFT_OUT = 18, 72, 1110, 300
STEPS_PER_UNIT, DELAY = 10, 17
KERNELS = ("rbf", "rbf + linear")
METHODS = ("full", "variances, aware", "moments", "none", "mean of the training points")


def mackey_glass(length: int, beginning: float) -> Array:
    """Compute the series at unit times, by the classical Runge–Kutta method in steps of 0.1."""
    step, delay = 1.0 / STEPS_PER_UNIT, DELAY * STEPS_PER_UNIT
    values = np.full(delay + (length - 1) * STEPS_PER_UNIT + 1, beginning)

    def slope(now: float, before: float) -> float:
        return float(0.2 * before / (1.0 + before**10) - 0.1 * now)

    for t in range(delay, len(values) - 1):
        now, before, after = values[t], values[t - delay], values[t - delay + 1]
        middle = 0.5 * (before + after)
        first = slope(now, before)
        second = slope(now + 0.5 * step * first, middle)
        third = slope(now + 0.5 * step * second, middle)
        last = slope(now + step * third, after)
        values[t + 1] = now + step / 6.0 * (first + 2.0 * second + 2.0 * third + last)
    return values[delay::STEPS_PER_UNIT]


def judged(mean: Array, std: Array, truth: Array) -> dict[str, float]:
    """Return errors, and the ratio of the error to the predicted spread (ideally 1)."""
    error = mean - truth
    return {
        "mean_absolute_error": float(np.mean(np.abs(error))),
        "mean_squared_error": float(np.mean(error**2)),
        "squared_error_by_variance": float(np.mean((error / std) ** 2)),
        "within_two_std": float(np.mean(np.abs(error) < 2.0 * std)),
    }


def _forecast(model: AutoregressiveGP, propagate: Any, truth: Array) -> dict[str, float]:
    mean, std = model.forecast(FREE, propagate=propagate, return_std=True)
    return judged(mean, std, truth)


def one_history(seed: int, kernel: str) -> tuple[dict[str, dict[str, float]], float]:
    """Return the errors of every method on one series, and the training time in seconds."""
    beginning = np.random.default_rng(seed).uniform(0.5, 1.5)
    series = mackey_glass(LEFT_OUT + TRAINED + FREE, beginning)[LEFT_OUT:]
    series = (series - series.mean()) / series.std()
    train, truth = series[:TRAINED], series[TRAINED:]
    begin = time.perf_counter()
    model = AutoregressiveGP(WINDOW, TRAINED - WINDOW, kernel=kernel, random_state=seed).fit(train)
    seconds = time.perf_counter() - begin
    found = {
        propagate: _forecast(model, propagate, truth) for propagate in ("full", "moments", "none")
    }
    aware = model.aware_
    known = aware.input_noise_variance_[-1].reshape(WINDOW, 1)
    mean, variance = forecast(
        aware.posterior_,
        aware.input_center_,
        aware.input_scale_,
        train[-WINDOW:, None],
        known,
        FREE,
    )
    found["variances, aware"] = judged(mean[:, 0], np.sqrt(variance[:, 0]), truth)
    level, spread = np.full(FREE, train.mean()), np.full(FREE, train.std())
    found["mean of the training points"] = judged(level, spread, truth)
    return found, seconds


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--histories", type=int, default=10)
    options = parser.parse_args()
    warnings.filterwarnings("ignore", category=UserWarning)
    every: dict[str, list[dict[str, Any]]] = {}
    summed: dict[str, dict[str, dict[str, float]]] = {}
    for kernel in KERNELS:
        runs, seconds = zip(
            *(one_history(s, kernel) for s in range(options.histories)), strict=True
        )
        every[kernel] = list(runs)
        summed[kernel] = {method: _summed([run[method] for run in runs]) for method in METHODS}
        rows = [
            (
                method,
                *(f"{figures[key]:.3f} ± {figures[key + '_std']:.3f}" for key in ERRORS),
                *(f"{figures[key]:.3g}" for key in ("squared_error_by_variance", "within_two_std")),
            )
            for method, figures in summed[kernel].items()
        ]
        print(
            f"\nkernel {kernel}, {options.histories} histories, {np.mean(seconds):.1f} s to train"
        )
        print(table(("", "MAE", "MSE", "(error/std)², median", "within 2 std"), rows), flush=True)
    write_row(
        "autoregressive",
        {"summary": summed, "histories": every},
        seed=list(range(options.histories)),
        settings={"window": WINDOW, "trained": TRAINED, "free_steps": FREE, "left_out": LEFT_OUT},
    )
    return 0


ERRORS = ("mean_absolute_error", "mean_squared_error")


def _summed(runs: list[dict[str, float]]) -> dict[str, float]:
    """Return means and standard deviations over histories, but the median of the ratio, which has
    no mean.
    """
    found = {}
    for key in runs[0]:
        values = [run[key] for run in runs]
        middle = np.median if key == "squared_error_by_variance" else np.mean
        found[key] = float(middle(values))
        found[f"{key}_std"] = float(np.std(values))
    return found


if __name__ == "__main__":
    sys.exit(main())
