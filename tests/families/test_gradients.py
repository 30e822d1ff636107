"""Tests of the layers of the conditional families: all gradients against central differences."""

from dataclasses import replace

import numpy as np
import pytest

from gplvm_core import RBF
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer
from gplvm_core.bounds.layer import Scales
from gplvm_core.models.families.chained import InducingGivenAbove, chained, chained_to_data
from gplvm_core.models.families.correlated import Correlated, to_data
from gplvm_core.models.families.given_inducing import GivenInducing, InducingSites, given_inducing
from gplvm_core.models.families.given_inputs import GivenInputs, given_inputs
from gplvm_core.models.families.joint import JointlyGivenInducing, JointSites, joint
from gplvm_core.models.families.together import FullyGivenInputs, given_inputs_full
from gplvm_core.models.problems.deep import chain
from gplvm_core.models.problems.graph import Begun, Given
from gplvm_core.models.problems.nodes import LatentNode
from gplvm_core.parameters import Layout, leaves, replace_leaves
from gplvm_core.statistics import Targets
from gplvm_core.statistics.reduce import serial

N, Q, M = 7, 2, 4


def layer_and_source() -> tuple[Layer, Belief]:
    generator = np.random.default_rng(0)
    kernel = RBF(1.4, np.array([0.8, 1.3]))
    layer = Layer(kernel, generator.normal(size=(M, Q)), 0.3)
    return layer, Belief(generator.normal(size=(N, Q)), generator.uniform(0.1, 0.5, (N, Q)))


def of_outputs(kind: str, n_outputs: int = 3):
    """Return q of the outputs at random parameters."""
    generator = np.random.default_rng(1)
    mean = generator.normal(size=(N, n_outputs))
    variance = generator.uniform(0.1, 0.4, mean.shape)
    if kind == "diagonal":
        return GivenInputs(mean, variance, 0.4 * generator.normal(size=(N, min(Q, n_outputs))))
    half = 0.3 * generator.normal(size=(n_outputs, M, M))
    sites = InducingSites(generator.normal(size=(n_outputs, M)), -half @ np.swapaxes(half, 1, 2))
    if kind == "free":
        transfer = 0.3 * generator.normal(size=(n_outputs, N, M))
        return GivenInducing(mean, variance, transfer=transfer)
    gate = np.array([0.3, -0.2, 1.1])[:n_outputs]
    return GivenInducing(mean, variance, gate, sites=sites if kind == "sites" else None)


def evaluated(kind: str, layer: Layer, source: Belief, own):
    if kind == "diagonal":
        return given_inputs(layer, source, own, Scales(), jitter=1e-6)
    return given_inducing(layer, source, own, jitter=1e-6)


@pytest.mark.parametrize("kind", ["gated", "sites", "free", "diagonal"])
def test_gradients_with_diagonal_marginals(kind: str, central_difference) -> None:
    """The test covers F_l, the entropy and a smooth function of the marginals."""
    layer, source = layer_and_source()
    weights = np.random.default_rng(2).normal(size=(2, N, 3))

    def below(belief: Belief) -> float:
        return float(np.sum(weights[0] * np.sin(belief.mean) + weights[1] * belief.variance**2))

    def value(tree) -> float:
        at = evaluated(kind, *tree)
        return at.posterior.value + at.entropy + below(at.belief)

    tree = (layer, source, of_outputs(kind))
    at = evaluated(kind, *tree)
    belief = at.belief
    met = Belief(weights[0] * np.cos(belief.mean), 2.0 * weights[1] * belief.variance)
    moved = at.pullback(met)
    found = leaves((moved.layer, moved.source, moved.own))
    for path, here in leaves(tree).items():
        if "sites" in path:
            continue
        expected = central_difference(
            lambda x, path=path: value(replace_leaves(tree, {path: x})), np.asarray(here)
        )
        np.testing.assert_allclose(found[path], expected, rtol=2e-6, atol=2e-6, err_msg=path)


SMALL, D = 4, 2


def jointly(generator, *, gated: bool) -> JointlyGivenInducing:
    half = 0.3 * generator.normal(size=(D * M, D * M))
    return JointlyGivenInducing(
        generator.normal(size=(SMALL, D)),
        generator.uniform(0.1, 0.4, (SMALL, D)),
        0.4 * generator.normal(size=(SMALL, 1)),
        generator.normal(size=(D, D)) if gated else None,
        None if gated else 0.4 * generator.normal(size=(SMALL, D, D * M)),
        JointSites(generator.normal(size=D * M), -half @ half.T),
    )


