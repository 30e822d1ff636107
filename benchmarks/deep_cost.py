"""The cost of an evaluation for each number of layers, and of training for each optimiser.

    python -m benchmarks.deep_cost [--seeds 3] [--only layers optimisers] [--iterations 60 250]

Layers: the bound and all gradients of chains of 1, 2, 3, 5 and 8 layers on 1000 points, with 5
hidden dimensions, 50 inducing inputs and 12 outputs. The time is in CPU milliseconds on one thread,
the fastest of several rounds.

Optimisers: two layers on 50 points of a step and of a sinusoid, with the same number of iterations
per start (Chamberlin 2016, ch. 3, found scaled conjugate gradients best). The table has the bound,
the log-likelihood of a test point, evaluations, CPU seconds, and paired differences with their
standard errors. Only this file has Adam (Kingma & Ba 2015), on the same bound and variables. Adam's
rate of 0.1 was better than 0.03 on seed 0 of the step at 60 iterations. A natural-gradient step of
length one moves q(u) of a layer with Gaussian noise to its optimum, which the collapsed bound
always uses, so the table has no row for this step. Stochastic gradients need a bound that is a sum
over points, so the table has no row for them either.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.common import table, write_row
from benchmarks.deep import N_TEST, N_TRAIN, curve
from gplvm_core import DeepGP
from gplvm_core.models.problems.deep import chain
from gplvm_core.models.problems.deep_starts import Embedded
from gplvm_core.models.problems.edges import FREE
from gplvm_core.models.problems.nodes import LatentNode
from gplvm_core.numerics import Array
from gplvm_core.optimise.objective import Objective, evaluate, first_evaluation
from gplvm_core.optimise.registry import OPTIMISERS as KNOWN
from gplvm_core.statistics import Targets
from gplvm_core.statistics.executors import serial

DEPTHS, REPEATS = (1, 2, 3, 5, 8), 5
N_POINTS, WIDTH, N_INDUCING, N_OUTPUTS = 1000, 5, 50, 12
OPTIMISERS = ("lbfgs", "scg", "adam")
ITERATIONS, PROBLEMS = (60, 250), ("step", "smooth curve")


@dataclass(frozen=True)
class Descended:
    """Adam's state: the position and the moments of the gradient."""

    x: Array
    value: float
    gradient: Array
    first: Array
    second: Array
    iteration: int = 0
    evaluations: int = 1
    rejected: int = 0
    status: str = "running"
    reason: str = ""


@dataclass(frozen=True)
class Adam:
    """Adam with steps of about `rate` in every variable, scaled as in the estimators."""

    rate: float = 0.1
    decay: tuple[float, float] = (0.9, 0.999)

    def start(self, x: Array, objective: Objective) -> Descended:
        """Return the state at x."""
        x, value, gradient = first_evaluation(x, objective)
        return Descended(x, value, gradient, np.zeros_like(x), np.zeros_like(x))

    def step(self, state: Descended, objective: Objective) -> Descended:
        """Make one step, which may increase the value; if the value is undefined, the state does
        not change.
        """
        slow, slower = self.decay
        count = state.iteration + 1
        first = slow * state.first + (1.0 - slow) * state.gradient
        second = slower * state.second + (1.0 - slower) * state.gradient**2
        towards = first / (1.0 - slow**count)
        x = state.x - self.rate * towards / (np.sqrt(second / (1.0 - slower**count)) + 1e-8)
        found = evaluate(objective, x)
        seen = replace(state, iteration=count, evaluations=state.evaluations + 1)
        if found is None:
            return replace(seen, rejected=state.rejected + 1, first=0.5 * first)
        return replace(seen, x=x, value=found[0], gradient=found[1], first=first, second=second)

    def rescaled(self, state: Descended, ratio: Array) -> None:
        """Return the state unchanged: its moments refer to the variables before the rescaling."""


def layers() -> None:
    """Measure the CPU time of an evaluation by depth."""
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
            executor=serial,
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


def optimisers(problem: str, seeds: int, budgets: Sequence[int]) -> None:
    """Compare L-BFGS with scaled conjugate gradients and Adam."""
    rows, kept = [], []
    for iterations in budgets:
        first = np.empty((seeds, 4))
        for name in OPTIMISERS:
            each = np.array([_trained(problem, name, iterations, seed) for seed in range(seeds)])
            kept.append({"iterations": iterations, "optimiser": name, "each": each})
            if name == OPTIMISERS[0]:
                first = each
            gain = (each - first).mean(axis=0)
            error = (each - first).std(axis=0, ddof=1) / np.sqrt(seeds)
            told = [f"{gain[at]:+.2g} ± {error[at]:.1g}" for at in (0, 1)]
            bound, density, evaluations, seconds = each.mean(axis=0)
            rows.append((iterations, name, bound, told[0], density, told[1], evaluations, seconds))
    print(f"\noptimisers on a {problem}, {seeds} seeds")
    header = ("iterations", "", "bound", "difference", "log-likelihood", "difference")
    print(table((*header, "evaluations", "CPU seconds"), rows), flush=True)
    write_row("deep_cost", {"data": problem, "optimisers": kept}, seed=list(range(seeds)))


def _trained(
    problem: str, optimiser: Any, iterations: int, seed: int
) -> tuple[float, float, int, float]:
    x, y = curve(problem, seed, N_TRAIN)
    new, wanted = curve(problem, 10_000 + seed, N_TEST)
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
    parser.add_argument("--iterations", type=int, nargs="+", default=ITERATIONS)
    parser.add_argument("--only", nargs="+", choices=("layers", "optimisers"))
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    chosen = options.only or ("layers", "optimisers")
    if "layers" in chosen:
        layers()
    if "optimisers" in chosen:
        KNOWN["adam"] = Adam()
        for problem in PROBLEMS:
            optimisers(problem, options.seeds, options.iterations)
    return 0


if __name__ == "__main__":
    sys.exit(main())
