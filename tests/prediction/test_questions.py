"""Tests of every kind of prediction for every graph, against draws of the prior or dense algebra.

The reference infers no explanations: it draws the points of all nodes from the top down and weights
the draws by the likelihood of the observed entries.
"""

from collections.abc import Mapping

import numpy as np
import pytest

from gplvm_core import RBF
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import collapsed, gram_factor
from gplvm_core.bounds.linear_gaussian import Factors
from gplvm_core.prediction import (
    DATA,
    Network,
    TrainedEdge,
    alternatives,
    draw_jointly,
    draw_prior,
    draw_rows,
    explain,
    log_density,
    log_density_below,
    log_density_sampled,
    moments,
    predict,
    quantiles,
    reconstructed,
    reconstructed_jointly,
)
from gplvm_core.prediction.linear_gaussian import as_posterior
from gplvm_core.prediction.paths import Continued
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.sequence import infer_sequence, sample_paths
from gplvm_core.statistics import Targets, reduce_statistics

JITTER, COUNT = 1e-6, 200_000
# Each edge has sources and a target; nodes without incoming edges are tops or known inputs.
STRUCTURES: dict[str, tuple[list[tuple[tuple[int, ...], int | str]], tuple[int, ...]]] = {
    "one layer": ([((0,), "y")], ()),
    "views": ([((0,), "a"), ((0,), "b")], ()),
    "deep": ([((0,), 1), ((1,), "y")], ()),
    "deep, the top seen": ([((0,), 1), ((1, 0), "y")], ()),
    "deep views": ([((0,), 1), ((1,), "a"), ((1,), 2), ((2,), "b")], ()),
    "hidden regression": ([((0,), 1), ((1,), "y")], (0,)),
    "own graph": ([((0,), 2), ((2,), "a"), ((2, 1), "b")], ()),
}


def network_of(name: str) -> Network:
    """Return layers with q(u) at its optimum for 40 rows, at beliefs about these rows."""
    shape, known = STRUCTURES[name]
    generator, n_points = np.random.default_rng(len(name)), 40
    n_nodes = 1 + max(node for sources, _ in shape for node in sources)
    points: dict[int, np.ndarray] = {}
    edges, beliefs = [], {}
    for node in range(n_nodes):
        into = next((sources for sources, target in shape if target == node), None)
        if into is None:
            points[node] = generator.standard_normal((n_points, 1))
        else:
            seen = sum(points[at] for at in into)
            points[node] = seen + 0.4 * np.sin(2.0 * seen + node)
        spread = np.full((n_points, 1), 0.0 if node in known else 0.02)
        beliefs[node] = Belief(points[node], spread)
    for number, (sources, target) in enumerate(shape):
        inputs = Belief(
            np.hstack([points[at] for at in sources]),
            np.hstack([beliefs[at].variance for at in sources]),
        )
        kernel = RBF(1.5, np.linspace(1.3, 1.6, len(sources)))
        if isinstance(target, int):
            targets, noise, units = (
                Targets.believed(beliefs[target]),
                0.1,
                (np.zeros(1), np.ones(1)),
            )
        else:
            way = inputs.mean @ generator.normal(1.0, 0.2, (len(sources), 3))
            values = np.sin(0.8 * way + np.array([0.0, 1.0, 2.0])) + 0.5 * way
            values += 0.2 * generator.standard_normal(values.shape)
            targets, noise = Targets.whole(values), 0.15
            units = np.array([1.0, -2.0, 0.5]), np.array([2.0, 1.0, 0.7])
        inducing = inputs.mean[::5]
        statistics, _ = reduce_statistics(kernel, inputs, inducing, targets)
        at = collapsed(statistics, gram_factor(kernel, inducing, JITTER, relative=False), noise)
        posterior = Posterior(kernel, inducing, at.weights, at.gap, noise, JITTER, *units)
        edges.append(TrainedEdge(str(number), sources, target, posterior, statistics, True))
    names = tuple(map(str, range(n_nodes)))
    return Network(names, tuple(edges), known, tuple(beliefs[at] for at in range(n_nodes)))