def correlated_case(kind: str):
    """Return a layer's parameters, its inputs, q of its outputs, and the layer as a function of
    these.

    In a chain, the inputs come from a layer above, with its q(v).
    """
    generator = np.random.default_rng(0)
    layer = Layer(RBF(1.4, np.array([0.8, 1.3])), generator.normal(size=(M, Q)), 0.3)
    half = 0.3 * generator.normal(size=(SMALL, Q, Q))
    spread = half @ np.swapaxes(half, 1, 2) + 0.1 * np.eye(Q)
    source = Correlated(generator.normal(size=(SMALL, Q)), spread)
    own = jointly(generator, gated=kind != "joint, free")
    y = generator.normal(size=(SMALL, 3))
    if kind.startswith("joint"):
        return (layer, source, own), lambda *tree: joint(*tree, jitter=1e-6)
    if kind == "full":
        full = FullyGivenInputs(own.mean, own.variance, generator.normal(size=(SMALL, D, Q)))
        return (layer, source, full), lambda *tree: given_inputs_full(*tree, Scales(), jitter=1e-6)
    source = joint(layer, source, jointly(generator, gated=True), jitter=1e-6).belief
    if kind == "chain":
        across = InducingGivenAbove(0.3 * generator.normal(size=(D * M, D * M)))
        return (layer, source, own, across), lambda layer, source, own, across: chained(
            layer, source, across, own, jitter=1e-6
        )
    sides = generator.normal(size=(3 * M, 2)), 0.2 * generator.normal(size=(2, D * M))
    across = InducingGivenAbove(None, *sides)
    return (layer, source, None, across), lambda layer, source, own, across: chained_to_data(
        layer, source, across, y, jitter=1e-6
    )


@pytest.mark.parametrize("kind", ["joint, gated", "joint, free", "full", "chain", "chain to data"])
def test_gradients_with_full_covariances(kind: str, central_difference) -> None:
    """The test covers marginals with full covariances and, in a chain, q(u)."""
    tree, layered = correlated_case(kind)
    generator = np.random.default_rng(2)
    below = layered(*tree).belief
    if kind.startswith("joint") and below is not None:
        below = replace(below, above=None)
    weights = {path: generator.normal(size=np.shape(at)) for path, at in leaves(below).items()}

    def value(tree) -> float:
        at = layered(*tree)
        met = leaves(at.belief)
        rest = sum(float(np.vdot(own, np.sin(met[path]))) for path, own in weights.items())
        return at.posterior.value + at.entropy + rest

    at = layered(*tree)
    met = None
    if below is not None:
        slopes = {path: own * np.cos(leaves(below)[path]) for path, own in weights.items()}
        met = replace_leaves(below, slopes)
    moved = at.pullback(met)
    found = leaves((moved.layer, moved.source, moved.own, moved.across))
    for path, here in leaves(tree).items():
        if "sites" in path:
            continue
        direction = generator.normal(size=np.shape(here))
        if "covariance" in path:
            # The changed covariance must remain symmetric and positive definite.
            direction = direction + np.swapaxes(direction, -1, -2)

        def along(t, path=path, here=here, direction=direction):
            return value(replace_leaves(tree, {path: here + t[0] * direction}))

        expected = central_difference(along, np.zeros(1))[0]
        slope = float(np.vdot(found[path], direction))
        assert slope == pytest.approx(expected, rel=2e-6, abs=2e-5), path


