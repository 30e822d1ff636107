"""Several views of the same rows as a graph: one latent node, with a layer to each view."""

from collections.abc import Sequence

from jaxtyping import Float

from gplvm_core.models.data.scaling import Noise
from gplvm_core.models.problems.edges import to_data
from gplvm_core.models.problems.graph import Graph, Learnt
from gplvm_core.models.problems.nodes import Node
from gplvm_core.models.problems.segmentation import drops
from gplvm_core.models.problems.starts import Start
from gplvm_core.numerics import Array
from gplvm_core.statistics import Executor, Targets
from gplvm_core.statistics.executors import serial


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
        belief = learnt.nodes[shared].belief
        return drops(edge, layer, targets, belief)

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