def from_above(
    network: Network, given: Mapping[int, np.ndarray], count: int
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return mean and variance (S × D) of all data at draws of one row.

    given: points of some nodes.
    """
    generator = np.random.default_rng(7)
    known = {at: np.broadcast_to(point, (count, len(point))) for at, point in given.items()}
    for node in range(len(network.nodes)):
        if node in known:
            continue
        edges = [edge for edge in network.edges if edge.target == node]
        if not edges:
            known[node] = generator.standard_normal((count, 1))
            continue
        inputs = np.hstack([known[at] for at in edges[0].sources])
        mean, variance = predict(edges[0].posterior, inputs, noise=True)
        known[node] = mean + np.sqrt(variance) * generator.standard_normal(mean.shape)
    return {
        str(edge.target): predict(
            edge.posterior, np.hstack([known[at] for at in edge.sources]), noise=True
        )
        for edge in network.edges
        if isinstance(edge.target, str)
    }


def log_normal(row: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    return -0.5 * np.nansum(np.log(2 * np.pi * variance) + (row - mean) ** 2 / variance, axis=1)


@pytest.fixture(scope="module", params=STRUCTURES)
def network(request: pytest.FixtureRequest) -> Network:
    return network_of(request.param)


@pytest.fixture(scope="module")
def inputs(network: Network) -> dict[int, np.ndarray]:
    return {at: np.array([[-0.8], [0.2], [1.1]]) for at in network.known}


@pytest.fixture(scope="module")
def rows(network: Network, inputs: dict[int, np.ndarray]) -> dict[str, np.ndarray]:
    """Return three rows drawn from the graph: complete, with gaps, and without one of several
    tables.
    """
    found = draw_prior(network, 3, np.random.default_rng(3), inputs)
    first, *others = found
    found[first][1, 0] = np.nan
    if others:
        found[others[0]][2] = np.nan
    else:
        found[first][2, 1:] = np.nan
    return found


def test_predictions_below_points_match_draws(network: Network) -> None:
    """Test the moments, draws, quantiles and densities at given points of all top nodes."""
    tops = [at for at in range(len(network.nodes)) if network.into(at) is None]
    given = {at: Belief.certain(np.array([[0.6 - 0.9 * at]])) for at in tops}
    reference = from_above(network, {at: own.mean[0] for at, own in given.items()}, COUNT)
    found = moments(network, given, noise=True)
    drawn = draw_jointly(network, given, 4000, 0)
    levels = np.array([0.1, 0.5, 0.9])
    shares = quantiles(network, given, levels, 4000, 0)
    noise, outputs = np.random.default_rng(8), {}
    for name, (mean, variance) in reference.items():
        own = mean.mean(axis=0)
        std = np.sqrt((variance + (mean - own) ** 2).mean(axis=0))
        # Below two layers, Gaussians approximate the intermediate distributions.
        loose = 0.12 if len(network.nodes) > 2 else 0.02
        np.testing.assert_allclose(found[name][0][0], own, atol=loose * std.max())
        np.testing.assert_allclose(np.sqrt(found[name][1][0]), std, rtol=loose)
        np.testing.assert_allclose(drawn[name][:, 0].mean(axis=0), own, atol=0.06 * std.max())
        np.testing.assert_allclose(drawn[name][:, 0].std(axis=0), std, rtol=0.06)
        values = mean + np.sqrt(variance) * noise.standard_normal(mean.shape)
        below = (values[:, None] < shares[name][:, 0]).mean(axis=0)
        np.testing.assert_allclose(below, np.tile(levels[:, None], 3), atol=0.03)
        outputs[name] = (own + 0.7 * std)[None]
    expected = np.zeros(COUNT)
    for name, parts in reference.items():
        expected += log_normal(outputs[name], *parts)
    density = log_density_below(network, given, outputs, 20_000, 0)
    assert density[0] == pytest.approx(np.log(np.exp(expected).mean()), abs=0.03)


def test_predictions_from_rows_match_draws(
    network: Network, inputs: dict[int, np.ndarray], rows: dict[str, np.ndarray]
) -> None:
    """The test covers densities, completions with their covariance, draws and alternatives of rows
    with gaps.
    """
    explained = explain(network, rows, inputs)
    sampled = log_density_sampled(network, rows, explained, 4000, 0)
    bound = log_density(network, rows, explained)
    whole = reconstructed(network, explained, noise=True)
    draws = draw_rows(network, explained, 4000, np.random.default_rng(0), rows)
    weights, points, completed = alternatives(network, rows, explained, 6)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    assert points[network.free[0]].shape == (3, 6, 1)
    for name, row in rows.items():
        seen = ~np.isnan(row)[:, None] & (weights > 0.0)[:, :, None]
        given = np.broadcast_to(row[:, None], completed[name].shape)
        np.testing.assert_array_equal(completed[name][seen], given[seen])
    for n in range(3):
        reference = from_above(network, {at: own[n] for at, own in inputs.items()}, COUNT)
        log = np.zeros(COUNT)
        for name, row in rows.items():
            log += log_normal(row[n], *reference[name])
        weight = np.exp(log - log.max())
        # Lower bounds are loose where the true posterior correlates the nodes.
        joined = any(len(edge.sources) > 1 for edge in network.edges)
        truth = log.max() + np.log(weight.mean())
        assert -(0.25 if joined else 0.05) < sampled[n] - truth < 0.05
        # `bound` is a difference of two bounds. It lets the new row update the mappings, and is
        # below the density.
        assert -(1.6 if joined else 0.7) < bound[n] - sampled[n] < 0.0
        weight /= weight.sum()
        for name, (mean, variance) in reference.items():
            own = weight @ mean
            std = np.sqrt(weight @ (variance + (mean - own) ** 2))
            found, spread = whole[name][0][n], np.sqrt(whole[name][1][n])
            assert (np.abs(found - own) < (0.6 if joined else 0.3) * std).all()
            np.testing.assert_allclose(spread, std, rtol=0.5 if joined else 0.35)
            np.testing.assert_allclose(draws[name][:, n].mean(axis=0), found, atol=0.1 * std.max())
            np.testing.assert_allclose(draws[name][:, n].std(axis=0), spread, rtol=0.12)
    for name in rows:
        mean, covariance = reconstructed_jointly(network, explained, name)
        np.testing.assert_allclose(mean, whole[name][0], atol=1e-9)
        variance = np.diagonal(covariance, axis1=1, axis2=2)
        np.testing.assert_allclose(variance, whole[name][1], rtol=1e-7)
        apart = draws[name] - draws[name].mean(axis=0)
        empirical = np.einsum("sni,snj->nij", apart, apart) / len(apart)
        limit = 0.25 if len(network.nodes) > 1 else 0.1
        np.testing.assert_allclose(covariance, empirical, atol=limit * empirical.max())


def test_predictions_of_a_row_do_not_depend_on_other_rows(
    network: Network, inputs: dict[int, np.ndarray], rows: dict[str, np.ndarray]
) -> None:
    together = explain(network, rows, inputs)
    alone = explain(
        network,
        {name: own[1:2] for name, own in rows.items()},
        {at: own[1:2] for at, own in inputs.items()},
    )
    for one, each in zip(alone.found, together.found, strict=True):
        np.testing.assert_allclose(one.mean[0], each.mean[1], atol=1e-4)


@pytest.mark.parametrize("below", [False, True], ids=["one layer", "deep"])
def test_a_sequence_in_dense_algebra(below: bool) -> None:
    """With linear layers, rows over time are jointly Gaussian; dense algebra gives the moments."""
    generator = np.random.default_rng(4)
    weights, noise, hidden_noise = np.array([[1.5, -0.7]]), 0.2, 0.3
    last = as_posterior(Factors(weights, np.zeros(2), noise), np.zeros(2), np.ones(2))
    first = as_posterior(
        Factors(np.array([[1.2]]), np.zeros(1), hidden_noise), np.zeros(1), np.ones(1)
    )
    layers = [first, last] if below else [last]
    belief = Belief(generator.standard_normal((20, 1)), np.full((20, 1), 0.1))
    network = Network.chain(layers, [belief] * len(layers))
    times = np.linspace(0.0, 2.0, 6)[:, None]
    gram = RBF(1.0, 0.8).K(times)
    rows = generator.standard_normal((6, 2))
    rows[2], rows[4, 0] = np.nan, np.nan
    prior = Continued(np.zeros((6, 1)), gram[None])
    path = infer_sequence(network, {DATA: rows}, prior)
    hidden = 1.44 * gram + hidden_noise * np.eye(6) if below else gram
    joint = np.kron(hidden, weights.T @ weights) + noise * np.eye(12)
    seen = ~np.isnan(rows).ravel()
    both = np.kron(1.2 * gram if below else gram, weights)[:, seen]
    solve = np.linalg.solve(joint[np.ix_(seen, seen)], np.eye(seen.sum()))
    np.testing.assert_allclose(
        path.beliefs[0].mean[:, 0], both @ solve @ rows.ravel()[seen], atol=0.01
    )
    if not below:
        exact = np.diagonal(gram - both @ solve @ both.T)
        np.testing.assert_allclose(path.beliefs[0].variance[:, 0], exact, rtol=0.02)
    whole = moments(path.network, path.beliefs, noise=True)[DATA][0]
    across = (joint - noise * np.eye(12))[:, seen] @ solve @ rows.ravel()[seen]
    np.testing.assert_allclose(whole, across.reshape(6, 2), atol=0.02)
    paths, drawn = sample_paths(network, prior, 3000, 0)
    np.testing.assert_allclose(np.cov(paths[:, :, 0].T), gram, atol=0.1)
    outputs = np.kron(hidden, weights.T @ weights)
    np.testing.assert_allclose(np.cov(drawn[DATA].reshape(3000, 12).T), outputs, atol=0.35)
