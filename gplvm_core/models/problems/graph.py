"""A model as a graph: its nodes are distributions q(X), its edges Gaussian-process layers.

F = Σ_edges F_data(source → outputs) + Σ_nodes (the term of the node's prior or entropy). A latent
variable model is a node and an edge to the data. A model of several views has an edge to each view.
A regression has a node of known inputs. A deep model is a chain, whose hidden nodes are the outputs
of one edge and the inputs of the next (Damianou 2015, ch. 3–6).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import product
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Informed, Layer, LayerValue
from gplvm_core.models.problems.edges import FREE, LayerEdge, Settled, relevance_of
from gplvm_core.models.problems.nodes import Believed, Node
from gplvm_core.models.problems.paths import PathNode
from gplvm_core.models.training.run import Evaluated, Phase, Trained
from gplvm_core.numerics import Array
from gplvm_core.parameters import Layout, Leaf, add
from gplvm_core.statistics import Executor, Targets
from gplvm_core.statistics.reduce import serial

# A dimension with less information, in nats per row, is off.
INFORMATIVE = 0.05
# After fewer iterations, dimensions may still switch on.
FEW_ITERATIONS = 20
PHASES = (
    Phase("noise held", 50, 0.1, ratio=300.0),
    Phase("all free", 100, 0.2),
    Phase("refining", 100),
)


@dataclass(frozen=True)
class Parameters:
    """The trained parameters of every node's q and of the layers; gradients have this type, too.

    The overall kernel scale and the noise of a layer are always optimal, and are therefore not
    parameters.
    """

    nodes: tuple[Any, ...]
    layers: tuple[Layer, ...]


@dataclass(frozen=True)
class Begun:
    """The start of training: q(X) of every node, the layers, and notes on automatic choices."""

    beliefs: tuple[Belief, ...]
    layers: tuple[Layer, ...]
    notes: tuple[str, ...] = ()


class Beginning(Protocol):
    """A function from a seed to the start of training."""

    def __call__(self, seed: int, /) -> Begun: ...


@dataclass(frozen=True)
class Given:
    """A start that is the same for every seed."""

    begun: Begun

    def __call__(self, seed: int, /) -> Begun:
        return self.begun


@dataclass(frozen=True)
class Recipes:
    """Several starts by name; a call of the object uses the first start.

    further: starts that training tries only if no start of `by_name` found structure.
    """

    by_name: Mapping[str, Beginning]
    further: Mapping[str, Beginning] = field(default_factory=dict)

    def __call__(self, seed: int, /) -> Begun:
        return next(iter(self.by_name.values()))(seed)


@dataclass(frozen=True)
class Learnt:
    """The result of training: q(X) of the nodes, and the layers evaluated on all outputs.

    remarks: notes on the result. marginalised: the result of the marginalised family replaced the
    result of a conditional family.
    """

    nodes: tuple[Believed, ...]
    layers: tuple[Settled, ...]
    remarks: tuple[str, ...] = ()
    marginalised: bool = False

    @property
    def notes(self) -> tuple[str, ...]:
        return self.remarks + tuple(note for layer in self.layers for note in layer.notes)

    @property
    def bound(self) -> float:
        """F in nats, for outputs in internal units."""
        data = sum(layer.posterior.value for layer in self.layers)
        return data + sum(node.own for node in self.nodes)


@dataclass(frozen=True)
class Graph:
    """The training problem of a model: its nodes, its edges, and their start.

    The first node is the top; the other nodes and the edges may have any order. executor: evaluates
    the edges (each edge has a separate executor for its points). names: the edges' names, if the
    user gave any. doctor: a function that describes the state of the layers in words.
    """

    nodes: tuple[Node, ...]
    edges: tuple[LayerEdge, ...]
    begin: Beginning
    jitter: float
    executor: Executor = serial
    phases: Sequence[Phase] = PHASES
    doctor: Callable[["Graph", Parameters], tuple[str, ...]] | None = None
    names: tuple[str, ...] = ()

    @property
    def recipes(self) -> tuple[str, ...]:
        return tuple(self._ways)

    @property
    def time_kernels(self) -> tuple[str, ...]:
        """The names of the kernels over time from which training chooses; (): nothing to choose."""
        paths = (node.choices for node in self.nodes if isinstance(node, PathNode))
        return next(filter(None, paths), ())

    def time_kernel_of(self, recipe: str) -> str:
        """The kernel over time that a recipe starts with; "": nothing to choose."""
        return self._ways.get(recipe, ("", ""))[1]

    @property
    def _ways(self) -> dict[str, tuple[str, str]]:
        """The name of the start and the kernel over time of every recipe; "": no choice."""
        starts = tuple(self.begin.by_name) if isinstance(self.begin, Recipes) else ("",)
        pairs = product(starts, self.time_kernels or ("",))
        return {", ".join(filter(None, pair)): pair for pair in pairs}

    def further(self, done: Sequence[Trained]) -> tuple[str, ...]:
        """The recipes to try after these starts: some, if the best one left all dimensions off."""
        if not (isinstance(self.begin, Recipes) and self.begin.further):
            return ()
        best = max(done, key=lambda each: each.restart.bound)
        result = best.restart.result
        if result.status == "limit" and result.iterations < FEW_ITERATIONS:
            return ()
        top = self.nodes[0].believed(best.parameters.nodes[0])
        off = bool((top.information <= INFORMATIVE).all())
        return tuple(self.begin.further) if off else ()

    @property
    def n_rows(self) -> int:
        """The number of rows of the outputs."""
        return next(
            len(each.outputs.values) for each in self.edges if isinstance(each.outputs, Targets)
        )

    def start(self, seed: int, recipe: str = "") -> Parameters:
        begin, ways = self.begin, self._ways
        own, kernel = ways.get(recipe, (recipe, "")) if recipe else next(iter(ways.values()))
        if own and isinstance(begin, Recipes):
            begin = {**begin.by_name, **begin.further}[own]
        begun = begin(seed)
        nodes = (
            replace(node, kernel=kernel) if isinstance(node, PathNode) and node.choices else node
            for node in self.nodes
        )
        pairs = zip(nodes, begun.beliefs, strict=True)
        return Parameters(tuple(node.start(belief, seed) for node, belief in pairs), begun.layers)

    def notes(self, seed: int) -> tuple[str, ...]:
        """Notes on automatic choices."""
        begun = self.begin(seed)
        pairs = zip(self.nodes, begun.beliefs, strict=True)
        return begun.notes + tuple(note for node, at in pairs for note in node.notes(at, seed))

    def entering(
        self, parameters: Parameters, phase: Phase, ask: Callable[[], None] | None = None
    ) -> Parameters:
        """Improve the paths at the top by natural gradients, with all other parameters held.

        Without paths, the parameters do not change. The result does not count these evaluations.
        """
        top, own = self.nodes[0], parameters.nodes[0]
        if not isinstance(top, PathNode):
            return parameters
        nodes = self.believed(parameters)
        fed = [
            (edge, layer)
            for edge, layer in zip(self.edges, parameters.layers, strict=True)
            if 0 in edge.sources
        ]

        def data_term(belief: Belief) -> tuple[float, Array, Array]:
            if ask is not None:
                ask()
            moved = (replace(nodes[0], belief=belief), *nodes[1:])
            value, slopes = 0.0, list[Belief]()
            for edge, layer in fed:
                source = self.source(edge, moved)
                at = edge.value(layer, source, self._targets(edge, moved), self.jitter, phase)
                slopes.append(self._slopes(edge, at, moved)[edge.sources.index(0)])
                value += at.value
            slope = reduce(add, slopes)
            return value, slope.mean, slope.variance

        improved = top.improved(own, data_term)
        if improved is own:
            return parameters
        return replace(parameters, nodes=(improved, *parameters.nodes[1:]))

    def layout(self, anchor: Parameters, phase: Phase) -> Layout:
        refreshed, free = phase is self.phases[-1], dict[str, Leaf]()
        beliefs = [node.belief for node in self.believed(anchor)]
        for i, (node, own) in enumerate(zip(self.nodes, anchor.nodes, strict=True)):
            free |= node.free(f"nodes.{i}", own, beliefs[i], refreshed=refreshed)
        for e, (edge, layer) in enumerate(zip(self.edges, anchor.layers, strict=True)):
            spread = [
                self.nodes[at].spread(beliefs[at], refreshed=refreshed) for at in edge.sources
            ]
            n_points = beliefs[edge.source].n_points
            free |= edge.free(f"layers.{e}", layer, np.concatenate(spread), n_points)
        return Layout(anchor, free)

    def believed(self, parameters: Parameters) -> tuple[Believed, ...]:
        """The marginals of q at every node, with the node's term of the bound."""
        pairs = zip(self.nodes, parameters.nodes, strict=True)
        return tuple(node.believed(own) for node, own in pairs)

    def evaluate(self, parameters: Parameters, phase: Phase) -> Evaluated:
        nodes = self.believed(parameters)
        values = self.values(parameters, phase, nodes)
        adjoints: list[list[Belief]] = [[] for _ in nodes]
        for edge, at in zip(self.edges, values, strict=True):
            for source, own in zip(edge.sources, self._slopes(edge, at, nodes), strict=True):
                adjoints[source].append(own)
            if isinstance(edge.outputs, int) and at.targets is not None:
                own, shift = at.targets, edge.shift
                count = nodes[edge.outputs].belief.n_points
                own = own if shift is None else shift.returned(own, shift.after, count)
                adjoints[edge.outputs].append(own)
        pulled = (
            node.pullback(reduce(add, each)) for node, each in zip(nodes, adjoints, strict=True)
        )
        moved = (Layer(at.gradients.kernel, at.gradients.inducing, 0.0) for at in values)
        return Evaluated(
            sum(at.value for at in values) + sum(node.own for node in nodes),
            Parameters(tuple(pulled), tuple(moved)),
            float(np.mean([np.mean(at.layer.noise_variance) for at in values])),
            nodes,
        )

    def describe(self, parameters: Parameters, at: Evaluated) -> tuple[Array, Array, Array]:
        top: Believed = at.nodes[0]
        width = top.belief.n_latent
        # A state-space model has further states, for missing rows.
        return self._relevance(parameters, width), top.information, top.belief.mean[: self.n_rows]

    def verdicts(self, parameters: Parameters) -> tuple[str, ...]:
        return () if self.doctor is None else self.doctor(self, parameters)

    def _relevance(self, parameters: Parameters, width: int) -> Float[Array, " Q"]:
        """ARD weights of the top; with several layers, their largest relative weights."""
        each = [
            relevance_of(layer.kernel, layer.inducing.shape[1])[:width]
            for edge, layer in zip(self.edges, parameters.layers, strict=True)
            if edge.source == 0 and not edge.ends_in(0)
        ]
        if len(each) == 1:
            return each[0]
        return np.asarray(np.max([own / own.max() for own in each], axis=0))

    def learnt(self, parameters: Parameters, outputs: Sequence[Float[Array, "N _D"]]) -> Learnt:
        """The trained nodes, and the layers with their best noise and kernel scale.

        outputs: the outputs of the edges to data. This evaluation uses all columns; training may
        have used a square root of Y Yᵀ.
        """
        nodes, given = self.believed(parameters), iter(outputs)
        settled = []
        for edge, layer in zip(self.edges, parameters.layers, strict=True):
            seen = self._targets(edge, nodes)
            whole = seen if edge.ends_in_node else Targets.whole(next(given))
            settled.append(edge.settled(layer, self.source(edge, nodes), seen, whole, self.jitter))
        return Learnt(nodes, tuple(settled))

    def plain(self, parameters: Parameters) -> bool:
        """Whether every layer may have other inducing inputs: no parameter of q depends on them."""
        return True

    def edge_into(self, node: int) -> int | None:
        """The index of the edge that ends in a node; None for a node with a separate prior."""
        return next((e for e, edge in enumerate(self.edges) if edge.ends_in(node)), None)

    def informed(self, parameters: Parameters) -> list[Informed]:
        """q(u) of every layer, with the layer's best noise and kernel scale."""
        return [at.posterior for at in self.values(parameters, FREE)]

    def values(
        self, parameters: Parameters, phase: Phase, nodes: Sequence[Believed] | None = None
    ) -> list[LayerValue]:
        """Evaluate every edge with the best noise and kernel scale that the phase allows.

        nodes: the marginals, if they are already computed.
        """
        nodes = self.believed(parameters) if nodes is None else nodes

        def value(pair: tuple[LayerEdge, Layer]) -> LayerValue:
            edge, layer = pair
            source = self.source(edge, nodes)
            return edge.value(layer, source, self._targets(edge, nodes), self.jitter, phase)

        return list(self.executor(value, zip(self.edges, parameters.layers, strict=True)))

    @staticmethod
    def _slopes(edge: LayerEdge, at: LayerValue, nodes: Sequence[Believed]) -> Sequence[Belief]:
        """∂F/∂mean and ∂F/∂variance of q(X) of each source of an edge."""
        widths = [nodes[source].belief.n_latent for source in edge.sources]
        slope, shift = Belief(at.gradients.mean, at.gradients.variance), edge.shift
        if shift is not None:
            slope = shift.returned(slope, shift.before, nodes[edge.source].belief.n_points)
        return slope.split(widths)

    @staticmethod
    def source(edge: LayerEdge, nodes: Sequence[Believed]) -> Belief:
        """q(X) of the inputs of a layer."""
        belief = reduce(Belief.beside, (nodes[source].belief for source in edge.sources))
        return belief if edge.shift is None else belief.rows(edge.shift.before)

    @staticmethod
    def _targets(edge: LayerEdge, nodes: Sequence[Believed]) -> Targets:
        if isinstance(edge.outputs, Targets):
            return edge.outputs
        belief, shift = nodes[edge.outputs].belief, edge.shift
        return Targets.believed(belief if shift is None else belief.rows(shift.after))