def test_data_below_correlated_inputs(central_difference) -> None:
    """The test covers F_data and its gradients, with gaps, at given and optimal scales."""
    (layer, source, _), _ = correlated_case("full")
    y = np.random.default_rng(1).normal(size=(SMALL, 3))
    y[1, 0] = np.nan
    tree, targets = (layer, source), Targets.whole(y)

    def value(tree, profile=False) -> float:
        return to_data(*tree, targets, Scales(profile, most_ratio=50.0), jitter=1e-6).value

    generator = np.random.default_rng(2)
    for profile in (False, True):
        at = to_data(*tree, targets, Scales(profile, most_ratio=50.0), jitter=1e-6)
        own = replace(layer, kernel=at.gradients.kernel, inducing=at.gradients.inducing)
        found = leaves((replace(own, noise_variance=at.noise_variance), at.targets[0]))
        for path, here in leaves(tree).items():
            if profile and (path.endswith("noise_variance") or path.endswith("kernel.variance")):
                continue
            direction = generator.normal(size=np.shape(here))
            if "covariance" in path:
                direction = direction + np.swapaxes(direction, -1, -2)

            def along(t, path=path, here=here, direction=direction, profile=profile):
                return value(replace_leaves(tree, {path: here + t[0] * direction}), profile)

            expected = central_difference(along, np.zeros(1))[0]
            slope = float(np.vdot(found[path], direction))
            assert slope == pytest.approx(expected, rel=1e-5, abs=2e-5), path


def test_profiled_scales_are_an_optimum() -> None:
    layer, source = layer_and_source()
    layer, source = (
        replace(layer, inducing=source.mean[:M]),
        Belief(source.mean, np.full((N, Q), 0.01)),
    )
    own = GivenInputs(source.mean, np.full((N, Q), 0.01), np.full((N, Q), 0.5))
    best = given_inputs(layer, source, own, Scales(profile=True), jitter=1e-6)
    again = given_inputs(best.layer, source, own, Scales(), jitter=1e-6)
    assert again.posterior.value == pytest.approx(best.posterior.value, rel=1e-10)
    moved = again.pullback(Belief(np.zeros((N, 2)), np.zeros((N, 2))))
    assert moved.layer.noise_variance == pytest.approx(0.0, abs=1e-5)
    assert moved.layer.kernel.variance == pytest.approx(0.0, abs=1e-5)
    still = best.pullback(Belief(np.zeros((N, 2)), np.zeros((N, 2))))
    for path, value in leaves((still.source, still.own)).items():
        np.testing.assert_allclose(leaves((moved.source, moved.own))[path], value, atol=1e-6)


@pytest.mark.parametrize("family", ["gated", "free", "diagonal", "joint", "full", "low_rank_chain"])
def test_a_chain_from_the_data_up(family: str, central_difference) -> None:
    """Check the optimiser's gradient for two hidden layers below a latent top, with gaps in the
    data.
    """
    generator = np.random.default_rng(3)
    outputs = generator.normal(size=(N, 3))
    if not family.endswith("chain"):
        outputs[1:3, 0] = np.nan
    beliefs = tuple(
        Belief(generator.normal(size=(N, 2)), generator.uniform(0.1, 0.6, (N, 2))) for _ in range(3)
    )
    layers = tuple(
        Layer(RBF(1.0, generator.uniform(0.8, 1.5, 2)), generator.normal(size=(M, 2)), 1.0)
        for _ in range(3)
    )
    begin = Given(Begun(beliefs, layers))
    settings = {"family": family, "jitter": 1e-6, "executor": serial}
    graph = chain(LatentNode(), Targets.whole(outputs), begin, 2, **settings)
    last = graph.phases[-1]
    anchor = graph.entering(graph.start(0), last)
    assert graph.entering(anchor, last) is anchor
    layout = graph.layout(anchor, last)
    x = layout.pack(anchor)
    x = x + 0.1 * generator.normal(size=x.size)
    held = replace(last, ratio=50.0)
    here = layout.unpack(x)
    gradient = graph.evaluate(here, held).gradient
    found = layout.chain(here, gradient)
    # Every leaf changes in a random direction. In the families whose leaves are tested one by one
    # above, all leaves change together.
    together = family in ("joint", "full", "low_rank_chain")
    groups = [[path] for path in layout.free] if not together else [list(layout.free)]
    for paths in groups:
        own = Layout(here, {path: layout.free[path] for path in paths})
        at = own.pack(here)
        direction = generator.normal(size=at.size)
        expected = central_difference(
            lambda t, own=own, at=at, d=direction: (
                graph.evaluate(own.unpack(at + t[0] * d), held).bound
            ),
            np.zeros(1),
        )[0]
        slope = own.chain(here, gradient) @ direction
        assert slope == pytest.approx(expected, abs=1e-5 * np.linalg.norm(found)), paths
