"""What a deep model costs: an evaluation by the number of layers, training by the optimiser.

    python -m benchmarks.deep_cost [--seeds 3] [--only layers optimisers]

Layers: bound and all gradients of chains of 1, 2, 3, 5 and 8 layers on 1000 points, 5 hidden
dimensions, 50 inducing inputs, 12 outputs; CPU milliseconds on one thread, the least of several.
Optimisers (Chamberlin 2016, ch. 3, who found scaled conjugate gradients best): two layers on 50
points of a step, at the same number of iterations a start; bound, log-likelihood of a test point,
evaluations and CPU seconds, differences in pairs with their standard errors.
"""

import argparse
import sys
import time
import warnings
from typing import Literal

import numpy as np

from benchmarks.common import table, write_row
from benchmarks.deep import N_TEST, N_TRAIN, curve
from gplvm_core import DeepGP
from gplvm_core.models.problems.deep import chain
from gplvm_core.models.problems.deep_starts import Embedded
from gplvm_core.models.problems.edges import FREE
from gplvm_core.models.problems.nodes import LatentNode
from gplvm_core.statistics import Targets
from gplvm_core.statistics.executors import serial

DEPTHS, REPEATS = (1, 2, 3, 5, 8), 5
N_POINTS, WIDTH, N_INDUCING, N_OUTPUTS = 1000, 5, 50, 12
Optimiser = Literal["lbfgs", "scg"]
OPTIMISERS: tuple[Optimiser, ...] = ("lbfgs", "scg")
ITERATIONS = (60, 250)


def layers() -> None:
    """CPU time of an evaluation by depth."""
    generator = np.random.default_rng(0)
    latent = generator.normal(size=(N_POINTS, WIDTH))
    outputs = np.tanh(latent @ generator.normal(size=(WIDTH, N_OUTPUTS)))
    outputs -= outputs.mean(axis=0)
    found = []
    for depth in DEPTHS:
        sizes = (WIDTH,) * depth, (N_INDUCING,) * depth, ("rbf",) * depth
        graph = chain(
            LatentNode(),
            Targets.of(outputs),
            Embedded(outputs, *sizes, "pca"),
            depth - 1,
            family="marginalised",
            jitter=1e-6,
            run=serial,
        )
        start = graph.start(0)
        spent = []
        for _ in range(REPEATS):
            begin = time.thread_time()
            graph.evaluate(start, FREE)
            spent.append(time.thread_time() - begin)
        found.append(1e3 * min(spent))
    slope, least = np.polyfit(DEPTHS, found, 1)
    print("\nan evaluation by the number of layers")
    print(
        table(
            ("layers", "CPU ms", "a layer"),
            [(d, t, t / d) for d, t in zip(DEPTHS, found, strict=True)],
        )
    )
    print(f"a line: {slope:.2f} ms a layer and {least:.2f} ms", flush=True)
    write_row("deep_cost", {"layers": DEPTHS, "milliseconds": found}, seed=0)


def optimisers(seeds: int) -> None:
    """L-BFGS beside scaled conjugate gradients on a step."""
    rows, kept = [], []
    for iterations in ITERATIONS:
        first = np.empty((seeds, 4))
        for name in OPTIMISERS:
            each = np.array([_trained(name, iterations, seed) for seed in range(seeds)])
            kept.append({"iterations": iterations, "optimiser": name, "each": each})
            if name == OPTIMISERS[0]:
                first = each
            gain = (each - first).mean(axis=0)
            error = (each - first).std(axis=0, ddof=1) / np.sqrt(seeds)
            told = [f"{gain[at]:+.2g} ± {error[at]:.1g}" for at in (0, 1)]
            bound, density, evaluations, seconds = each.mean(axis=0)
            rows.append((iterations, name, bound, told[0], density, told[1], evaluations, seconds))
    print(f"\noptimisers on a step, {seeds} seeds")
    header = ("iterations", "", "bound", "difference", "log-likelihood", "difference")
    print(table((*header, "evaluations", "CPU seconds"), rows), flush=True)
    write_row("deep_cost", {"optimisers": kept}, seed=list(range(seeds)))


def _trained(optimiser: Optimiser, iterations: int, seed: int) -> tuple[float, float, int, float]:
    x, y = curve("step", seed, N_TRAIN)
    new, wanted = curve("step", 10_000 + seed, N_TEST)
    begin = time.thread_time()
    model = DeepGP((1,), 20, optimiser=optimiser, max_iter=iterations, random_state=seed)
    model.fit(x, y)
    seconds = time.thread_time() - begin
    density = float(model.score_samples(new, wanted).mean())
    evaluations = sum(each.result.evaluations for each in model.restarts_)
    return model.bound_, density, evaluations, seconds


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=("layers", "optimisers"))
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    chosen = options.only or ("layers", "optimisers")
    if "layers" in chosen:
        layers()
    if "optimisers" in chosen:
        optimisers(options.seeds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
