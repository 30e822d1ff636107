"""Tests of the prior over time: gradients of a data term − KL against central differences."""

import numpy as np
import pytest

from gplvm_core.beliefs import Belief
from gplvm_core.kernels import RBF, Kernel, Matern12, Matern32, Matern52, Periodic, Product, White
from gplvm_core.models.problems.paths import TimedPath
from gplvm_core.parameters import leaves, replace_leaves
from gplvm_core.priors import kalman, temporal
from gplvm_core.priors.temporal import Path, Sites, Timeline

MARKOV = {
    "matern12": Matern12(0.9, 0.7),
    "matern32 + white": Matern32(0.9, 0.7) + White(0.05),
    "white + matern52 + white": White(0.02) + Matern52(1.4, 1.1) + White(0.03),
}
KERNELS = {
    "rbf + white": RBF(1.2, 0.8) + White(0.05),
    "rbf over vectors": RBF(1.2, np.array([0.8, 2.0])),
    "periodic × rbf + white": Product.of(Periodic(1.1, 1.0, 0.9), RBF(0.8, 2.0)) + White(0.05),
    "matern32 + rbf": Matern32(0.9, 0.4) + RBF(0.5, 3.0),
    **MARKOV,
}


class FullRank:
    """The algebra of full rank, which otherwise only sites far more precise than the prior have."""

    @staticmethod
    def smooth(kernel: Kernel, timeline: Timeline, sites: Sites) -> temporal.Marginals:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(temporal, "MOST_PRECISE", 0.0)
            return temporal.smooth(kernel, timeline, sites)


CASES = [(algebra, name) for algebra in (temporal, FullRank) for name in KERNELS]
CASES += [(kalman, name) for name in MARKOV]
CLOSE = {"rtol": 2e-6, "atol": 2e-7}


class Problem:
    """A timeline of two sequences with a repeated time, and a data term that depends on both
    moments.
    """

    def __init__(self, name: str) -> None:
        generator = np.random.default_rng(11)
        times = generator.uniform(0.0, 4.0, (9, 2 if "vectors" in name else 1))
        times[7] = times[5]
        self.timeline = Timeline.of(times, np.array([0, 0, 1, 1, 0, 0, 1, 0, 1]))
        self.first = generator.normal(size=(9, 2))
        self.precision = generator.uniform(0.1, 3.0, (9, 2))
        self.slope, self.curve = generator.normal(size=(2, 9, 2))

    def data(self, belief: Belief) -> tuple[float, np.ndarray, np.ndarray]:
        mean, variance = belief.mean, belief.variance
        mixed = 1.0 + 0.5 * mean + variance
        value = np.sum(self.slope * mean) + np.sum(self.curve * variance * mixed)
        return (
            float(value),
            self.slope + 0.5 * self.curve * variance,
            self.curve * (mixed + variance),
        )

    def bound(self, found: temporal.Smoothed) -> float:
        return self.data(found.belief)[0] - float(found.kl.sum())


def check_kernel(found: Kernel, at: Kernel, bound, central_difference) -> None:
    for leaf, value in leaves(at).items():
        expected = central_difference(
            lambda x, leaf=leaf: bound(replace_leaves(at, {leaf: x})), value
        )
        np.testing.assert_allclose(leaves(found)[leaf], expected, **CLOSE, err_msg=leaf)


@pytest.mark.parametrize("least", [0.02, 0.0])
@pytest.mark.parametrize(("algebra", "name"), CASES)
def test_gradients_by_sites_and_kernel(algebra, name: str, least, central_difference) -> None:
    kernel, problem = KERNELS[name], Problem(name)
    problem.precision[3, 1] = least
    sites = Sites(problem.first, problem.precision)

    def bound(sites=sites, kernel=kernel) -> float:
        return problem.bound(algebra.smooth(kernel, problem.timeline, sites))

    found = algebra.smooth(kernel, problem.timeline, sites)
    pulled = found.pullback(*problem.data(found.belief)[1:])
    np.testing.assert_allclose(
        pulled.sites.linear,
        central_difference(lambda x: bound(sites=Sites(x, sites.precision)), sites.linear),
        **CLOSE,
    )
    if least > 0.0:  # λ cannot be lower than 0
        np.testing.assert_allclose(
            pulled.sites.precision,
            central_difference(lambda x: bound(sites=Sites(sites.linear, x)), sites.precision),
            **CLOSE,
        )
    check_kernel(pulled.kernel, kernel, lambda k: bound(kernel=k), central_difference)


# Without white noise, the filter itself loses digits at such precisions.
EXTREME = [case for case in CASES if case != (kalman, "matern12")]


@pytest.mark.parametrize(("algebra", "name"), EXTREME)
def test_gradients_where_sites_are_extreme(algebra, name: str, central_difference) -> None:
    """A line search may try extreme precisions; a wrong gradient there would stop the search."""
    kernel, problem = KERNELS[name], Problem(name)
    problem.precision[[0, 4, 5], 0] = 1e17
    problem.precision[[1, 6], 1] = 1e-13
    at = TimedPath(Path(problem.first, problem.precision), kernel)

    def bound(logs: np.ndarray) -> float:
        own = TimedPath(Path(problem.first, np.exp(logs)), kernel)
        return problem.bound(algebra.smooth(kernel, problem.timeline, own.natural))

    found = algebra.smooth(kernel, problem.timeline, at.natural)
    pulled = at.chain(found.pullback(*problem.data(found.belief)[1:])).sites
    expected = central_difference(bound, np.log(problem.precision))
    slopes = problem.precision * pulled.precision
    np.testing.assert_allclose(slopes, expected, rtol=1e-4, atol=1e-4)
