"""Several views of the same rows as a graph: one latent node, with a layer to each view.

Also here: which latent dimensions each view uses: shared, private and unused parts of the latent
space.

A view uses a dimension if its bound falls when the dimension's ARD weight is set to 0. Damianou
(2015), §5.2.1, uses only the weight, but a dimension with a small weight may still matter.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Bool, Float

from gplvm_core.beliefs import Belief
from gplvm_core.models.data.scaling import Noise
from gplvm_core.models.problems.edges import LayerEdge, Settled, to_data
from gplvm_core.models.problems.graph import Graph, Learnt
from gplvm_core.models.problems.nodes import Node
from gplvm_core.models.problems.starts import Start
from gplvm_core.numerics import Array, BoolArray
from gplvm_core.statistics import Executor, Targets
from gplvm_core.statistics.reduce import serial

# A view uses a dimension if removing the dimension lowers the view's bound by more than this (in
# nats per row).
LEAST_DROP = 0.05
# Damianou's rule: a view uses a dimension if its weight exceeds this fraction of the view's largest
# weight.
LEAST_WEIGHT = 1e-3

Segments = dict[frozenset[str], tuple[int, ...]]


def drops(
    edge: LayerEdge, settled: Settled, targets: Targets, source: Belief, n_latent: int
) -> Float[Array, " Q"]:
    """How much F_v falls, in nats per row of the view, if the view's layer ignores one dimension.

    source: the layer's inputs; the first n_latent ones are the latent points. Rows that the view
    lacks are not counted. All other parameters, including the kernel's scale and the noise, do not
    change.
    """
    kernel = settled.layer.kernel
    found = [edge.value_with(kernel.without(q), settled, source, targets) for q in range(n_latent)]
    return np.asarray((settled.posterior.value - np.array(found)) / np.sum(targets.seen))


def segments(uses: Mapping[str, Bool[BoolArray, " Q"]]) -> Segments:
    """For each set of views, the dimensions that exactly these views use.

    frozenset(): the unused dimensions.
    """
    n_latent = len(next(iter(uses.values())))
    found: dict[frozenset[str], list[int]] = {}
    for q in range(n_latent):
        users = frozenset(name for name, used in uses.items() if used[q])
        found.setdefault(users, []).append(q)
    return {users: tuple(dimensions) for users, dimensions in found.items()}


def used_by_weight(
    relevance: Mapping[str, Float[Array, " Q"]], delta: float
) -> dict[str, Bool[BoolArray, " Q"]]:
    """The dimensions that each view uses by Damianou's rule: w/max w > δ."""
    return {name: weight / weight.max() > delta for name, weight in relevance.items()}


def several_views(
    begin: Start,
    node: Node,
    jitter: float,
    executor: Executor,
    noises: Sequence[Noise],
    weights: Sequence[float] | None = None,
) -> Graph:
    """The training problem of one latent node with a layer to each view (Damianou 2015, ch. 5).

    noises: the noise of every view. weights: how much each view counts; None: all 1.
    """
    within, across = shared_out(executor, len(begin.outputs))
    each = [1.0] * len(begin.outputs) if weights is None else weights
    edges = tuple(
        to_data(values, within, noise, weight)
        for values, noise, weight in zip(begin.outputs, noises, each, strict=True)
    )
    return Graph((node,), edges, begin, jitter, across)


def shared_out(executor: Executor, n_views: int) -> tuple[Executor, Executor]:
    """The executor for the points of a view, and the executor for the views.

    Threads process several views in parallel. Threads within a view would wait for each other.
    """
    return (executor, serial) if n_views == 1 else (serial, executor)


def drops_by_view(
    problem: Graph, learnt: Learnt, names: Sequence[str], shared: int
) -> dict[str, Float[Array, " Q"]]:
    """How much each view's bound falls, in nats per row, if one shared dimension is removed.

    Each dimension is removed in turn, from the first layer that belongs only to the view. shared:
    the last node that all views share.
    """
    ways = ways_to_views(problem, len(names), shared)

    def lost(way: Sequence[int]) -> Float[Array, " Q"]:
        edge, layer = problem.edges[way[0]], learnt.layers[way[0]]
        below = edge.outputs
        targets = Targets.believed(learnt.nodes[below].belief) if isinstance(below, int) else below
        source, n_latent = problem.source(edge, learnt.nodes), learnt.nodes[shared].belief.n_latent
        return drops(edge, layer, targets, source, n_latent)

    return dict(zip(names, problem.executor(lost, ways), strict=True))


def ways_to_views(problem: Graph, n_views: int, shared: int) -> list[list[int]]:
    """For every view, the indices of the layers from the shared node down to the view.

    The layers to data are in the order of the views.
    """
    ways = []
    for at in (at for at, edge in enumerate(problem.edges) if not edge.ends_in_node):
        way = [at]
        while problem.edges[way[0]].source != shared:
            above = problem.edge_into(problem.edges[way[0]].source)
            assert above is not None  # every path to a view starts at the shared node
            way.insert(0, above)
        ways.append(way)
    assert len(ways) == n_views
    return ways
