"""The training problem of conditional families, in which q(h) depends on the layers above.

The optimisation of these families is badly conditioned at the start of training. Training therefore
begins with an independent q(h), as for every chain. The last phase conditions q(h): from then on, a
node's parameters describe how its q(h) depends on the layer above. A subclass of `Following`
defines each family.

Also here: natural-gradient steps of q(u) in hidden layers whose outputs depend on u
(MATHEMATICS.md, 6.2).

The natural parameters of q(u) are the sum of a closed form for the layer's own terms and of sites
s. A step moves the sites towards the present gradients of the layers below:
s ← (1 − ρ)s + ρ(g_μ − 2g_Σμ, g_Σ). At a fixed point the whole bound is stationary in q(u). ρ is
halved if a step does not raise the bound, or if the precision of q(u) is not positive definite.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Informed, Layer
from gplvm_core.models.families.chained import InducingGivenAbove
from gplvm_core.models.families.given_inducing import GivenInducing
from gplvm_core.models.families.joint import JointlyGivenInducing
from gplvm_core.models.families.layer_result import AtLayer, LayerResult, Moved, at_data
from gplvm_core.models.problems.edges import FREE, LayerEdge, Settled
from gplvm_core.models.problems.graph import Graph, Learnt, Parameters
from gplvm_core.models.problems.nodes import Believed, HiddenNode
from gplvm_core.models.training.run import Evaluated, Phase
from gplvm_core.numerics import Array, NotPositiveDefiniteError
from gplvm_core.parameters import Layout, Leaf, add, leaves, scale_leaves
from gplvm_core.statistics import Targets

# Parameters of q(h | u) for which q(u) has sites.
WITH_SITES = (GivenInducing, JointlyGivenInducing)
# The smallest step to try.
LEAST_STEP = 1e-3


def natural_steps(
    evaluate: Callable[[Parameters], Evaluated], parameters: Parameters, n_steps: int
) -> tuple[Parameters, float]:
    """Make at most n_steps steps of all layers together; returns the parameters and the bound."""
    at, step = evaluate(parameters), 1.0
    for _ in range(n_steps):
        while step >= LEAST_STEP:
            trial = _moved(parameters, at.gradient, step)
            with np.errstate(all="ignore"):
                try:
                    found = evaluate(trial)
                except NotPositiveDefiniteError:
                    found = None
            if found is not None and found.bound > at.bound:
                parameters, at, step = trial, found, min(1.0, 2.0 * step)
                break
            step *= 0.5
        else:
            break
    return parameters, at.bound


def _moved(parameters: Parameters, gradient: Parameters, step: float) -> Parameters:
    nodes = list(parameters.nodes)
    for i, (own, new) in enumerate(zip(parameters.nodes, gradient.nodes, strict=True)):
        if isinstance(own, WITH_SITES):
            at = scale_leaves(new.sites, step)
            old = at if own.sites is None else add(scale_leaves(own.sites, 1.0 - step), at)
            nodes[i] = replace(own, sites=old)
    return replace(parameters, nodes=tuple(nodes))


# The fraction of max_iter for all phases before the last phase.
BEFORE = 0.65
# The parameters that describe how a conditioned q(h) depends on other variables, and their scale.
HOW, TRANSFER_SCALE = ("gate", "transfer", "follows", "mixes"), 0.1
# Bounds with a smaller relative difference count as equal.
ROUNDING = 1e-9
# Natural-gradient steps of q(u) at the beginning of every conditioning phase.
NATURAL_STEPS = 5


@dataclass(frozen=True)
class Conditioning(Phase):
    """The phase in which q(h) of hidden nodes depends on the layers above."""


@dataclass(frozen=True)
class ChainParameters(Parameters):
    """Parameters with R of every layer except the first (6.6)."""

    across: tuple[InducingGivenAbove | None, ...] = ()


@dataclass(frozen=True)
class Following:
    """A family in which q(h) of hidden nodes depends on the layers above.

    This is the base class of all conditional families. independent, summarised: see
    `VariationalFamily`.
    """

    name: str
    independent: bool = False
    summarised: bool = False

    @property
    def dependent_rows(self) -> str:
        return f"with family={self.name!r} hidden points depend on the layers above"

    def graph(self, plain: Graph) -> Graph:
        if len(plain.nodes) == 1:
            return plain
        sources = [edge.source for edge in plain.edges]
        if any(edge.ends_in_node and sources.count(edge.source) > 1 for edge in plain.edges):
            raise ValueError(
                "private hidden layers of a view need the family 'mean_field' or 'marginalised'; "
                f"got {self.name!r}"
            )
        if any(len(edge.sources) > 1 for edge in plain.edges):
            raise ValueError(
                "input connections need the family 'mean_field' or 'marginalised'; got "
                f"{self.name!r}"
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
        """Raise an error for data, kernels or sizes that the family does not support."""

    def seen(self, top: Belief) -> Any:
        """q(X) of the top in the form that the family's layers use."""
        return top

    def start(self, own: Belief, inducing: Float[Array, "M Q"]) -> Any:
        """Parameters with which q(h) is independent of the layer above."""
        raise NotImplementedError

    def across(self, size: int, above: int) -> InducingGivenAbove | None:
        """R = 0 between stacked inducing outputs of these sizes; None for a family without R."""
        return None

    def profiled(self, edge: LayerEdge) -> bool:
        """Whether the scales of a layer are always optimal, so that they are not parameters."""
        raise NotImplementedError

    def hidden(self, seen: AtLayer, own: Any) -> LayerResult[Any]:
        """Evaluate a layer that ends in a hidden node, whose q has the parameters `own`."""
        raise NotImplementedError

    def to_data(self, seen: AtLayer, phase: Phase) -> LayerResult[Any]:
        """Evaluate a layer that ends in data."""
        at = seen.edge.value(seen.layer, seen.source, seen.edge.data, seen.jitter, phase)
        return at_data(at, Belief(at.gradients.mean, at.gradients.variance))

    def settled(self, seen: AtLayer, found: LayerResult[Any], whole: Targets) -> Settled:
        """Evaluate the layer to data on all columns; found: its result on the training targets."""
        return seen.edge.settled(seen.layer, seen.source, seen.edge.data, whole, seen.jitter)


