"""A deep model as a graph: a chain of layers from q(X) at the top down to the data.

Also here: variational families, by name: how q(u) and q(h) of a layer depend on each other.

u are the layer's inducing outputs, h its hidden outputs. In the two built-in families every hidden
point has a separate Gaussian. One family integrates u out given the points; in the other family, u
is independent of the points. The other families are in `models/families` and are imported only when
they are chosen by name.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Literal, Protocol, get_args

from gplvm_core.models.problems.doctor import glance
from gplvm_core.models.problems.edges import LayerEdge
from gplvm_core.models.problems.graph import Beginning, Graph
from gplvm_core.models.problems.nodes import HiddenNode, Node
from gplvm_core.models.problems.regression import BOUNDED
from gplvm_core.models.training.run import Phase
from gplvm_core.statistics import Executor, Targets

# The package with the other families.
OTHERS = "gplvm_core.models.families"


class VariationalFamily(Protocol):
    """The interface of a family; MATHEMATICS.md, section 6, has the mathematics.

    name : the name by which users choose the family.
    independent : whether q(u) is independent of q(h).
    summarised : whether q(u) is a function of its layer's statistics.
    dependent_rows : the reason why training must use every row; None if it may use a sample.
    """

    @property
    def name(self) -> str: ...

    @property
    def independent(self) -> bool: ...

    @property
    def summarised(self) -> bool: ...

    @property
    def dependent_rows(self) -> str | None: ...

    def graph(self, plain: Graph) -> Graph:
        """Convert the marginalised problem with the same nodes and layers to the family's problem.

        The graph defines the start, the parameters of q(u) and q(h) (`entering`, `layout`), the
        terms of the bound (`evaluate`) and the learnt posteriors (`learnt`). Raises ValueError for
        a structure that the family does not support.
        """


@dataclass(frozen=True)
class FreePoints:
    """A separate Gaussian for every hidden point (section 6.1; with an independent q(u), 6.0)."""

    name: str
    independent: bool
    summarised: bool = True
    dependent_rows: str | None = None

    def graph(self, plain: Graph) -> Graph:
        edges = tuple(replace(edge, mean_field=self.independent) for edge in plain.edges)
        return replace(plain, edges=edges)


PLAIN = {
    "mean_field": FreePoints("mean_field", independent=True),
    "marginalised": FreePoints("marginalised", independent=False),
}


def family_named(name: str) -> VariationalFamily:
    """The family of this name. Raises ValueError for an unknown name."""
    if name in PLAIN:
        return PLAIN[name]
    others: dict[str, VariationalFamily] = import_module(OTHERS).FAMILIES
    if name not in others:
        raise ValueError(f"family must be one of {', '.join((*PLAIN, *others))}; got {name!r}")
    return others[name]


# How q(u) of a hidden layer's inducing outputs depends on q(h) of its outputs (`variational`).
Family = Literal[
    "mean_field",
    "marginalised",
    "gated",
    "free",
    "diagonal",
    "joint",
    "full",
    "chain",
    "low_rank_chain",
]
FAMILIES: tuple[Family, ...] = get_args(Family)
# If the noise of a hidden layer were free from the beginning, the layer would explain everything as
# noise, and the model would become a shallow model. The noise is therefore held fixed until the
# layers below depend on the layer.
PHASES = (
    Phase("noise held everywhere", 100, 0.125, ratio=300.0, hidden_noise_held=True),
    Phase("hidden noise held", 250, 0.3125, hidden_noise_held=True),
    Phase("hidden noise held, refined", 150, 0.1875, hidden_noise_held=True),
    Phase("all free", 150, 0.1875),
    Phase("refining", 150),
)
# A deep regression, between known inputs and data, needs fewer iterations.
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
    executor: Executor,
    own: Sequence[int] = (),
    top_held: bool = False,
    per_output: bool | Sequence[bool] = False,
    connected: bool = False,
    phases: Sequence[Phase] = PHASES,
) -> Graph:
    """The training problem of the chain of layers top → h¹ → … → outputs.

    The chain has one layer more than hidden nodes. outputs: data, or several views, each with a
    separate layer below the last shared node. own: the number of private hidden nodes of each view.
    top_held: the inducing inputs of the first layer are fixed. per_output: every data column has a
    separate signal and noise variance, in all views or by view. connected: every layer has the top
    as an additional input (Duvenaud et al. 2014). Raises ValueError for an unknown family, and for
    a structure that the family does not support. Source: Damianou (2015), ch. 6.
    """
    kind = family_named(family)
    views = outputs if isinstance(outputs, tuple) else (outputs,)
    ends = _ends(views, n_hidden, own or (0,) * len(views))
    each = [per_output] * len(views) if isinstance(per_output, bool) else list(per_output)
    separate = [False] * (len(ends) - len(views)) + each
    edges = [
        LayerEdge(
            (source, 0) if connected and at else (source,),
            end,
            executor,
            inducing_held=top_held and at == 0,
            positive=BOUNDED,
            per_output=separate[at],
        )
        for at, (source, end) in enumerate(ends)
    ]
    hidden = (HiddenNode() for _ in range(n_hidden + sum(own)))
    nodes = (top, *hidden)
    doctor = glance if len(nodes) > 1 else None
    plain = Graph(nodes, tuple(edges), begin, jitter, phases=phases, doctor=doctor)
    return kind.graph(plain)


def _ends(
    views: Sequence[Targets], n_hidden: int, own: Sequence[int]
) -> list[tuple[int, Targets | int]]:
    """Source and target of every layer: shared layers, then the private layers of each view, then
    the layers to data.
    """
    found: list[tuple[int, Targets | int]] = [(at, at + 1) for at in range(n_hidden)]
    last = list[int]()
    for count in own:
        source = n_hidden
        for _ in range(count):
            found.append((source, len(found) + 1))
            source = len(found)
        last.append(source)
    return [*found, *zip(last, views, strict=True)]
