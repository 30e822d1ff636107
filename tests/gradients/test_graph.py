"""Tests of the training objective for every kind of node and shape of graph.

All gradients are compared with central differences.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from gplvm_core import RBF, Linear, Periodic, White
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, MixedOutputs
from gplvm_core.likelihoods import Count, Links, Number, Robust, YesNo
from gplvm_core.models.data.inputs import Inputs
from gplvm_core.models.problems import encoded, nodes, paths
from gplvm_core.models.problems.deep import chain as deep_chain
from gplvm_core.models.problems.deep_regression_starts import InputsPassedOn, Unbent
from gplvm_core.models.problems.deep_starts import Embedded
from gplvm_core.models.problems.edges import LayerEdge
from gplvm_core.models.problems.encoded import EncodedNode
from gplvm_core.models.problems.graph import Begun, Given, Graph
from gplvm_core.models.problems.kinds import any_kinds
from gplvm_core.models.problems.network import NetworkStart, network
from gplvm_core.models.problems.nodes import HiddenNode, InputNode, LatentNode, PointNode
from gplvm_core.models.problems.paths import PathNode
from gplvm_core.models.problems.regression import RegressionStart, regression
from gplvm_core.models.problems.shallow import Shallow
from gplvm_core.models.problems.starts import Start
from gplvm_core.models.problems.wiring import Edge, Facts, Wiring
from gplvm_core.models.training.run import Phase
from gplvm_core.parameters import Layout, leaves
from gplvm_core.priors import encoder
from gplvm_core.priors.temporal import Timeline
from gplvm_core.statistics import Targets
from gplvm_core.statistics.reduce import serial

JITTER = 1e-6
# A fixed ratio of the scales prevents a solution that explains all data as noise.
HELD = Phase("held", 1, ratio=50.0)
HIDDEN_HELD = Phase("hidden noise held", 1, ratio=50.0, hidden_noise_held=True)
TIMELINE = Timeline.of(
    np.sort(np.random.default_rng(3).uniform(0, 4, 9))[:, None], np.repeat([0, 1], [5, 4])
)
SMOOTH = RBF(1.0, 0.8) + White(0.05)
HOLDING = Periodic(1.0, 0.9, 2.0).holding("period") + RBF(0.3, 0.8).holding("variance")
ON_DATA = (RBF(1.0, 0.9), RBF(1.0, 1.4) + Linear(np.array([0.3, 0.2])))
LINEAR_HELD = RBF(1.0, 0.9) + Linear(0.4).holding()


@pytest.fixture(autouse=True)
def few_units(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use few hidden units; the code is the same for any number."""
    monkeypatch.setattr(encoder, "HIDDEN_UNITS", 6)


def views(gaps: bool) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(2)
    first, second = generator.normal(size=(9, 3)), generator.normal(size=(9, 2))
    first -= first.mean(axis=0)
    if gaps:
        # One row lacks a whole view.
        first[2:4, 0], first[4:6, 2], second[5] = np.nan, np.nan, np.nan
    return first, second


def latent(node: nodes.Node, outputs: tuple[np.ndarray, ...], *kernels) -> Graph:
    """Return a graph of one belief with a layer to each of the outputs; the second counts less."""
    mean = np.random.default_rng(4).normal(size=(9, 2))
    begin = Start(outputs, 2, 4, kernels or ON_DATA[: len(outputs)], mean)
    edges = tuple(
        LayerEdge((0,), Targets.of(values), weight=weight)
        for values, weight in zip(outputs, (1.0, 0.3), strict=False)
    )
    return Graph((node,), edges, begin, JITTER)


