"""A user-defined model: named nodes and edges, checked and sorted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from jaxtyping import Float

from gplvm_core.kernels import Kernel
from gplvm_core.models.data.inputs import Inputs
from gplvm_core.models.data.scaling import Noise
from gplvm_core.models.problems.nodes import HiddenNode, InputNode, LatentNode, Node
from gplvm_core.models.problems.paths import PathNode
from gplvm_core.numerics import Array
from gplvm_core.priors.temporal import Timeline


@dataclass(frozen=True)
class Edge:
    """A Gaussian-process layer of a `Model`.

    source : the node whose points are the layer's inputs, or a tuple of nodes to concatenate.
    target : the node or the data that the layer generates.
    kernel : "rbf", "linear", "periodic", or a kernel object. Layers below latent points need a
        kernel with expectations under Gaussian inputs.
    n_inducing : the largest number of inducing inputs.
    noise : for data, "shared" by all columns or "per_output".
    mean_field : only for a target that is a node. True: q(u) of the layer's inducing outputs u is
        independent of the target's points. False: u is integrated out first. The bound with True is
        never higher than the bound with False, and the trained model is rarely better.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import Edge, Model
    >>> table = np.sin(np.arange(12.0).reshape(6, 2))
    >>> model = Model({"x": 1}, [Edge("x", "y", n_inducing=3)], max_iter=2, random_state=0)
    >>> model.fit({"y": table}).generate({"x": [[0.0]]})["y"].shape
    (1, 2)
    """

    source: str | tuple[str, ...]
    target: str
    kernel: str | Kernel = "rbf"
    n_inducing: int = 50
    noise: Noise = "shared"
    mean_field: bool = False

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources as a tuple, even if there is only one."""
        return (self.source,) if isinstance(self.source, str) else tuple(self.source)


@dataclass(frozen=True)
class Facts:
    """Arguments of `Model.fit` for one node: its inputs (internal units) and the rows' times."""

    inputs: Float[Array, "N Q"] | None
    timeline: Timeline | None


class NodeKind(Protocol):
    """A kind of node for a `Model`. A user-defined kind needs these two members.

    n_components : the dimensions of the node; None if its inputs determine them.
    """

    @property
    def n_components(self) -> int | None: ...

    def node(self, facts: Facts, *, hidden: bool) -> Node:
        """The node with q(X) and the prior of all rows (see `Node`).

        hidden: whether an edge ends in the node, so that the layer of that edge is its prior.
        Raises ValueError if required facts are missing, or if a node of this kind cannot be hidden.
        """


@dataclass(frozen=True)
class Latent:
    """Unobserved points with the prior N(0, I). If an edge ends here, its layer is the prior.

    n_components : the number of dimensions. An integer among a model's nodes means a Latent node.

    Examples
    --------
    >>> from gplvm_core import Edge, Latent, Model
    >>> model = Model({"x": Latent(3)}, [Edge("x", "image"), Edge("x", "sound")])
    """

    n_components: int

    def node(self, facts: Facts, *, hidden: bool) -> Node:
        return HiddenNode() if hidden else LatentNode()


@dataclass(frozen=True)
class KnownInputs:
    """Inputs that are known exactly, given to `fit(Y, inputs={name: X})`.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import Edge, KnownInputs, Model
    >>> age, height = np.array([[3.0], [7.0], [9.0]]), np.array([[95.0], [120.0], [133.0]])
    >>> edges = [Edge("age", "height", n_inducing=2)]
    >>> model = Model({"age": KnownInputs()}, edges, max_iter=2, random_state=0)
    >>> model.fit({"height": height}, inputs={"age": age}).bound_ < 0.0
    True
    """

    n_components: None = None

    def node(self, facts: Facts, *, hidden: bool) -> Node:
        if hidden:
            raise ValueError("known inputs cannot be the target of an edge: make it data")
        if facts.inputs is None:
            raise ValueError("known inputs are missing: give them to fit as inputs={name: X}")
        return InputNode(Inputs.of(facts.inputs, None))


@dataclass(frozen=True)
class OverTime:
    """Points on smooth paths: each dimension has a Gaussian-process prior over the rows' times.

    n_components : the number of dimensions. time_kernel : a kernel, its name, or "auto".

    Examples
    --------
    >>> from gplvm_core import Edge, Model, OverTime
    >>> model = Model({"path": OverTime(2, "matern52")}, [Edge("path", "film")])
    """

    n_components: int
    time_kernel: str | Kernel = "rbf"

    def node(self, facts: Facts, *, hidden: bool) -> Node:
        if hidden:
            raise ValueError("a node over time cannot be the target of an edge")
        assert facts.timeline is not None  # `fit` always provides the times for a node of this kind
        return PathNode(facts.timeline, self.time_kernel)


