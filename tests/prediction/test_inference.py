"""Tests that inferred new rows are at a maximum of the bound, by quadrature and by steps."""

from itertools import pairwise, product

import numpy as np
import pytest

from gplvm_core import RBF
from gplvm_core.beliefs import Belief
from gplvm_core.bounds.layer import Layer, evaluate_layer
from gplvm_core.prediction import DATA, Network, Projection, explain
from gplvm_core.prediction.impute import impute
from gplvm_core.prediction.paths import Continued, likely_path
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.row_bound import RowBound
from gplvm_core.priors import UncertainInputs
from gplvm_core.statistics import Targets

NOISE = 0.05
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(24)


@pytest.fixture(scope="module")
def inputs() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(40, 2))


@pytest.fixture(scope="module")
def posterior(inputs) -> Posterior:
    """Return a layer from two inputs to four outputs, whose latent points are known."""
    outputs = _outputs(inputs)
    layer = Layer(RBF(1.2, np.array([1.1, 1.6])), inputs[:15], NOISE)
    belief = Belief(inputs, np.full_like(inputs, 1e-3))
    at = evaluate_layer(layer, belief, Targets.whole(outputs), jitter=1e-6)
    units = np.zeros(4), np.ones(4)
    posterior = at.posterior
    return Posterior(
        layer.kernel, layer.inducing, posterior.weights, posterior.gap, NOISE, at.jitter, *units
    )


def _outputs(inputs: np.ndarray) -> np.ndarray:
    first, second = inputs.T
    return np.column_stack([np.sin(first), np.cos(second), first - second, np.tanh(second)])


def bound_of(
    posterior: Posterior, row: np.ndarray, mean: np.ndarray, spread: np.ndarray, prior: tuple
) -> float:
    """Compute ⟨log p(row | x)⟩ by quadrature over q(x), minus KL(q(x) ‖ prior) unless q(x) is a
    point.
    """
    value, steps, weights = 0.0, [], []
    for variance in spread:
        certain = variance == 0.0
        steps.append(np.zeros(1) if certain else np.sqrt(variance) * NODES)
        weights.append(np.ones(1) if certain else WEIGHTS / WEIGHTS.sum())
    points = mean + np.array(list(product(*steps)))
    weight = np.prod(np.array(list(product(*weights))), axis=1)
    kernel = posterior.kernel
    cross = kernel.K(points, posterior.inducing)
    variance = kernel.diag(points) - np.einsum("nm,mk,nk->n", cross, posterior.gap[0], cross)
    error = np.sum((row - cross @ posterior.weights) ** 2, axis=1) + len(row) * variance
    value = -0.5 * (weight @ error) / NOISE - 0.5 * len(row) * np.log(2.0 * np.pi * NOISE)
    free = spread > 0.0
    center, width = prior
    ratio = spread[free] / width[free]
    square = (mean[free] - center[free]) ** 2 / width[free]
    return float(value - 0.5 * np.sum(square + ratio - 1.0 - np.log(ratio)))


def assert_at_a_maximum(posterior, row, mean, spread, prior) -> None:
    """Check that steps of a tenth of a standard deviation, or of the variance, lower the bound."""
    best = bound_of(posterior, row, mean, spread, prior)
    for j in np.flatnonzero(spread > 0.0):
        step = np.zeros(2)
        for sign in (-0.1, 0.1):
            step[j] = sign * np.sqrt(spread[j])
            assert bound_of(posterior, row, mean + step, spread, prior) < best
            step[j] = sign * spread[j]
            assert bound_of(posterior, row, mean, spread + step, prior) < best


def placed(posterior: Posterior, rows: np.ndarray, training: Belief) -> Projection:
    return explain(Network.star({DATA: posterior}, training), {DATA: rows})[0]


def test_a_projection_is_where_the_bound_is_highest(posterior, inputs) -> None:
    rows = _outputs(np.random.default_rng(1).normal(size=(5, 2)))
    found = placed(posterior, rows, Belief(inputs, np.full_like(inputs, 0.05)))
    prior = np.zeros(2), np.ones(2)
    for n, row in enumerate(rows):
        mean, spread = found.mean[n, 0], found.variance[n, 0]
        assert found.bound[n, 0] == pytest.approx(
            bound_of(posterior, row, mean, spread, prior), abs=1e-5
        )
        assert_at_a_maximum(posterior, row, mean, spread, prior)