def views_of_kinds(gaps: bool) -> Graph:
    """Return a view of numbers, and a view with one column of each kind."""
    generator, (first, _) = np.random.default_rng(8), views(gaps)
    values = np.column_stack(
        [
            generator.normal(size=9),
            generator.random(9) < 0.5,
            generator.poisson(3.0, 9),
            generator.standard_t(2.0, 9),
        ]
    ).astype(float)
    if gaps:
        values[2, 1:], values[5] = np.nan, np.nan
    mixed = MixedOutputs(values, Links((Number(), YesNo(), Count(), Robust())))
    mean = np.random.default_rng(4).normal(size=(9, 2))
    begin = Start((first, values), 2, 4, ON_DATA, mean, mixed=(None, mixed))
    return any_kinds(LatentNode(), begin, JITTER, serial, ("shared", "shared"))


def known(kind: str, *, constrained: bool, gaps: bool) -> Graph:
    """Return a regression on noisy or missing inputs."""
    points = np.random.default_rng(5).normal(size=(9, 3))
    variance: object = "learned" if kind == "learned" else np.tile([0.3, 0.0, 0.1], (9, 1))
    if kind == "missing":
        points[2:5, 1], points[7] = np.nan, np.nan
    given = Inputs.of(points, variance, constrained=constrained)
    targets = Targets.of(views(gaps)[0])
    begin = RegressionStart(given, targets, "rbf", 4, JITTER, serial)
    return regression(given, targets, begin, n_inducing=4, jitter=JITTER, executor=serial)


def chain(outputs: np.ndarray, depth: int, *, mean_field: bool = False) -> Graph:
    """Return a chain of a latent top, hidden nodes and data; every layer has a different kernel."""
    generator, last = np.random.default_rng(6), depth - 1
    beliefs = tuple(
        Belief(generator.normal(size=(9, 2)), generator.uniform(0.1, 0.6, (9, 2)))
        for _ in range(depth)
    )
    layers = tuple(
        Layer(RBF(1.0, generator.uniform(0.8, 1.5, 2)), generator.normal(size=(4, 2)), 1.0)
        for _ in range(depth)
    )
    edges = tuple(
        LayerEdge((at,), Targets.of(outputs) if at == last else at + 1, mean_field=mean_field)
        for at in range(depth)
    )
    kinds = (LatentNode(), *(HiddenNode() for _ in range(last)))
    return Graph(kinds, edges, Given(Begun(beliefs, layers)), JITTER)


def deep(outputs: np.ndarray, top: nodes.Node | None = None, *, per_output: bool = False) -> Graph:
    """Return three layers with different widths and numbers of inducing inputs, at their usual
    start.
    """
    begin = Embedded(outputs, (1, 2, 2), (3, 4, 3), ("rbf", RBF() + Linear(0.3), "rbf"), "pca")
    targets = Targets.whole(outputs)
    settings = {"family": "marginalised", "jitter": JITTER, "executor": serial}
    return deep_chain(top or LatentNode(), targets, begin, 2, per_output=per_output, **settings)


def deep_views(outputs: tuple[np.ndarray, ...]) -> Graph:
    """Return two views below a hidden node; the second has one noise for each output."""
    kernels = ("rbf", (RBF(1.0, 0.9), RBF() + Linear(0.3)))
    begin = Embedded(outputs, (1, 2), (3, 4), kernels, "pca")
    settings = {"family": "marginalised", "jitter": JITTER, "executor": serial}
    targets = Targets.of(outputs[0]), Targets.whole(outputs[1])
    return deep_chain(LatentNode(), targets, begin, 1, per_output=(False, True), **settings)


def own_spaces(outputs: tuple[np.ndarray, ...]) -> Graph:
    """Return two shared spaces, two private spaces of the first view below them, and none of the
    second.
    """
    kernels = ("rbf", (RBF(1.0, 0.9), RBF() + Linear(0.3)))
    begin = Embedded(outputs, (1, 2), (3, 4), kernels, "pca", own=((2, 1), ()))
    settings = {"family": "marginalised", "jitter": JITTER, "executor": serial, "own": (2, 0)}
    return deep_chain(LatentNode(), tuple(map(Targets.of, outputs)), begin, 1, **settings)


