"""Natural-gradient steps compared with L-BFGS for the paths of a dynamical model.

The model is the gallery's body in motion. Its kernel, inducing inputs, noise and time kernel are
fixed at their trained values. q(X) starts at the trained means plus noise of 0.3, with variances of
0.3. Both methods maximise the same bound through Kalman smoothing; one evaluation is one pass over
the data.
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.common import table, write_row
from gplvm_core import DynamicalGPLVM
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, evaluate_layer
from gplvm_core.models.problems.paths import algebra_for
from gplvm_core.numerics import Array
from gplvm_core.optimise import LBFGS
from gplvm_core.priors import kalman, natural
from gplvm_core.priors.temporal import Path as LatentPath
from gplvm_core.priors.temporal import Timeline
from gplvm_core.statistics import Targets
from gplvm_core.store import Library

GALLERY = Path(__file__).resolve().parents[1] / "assets" / "models"
MARKS = (10, 20, 50, 100, 200)
Record = list[tuple[float, float]]  # the bound and the CPU seconds after each evaluation


class DataTerm:
    """F_data of the model's layer and its gradient with respect to q(X), counted and timed."""

    def __init__(self, model: DynamicalGPLVM, values: Array) -> None:
        posterior = model.posterior_
        self.layer = Layer(model.kernel_, model.inducing_, model.noise_variance_)
        self.targets, self.jitter = Targets.of(posterior.to_internal(values)), posterior.jitter
        self.begin, self.record = time.process_time(), list[tuple[float, float]]()

    def __call__(self, belief: Belief) -> tuple[float, Array, Array]:
        at = evaluate_layer(self.layer, belief, self.targets, jitter=self.jitter, relative=False)
        return at.value, at.gradients.mean, at.gradients.variance

    def reached(self, bound: float) -> None:
        best = max(bound, self.record[-1][0]) if self.record else bound
        self.record.append((best, time.process_time() - self.begin))


def by_lbfgs(
    model: DynamicalGPLVM, timeline: Timeline, start: LatentPath, data: DataTerm, most: int
) -> Record:
    algebra, kernel = algebra_for(model.time_kernel_, timeline), model.time_kernel_
    shape, scale = start.dual.shape, np.sqrt(1.0 / start.precision)

    def negative(x: Array) -> tuple[float, Array]:
        targets, precision = (
            scale * x[: x.size // 2].reshape(shape),
            np.exp(2.0 * x[x.size // 2 :].reshape(shape)),
        )
        with np.errstate(over="ignore", invalid="ignore"):
            found = algebra.smoothed(kernel, timeline, LatentPath(targets, precision))
            value, d_mean, d_variance = data(found.belief)
            pulled = found.pullback(d_mean, d_variance).path
        bound = value - float(found.kl.sum())
        data.reached(bound)
        slopes = (scale * pulled.dual, 2.0 * precision * pulled.precision)
        return -bound, -np.concatenate([slope.ravel() for slope in slopes])

    x = np.concatenate([(start.dual / scale).ravel(), 0.5 * np.log(start.precision).ravel()])
    optimiser = LBFGS()
    state = optimiser.start(x, negative)
    while state.status == "running" and len(data.record) < most:
        state = optimiser.step(state, negative)
    return data.record


def by_natural_gradients(
    model: DynamicalGPLVM, timeline: Timeline, start: LatentPath, data: DataTerm, most: int
) -> Record:
    def smoother(sites: natural.Sites) -> natural.Smoothed:
        return kalman.smooth(model.time_kernel_, timeline, sites)

    sites = natural.Sites(start.precision * start.dual, start.precision)
    state = natural.begin(sites, smoother, data)
    data.reached(state.bound)
    while len(data.record) < most:
        state = natural.step(state, smoother, data)
        data.reached(state.bound)
    return data.record


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--evaluations", type=int, default=200)
    options = parser.parse_args()
    library = Library(GALLERY, read_only=True)
    model, values = library.model("moves"), library.dataset("moves").values
    timeline = Timeline.of(model.times_, np.asarray(model.sequences_))
    generator = np.random.default_rng(0)
    mean = model.latent_mean_ + 0.3 * generator.standard_normal(model.latent_mean_.shape)
    start = LatentPath(mean, np.full(mean.shape, 1.0 / 0.3))
    methods: dict[str, Callable[..., Record]] = {
        "L-BFGS": by_lbfgs,
        "natural gradients": by_natural_gradients,
    }
    found = {
        name: method(model, timeline, start, DataTerm(model, values), options.evaluations)
        for name, method in methods.items()
    }
    marks = [mark for mark in MARKS if mark <= options.evaluations]
    rows = [
        (name, *(f"{record[min(m, len(record)) - 1][0]:.0f}" for m in marks), record[-1][1])
        for name, record in found.items()
    ]
    print(table(("bound after evaluations", *map(str, marks), "CPU s in all"), rows))
    write_row(
        "natural",
        {name: [list(each) for each in record] for name, record in found.items()},
        seed=0,
        settings={"evaluations": options.evaluations, "rows": len(mean)},
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
