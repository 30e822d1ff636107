"""Several views of the same things as a graph: one belief, and a layer to each view."""

from collections.abc import Sequence

from jaxtyping import Float

from gplvm_core.models.data.scaling import Noise
from gplvm_core.models.problems.edges import to_data
from gplvm_core.models.problems.graph import Graph, Learnt
from gplvm_core.models.problems.nodes import Node
from gplvm_core.models.problems.segmentation import drops
from gplvm_core.models.problems.starts import Start
from gplvm_core.numerics import Array
from gplvm_core.statistics import Executor
from gplvm_core.statistics.executors import serial


def several_views(begin: Start, node: Node, jitter: float, run: Executor, noise: Noise) -> Graph:
    """The sum over views of F_data(latent → view), and what the node adds (Damianou 2015, ch. 5).

    Views are worked on side by side; within one, threads would wait for each other.
    """
    within, across = (run, serial) if len(begin.outputs) == 1 else (serial, run)
    edges = tuple(to_data(values, within, noise) for values in begin.outputs)
    return Graph((node,), edges, begin, jitter, across)


def drops_by_view(
    problem: Graph, learnt: Learnt, names: Sequence[str]
) -> dict[str, Float[Array, " Q"]]:
    """What each view loses, in nats a row, when a latent dimension is taken from its layer.

    The views' layers are the last ones, and start from the last node.
    """
    belief, first = learnt.nodes[-1].belief, len(problem.edges) - len(names)
    found = problem.run(
        lambda pair: drops(pair[1], pair[0].data, belief, pair[0].run),
        zip(problem.edges[first:], learnt.layers[first:], strict=True),
    )
    return dict(zip(names, found, strict=True))