def linear_mean(outputs: np.ndarray) -> Graph:
    """Return two hidden layers with a linear mean."""
    begun = Embedded(outputs, (1, 2, 2), (3, 4, 3), ("rbf",) * 3, "pca")(0)
    layers = list(begun.layers)
    for at, (above, below) in enumerate(pairwise(begun.beliefs)):
        slope, *_ = np.linalg.lstsq(above.mean, below.mean, rcond=None)
        layers[at] = replace(layers[at], slope=slope)
    settings = {"family": "marginalised", "jitter": JITTER, "executor": serial}
    start = Given(Begun(begun.beliefs, tuple(layers)))
    return deep_chain(LatentNode(), Targets.whole(outputs), start, 2, **settings)


def views_at_two_depths(outputs: tuple[np.ndarray, ...]) -> Graph:
    """Return one view below the hidden node, and another view below the top, beside this node."""
    begun = chain(outputs[0], 2).begin(0)
    layers = (*begun.layers, begun.layers[0])
    edges = (
        LayerEdge((0,), 1),
        LayerEdge((1,), Targets.of(outputs[0])),
        LayerEdge((0,), Targets.of(outputs[1])),
    )
    begin = Given(Begun(begun.beliefs, layers))
    return Graph((LatentNode(), HiddenNode()), edges, begin, JITTER)


def diamond(outputs: tuple[np.ndarray, ...]) -> Graph:
    """Return two hidden nodes below one top, and data below all three; the nodes are listed in no
    order.
    """
    wiring = Wiring.of(
        {"left": 2, "top": 1, "right": 1},
        [
            Edge(("left", "right", "top"), "both", n_inducing=4),
            Edge("top", "left", n_inducing=3),
            Edge("right", "alone", n_inducing=3, noise="per_output"),
            Edge("top", "right", n_inducing=4, mean_field=True),
        ],
    )
    start = NetworkStart(wiring, dict(zip(("both", "alone"), outputs, strict=True)), {})
    kinds = tuple(
        kind.node(Facts(None, None), hidden=name in wiring.hidden) for name, kind in wiring.nodes
    )
    return network(start, kinds, JITTER, serial)


def deep_regression(
    outputs: np.ndarray,
    variance: np.ndarray | None,
    start: type[Unbent] = Unbent,
    *,
    connected: bool = False,
) -> Graph:
    """Return two layers below inputs that are known exactly or with noise."""
    points = np.random.default_rng(5).normal(size=(9, 2))
    points -= points.mean(axis=0)
    given = Inputs.of(points, variance)
    shallow, depth = Shallow.of(given, outputs, 4, JITTER), 2 if connected else 1
    kernels = ("rbf",) * (depth + 1)
    begin = start(shallow, (2,) * depth, (4,) * (depth + 1), kernels, connected)
    settings = {
        "family": "mean_field",
        "jitter": JITTER,
        "executor": serial,
        "connected": connected,
    }
    return deep_chain(InputNode(given), Targets.of(outputs), begin, depth, **settings)