@dataclass(frozen=True)
class Downward:
    """The result of a pass from the top down.

    nodes: q of every node. seen: the arguments of every layer. edges: the result of every layer.
    """

    nodes: tuple[Believed, ...]
    seen: tuple[AtLayer, ...]
    edges: tuple[LayerResult[Any], ...]

    @property
    def bound(self) -> float:
        return sum(at.posterior.value for at in self.edges) + sum(node.own for node in self.nodes)


@dataclass(frozen=True, kw_only=True)
class ConditionalGraph(Graph):
    """A graph of a conditional family.

    The edges are ordered from the top down, and each hidden node is the output of one edge. Until
    the parameters are conditioned, the graph behaves as a plain graph.
    """

    family: Following

    def start(self, seed: int, recipe: str = "") -> Parameters:
        begun = super().start(seed, recipe)
        self.family.check(self.edges, begun)
        return begun

    def entering(
        self, parameters: Parameters, phase: Phase, ask: Callable[[], None] | None = None
    ) -> Parameters:
        """Condition the parameters if the phase requires this; conditioning starts at mean field.

        Whenever such a phase begins, natural-gradient steps move q(u) towards its optimum. In the
        phases before, paths at the top improve as in a plain graph.
        """
        if not isinstance(phase, Conditioning):
            return super().entering(parameters, phase, ask)
        if not conditioned(parameters):
            parameters = self.conditioned(parameters)
        if not any(isinstance(own, WITH_SITES) for own in parameters.nodes):
            return parameters

        def evaluate(at: Parameters) -> Evaluated:
            if ask is not None:
                ask()
            return self.evaluate(at, phase)

        return natural_steps(evaluate, parameters, NATURAL_STEPS)[0]

    def conditioned(self, parameters: Parameters) -> Parameters:
        """Convert parameters of the plain graph to parameters of the family."""
        nodes, layers, sizes = list(parameters.nodes), list(parameters.layers), list[int]()
        for e, at in enumerate(self.values(parameters, FREE)):
            outputs = self.edges[e].outputs
            # The layers below depend on the scales through q(u), so the scales become parameters.
            # If the family always uses optimal scales, their initial values do not matter.
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

    def plain(self, parameters: Parameters) -> bool:
        return not conditioned(parameters)

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
        adjoints: list[list[Any]] = [[] for _ in down.nodes]
        found = list[Moved]()
        # Proceed from the data upwards, because the adjoints of an edge's outputs come from the
        # edges below.
        for edge, at in zip(reversed(self.edges), reversed(down.edges), strict=True):
            below = reduce(add, adjoints[edge.outputs]) if isinstance(edge.outputs, int) else None
            moved = at.pullback(below)
            adjoints[edge.source].append(moved.source)
            found.insert(0, moved)
        own = list(parameters.nodes)
        for edge, moved in zip(self.edges, found, strict=True):
            if isinstance(edge.outputs, int):
                own[edge.outputs] = moved.own
        top = reduce(add, adjoints[0])
        own[0] = down.nodes[0].pullback(top if isinstance(top, Belief) else top.marginals)
        layers = tuple(moved.layer for moved in found)
        gradient = replace(parameters, nodes=tuple(own), layers=layers)
        if isinstance(gradient, ChainParameters):
            gradient = replace(gradient, across=tuple(moved.across for moved in found))
        noise = float(np.mean([np.mean(at.layer.noise_variance) for at in down.edges]))
        return Evaluated(down.bound, gradient, noise, down.nodes)

    def informed(self, parameters: Parameters) -> list[Informed]:
        if not conditioned(parameters):
            return super().informed(parameters)
        return [at.posterior for at in self.downward(parameters, FREE).edges]

    def learnt(self, parameters: Parameters, outputs: Sequence[Float[Array, "N _D"]]) -> Learnt:
        """The trained model, or the marginalised model if its bound is higher at the same q(h)."""
        if not conditioned(parameters):
            note = (
                "training ended before the hidden layers were conditioned (family {}): {}; raise "
                "max_iter"
            )
            return self._marginalised(parameters, outputs, note)
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
        note = (
            "conditioned hidden layers (family {}) ended with a lower bound than unconditioned "
            "hidden layers: {}"
        )
        plain = self._marginalised(seen, outputs, note)
        return plain if plain.bound > found.bound + ROUNDING * abs(found.bound) else found

    def _marginalised(self, parameters: Parameters, outputs: Sequence[Array], note: str) -> Learnt:
        text = note.format(self.family.name, "the model uses the marginalised family")
        return replace(super().learnt(parameters, outputs), remarks=(text,), marginalised=True)

    def downward(self, parameters: Parameters, phase: Phase) -> Downward:
        """Evaluate the edges from the top down; each layer passes q of its outputs downwards."""
        nodes = {0: self.nodes[0].believed(parameters.nodes[0])}
        sources: dict[int, Any] = {0: self.family.seen(nodes[0].belief)}
        seen, edges = list[AtLayer](), list[LayerResult[Any]]()
        for e, (edge, layer) in enumerate(zip(self.edges, parameters.layers, strict=True)):
            across = parameters.across[e] if isinstance(parameters, ChainParameters) else None
            seen.append(AtLayer(edge, layer, sources[edge.source], across, self.jitter))
            if not self.family.profiled(edge):
                self._check_ratio(layer)
            if isinstance(edge.outputs, int):
                at = self.family.hidden(seen[e], parameters.nodes[edge.outputs])
                sources[edge.outputs] = at.belief
                nodes[edge.outputs] = replace(HiddenNode().believed(at.marginals), own=at.entropy)
            else:
                at = self.family.to_data(seen[e], phase)
            edges.append(at)
        every = tuple(nodes[i] for i in range(len(self.nodes)))
        return Downward(every, tuple(seen), tuple(edges))

    def _check_ratio(self, layer: Layer) -> None:
        ratio = float(np.mean(layer.kernel.diag(layer.inducing))) / float(layer.noise_variance)
        # After a phase with a fixed ratio, the ratio may exceed the limit by a rounding error.
        if ratio > 1.01 / self.jitter:
            raise NotPositiveDefiniteError(f"σ_f²/σ² = {ratio:.1e} is more than the jitter allows")


def then_conditioned(phases: Sequence[Phase]) -> tuple[Phase, ...]:
    """Shorten the phases of a chain, and add a last phase that conditions q(h)."""
    rest = 1.0 - sum(phase.share for phase in phases[:-1])
    last = replace(phases[-1], share=rest)
    first = (replace(phase, share=BEFORE * phase.share) for phase in (*phases[:-1], last))
    return (*first, Conditioning("hidden layers conditioned", 50))


def conditioned(parameters: Parameters) -> bool:
    """Whether q(h) of the hidden nodes depends on their layers."""
    return not all(isinstance(own, Belief) for own in parameters.nodes[1:])