@dataclass(frozen=True)
class Wiring:
    """Nodes and edges in an order that depends only on their names and connections.

    nodes: names and kinds of the nodes; every node comes after the nodes above it. edges: sorted by
    name.
    """

    nodes: tuple[tuple[str, NodeKind], ...]
    edges: tuple[tuple[str, Edge], ...]

    @classmethod
    def of(
        cls, nodes: Mapping[str, int | NodeKind], edges: Mapping[str, Edge] | Sequence[Edge]
    ) -> "Wiring":
        """Check and sort; raises ValueError for inconsistent names and for cycles."""
        named = _named(edges)
        _check(nodes, named)
        kinds = {
            name: Latent(kind) if isinstance(kind, int) else kind for name, kind in nodes.items()
        }
        order = _order(kinds, named)
        return cls(
            tuple((name, kinds[name]) for name in order),
            tuple(sorted(named.items())),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the nodes."""
        return tuple(name for name, _ in self.nodes)

    @property
    def data(self) -> tuple[str, ...]:
        """The names of the data, in the order of their edges."""
        return tuple(edge.target for _, edge in self.edges if edge.target not in self.names)

    @property
    def hidden(self) -> frozenset[str]:
        """The nodes in which an edge ends."""
        return frozenset(edge.target for _, edge in self.edges) & frozenset(self.names)

    def sources(self, edge: Edge) -> tuple[int, ...]:
        """The indices of the nodes from which an edge starts."""
        return tuple(self.names.index(name) for name in edge.sources)


def _named(edges: Mapping[str, Edge] | Sequence[Edge]) -> dict[str, Edge]:
    """Edges by name; an edge without a name is called "source → target"."""
    if isinstance(edges, Mapping):
        return dict(edges)
    found: dict[str, Edge] = {}
    for edge in edges:
        name = f"{' + '.join(edge.sources)} → {edge.target}"
        if name in found:
            raise ValueError(f"there are two edges {name}: leave one out, or give them names")
        found[name] = edge
    return found


def _check(nodes: Mapping[str, int | NodeKind], edges: Mapping[str, Edge]) -> None:
    if not nodes or not edges:
        raise ValueError("a model needs at least one node and one edge")
    ends: dict[str, str] = {}
    for name, edge in edges.items():
        unknown = [source for source in edge.sources if source not in nodes]
        if unknown or not edge.sources:
            raise ValueError(
                f"edge {name!r} starts from {', '.join(map(repr, unknown)) or 'nothing'}; the "
                f"nodes are {', '.join(map(repr, nodes))}"
            )
        if len(set(edge.sources)) < len(edge.sources):
            raise ValueError(f"edge {name!r} names a source twice: name each source once")
        if edge.target in ends:
            raise ValueError(
                f"edges {ends[edge.target]!r} and {name!r} both end in {edge.target!r}: give one "
                "edge several sources instead"
            )
        if edge.mean_field and edge.target not in nodes:
            raise ValueError(f"edge {name!r} ends in data: mean_field is only for edges to nodes")
        if edge.noise == "per_output" and edge.target in nodes:
            raise ValueError(f"edge {name!r} ends in a node: noise='per_output' is only for data")
        ends[edge.target] = name
    starts = {source for edge in edges.values() for source in edge.sources}
    for name, kind in nodes.items():
        if name not in starts:
            raise ValueError(
                f"no edge starts from node {name!r}: add an edge, or leave the node out"
            )
        if isinstance(kind, int) and kind < 1:
            raise ValueError(f"node {name!r} has n_latent = {kind}; it needs at least 1")
    if not set(ends) - set(nodes):
        raise ValueError("no edge ends in data: give an edge a target that is not a node")


def _order(kinds: Mapping[str, NodeKind], edges: Mapping[str, Edge]) -> list[str]:
    """Sort nodes from the top downwards, then by name; raises ValueError for a cycle."""
    above = {edge.target: edge.sources for edge in edges.values()}
    order: list[str] = []
    while len(order) < len(kinds):
        ready = [
            name
            for name in sorted(kinds)
            if name not in order and all(source in order for source in above.get(name, ()))
        ]
        if not ready:
            left = ", ".join(repr(name) for name in sorted(kinds) if name not in order)
            raise ValueError(f"the edges form a cycle among the nodes {left}")
        order.append(ready[0])
    return order