GRAPHS = {
    "diamond": lambda gaps: diamond(views(gaps)),
    "latent": lambda gaps: latent(LatentNode(), views(gaps)[:1]),
    "points": lambda gaps: latent(PointNode(), views(gaps)[:1]),
    "path": lambda gaps: latent(PathNode(TIMELINE, SMOOTH), views(gaps)[:1]),
    "path, some held": lambda gaps: latent(
        PathNode(TIMELINE, HOLDING + White(0.05)), views(gaps)[:1], LINEAR_HELD
    ),
    "views": lambda gaps: latent(LatentNode(), views(gaps)),
    "views of any kind": views_of_kinds,
    "views on a path": lambda gaps: latent(PathNode(TIMELINE, SMOOTH), views(gaps)),
    "kernel encoder": lambda gaps: latent(
        EncodedNode.of(views(gaps)[0], 2, "kernel"), views(gaps)[:1]
    ),
    "network encoder": lambda gaps: latent(
        EncodedNode.of(views(gaps)[0], 2, "network"), views(gaps)[:1]
    ),
    "inputs with noise": lambda gaps: known("noisy", constrained=False, gaps=gaps),
    "inputs with learnt noise": lambda gaps: known("learned", constrained=False, gaps=gaps),
    "inputs missing": lambda gaps: known("missing", constrained=False, gaps=gaps),
    "inputs constrained": lambda gaps: known("missing", constrained=True, gaps=gaps),
    "inputs constrained, noise learnt": lambda gaps: known("learned", constrained=True, gaps=gaps),
    "chain of two": lambda gaps: chain(views(gaps)[0], 2),
    "chain of two, mean field": lambda gaps: chain(views(gaps)[0], 2, mean_field=True),
    "deep": lambda gaps: deep(views(gaps)[0]),
    "deep, noise per output": lambda gaps: deep(views(gaps)[0], per_output=True),
    "deep, on a path": lambda gaps: deep(views(gaps)[0], PathNode(TIMELINE, SMOOTH)),
    "deep, encoded": lambda gaps: deep(
        views(gaps)[0], EncodedNode.of(views(gaps)[0], 1, "network")
    ),
    "deep views": lambda gaps: deep_views(views(gaps)),
    "views with hidden spaces of their own": lambda gaps: own_spaces(views(gaps)),
    "deep, linear mean": lambda gaps: linear_mean(views(gaps)[0]),
    "views at two depths": lambda gaps: views_at_two_depths(views(gaps)),
    "deep regression": lambda gaps: deep_regression(views(gaps)[0], None),
    "deep regression, inputs passed on": lambda gaps: deep_regression(
        views(gaps)[0], None, InputsPassedOn
    ),
    "deep regression, inputs seen by every layer": lambda gaps: deep_regression(
        views(gaps)[0], np.tile([0.1, 0.0], (9, 1)), connected=True
    ),
    "deep regression, inputs with noise": lambda gaps: deep_regression(
        views(gaps)[0], np.full((9, 2), 0.1)
    ),
}


def blocks(layout: Layout) -> Iterator[tuple[str, slice]]:
    """Return the position of each leaf in the flat vector."""
    values, start = leaves(layout.template), 0
    for path, leaf in layout.free.items():
        size = np.size(values[path]) if leaf.free is None else int(leaf.free.sum())
        yield path, slice(start, start + size)
        start += size


def test_every_kind_of_node_is_tested() -> None:
    kinds = {
        kind
        for module in (nodes, paths, encoded)
        for kind in vars(module).values()
        if isinstance(kind, type) and hasattr(kind, "believed") and kind is not nodes.Node
    }
    used = {type(node) for build in GRAPHS.values() for node in build(False).nodes}
    assert kinds == used == {LatentNode, PointNode, HiddenNode, PathNode, EncodedNode, InputNode}


@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "with gaps"])
@pytest.mark.parametrize("name", GRAPHS)
def test_training_objective(name: str, gaps: bool, central_difference) -> None:
    """The test covers the optimiser's objective, with transforms and scales, in a first and a later
    phase.

    The first phase holds the noise of hidden layers. Every leaf changes separately, in a random
    direction.
    """
    problem, generator = GRAPHS[name](gaps), np.random.default_rng(7)
    problem = replace(problem, phases=(HIDDEN_HELD, HELD))
    anchor = problem.start(0)
    for phase in problem.phases:
        layout = problem.layout(anchor, phase)
        x = layout.pack(anchor)
        x = x + 0.05 * generator.normal(size=x.size)
        here = layout.unpack(x)
        found = layout.chain(here, problem.evaluate(here, phase).gradient)
        for path, block in blocks(layout):
            direction = np.zeros_like(x)
            direction[block] = generator.normal(size=x[block].size)
            expected = central_difference(
                lambda t, lay=layout, p=phase, v=x, d=direction: (
                    problem.evaluate(lay.unpack(v + t[0] * d), p).bound
                ),
                np.zeros(1),
            )[0]
            level = np.linalg.norm(found[block]) + 1e-3 * np.linalg.norm(found)
            assert found @ direction == pytest.approx(expected, abs=1e-5 * level), path
