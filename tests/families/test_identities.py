"""Tests of conditional families: special cases, Monte Carlo values, and the evidence."""

from dataclasses import replace

import numpy as np
import pytest

from gplvm_core import RBF
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, evaluate_layer
from gplvm_core.bounds.layer import Scales
from gplvm_core.models.families.chained import InducingGivenAbove, chained, chained_to_data
from gplvm_core.models.families.correlated import Correlated, to_data
from gplvm_core.models.families.given_inducing import GivenInducing, given_inducing
from gplvm_core.models.families.given_inputs import GivenInputs, given_inputs
from gplvm_core.models.families.graph import natural_steps
from gplvm_core.models.families.joint import JointlyGivenInducing, joint
from gplvm_core.models.families.together import FullyGivenInputs, given_inputs_full
from gplvm_core.models.problems.deep import chain
from gplvm_core.models.problems.graph import Begun, Given
from gplvm_core.models.problems.nodes import LatentNode
from gplvm_core.models.training.run import Phase
from gplvm_core.statistics import Targets
from gplvm_core.statistics.reduce import serial
from tests.families.steps import (
    EYE,
    JITTER,
    D,
    M,
    N,
    Y,
    drawn,
    hidden,
    integrated,
    jointly,
    layers,
    lower_of,
    of_chain,
    of_conditional,
    of_correlated,
    top,
)

FAMILIES = {
    "gated": lambda: of_conditional("gated"),
    "gated, with sites": lambda: of_conditional("sites"),
    "free": lambda: of_conditional("free"),
    "diagonal": lambda: of_conditional("diagonal"),
    "joint, gated": lambda: of_correlated("gates"),
    "joint, free": lambda: of_correlated("free"),
    "full": lambda: of_correlated("full"),
    "chain": of_chain,
}


@pytest.mark.parametrize("family", FAMILIES)
def test_the_bound_equals_its_expectation_by_draws(family: str) -> None:
    value, steps = FAMILIES[family]()
    expected, error = drawn(steps)
    assert error < 0.5
    assert abs(value - expected) < 4.0 * error
    assert value == pytest.approx(integrated(steps), rel=1e-6)


def plain(belief: Belief, own: GivenInducing | GivenInputs, *, mean_field: bool = True) -> float:
    """Return F_l with an independent q(h), by 6.0 or 6.1."""
    targets = Targets.believed(Belief(own.mean, own.variance))
    return evaluate_layer(layers()[0], belief, targets, jitter=JITTER, mean_field=mean_field).value


def test_special_cases_of_the_families() -> None:
    layer, belief = layers()[0], top()
    mean, variance, generator = hidden(0)
    alpha = np.linalg.solve(
        lower_of(layer), layer.kernel.psi1(belief.mean, belief.variance, layer.inducing)[0].T
    ).T
    # With gates at 0 and t = 0, the families equal mean field; the bound 6.1 is never lower.
    still = GivenInducing(mean, variance, np.zeros(D))
    told = given_inducing(layer, belief, still, jitter=JITTER)
    assert told.posterior.value == pytest.approx(plain(belief, still), rel=1e-9)
    assert told.posterior.value < plain(belief, still, mean_field=False)
    unmoved = GivenInputs(mean, variance, np.zeros((N, D)))
    found = given_inputs(layer, belief, unmoved, Scales(), jitter=JITTER)
    assert found.posterior.value == pytest.approx(plain(belief, unmoved), rel=1e-9)
    for at in (told, found):
        np.testing.assert_allclose(at.belief.mean, mean)
        np.testing.assert_allclose(at.belief.variance, variance)
    # A gate is a special case of a free T; with a gate of 1, the mean of q(u) is 0.
    gate = np.array([0.7, 1.0])
    gated = given_inducing(layer, belief, GivenInducing(mean, variance, gate), jitter=JITTER)
    free = GivenInducing(mean, variance, transfer=gate[:, None, None] * alpha)
    freed = given_inducing(layer, belief, free, jitter=JITTER)
    assert freed.posterior.value == pytest.approx(gated.posterior.value, rel=1e-12)
    np.testing.assert_allclose(gated.posterior.weights[:, 1], 0.0, atol=1e-12)
    # A joint family with independent dimensions and a chain with R = 0 have the same bound.
    source, apart = Correlated.of(belief), np.zeros((N, 1))
    together = joint(
        layer, source, JointlyGivenInducing(mean, variance, apart, np.diag(gate)), jitter=JITTER
    )
    assert together.posterior.value == pytest.approx(gated.posterior.value, rel=1e-10)
    np.testing.assert_allclose(together.belief.covariance[:, 0, 0], gated.belief.variance[:, 0])
    np.testing.assert_allclose(together.belief.covariance[:, 0, 1], 0.0, atol=1e-12)
    np.testing.assert_allclose(together.posterior.gap, gated.posterior.gap, rtol=1e-6)
    nothing, below = InducingGivenAbove(np.zeros((D * M, D * M))), layers()[1]
    for outputs in (jointly(1), jointly(1, gated=True)):
        best = joint(below, together.belief, outputs, jitter=JITTER)
        in_chain = chained(below, together.belief, nothing, outputs, jitter=JITTER)
        assert in_chain.posterior.value == pytest.approx(best.posterior.value, rel=1e-10)
        np.testing.assert_allclose(in_chain.belief.covariance, best.belief.covariance)
    data = to_data(below, together.belief, Targets.whole(Y), Scales(), jitter=JITTER)
    in_chain = chained_to_data(below, together.belief, nothing, Y, jitter=JITTER)
    assert in_chain.posterior.value == pytest.approx(data.value, rel=1e-10)
    np.testing.assert_allclose(in_chain.posterior.weights, data.posterior.weights)
    # This is full 6.5 in which each output depends only on the input with the same index.
    follows = 0.5 * generator.normal(size=(N, D))
    one = given_inputs(layer, belief, GivenInputs(mean, variance, follows), Scales(), jitter=JITTER)
    moved = FullyGivenInputs(mean, variance, follows[:, :, None] * EYE)
    every = given_inputs_full(layer, source, moved, Scales(), jitter=JITTER)
    assert every.posterior.value == pytest.approx(one.posterior.value, rel=1e-10)
    np.testing.assert_allclose(every.belief.mean, mean)
    np.testing.assert_allclose(every.belief.covariance[:, 1, 1], one.belief.variance[:, 1])


