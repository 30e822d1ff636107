"""Layers that hand down what follows from them: all gradients against central differences."""

from dataclasses import replace

import numpy as np
import pytest

from gplvm_core import RBF
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer
from gplvm_core.bounds.families import (
    GivenInducing,
    GivenInputs,
    InducingSites,
    given_inducing,
    given_inputs,
)
from gplvm_core.bounds.layer import Scales
from gplvm_core.models.problems.deep import chain
from gplvm_core.models.problems.graph import Begun, Given
from gplvm_core.models.problems.nodes import LatentNode
from gplvm_core.parameters import Layout, leaves, replace_leaves
from gplvm_core.statistics import Targets
from gplvm_core.statistics.executors import serial

N, Q, M = 7, 2, 4


def layer_and_source() -> tuple[Layer, Belief]:
    generator = np.random.default_rng(0)
    kernel = RBF(1.4, np.array([0.8, 1.3]))
    layer = Layer(kernel, generator.normal(size=(M, Q)), 0.3)
    return layer, Belief(generator.normal(size=(N, Q)), generator.uniform(0.1, 0.5, (N, Q)))


def of_outputs(kind: str, n_outputs: int = 3):
    """q of the outputs at random parameters."""
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


def handed(kind: str, layer: Layer, source: Belief, own):
    if kind == "diagonal":
        return given_inputs(layer, source, own, Scales(), jitter=1e-6)
    return given_inducing(layer, source, own, jitter=1e-6)


@pytest.mark.parametrize("kind", ["gated", "sites", "free", "diagonal"])
def test_what_is_handed_down(kind: str, central_difference) -> None:
    """F_l, the entropy, and a smooth function of the marginals, of every parameter."""
    layer, source = layer_and_source()
    weights = np.random.default_rng(2).normal(size=(2, N, 3))

    def below(belief: Belief) -> float:
        return float(np.sum(weights[0] * np.sin(belief.mean) + weights[1] * belief.variance**2))

    def value(tree) -> float:
        at = handed(kind, *tree)
        return at.posterior.value + at.entropy + below(at.belief)

    tree = (layer, source, of_outputs(kind))
    at = handed(kind, *tree)
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


@pytest.mark.parametrize("family", ["gated", "free", "diagonal"])
def test_a_chain_from_the_data_up(family: str, central_difference) -> None:
    """Two hidden layers below a latent top, with gaps in the data: what the optimiser sees."""
    generator = np.random.default_rng(3)
    outputs = generator.normal(size=(N, 3))
    outputs[1:3, 0] = np.nan
    beliefs = tuple(
        Belief(generator.normal(size=(N, 2)), generator.uniform(0.1, 0.6, (N, 2))) for _ in range(3)
    )
    layers = tuple(
        Layer(RBF(1.0, generator.uniform(0.8, 1.5, 2)), generator.normal(size=(M, 2)), 1.0)
        for _ in range(3)
    )
    begin = Given(Begun(beliefs, layers))
    settings = {"family": family, "jitter": 1e-6, "run": serial}
    graph = chain(LatentNode(), Targets.whole(outputs), begin, 2, **settings)
    last = graph.phases[-1]
    anchor = graph.entering(graph.start(0), last)
    assert graph.entering(anchor, last) is anchor
    layout = graph.layout(anchor, last)
    x = layout.pack(anchor)
    x = x + 0.1 * generator.normal(size=x.size)
    held = replace(last, ratio=50.0)
    here = layout.unpack(x)
    found = layout.chain(here, graph.evaluate(here, held).gradient)
    # Every leaf in a random direction.
    for path in layout.free:
        own = Layout(here, {path: layout.free[path]})
        at = own.pack(here)
        direction = generator.normal(size=at.size)
        expected = central_difference(
            lambda t, own=own, at=at, d=direction: (
                graph.evaluate(own.unpack(at + t[0] * d), held).bound
            ),
            np.zeros(1),
        )[0]
        slope = own.chain(here, graph.evaluate(here, held).gradient) @ direction
        assert slope == pytest.approx(expected, abs=1e-5 * np.linalg.norm(found)), path