def test_imputed_inputs_are_where_the_bound_is_highest(posterior) -> None:
    generator = np.random.default_rng(2)
    truth = generator.normal(size=(6, 2))
    rows = _outputs(truth)
    missing = np.zeros((6, 2), dtype=bool)
    missing[[0, 1, 2], [0, 1, 0]], missing[3:] = True, True
    # The prior contradicts the outputs and has a similar precision.
    prior = UncertainInputs(truth + 0.5, np.full((6, 2), 0.02))
    given = Belief(truth, np.where(missing, 0.05, 0.0), ~missing)
    found = impute(posterior, rows, given, prior, missing, truth + 0.1)
    np.testing.assert_array_equal(found.mean[~missing], truth[~missing])
    for n, row in enumerate(rows):
        own = prior.center[n], prior.variance[n]
        assert_at_a_maximum(posterior, row, found.mean[n], found.variance[n], own)


def test_a_certain_projection_is_where_the_density_is_highest(posterior, inputs) -> None:
    rows = _outputs(np.random.default_rng(3).normal(size=(5, 2)))
    found = placed(posterior, rows, Belief.certain(inputs))
    nothing = np.zeros(2)

    def density(row: np.ndarray, point: np.ndarray) -> float:
        prior = nothing, np.ones(2)
        return bound_of(posterior, row, point, nothing, prior) - 0.5 * float(point @ point)

    for row, point in zip(rows, found.mean[:, 0], strict=True):
        for step in 0.02 * np.vstack([np.eye(2), -np.eye(2)]):
            assert density(row, point + step) < density(row, point)


@pytest.mark.parametrize("ordered", [False, True])
def test_the_likely_path_is_the_best_of_all(ordered: bool) -> None:
    generator = np.random.default_rng(4)
    n_points, n_kept, n_latent = 6, 3, 2
    times = np.sort(generator.uniform(0.0, 4.0, (n_points, 1)), axis=0)
    rows = np.array([0, 1, 3, 5])
    order = generator.permutation(n_points) if ordered else np.arange(n_points)
    mean = generator.normal(size=(n_points, n_latent))
    # The covariance is computed in the order of time; row order[i] of the prior is the i-th in
    # time.
    by_time = np.stack([RBF(1.0, 1.0).K(times), RBF(0.6, 0.7).K(times)]) + 0.05 * np.eye(n_points)
    place = np.argsort(order)
    covariance = by_time[:, place[:, None], place]
    shape = (len(rows), n_kept)
    found = Projection(
        1.5 * generator.normal(size=(*shape, n_latent)),
        np.full((*shape, n_latent), 0.1),
        generator.normal(size=shape),
    )
    prior = Continued(mean, covariance, order=order if ordered else None)
    path = likely_path(found, rows, prior)
    in_time = sorted(range(len(rows)), key=lambda i: place[rows[i]])

    def score(choice: tuple[int, ...]) -> float:
        """Return the sum of the bounds and of each step's log density given the step before."""
        total = sum(found.bound[i, k] for i, k in enumerate(choice))
        for earlier, later in pairwise(in_time):
            pair = [rows[earlier], rows[later]]
            for q in range(n_latent):
                joint = covariance[q][np.ix_(pair, pair)]
                moved = [found.mean[i, choice[i], q] - mean[rows[i], q] for i in (earlier, later)]
                together = np.array(moved) @ np.linalg.solve(joint, moved)
                total -= 0.5 * (together - moved[0] ** 2 / joint[0, 0])
        return float(total)

    choices = list(product(range(n_kept), repeat=len(rows)))
    best = max(choices, key=score)
    expected = mean.copy()
    expected[rows] = found.mean[np.arange(len(rows)), best]
    np.testing.assert_array_equal(path, expected)


@pytest.mark.parametrize("certain", [False, True])
def test_slopes_of_the_bound_of_rows(posterior, inputs, certain: bool) -> None:
    """Test the gradients of the bound and its KL with respect to beliefs or to points."""
    rows, every = _outputs(np.random.default_rng(5).normal(size=(3, 2))), np.arange(3)
    network = Network.chain([posterior], [Belief(inputs, np.full_like(inputs, 0.05))])
    bound = RowBound.of(network, {DATA: rows}, roots=(0,), certain=certain)
    spread = np.full((3, 2), 0.0 if certain else 0.3)
    _, (slope,) = bound.data([Belief(inputs[:3], spread)], every)
    step = 1e-5 * np.random.default_rng(6).normal(size=(3, 2))
    for moved, each in ((True, slope.mean), (False, slope.variance)):
        if certain and not moved:
            continue
        ends = [
            bound.data([Belief(inputs[:3] + moved * way, spread + (not moved) * way)], every)[0]
            for way in (step, -step)
        ]
        expected = 0.5 * (ends[0] - ends[1])
        np.testing.assert_allclose(np.sum(each * step, axis=1), expected, rtol=1e-4, atol=1e-8)
