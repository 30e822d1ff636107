"""The cost of an evaluation with each kernel at uncertain inputs, relative to the RBF.

    python -m benchmarks.kernels

One evaluation is the bound and all its gradients: N = 1000 points, M = 50 inducing inputs, Q = 4
latent dimensions, D = 10 outputs. The time is in CPU seconds on one thread, the fastest of some
rounds. Kernels alternate, so that other load on the machine affects all of them. Periodic kernels
have the lengthscale 1, or 0.3 if they are called narrow.
"""

import os

# One thread, because the benchmark compares numbers of operations.
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")

import sys
import time

import numpy as np

from benchmarks.common import table, write_row
from gplvm_core import RBF, Bias, Linear, Periodic, evaluate_bound
from gplvm_core.kernels import Kernel

N_POINTS, N_INDUCING, N_LATENT, N_OUTPUTS, ROUNDS = 1000, 50, 4, 10, 7
LENGTH, PERIOD = 1.5, 9.0


def kernels() -> dict[str, Kernel]:
    """Return the kernels; the RBF is the first."""
    rbf, wide, wave = RBF(1.0, LENGTH), RBF(1.0, 2.0 * LENGTH), Periodic(1.0, 1.0, PERIOD)
    return {
        "RBF": rbf,
        "RBF × RBF": rbf * wide,
        "RBF + RBF": rbf + wide,
        "RBF + Linear": rbf + Linear(),
        "Periodic": wave,
        "Periodic, narrow": Periodic(1.0, 0.3, PERIOD),
        "Periodic + Bias": wave + Bias(),
        "Periodic + Linear": wave + Linear(),
        "Periodic + RBF": wave + rbf,
        "Periodic × RBF": wave * rbf,
        "Periodic × RBF, long": wave * RBF(1.0, 1e4),
        "Periodic + Periodic": wave + Periodic(1.0, 1.0, 0.7 * PERIOD),
    }


def main() -> int:
    generator = np.random.default_rng(0)
    targets = generator.normal(size=(N_POINTS, N_OUTPUTS))
    mean = generator.normal(size=(N_POINTS, N_LATENT))
    variance = generator.uniform(0.01, 0.3, mean.shape)
    inducing = generator.normal(size=(N_INDUCING, N_LATENT))
    seconds: dict[str, list[float]] = {name: [] for name in kernels()}
    for _ in range(ROUNDS):
        for name, kernel in kernels().items():
            kernel = kernel.with_latent(N_LATENT)
            start = time.process_time()
            evaluate_bound(targets, mean, variance, inducing, kernel, 0.1, 1e-4, n_jobs=1)
            seconds[name].append(time.process_time() - start)
    best = {name: min(each) for name, each in seconds.items()}
    rows = [[name, 1000.0 * each, each / best["RBF"]] for name, each in best.items()]
    print(table(["kernel", "ms", "× RBF"], rows))
    write_row(
        "kernels",
        {"milliseconds": {name: 1000.0 * each for name, each in best.items()}},
        seed=0,
        settings={"N": N_POINTS, "M": N_INDUCING, "Q": N_LATENT, "D": N_OUTPUTS, "rounds": ROUNDS},
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
