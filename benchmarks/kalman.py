"""Cost of the prior over time as sequences grow: filter and smoother beside dense algebra.

    python -m benchmarks.kalman [--quick]

One evaluation is what a step of training asks of the prior: the marginals of q(X), its KL and the
gradient of the bound by the kernel's parameters, with sites given, for ten latent dimensions, a
Matérn-3⁄2 kernel with white noise and irregular times. CPU seconds on one thread, the fastest of
some rounds. Where both run, how far apart they are.
"""

import os

# One thread: what is compared is the number of operations.
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
from gplvm_core.priors import kalman, natural
from gplvm_core.priors.natural import Sites, SmoothedEvidence
from gplvm_core.priors.temporal import Timeline

SIZES = (500, 1000, 2000, 4000, 8000, 16000, 32000, 50000)
DENSE_UP_TO = 4000
N_LATENT = 10
KERNEL = Matern32(1.0, 20.0) + White(1e-2)
Smooth = Callable[[Kernel, Timeline, Sites], SmoothedEvidence]


def problem(n_points: int) -> tuple[Timeline, Sites, Array, Array]:
    """Irregular times about 1 apart, sites, and slopes of a data term."""
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
    """CPU seconds of the fastest round, and what was found."""
    timeline, sites, d_mean, d_variance = problem(n_points)
    seconds = []
    for _ in range(rounds):
        start = time.process_time()
        found = smooth(KERNEL, timeline, sites)
        gradient = found.pullback(d_mean, d_variance)
        seconds.append(time.process_time() - start)
    return min(seconds), found, gradient


def apart(first: tuple[SmoothedEvidence, Any], second: tuple[SmoothedEvidence, Any]) -> float:
    """The largest difference of marginals, KL and gradients, relative to the largest value."""
    pairs = [
        (first[0].belief.mean, second[0].belief.mean),
        (first[0].belief.variance, second[0].belief.variance),
        (first[0].kl, second[0].kl),
        *zip(leaves(first[1]).values(), leaves(second[1]).values(), strict=True),
    ]
    return max(float(np.max(np.abs(a - b)) / np.max(np.abs(b))) for a, b in pairs)


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
    exponents = exponent(sizes, linear), exponent(sizes[: len(dense)], dense)
    print(f"seconds grow as N to the power {exponents[0]:.2f}; dense {exponents[1]:.2f}")
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
        },
        seed=sizes,
        settings={"n_latent": N_LATENT, "kernel": "Matern32(1, 20) + White(0.01)", "threads": 1},
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
