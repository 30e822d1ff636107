"""CPU time per point and memory of one evaluation of the bound, from 10³ to 10⁶ points.

An evaluation includes all gradients. Every number is measured in a new process on one thread. The
time is the fastest of a few evaluations (of the only one for a million points). The memory is the
growth of the process's peak since its data and q(X) were created, without the gradient of q(X),
which is a result. The limit is the time for the products and exponentials that Φ and its gradient
need in any case, in blocks that fit into the cache. --without-avx512 hides these instructions from
NumPy and OpenBLAS, as on older and on many portable computers.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.common import ROOT, peak_mb, table, write_row
from benchmarks.speed_worker import make_problem

SIZES = (1000, 3000, 10_000, 64_000, 100_000, 1_000_000)
# D, Q, M of each problem
SHAPES = ((20, 5, 50), (20, 10, 50), (20, 10, 100))
POINTS, PAIRS = 128, 256  # the numbers of points and pairs of a block


def fastest(work: Callable[[], object], times: int) -> float:
    """Return the CPU seconds of the fastest call."""
    found = []
    for _ in range(times):
        begin = time.process_time()
        work()
        found.append(time.process_time() - begin)
    return min(found)


def limit(n_latent: int, n_inducing: int) -> float:
    """Return µs per point for the products and exponentials of Φ, forward and backward, in full
    blocks.
    """
    left, right = np.full((POINTS, 2 * n_latent + 2), -0.01), np.ones((2 * n_latent + 2, PAIRS))
    ahead, back = np.ones((PAIRS, 2 * n_latent + 1)), np.ones((POINTS, 2 * n_latent + 1))
    block, ones = np.empty((POINTS, PAIRS)), np.ones((1, POINTS))

    def exponentials() -> None:
        np.exp(np.matmul(left, right, out=block), out=block)

    def both_ways() -> None:
        for _ in range(200):
            exponentials()
            _ = ones @ block
            exponentials()
            _ = block @ ahead, block.T @ back

    pairs = n_inducing * (n_inducing + 1) // 2
    return fastest(both_ways, 10) / (200 * POINTS * PAIRS) * pairs * 1e6


def measure(n_points: int, n_outputs: int, n_latent: int, n_inducing: int) -> dict[str, float]:
    """Return CPU time per point in µs, and MB beyond the data, q(X) and its gradient."""
    from gplvm_core.beliefs import Belief
    from gplvm_core.bounds import Layer, evaluate_layer
    from gplvm_core.kernels import RBF
    from gplvm_core.statistics import Targets

    small = make_problem(1000, n_outputs, n_latent, n_inducing)
    generator = np.random.default_rng(1)
    layer = Layer(RBF(0.9, small["lengthscale"]), small["inducing"], 0.1)

    def data(count: int) -> tuple[Belief, Targets]:
        mean = generator.standard_normal((count, n_latent))
        variance = generator.uniform(0.1, 0.6, mean.shape)
        return Belief(mean, variance), Targets.whole(generator.standard_normal((count, n_outputs)))

    def evaluate(belief: Belief, targets: Targets) -> None:
        evaluate_layer(layer, belief, targets, jitter=1e-8, relative=False)

    evaluate(*data(1000))  # the imports and caches of the first call do not count
    some = data(n_points)
    before = peak_mb()
    seconds = fastest(lambda: evaluate(*some), max(1, min(30, 200_000 // n_points)))
    gradient = 2 * 8 * n_points * n_latent / 1024**2
    return {"us_a_point": 1e6 * seconds / n_points, "mb_beyond": peak_mb() - before - gradient}


def in_a_process(*arguments: int, avx512: bool = True) -> dict[str, float]:
    """Print the result of `measure`, or of `limit` if there are two arguments."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    if not avx512:
        names = import_module("numpy._core._multiarray_umath").__cpu_dispatch__
        hidden = [name for name in names if "512" in name or name == "X86_V4"]
        environment |= {
            "NPY_DISABLE_CPU_FEATURES": " ".join(hidden),
            "OPENBLAS_CORETYPE": "Haswell",
        }
    command = [sys.executable, "-m", "benchmarks.scale", "--one", *map(str, arguments)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(run.stdout)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="one shape, up to 100,000 points")
    parser.add_argument("--without-avx512", action="store_true", help="hide these instructions")
    parser.add_argument("--one", type=int, nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        of = options.one
        print(json.dumps({"us_a_point": limit(*of)} if len(of) == 2 else measure(*of)))
        return 0
    rows, figures, avx512 = [], list[dict[str, Any]](), not options.without_avx512
    for shape in SHAPES[1:2] if options.quick else SHAPES:
        least = in_a_process(*shape[1:], avx512=avx512)["us_a_point"]
        for n_points in SIZES[:-1] if options.quick else SIZES:
            found = in_a_process(n_points, *shape, avx512=avx512)
            figures.append({"size": (n_points, *shape), "limit_us": least, **found})
            rows.append((n_points, *shape, *found.values(), least))
    print(table(("N", "D", "Q", "M", "µs a point", "MB beyond", "limit of Φ, µs"), rows))
    settings = {"quick": options.quick, "avx512": avx512}
    write_row("scale", {"sizes": figures}, seed=1, settings=settings)
    return 0


if __name__ == "__main__":
    sys.exit(main())
