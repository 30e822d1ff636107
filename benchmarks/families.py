"""All variational families of deep models side by side, at the same budget.

    python -m benchmarks.families [--seeds 3] [--iterations 200] [--only step "oil flow"]

Step: 50 points in [−1, 1], 500 kept aside (the seed draws points, noise and inducing inputs);
DeepGP of widths (2,) with 10 inducing inputs a layer. Oil flow: 150 rows drawn by the seed, 150
others kept aside, in one unit; DeepGPLVM of widths (2, 2) with 20 inducing inputs a layer. Every
family that the estimators offer has the same number of iterations in all (the conditional ones
spend some of them as marginalised first): bound and test log-likelihood in nats, the latter for a
point or row; how many of the test values lie inside 95 % intervals (oil flow: of the second half of
the columns, filled in from the first); CPU seconds.

Families that are values only (6.3, full 6.5, 6.6; marked *) have no training of their own. They
start where a simpler one ended, at the same bound, and what their own freedom adds there is found
by a search over few numbers, the rest held: joint, from gated, the gates between dimensions and one
correlation of S; full, from diagonal, what every dimension follows of the others (of inputs known
exactly, nothing); chain, from joint, R along its gradient. So theirs is the least that they can
give, and only a bound.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from benchmarks.common import DataAbsent, benchmark_data, skip, table, write_row
from benchmarks.deep import curve
from benchmarks.paired import standardised
from gplvm_core import DeepGP, DeepGPLVM
from gplvm_core.bounds import Layer, gram_factor
from gplvm_core.bounds.families import (
    Above,
    Correlated,
    FullyGivenInputs,
    InducingGivenAbove,
    JointlyGivenInducing,
    JointSites,
    chained,
    given_inputs_full,
    joint,
    to_data,
)
from gplvm_core.bounds.families.correlated import CorrelatedInputs
from gplvm_core.kernels.tilted import tilted_moments
from gplvm_core.models.problems.deep import FAMILIES
from gplvm_core.models.problems.edges import FREE
from gplvm_core.numerics import Array

N_INDUCING = {"step": 10, "oil flow": 20}
N_ROWS = 150
INSIDE = 1.96


class Kept:
    """Remembers the problem and the parameters that training ended with."""

    def _train(self, problem: Any, offset: float, *rest: Any) -> Any:
        found = super()._train(problem, offset, *rest)  # type: ignore[misc]
        self.kept = problem, found[0]
        return found


class KeptRegression(Kept, DeepGP):
    """DeepGP that remembers."""


class KeptLatent(Kept, DeepGPLVM):
    """DeepGPLVM that remembers."""


def step(family: Any, seed: int, iterations: int) -> tuple[Any, dict[str, float]]:
    """The regression on one draw of the step."""
    x, y = curve("step", seed, 50)
    new, wanted = curve("step", 10_000 + seed, 500)
    begin = time.process_time()
    settings: dict[str, Any] = {"max_iter": iterations, "random_state": seed}
    model = KeptRegression((2,), N_INDUCING["step"], family=family, **settings).fit(x, y)
    seconds = time.process_time() - begin
    mean, std = model.predict(new, return_std=True, noise=True)
    inside = np.abs(mean - wanted) < INSIDE * std
    density = float(model.score_samples(new, wanted).mean())
    return model, _measures(model.bound_, density, inside, seconds)


def oil_flow(family: Any, seed: int, iterations: int) -> tuple[Any, dict[str, float]]:
    """The latent model on one draw of rows."""
    every = benchmark_data("oil_flow")["train_Y"]
    order = np.random.default_rng(seed).permutation(len(every))[: 2 * N_ROWS]
    train, test = standardised(every[order[:N_ROWS]], every[order[N_ROWS:]])
    begin = time.process_time()
    settings: dict[str, Any] = {"max_iter": iterations, "random_state": seed}
    model = KeptLatent((2, 2), N_INDUCING["oil flow"], family=family, **settings).fit(train)
    seconds = time.process_time() - begin
    gaps = test.copy()
    gaps[:, test.shape[1] // 2 :] = np.nan
    mean, std = model.complete(gaps, return_std=True)
    inside = (np.abs(mean - test) < INSIDE * std)[np.isnan(gaps)]
    return model, _measures(model.bound_, float(model.score(test)), inside, seconds)


def _measures(bound: float, density: float, inside: Any, seconds: float) -> dict[str, float]:
    return {
        "bound": bound,
        "test log-likelihood": density,
        "inside 95 %": 100.0 * float(inside.mean()),
        "seconds": seconds,
    }


@dataclass(frozen=True)
class Found:
    """A trained model of two layers: q(h) as parameters, its layers, its top and its data."""

    own: Any
    first: Layer
    last: Layer
    source: Correlated
    handed_on: Array | float
    targets: Array
    jitter: float

    @classmethod
    def of(cls, model: Any) -> "Found":
        graph, parameters = model.kept
        down = graph.downward(parameters, FREE)
        source, first = down.nodes[0].belief, down.edges[0].layer
        handed_on = 0.0 if first.slope is None else source.mean @ first.slope
        return cls(
            parameters.nodes[1],
            first,
            down.edges[1].layer,
            Correlated.of(source),
            handed_on,
            graph.edges[1].data.values,
            graph.jitter,
        )

    def below(self, belief: Correlated) -> Correlated:
        """Of what the first layer hands down, with what it hands on."""
        return Correlated(belief.mean + self.handed_on, belief.covariance)


def small(gated: Any, diagonal: Any) -> dict[str, dict[str, float]]:
    """The families that are values only, from models with one hidden layer of two dimensions."""
    rows = dict[str, dict[str, float]]()
    bound = gated.bound_
    begin = time.process_time()
    at, gain = joined(Found.of(gated))
    rows["joint*"] = {"bound": bound + gain, "seconds": time.process_time() - begin}
    begin = time.process_time()
    bound += gain + linked(Found.of(gated), at)
    rows["chain*"] = {"bound": bound, "seconds": time.process_time() - begin}
    begin = time.process_time()
    bound = diagonal.bound_ + crossed(Found.of(diagonal))
    rows["full*"] = {"bound": bound, "seconds": time.process_time() - begin}
    return rows


def joined(found: Found) -> tuple[JointlyGivenInducing, float]:
    """6.3 with gates between the dimensions and a correlation of S, and what those gain."""
    own, layer, size = found.own, found.first, len(found.first.inducing)
    gram = gram_factor(layer.kernel, layer.inducing, found.jitter, relative=True)
    moments = tilted_moments(
        layer.kernel, found.source.mean, found.source.covariance, layer.inducing
    )
    alpha = gram.solve_lower(moments.kappa0.T).T
    sites = None
    if own.sites is not None:
        second = np.einsum("de,dij->diej", np.eye(2), own.sites.second)
        sites = JointSites(own.sites.first.ravel(), second.reshape(2 * size, 2 * size))

    def at(x: Array) -> JointlyGivenInducing:
        gates = np.diag(own.gate) + np.array([[0.0, x[0]], [x[1], 0.0]])
        transfer = np.einsum("de,nm->ndem", gates, alpha).reshape(len(alpha), 2, 2 * size)
        together, root = np.array([[1.0, np.tanh(x[2])], [np.tanh(x[2]), 1.0]]), own.variance**0.5
        covariance = root[:, :, None] * together * root[:, None, :]
        return JointlyGivenInducing(own.mean - found.handed_on, covariance, transfer, sites)

    def value(x: Array) -> float:
        here = joint(layer, found.source, at(x), jitter=found.jitter)
        final = to_data(found.last, found.below(here.belief), found.targets, found.jitter)
        return here.value + here.entropy + final.value

    best, gain = searched(value, 3)
    return at(best), gain


def linked(found: Found, outputs: JointlyGivenInducing) -> float:
    """What q(u² | u¹) gains along its gradient, the marginals of u¹ and u² held."""
    first = joint(found.first, found.source, outputs, jitter=found.jitter)
    above = Above(first.told_mean, first.told_covariance, outputs.transfer)
    source = found.below(first.belief)
    final = to_data(found.last, source, found.targets, found.jitter)
    gram = gram_factor(found.last.kernel, found.last.inducing, found.jitter, relative=True)
    mean = (gram.lower.T @ final.weights).T.ravel()
    covariance = np.kron(np.eye(found.targets.shape[1]), final.inverse[0])

    def value(across: Array) -> float:
        left = covariance - across @ above.covariance @ across.T
        if np.linalg.eigvalsh(left)[0] <= 0.0:
            return -np.inf
        own = InducingGivenAbove(mean - across @ above.mean, left, across)
        args = found.last, source, above, own, found.targets
        return chained(*args, jitter=found.jitter).value

    nothing = np.zeros((len(mean), len(above.mean)))
    at_zero, slope = value(nothing), slope_of(found, above, source, final.weights)
    # Of a hidden layer that does not follow u¹ nothing is to be had.
    slope /= max(float(np.linalg.norm(slope)), np.finfo(float).tiny)
    return max(0.0, *(value(length * slope) - at_zero for length in np.geomspace(1e-4, 1.0, 60)))


def slope_of(found: Found, above: Above, source: Correlated, weights: Array) -> Array:
    """∂F/∂R at R = 0, up to a factor."""
    seen = CorrelatedInputs.of(found.last, source, found.jitter)
    mean, moments = source.mean, seen.moments
    one = moments.kappa1 - moments.kappa0[..., None] * mean[:, None]
    two = moments.phi1 - moments.phi0[..., None] * mean[:, None, None]
    bend = found.targets[:, :, None, None] * one[:, None]
    bend -= np.einsum("id,nijq->ndjq", weights, two)
    told = np.einsum("op,nqp->noq", above.covariance, above.transfer)
    told = told @ np.linalg.inv(source.covariance)
    slope = np.einsum("ndjq,noq->jdo", bend, told)
    whitened = seen.gram.solve_lower(slope.reshape(len(slope), -1)).reshape(slope.shape)
    return np.asarray(np.swapaxes(whitened, 0, 1).reshape(-1, slope.shape[2]))


def crossed(found: Found) -> float:
    """6.5 with every dimension following the other input as well, alike at all points."""
    own, source = found.own, found.source
    if not source.covariance.any():
        return 0.0

    def value(x: Array) -> float:
        follows = own.follows[:, :, None] * np.eye(2) + np.array([[0.0, x[0]], [x[1], 0.0]])
        m = own.mean - found.handed_on - np.einsum("ndc,nc->nd", follows, source.mean)
        full = FullyGivenInputs(m, own.variance, follows)
        here = given_inputs_full(found.first, source, full, jitter=found.jitter)
        final = to_data(found.last, found.below(here.belief), found.targets, found.jitter)
        return here.value + here.entropy + final.value

    return searched(value, 2)[1]


def searched(value: Callable[[Array], float], size: int) -> tuple[Array, float]:
    """The best numbers near 0, and what they gain."""
    start = np.vstack([np.zeros(size), 0.05 * np.eye(size)])
    settings: Any = {"maxfev": 60 * size, "initial_simplex": start}

    def negative(x: Any) -> Any:
        return -value(x)

    found: Any = minimize(negative, start[0], method="Nelder-Mead", options=settings)
    return found.x, float(-found.fun) - value(start[0])


DATA = {"step": step, "oil flow": oil_flow}


def compare(name: str, seeds: int, iterations: int) -> None:
    """Every family on one kind of data, over the seeds."""
    each = []
    for seed in range(seeds):
        models, measured = {}, {}
        for family in FAMILIES:
            models[family], measured[family] = DATA[name](family, seed, iterations)
        measured |= small(models["gated"], models["diagonal"])
        each.append(measured)
        print(
            seed, {family: round(own["bound"], 2) for family, own in measured.items()}, flush=True
        )
    rows: list[tuple[Any, ...]] = []
    for family in each[0]:
        bounds = np.array([own[family]["bound"] for own in each])
        gains = bounds - np.array([own["marginalised"]["bound"] for own in each])
        rest = [
            f"{np.mean([own[family][what] for own in each]):.3g}" if what in each[0][family] else ""
            for what in ("test log-likelihood", "inside 95 %", "seconds")
        ]
        error = gains.std(ddof=1) / np.sqrt(seeds) if seeds > 1 else np.nan
        rows.append((family, f"{bounds.mean():.2f}", f"{gains.mean():+.2f} ± {error:.2f}", *rest))
    head = ("family", "bound", "over marginalised", "test log-likelihood", "inside 95 %", "seconds")
    print(f"\n{name}, {seeds} seeds, {iterations} iterations")
    print(table(head, rows), flush=True)
    settings = {"iterations": iterations, "n_inducing": N_INDUCING[name]}
    write_row("families", {"data": name, "each": each}, seed=list(range(seeds)), settings=settings)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--only", nargs="+", choices=tuple(DATA))
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    try:
        for name in options.only or DATA:
            compare(name, options.seeds, options.iterations)
    except DataAbsent as absent:
        return skip("families", absent)
    return 0


if __name__ == "__main__":
    sys.exit(main())
