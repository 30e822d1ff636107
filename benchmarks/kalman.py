"""Cost of the prior over time for each length: filter and smoother against dense algebra.

One evaluation is the prior's part of a training step, with given sites: the marginals of q(X), its
KL, and the gradient of the bound with respect to the kernel's parameters. The model has ten latent
dimensions, a Matérn-3⁄2 kernel with white noise, and irregular times. The time is in CPU seconds on
one thread, the fastest of several rounds. For lengths that both methods can compute, the table has
the largest difference of their results. The benchmark also measures a forecast (mean and variance
at 20 new times) and a continued path (with the covariance of the 20 rows), after a path of the same
length.
"""

import os

# One thread, because the benchmark compares numbers of operations.
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.common import table, write_row
from gplvm_core.kernels import Kernel, Matern32, White
from gplvm_core.numerics import Array
from gplvm_core.parameters import leaves
from gplvm_core.prediction.paths import continued, forecast
from gplvm_core.priors import kalman, natural
from gplvm_core.priors.natural import Sites, SmoothedEvidence
from gplvm_core.priors.temporal import Path, Timeline

SIZES = (500, 1000, 2000, 4000, 8000, 16000, 32000, 50000)
DENSE_UP_TO = 4000
N_LATENT = 10
KERNEL = Matern32(1.0, 20.0) + White(1e-2)
Smooth = Callable[[Kernel, Timeline, Sites], SmoothedEvidence]


def problem(n_points: int) -> tuple[Timeline, Sites, Array, Array]:
    """Return irregular times about 1 apart, sites, and gradients of a data term."""
    generator = np.random.default_rng(n_points)
    times = np.cumsum(generator.exponential(1.0, n_points))[:, None]
    shape = (n_points, N_LATENT)
    precision = np.exp(generator.normal(1.0, 1.0, shape))
    sites = Sites(precision * generator.normal(size=shape), precision)
    return (
        Timeline.of(times),
        sites,
        generator.normal(size=shape),
        -generator.uniform(0.0, 2.0, shape),
    )


def evaluate(smooth: Smooth, n_points: int, rounds: int) -> tuple[float, SmoothedEvidence, Any]:
    """Return CPU seconds of the fastest round, and the result."""
    timeline, sites, d_mean, d_variance = problem(n_points)
    seconds = []
    for _ in range(rounds):
        start = time.process_time()
        found = smooth(KERNEL, timeline, sites)
        gradient = found.pullback(d_mean, d_variance)
        seconds.append(time.process_time() - start)
    return min(seconds), found, gradient


def apart(first: tuple[SmoothedEvidence, Any], second: tuple[SmoothedEvidence, Any]) -> float:
    """Return the largest relative difference of marginals, KL and gradients."""
    pairs = [
        (first[0].belief.mean, second[0].belief.mean),
        (first[0].belief.variance, second[0].belief.variance),
        (first[0].kl, second[0].kl),
        *zip(leaves(first[1]).values(), leaves(second[1]).values(), strict=True),
    ]
    return max(float(np.max(np.abs(a - b)) / np.max(np.abs(b))) for a, b in pairs)


def lengthened(n_points: int, dense: bool) -> tuple[float, float, float]:
    """Return CPU seconds of a forecast and of a continued path, and the path's error.

    The error is the largest difference from dense algebra, relative to the prior's variance; NaN if
    dense algebra is not computed.
    """
    timeline, sites, _, _ = problem(n_points)
    found = kalman.smooth(KERNEL, timeline, sites).belief
    path = Path(sites.linear - sites.precision * found.mean, sites.precision)
    start, end = timeline.times[0, 0], timeline.times[-1, 0]
    new = np.append(end + np.arange(1.0, 11.0), np.linspace(start, end, 10))[:, None]
    begin = time.process_time()
    each = forecast(KERNEL, timeline.times, path, new)
    middle = time.process_time()
    whole = continued(KERNEL, timeline.times, path, new)
    seconds = middle - begin, time.process_time() - middle
    np.testing.assert_allclose(each.variance, whole.variance, rtol=1e-9, atol=1e-12)
    if not dense:
        return *seconds, float("nan")
    gram, cross = KERNEL.K(timeline.times), KERNEL.K(timeline.times, new)
    differences = [np.max(np.abs(whole.mean - cross.T @ path.dual))]
    for j in range(N_LATENT):
        spread = gram + np.diag(1.0 / path.precision[:, j])
        expected = KERNEL.K(new) - cross.T @ np.linalg.solve(spread, cross)
        differences.append(np.max(np.abs(whole.covariance[j] - expected)))
    return *seconds, float(max(differences))


def exponent(sizes: list[int], seconds: list[float]) -> float:
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="up to 4000 points, one round")
    quick = parser.parse_args().quick
    sizes = [size for size in SIZES if not quick or size <= 4000]
    dense_up_to = 1000 if quick else DENSE_UP_TO

    linear, dense, differences = [], [], []
    for n_points in sizes:
        seconds, *found = evaluate(kalman.smooth, n_points, 1 if quick else 3)
        linear.append(seconds)
        if n_points <= dense_up_to:
            seconds, *expected = evaluate(natural.smooth, n_points, 1)
            dense.append(seconds)
            differences.append(apart((found[0], found[1]), (expected[0], expected[1])))
        print(f"N = {n_points}: done", flush=True)

    header = ("N", "O(N), CPU s", "dense, CPU s", "dense / O(N)", "largest difference")
    rows: list[tuple[Any, ...]] = [
        (n, here, there, f"{there / here:.0f}×", f"{difference:.0e}")
        for n, here, there, difference in zip(sizes, linear, dense, differences, strict=False)
    ]
    rows += [
        (n, here, "–", "–", "–")
        for n, here in zip(sizes[len(dense) :], linear[len(dense) :], strict=True)
    ]
    print(table(header, rows))
    ahead, joint, apart_by = zip(
        *(lengthened(n, n <= min(dense_up_to, 2000)) for n in sizes), strict=True
    )
    shown = ["–" if np.isnan(each) else f"{each:.0e}" for each in apart_by]
    ahead_header = ("N", "forecast, CPU s", "continued path, CPU s", "largest difference")
    print(table(ahead_header, list(zip(sizes, ahead, joint, shown, strict=True))))
    exponents = exponent(sizes, linear), exponent(sizes[: len(dense)], dense)
    print(f"seconds grow as N to the power {exponents[0]:.2f}; dense {exponents[1]:.2f}")
    for what, each in (("a forecast", ahead), ("a continued path", joint)):
        print(f"{what}: {exponent(sizes, list(each)):.2f}")
    if quick:
        return 0
    write_row(
        "kalman",
        {
            "n_points": sizes,
            "cpu_seconds": linear,
            "dense_cpu_seconds": dense,
            "largest_relative_difference": differences,
            "exponent_of_n": exponents[0],
            "dense_exponent_of_n": exponents[1],
            "forecast_cpu_seconds": ahead,
            "continued_cpu_seconds": joint,
            "continued_largest_difference": [each for each in apart_by if np.isfinite(each)],
            "forecast_exponent_of_n": exponent(sizes, list(ahead)),
            "continued_exponent_of_n": exponent(sizes, list(joint)),
        },
        seed=sizes,
        settings={"n_latent": N_LATENT, "kernel": "Matern32(1, 20) + White(0.01)", "threads": 1},
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
