"""A deep model as a graph: a chain of layers from a belief at the top down to the data."""

from collections.abc import Sequence
from typing import Literal

from gplvm_core.models.problems.conditional import (
    SEPARATE,
    TOGETHER,
    Conditional,
    ConditionalGraph,
    then_conditional,
)
from gplvm_core.models.problems.correlated import CorrelatedGraph
from gplvm_core.models.problems.doctor import glance
from gplvm_core.models.problems.edges import Edge
from gplvm_core.models.problems.graph import Beginning, Graph
from gplvm_core.models.problems.nodes import HiddenNode, Node
from gplvm_core.models.problems.regression import BOUNDED
from gplvm_core.models.training.run import Phase
from gplvm_core.statistics import Executor, Targets

# How q(u) of the inducing outputs hangs together with q(h) of a hidden layer (MATHEMATICS.md, 6).
Family = Literal["mean_field", "marginalised"] | Conditional
FAMILIES = ("mean_field", "marginalised", *SEPARATE, *TOGETHER)
# A free hidden layer would at once explain itself as noise, which is the shallow model's optimum:
# its noise is held until the layers below have come to depend on it.
PHASES = (
    Phase("noise held everywhere", 100, 0.125, ratio=300.0, hidden_noise_held=True),
    Phase("hidden noise held", 250, 0.3125, hidden_noise_held=True),
    Phase("hidden noise held, refined", 150, 0.1875, hidden_noise_held=True),
    Phase("all free", 150, 0.1875),
    Phase("refining", 150),
)
# Between known inputs and data less is to be found.
REGRESSION_PHASES = (
    Phase("noise held everywhere", 100, 0.2, ratio=300.0, hidden_noise_held=True),
    Phase("hidden noise held", 100, 0.2, hidden_noise_held=True),
    Phase("all free", 150, 0.3),
    Phase("refining", 100),
)


def chain(
    top: Node,
    outputs: Targets | tuple[Targets, ...],
    begin: Beginning,
    n_hidden: int,
    *,
    family: Family,
    jitter: float,
    run: Executor,
    top_held: bool = False,
    per_output: bool = False,
    connected: bool = False,
    phases: Sequence[Phase] = PHASES,
) -> Graph:
    """F of the layers top → h¹ → … → outputs, one more than there are hidden nodes.

    outputs: data, or several views, each with a layer of its own on the last node. top_held: the
    inducing inputs of the first layer do not move. per_output: every output of data has a signal
    and a noise variance of its own. connected: every layer sees the top beside its own inputs
    (Duvenaud et al. 2014). Source: Damianou (2015), ch. 6. Raises ValueError for a family that
    there is not, or that cannot be connected.
    """
    if family not in FAMILIES:
        raise ValueError(f"family must be one of {', '.join(FAMILIES)}; got {family!r}")
    views = outputs if isinstance(outputs, tuple) else (outputs,)
    ends: tuple[Targets | int, ...] = (*range(1, n_hidden + 1), *views)
    edges = [
        Edge(
            min(at, n_hidden),
            end,
            run,
            inducing_held=top_held and at == 0,
            positive=BOUNDED,
            mean_field=family == "mean_field",
            per_output=per_output and at >= n_hidden,
            joined=0 if connected and at else None,
        )
        for at, end in enumerate(ends)
    ]
    hidden = (HiddenNode() for _ in range(n_hidden))
    nodes = (top, *hidden)
    if n_hidden and family != "mean_field" and family != "marginalised":
        if connected:
            raise ValueError(
                "input connections are for the families mean_field and marginalised; "
                f"got {family!r}"
            )
        if per_output and family in TOGETHER:
            raise ValueError(f"noise='per_output' is not for family={family!r}: use noise='shared'")
        kind = CorrelatedGraph if family in TOGETHER else ConditionalGraph
        in_turn = then_conditional(phases)
        return kind(nodes, tuple(edges), begin, jitter, phases=in_turn, family=family)
    doctor = glance if n_hidden else None
    return Graph(nodes, tuple(edges), begin, jitter, phases=phases, doctor=doctor)
