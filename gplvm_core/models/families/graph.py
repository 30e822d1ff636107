"""Graphs whose hidden beliefs follow from the layers above: what all conditional families share.

From scratch these families are badly conditioned, so training begins as that of every chain, with
beliefs that move on their own. A last phase conditions them: from there a node's parameters say how
its belief follows from the layer. A family is a `Following`, which says what is its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Informed, Layer
from gplvm_core.models.families.chained import InducingGivenAbove
from gplvm_core.models.families.handed import AtLayer, Handed, Moved, at_data
from gplvm_core.models.families.natural_steps import WITH_SITES, natural_steps
from gplvm_core.models.problems.edges import FREE, LayerEdge, Settled
from gplvm_core.models.problems.graph import Graph, Learnt, Parameters
from gplvm_core.models.problems.nodes import Believed, HiddenNode
from gplvm_core.models.training.run import Evaluated, Phase
from gplvm_core.numerics import Array, NotPositiveDefiniteError
from gplvm_core.parameters import Layout, Leaf, add, leaves
from gplvm_core.statistics import Targets

# Of max_iter, what the phases before the last one have together.
BEFORE = 0.65
# Of a conditioned belief, what says how it follows, and how far that moves as a matter of course.
HOW, TRANSFER_SCALE = ("gate", "transfer", "follows", "mixes"), 0.1
# Bounds this near to each other, as a share, are the same.
ROUNDING = 1e-9
# Of q(u), whenever the phase that conditions is entered.
NATURAL_STEPS = 5


@dataclass(frozen=True)
class Conditioning(Phase):
    """The phase in which hidden beliefs follow from the layers above."""


@dataclass(frozen=True)
class ChainParameters(Parameters):
    """With R of every layer (6.6), of the first none."""

    across: tuple[InducingGivenAbove | None, ...] = ()


@dataclass(frozen=True)
class Following:
    """A family whose hidden beliefs follow from the layers above: what differs between them.

    independent, summarised: as `VariationalFamily` has them.
    """

    name: str
    independent: bool = False
    summarised: bool = False

    @property
    def dependent_rows(self) -> str:
        return f"with family={self.name!r} hidden points follow from the layers above"

    def graph(self, plain: Graph) -> Graph:
        if len(plain.nodes) == 1:
            return plain
        sources = [edge.source for edge in plain.edges]
        if any(edge.ends_in_node and sources.count(edge.source) > 1 for edge in plain.edges):
            raise ValueError(
                "hidden layers of a view's own are for the families mean_field and marginalised; "
                f"got {self.name!r}"
            )
        if any(len(edge.sources) > 1 for edge in plain.edges):
            raise ValueError(
                "input connections are for the families mean_field and marginalised; "
                f"got {self.name!r}"
            )
        return ConditionalGraph(
            plain.nodes,
            plain.edges,
            plain.begin,
            plain.jitter,
            phases=then_conditioned(plain.phases),
            family=self,
        )

    def check(self, edges: Sequence[LayerEdge], begun: Parameters) -> None:
        """Raise for data, kernels and sizes that the family cannot have."""

    def seen(self, top: Belief) -> Any:
        """What the layers below the top see of it."""
        return top

    def start(self, own: Belief, inducing: Float[Array, "M Q"]) -> Any:
        """Parameters of q(h) at which it follows nothing."""
        raise NotImplementedError

    def across(self, size: int, above: int) -> InducingGivenAbove | None:
        """R = 0 between stacked inducing outputs of these sizes; None where a family has no R."""
        return None

    def profiled(self, edge: LayerEdge) -> bool:
        """Whether the scales of a layer are at their optimum, and no parameters."""
        raise NotImplementedError

    def hidden(self, seen: AtLayer, own: Any) -> Handed[Any]:
        """A layer that ends in a hidden node, whose q has the parameters `own`."""
        raise NotImplementedError

    def to_data(self, seen: AtLayer, phase: Phase) -> Handed[Any]:
        """A layer that ends in data."""
        at = seen.edge.value(seen.layer, seen.source, seen.edge.data, seen.jitter, phase)
        return at_data(at, Belief(at.gradients.mean, at.gradients.variance))

    def settled(self, seen: AtLayer, found: Handed[Any], whole: Targets) -> Settled:
        """The layer to data, evaluated on all outputs; found: on those that training saw."""
        return seen.edge.settled(seen.layer, seen.source, seen.edge.data, whole, seen.jitter)


@dataclass(frozen=True)
class Downward:
    """One way down: what is believed at every node, what every layer sees, and its value."""

    nodes: tuple[Believed, ...]
    seen: tuple[AtLayer, ...]
    edges: tuple[Handed[Any], ...]

    @property
    def bound(self) -> float:
        return sum(at.posterior.value for at in self.edges) + sum(node.own for node in self.nodes)


@dataclass(frozen=True, kw_only=True)
class ConditionalGraph(Graph):
    """A graph whose edges stand in order, from the top down, each hidden node below one edge.

    Its parameters say whether the beliefs are conditioned already; until then it is a plain graph.
    """

    family: Following

    def start(self, seed: int, recipe: str = "") -> Parameters:
        begun = super().start(seed, recipe)
        self.family.check(self.edges, begun)
        return begun

    def entering(self, parameters: Parameters, phase: Phase) -> Parameters:
        """Conditioned where the phase asks for it, at mean field: nothing follows anything yet.

        Whenever that phase begins anew, q(u) goes to where the layers below would have it.
        """
        if not isinstance(phase, Conditioning):
            return parameters
        if not conditioned(parameters):
            parameters = self.conditioned(parameters)
        if not any(isinstance(own, WITH_SITES) for own in parameters.nodes):
            return parameters
        return natural_steps(lambda at: self.evaluate(at, phase), parameters, NATURAL_STEPS)[0]

    def conditioned(self, parameters: Parameters) -> Parameters:
        """Parameters of the family, from those of the plain graph."""
        nodes, layers, sizes = list(parameters.nodes), list(parameters.layers), list[int]()
        for e, at in enumerate(self.values(parameters, FREE)):
            outputs = self.edges[e].outputs
            # The layers below see the scales through q(u), so they become parameters, unless the
            # family profiles them; then it does not matter where they start.
            if isinstance(outputs, int):
                layers[e] = at.layer
                width = nodes[outputs].n_latent
                nodes[outputs] = self.family.start(nodes[outputs], at.layer.inducing)
            else:
                width = outputs.n_outputs
                if not self.family.profiled(self.edges[e]):
                    layers[e] = at.layer
            sizes.append(width * len(at.layer.inducing))
        across = tuple(
            None if above is None else self.family.across(sizes[e], sizes[above])
            for e, above in enumerate(self.edge_into(edge.source) for edge in self.edges)
        )
        if any(across):
            return ChainParameters(tuple(nodes), tuple(layers), across)
        return Parameters(tuple(nodes), tuple(layers))

    def layout(self, anchor: Parameters, phase: Phase) -> Layout:
        if not conditioned(anchor):
            return super().layout(anchor, phase)
        nodes, free = self.downward(anchor, FREE).nodes, dict[str, Leaf]()
        for i, (node, own) in enumerate(zip(self.nodes, anchor.nodes, strict=True)):
            belief = nodes[i].belief
            if i:
                belief = Belief(own.mean, own.variance)
                how = [path for path in leaves(own) if path in HOW]
                free |= {f"nodes.{i}.{path}": Leaf(scale=TRANSFER_SCALE) for path in how}
            free |= node.free(f"nodes.{i}", own, belief, refreshed=True)
        for e, (edge, layer) in enumerate(zip(self.edges, anchor.layers, strict=True)):
            source = nodes[edge.source].belief
            spread = self.nodes[edge.source].spread(source, refreshed=True)
            profiled = self.family.profiled(edge)
            free |= edge.free(f"layers.{e}", layer, spread, source.n_points, profiled=profiled)
        if isinstance(anchor, ChainParameters):
            paths = leaves(anchor.across, "across")
            free |= {path: Leaf(scale=TRANSFER_SCALE) for path in paths}
        return Layout(anchor, free)

    def believed(self, parameters: Parameters) -> tuple[Believed, ...]:
        if not conditioned(parameters):
            return super().believed(parameters)
        return self.downward(parameters, FREE).nodes

    def evaluate(self, parameters: Parameters, phase: Phase) -> Evaluated:
        if not conditioned(parameters):
            return super().evaluate(parameters, phase)
        down = self.downward(parameters, phase)
        met: list[list[Any]] = [[] for _ in down.nodes]
        found = list[Moved]()
        # From the data up: what lies below an edge says what it needs of the belief above.
        for edge, at in zip(reversed(self.edges), reversed(down.edges), strict=True):
            below = reduce(add, met[edge.outputs]) if isinstance(edge.outputs, int) else None
            moved = at.pullback(below)
            met[edge.source].append(moved.source)
            found.insert(0, moved)
        own = list(parameters.nodes)
        for edge, moved in zip(self.edges, found, strict=True):
            if isinstance(edge.outputs, int):
                own[edge.outputs] = moved.own
        top = reduce(add, met[0])
        own[0] = down.nodes[0].pullback(top if isinstance(top, Belief) else top.marginals)
        layers = tuple(moved.layer for moved in found)
        gradient = replace(parameters, nodes=tuple(own), layers=layers)
        if isinstance(gradient, ChainParameters):
            gradient = replace(gradient, across=tuple(moved.across for moved in found))
        noise = float(np.mean([np.mean(at.layer.noise_variance) for at in down.edges]))
        return Evaluated(down.bound, gradient, noise)

    def informed(self, parameters: Parameters) -> list[Informed]:
        if not conditioned(parameters):
            return super().informed(parameters)
        return [at.posterior for at in self.downward(parameters, FREE).edges]

    def learnt(self, parameters: Parameters, outputs: Sequence[Float[Array, "N _D"]]) -> Learnt:
        """That of the marginalised family where its bound is higher at the same beliefs."""
        if not conditioned(parameters):
            told = "training ended before hidden layers were conditioned ({}): {}; raise max_iter"
            return self._marginalised(parameters, outputs, told)
        down = self.downward(parameters, FREE)
        hidden = (node.belief for node in down.nodes[1:])
        seen = Parameters((parameters.nodes[0], *hidden), parameters.layers)
        settled, given = list[Settled](), iter(outputs)
        for each, at in zip(down.seen, down.edges, strict=True):
            if each.edge.ends_in_node:
                settled.append(at.settled)
            else:
                settled.append(self.family.settled(each, at, Targets.whole(next(given))))
        found = Learnt(down.nodes, tuple(settled))
        told = "conditioned hidden layers ({}) ended with a lower bound than they have without: {}"
        plain = self._marginalised(seen, outputs, told)
        return plain if plain.bound > found.bound + ROUNDING * abs(found.bound) else found

    def _marginalised(self, parameters: Parameters, outputs: Sequence[Array], told: str) -> Learnt:
        said = told.format(self.family.name, "the result is that of marginalised")
        return replace(super().learnt(parameters, outputs), told=(said,), marginalised=True)

    def downward(self, parameters: Parameters, phase: Phase) -> Downward:
        """Edge by edge: a layer hands the belief about its outputs to those below."""
        nodes = {0: self.nodes[0].believed(parameters.nodes[0])}
        handed: dict[int, Any] = {0: self.family.seen(nodes[0].belief)}
        seen, edges = list[AtLayer](), list[Handed[Any]]()
        for e, (edge, layer) in enumerate(zip(self.edges, parameters.layers, strict=True)):
            across = parameters.across[e] if isinstance(parameters, ChainParameters) else None
            seen.append(AtLayer(edge, layer, handed[edge.source], across, self.jitter))
            if not self.family.profiled(edge):
                self._check_ratio(layer)
            if isinstance(edge.outputs, int):
                at = self.family.hidden(seen[e], parameters.nodes[edge.outputs])
                handed[edge.outputs] = at.belief
                nodes[edge.outputs] = replace(HiddenNode().believed(at.marginals), own=at.entropy)
            else:
                at = self.family.to_data(seen[e], phase)
            edges.append(at)
        every = tuple(nodes[i] for i in range(len(self.nodes)))
        return Downward(every, tuple(seen), tuple(edges))

    def _check_ratio(self, layer: Layer) -> None:
        ratio = float(np.mean(layer.kernel.diag(layer.inducing))) / float(layer.noise_variance)
        # Where the ratio was held, training may have left it a rounding error above.
        if ratio > 1.01 / self.jitter:
            raise NotPositiveDefiniteError(f"σ_f²/σ² = {ratio:.1e} is more than the jitter allows")


def then_conditioned(phases: Sequence[Phase]) -> tuple[Phase, ...]:
    """The phases of a chain, in a part of the iterations, and one that conditions its beliefs."""
    rest = 1.0 - sum(phase.share for phase in phases[:-1])
    last = replace(phases[-1], share=rest)
    first = (replace(phase, share=BEFORE * phase.share) for phase in (*phases[:-1], last))
    return (*first, Conditioning("hidden layers conditioned", 50))


def conditioned(parameters: Parameters) -> bool:
    """Whether the hidden beliefs follow from their layers."""
    return not all(isinstance(own, Belief) for own in parameters.nodes[1:])