def test_dependent_inducing_outputs_with_independent_hidden_points_gain_nothing() -> None:
    """The test covers 6.4, q(u^l | u^(l−1)) with an independent q(h): the bound is highest at R =
    0.
    """
    above, below, _ = layers()
    first, second = (JointlyGivenInducing.independent(Belief(*hidden(at)[:2])) for at in (0, 1))
    source = joint(above, Correlated.of(top()), first, jitter=JITTER).belief
    found = []
    for strength in (0.0, 0.2, 0.4):
        own = InducingGivenAbove(strength * np.eye(D * M))
        hidden_layer = chained(below, source, own, second, jitter=JITTER)
        data = chained_to_data(below, source, own, Y, jitter=JITTER)
        found.append((hidden_layer.posterior.value, data.posterior.value))
    assert found[0] > found[1] > found[2]
    assert found[0][1] > found[1][1] > found[2][1]


def regression(family: str) -> float:
    """Return the bound of two layers of one dimension below three known inputs."""
    first, last_layer, belief = *narrow(), Belief.certain(X)
    mean, variance, source = 0.9 * X3, np.full((3, 1), 0.3), Correlated.of(belief)
    gate = np.array([0.2])
    psi1, _ = first.kernel.psi1(X, np.zeros((3, 1)), first.inducing)
    transfer = gate * np.linalg.solve(lower_of(first), psi1.T).T
    if family in ("gated", "free", "diagonal"):
        if family == "diagonal":
            own = GivenInputs(mean, variance, np.zeros((3, 1)))
            at = given_inputs(first, belief, own, Scales(), jitter=JITTER)
        else:
            free = transfer[None] if family == "free" else None
            own = GivenInducing(mean, variance, gate if free is None else None, free)
            at = given_inducing(first, belief, own, jitter=JITTER)
        below = evaluate_layer(last_layer, at.belief, Targets.whole(X3), jitter=JITTER)
        return at.posterior.value + at.entropy + below.value
    if family == "full":
        full = FullyGivenInputs(mean, variance, np.zeros((3, 1, 1)))
        found = given_inputs_full(first, source, full, Scales(), jitter=JITTER)
    else:
        own = JointlyGivenInducing(mean, variance, np.zeros((3, 0)), gate[:, None])
        found = joint(first, source, own, jitter=JITTER)
    if family == "chain":
        own = InducingGivenAbove(0.05 * np.eye(3))
        final = chained_to_data(last_layer, found.belief, own, X3, jitter=JITTER).posterior
    else:
        final = to_data(last_layer, found.belief, Targets.whole(X3), Scales(), jitter=JITTER)
    return found.posterior.value + found.entropy + final.value


X = np.array([[-1.0], [0.1], [1.0]])
X3 = np.array([[-0.8], [0.3], [0.9]])


def narrow() -> tuple[Layer, Layer]:
    return tuple(Layer(RBF(1.0, np.ones(1)), X, 0.3) for _ in range(2))


@pytest.mark.parametrize("family", ["gated", "free", "diagonal", "joint", "full", "chain"])
def test_the_bound_is_below_the_evidence(family: str) -> None:
    """Quadrature over the hidden layer gives log p(y | x), which is slightly above the bound."""

    def covariance(points: np.ndarray) -> np.ndarray:
        apart = points[..., :, None] - points[..., None, :]
        return np.exp(-0.5 * apart**2) + 0.3 * np.eye(3)

    nodes, weights = np.polynomial.hermite_e.hermegauss(24)
    grid = np.stack(np.meshgrid(nodes, nodes, nodes), axis=-1).reshape(-1, 3)
    weights = np.prod(np.stack(np.meshgrid(weights, weights, weights), axis=-1), axis=-1).ravel()
    h = grid @ np.linalg.cholesky(covariance(X[:, 0])).T
    given = covariance(h)
    fit = np.linalg.solve(given, np.broadcast_to(X3, (len(h), 3, 1)))[:, :, 0] @ X3[:, 0]
    density = np.exp(-0.5 * (fit + np.linalg.slogdet(2.0 * np.pi * given)[1]))
    evidence = np.log(weights @ density / (2.0 * np.pi) ** 1.5)
    assert evidence - 3.0 < regression(family) < evidence


@pytest.mark.parametrize("kind", ["gated", "diagonal"])
def test_a_slope_equals_a_plain_layer_on_the_residuals(kind: str) -> None:
    """A layer with a slope has the bound of a plain layer on the outputs minus the linear mean."""
    layer, belief, slope = layers()[0], Belief.certain(top().mean), np.array([[0.5, 1.0], [0.2, 0]])
    mean, variance, _ = hidden(0)
    found = []
    for at, shift in ((replace(layer, slope=slope), belief.mean @ slope), (layer, 0.0)):
        here = mean + shift
        if kind == "gated":
            own = GivenInducing(here, variance, np.array([0.4, 0.8]))
            found.append(given_inducing(at, belief, own, jitter=JITTER))
        else:
            own = GivenInputs(here, variance, np.ones((N, D)))
            found.append(given_inputs(at, belief, own, Scales(), jitter=JITTER))
    bent, straight = found
    assert bent.posterior.value == pytest.approx(straight.posterior.value, rel=1e-10)
    np.testing.assert_allclose(bent.belief.mean - belief.mean @ slope, straight.belief.mean)
    np.testing.assert_allclose(bent.statistics.psi1_targets, straight.statistics.psi1_targets)
    assert bent.statistics.yy == pytest.approx(straight.statistics.yy)
    met = Belief(np.ones((N, D)), np.ones((N, D)))
    assert bent.pullback(met).layer.noise_variance == pytest.approx(
        straight.pullback(met).layer.noise_variance
    )


def test_natural_steps_end_where_the_bound_is_stationary_in_q_of_u() -> None:
    """The closed form of q(u) is optimal only for its own layer, not for the layers below."""
    generator = np.random.default_rng(4)
    beliefs = (top(), *(Belief(*hidden(at)[:2]) for at in range(2)))
    settings = {"family": "gated", "jitter": JITTER, "executor": serial}
    given = Given(Begun(beliefs, tuple(layers())))
    graph = chain(LatentNode(), Targets.whole(Y), given, 2, **settings)
    # The scales of the layer to data are fixed, so that the bound is a single function.
    phase = Phase("held", 1, ratio=4.0)
    start = graph.start(0)
    gates = generator.uniform(0.2, 0.8, (2, D))
    nodes = [
        GivenInducing(each.mean, each.variance, gate)
        for each, gate in zip(start.nodes[1:], gates, strict=True)
    ]
    parameters = replace(start, nodes=(start.nodes[0], *nodes), layers=tuple(layers()))

    def evaluate(at):
        return graph.evaluate(at, phase)

    before = evaluate(parameters).bound
    ended, bound = natural_steps(evaluate, parameters, 60)
    assert bound == evaluate(ended).bound > before + 1e-3
    said = evaluate(ended).gradient
    for own, new in zip(ended.nodes[1:], said.nodes[1:], strict=True):
        np.testing.assert_allclose(own.sites.first, new.sites.first, atol=1e-3)
        np.testing.assert_allclose(own.sites.second, new.sites.second, atol=1e-3)
    # At this optimum, the bound falls in every direction of q(u).
    for _ in range(5):
        for sign in (-0.05, 0.05):
            first = ended.nodes[1].sites.first
            sites = replace(
                ended.nodes[1].sites, first=first + sign * generator.normal(size=first.shape)
            )
            moved = replace(ended.nodes[1], sites=sites)
            assert (
                evaluate(replace(ended, nodes=(start.nodes[0], moved, ended.nodes[2]))).bound
                < bound
            )
