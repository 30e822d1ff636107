"""Chains whose hidden beliefs follow from the layers above: the conditional families.

q(h | u) gated and free (MATHEMATICS.md, 6.2), q(h | h⁻) diagonal (6.5), and those of correlated.py.
From scratch they are badly conditioned, so training begins as every chain does, with beliefs that
move on their own, and a last phase conditions them: from there a node's parameters say how its
belief follows from the layer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Literal, get_args

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Informed, Layer, LayerValue, Scales
from gplvm_core.bounds.families import (
    FullyGivenInputs,
    GivenInducing,
    GivenInputs,
    Handed,
    JointlyGivenInducing,
    Moved,
    given_inducing,
    given_inputs,
)
from gplvm_core.kernels.tilted import as_rbf
from gplvm_core.models.problems.edges import FREE, LayerEdge, Settled
from gplvm_core.models.problems.graph import Graph, Learnt, Parameters
from gplvm_core.models.problems.natural_steps import natural_steps
from gplvm_core.models.problems.nodes import Believed, HiddenNode
from gplvm_core.models.training.run import Evaluated, Phase
from gplvm_core.numerics import Array, NotPositiveDefiniteError
from gplvm_core.parameters import Layout, Leaf, add, leaves, scale_leaves
from gplvm_core.statistics import Targets

Separate = Literal["gated", "free", "diagonal"]
Together = Literal["joint", "full", "chain", "low_rank_chain"]
Conditional = Separate | Together
SEPARATE, TOGETHER = get_args(Separate), get_args(Together)
# Parameters of a node whose belief follows from the layer.
CONDITIONED = GivenInducing | GivenInputs | FullyGivenInputs | JointlyGivenInducing
# Those that follow q(u), which has sites of what the layers below say.
TOLD = GivenInducing | JointlyGivenInducing
# Of max_iter, what the phases before the last one have together.
BEFORE = 0.65
# Of a conditioned belief, what says how it follows, and how far that moves as a matter of course.
HOW, TRANSFER_SCALE = ("gate", "transfer", "follows", "mixes"), 0.1
# Bounds this near to each other, as a share, are the same.
ROUNDING = 1e-9
# Of q(u), whenever the phase that conditions is entered.
NATURAL_STEPS = 5


def then_conditional(phases: Sequence[Phase]) -> tuple[Phase, ...]:
    """The phases of a chain, in a part of the iterations, and one that conditions its beliefs."""
    rest = 1.0 - sum(phase.share for phase in phases[:-1])
    last = replace(phases[-1], share=rest)
    first = (replace(phase, share=BEFORE * phase.share) for phase in (*phases[:-1], last))
    return (*first, Phase("hidden layers conditioned", 50, conditional=True))


@dataclass(frozen=True)
class Downward:
    """One way down: what is believed at every node, what layers see of it, every edge's value."""

    nodes: tuple[Believed, ...]
    seen: tuple[Any, ...]
    edges: tuple[Handed[Any] | LayerValue, ...]

    @property
    def bound(self) -> float:
        value = sum(at.posterior.value if isinstance(at, Handed) else at.value for at in self.edges)
        return value + sum(node.own for node in self.nodes)


@dataclass(frozen=True)
class ConditionalGraph(Graph):
    """A graph whose edges stand in order, from the top down, each hidden node below one edge.

    Its parameters say whether the beliefs are conditioned already; until then it is a plain graph.
    """

    family: Conditional = "gated"

    def start(self, seed: int) -> Parameters:
        begun = super().start(seed)
        if self.family == "diagonal":
            for edge, layer in zip(self.edges, begun.layers, strict=True):
                if edge.ends_in_node:
                    as_rbf(layer.kernel)
        return begun

    def entering(self, parameters: Parameters, phase: Phase) -> Parameters:
        """Conditioned where the phase asks for it, at mean field: nothing follows anything yet.

        Whenever that phase begins anew, q(u) goes to where the layers below would have it.
        """
        if not phase.conditional:
            return parameters
        if not conditioned(parameters):
            parameters = self._conditioned(parameters)
        if not any(isinstance(own, TOLD) for own in parameters.nodes):
            return parameters
        return natural_steps(lambda at: self.evaluate(at, phase), parameters, NATURAL_STEPS)[0]

    def _conditioned(self, parameters: Parameters) -> Parameters:
        nodes, layers = list(parameters.nodes), list(parameters.layers)
        for e, at in enumerate(self.values(parameters, FREE)):
            outputs = self.edges[e].outputs
            if isinstance(outputs, int):
                # The layers below see the scales through q(u), so these become free parameters.
                layers[e] = at.layer
                nodes[outputs] = self._following(nodes[outputs], at.layer.inducing.shape)
        return Parameters(tuple(nodes), tuple(layers))

    def _following(self, own: Belief, width: tuple[int, int]) -> Any:
        n_inducing, n_inputs = width
        if self.family == "diagonal":
            common = min(n_inputs, own.n_latent)
            return GivenInputs(own.mean, own.variance, np.zeros((own.n_points, common)))
        if self.family == "gated":
            return GivenInducing(own.mean, own.variance, np.zeros(own.n_latent))
        transfer = np.zeros((own.n_latent, own.n_points, n_inducing))
        return GivenInducing(own.mean, own.variance, transfer=transfer)

    def layout(self, anchor: Parameters, phase: Phase) -> Layout:
        if not conditioned(anchor):
            return super().layout(anchor, phase)
        nodes, free = self.downward(anchor, FREE).nodes, dict[str, Leaf]()
        for i, (node, own) in enumerate(zip(self.nodes, anchor.nodes, strict=True)):
            belief = nodes[i].belief
            if isinstance(own, CONDITIONED):
                belief = Belief(own.mean, own.variance)
                how = [path for path in leaves(own) if path in HOW]
                free |= {f"nodes.{i}.{path}": Leaf(scale=TRANSFER_SCALE) for path in how}
            free |= node.free(f"nodes.{i}", own, belief, refreshed=True)
        for e, (edge, layer) in enumerate(zip(self.edges, anchor.layers, strict=True)):
            source = nodes[edge.source].belief
            spread = self.nodes[edge.source].spread(source, refreshed=True)
            profiled = self._profiled(edge)
            free |= edge.free(f"layers.{e}", layer, spread, source.n_points, profiled=profiled)
        return Layout(anchor, free)

    def believed(self, parameters: Parameters) -> tuple[Believed, ...]:
        if not conditioned(parameters):
            return super().believed(parameters)
        return self.downward(parameters, FREE).nodes

    def evaluate(self, parameters: Parameters, phase: Phase) -> Evaluated:
        if not conditioned(parameters):
            return super().evaluate(parameters, phase)
        down = self.downward(parameters, phase)
        met = [[scale_leaves(seen, 0.0)] for seen in down.seen]
        found = list[Moved]()
        # From the data up: what lies below an edge says what it needs of the belief above.
        for edge, at in zip(reversed(self.edges), reversed(down.edges), strict=True):
            below = met[edge.outputs] if isinstance(edge.outputs, int) else []
            moved = self._moved(at, reduce(add, below) if below else None)
            met[edge.source].append(moved.source)
            found.insert(0, moved)
        own = list(parameters.nodes)
        for edge, moved in zip(self.edges, found, strict=True):
            if isinstance(edge.outputs, int):
                own[edge.outputs] = moved.own
        own[0] = down.nodes[0].pullback(_marginals(reduce(add, met[0])))
        noise = float(np.mean([np.mean(at.layer.noise_variance) for at in down.edges]))
        layers = tuple(moved.layer for moved in found)
        return Evaluated(down.bound, self._gradient(tuple(own), layers, found), noise)

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
        seen = Parameters(
            (parameters.nodes[0], *(node.belief for node in down.nodes[1:])), parameters.layers
        )
        found = self._as_conditioned(parameters, down, outputs)
        told = "conditioned hidden layers ({}) ended with a lower bound than they have without: {}"
        plain = self._marginalised(seen, outputs, told)
        return plain if plain.bound > found.bound + ROUNDING * abs(found.bound) else found

    def _marginalised(self, parameters: Parameters, outputs: Sequence[Array], told: str) -> Learnt:
        said = told.format(self.family, "the result is that of marginalised")
        return replace(super().learnt(parameters, outputs), told=(said,), marginalised=True)

    def _as_conditioned(
        self, parameters: Parameters, down: Downward, outputs: Sequence[Array]
    ) -> Learnt:
        settled, given = list[Settled](), iter(outputs)
        for e, (edge, at) in enumerate(zip(self.edges, down.edges, strict=True)):
            if edge.ends_in_node:
                assert isinstance(at, Handed)
                settled.append(settled_as(at, int(at.capped)))
            else:
                seen, whole = down.seen[edge.source], Targets.whole(next(given))
                settled.append(self._settled(e, parameters, seen, whole))
        return Learnt(down.nodes, tuple(settled))

    def downward(self, parameters: Parameters, phase: Phase) -> Downward:
        """LayerEdge by edge: a layer hands the belief about its outputs to those below."""
        nodes = {0: self.nodes[0].believed(parameters.nodes[0])}
        seen, edges = {0: self._seen(nodes[0].belief)}, list[Handed[Any] | LayerValue]()
        for e, edge in enumerate(self.edges):
            at = self._value(e, parameters, seen[edge.source], phase)
            edges.append(at)
            if isinstance(edge.outputs, int):
                assert isinstance(at, Handed)
                seen[edge.outputs] = at.belief
                believed = HiddenNode().believed(at.marginals)
                nodes[edge.outputs] = replace(believed, own=at.entropy)
        order = range(len(self.nodes))
        return Downward(tuple(nodes[i] for i in order), tuple(seen[i] for i in order), tuple(edges))

    # What is another matter where the dimensions of a belief hang together (correlated.py).

    def _seen(self, top: Belief) -> Any:
        """What the layers below the top see of it."""
        return top

    def _profiled(self, edge: LayerEdge) -> bool:
        """Whether the scales of a layer are at their optimum, and no parameters."""
        return not edge.ends_in_node or self.family == "diagonal"

    def _value(
        self, e: int, parameters: Parameters, source: Any, phase: Phase
    ) -> Handed[Any] | LayerValue:
        edge, layer = self.edges[e], parameters.layers[e]
        if not isinstance(edge.outputs, int):
            return edge.value(layer, source, edge.data, self.jitter, phase)
        own = parameters.nodes[edge.outputs]
        if isinstance(own, GivenInputs):
            scales = Scales(profile=True, most_ratio=1.0 / self.jitter)
            return given_inputs(layer, source, own, scales, jitter=self.jitter)
        self._check_ratio(layer)
        return given_inducing(layer, source, own, jitter=self.jitter)

    def _check_ratio(self, layer: Layer) -> None:
        ratio = float(np.mean(layer.kernel.diag(layer.inducing))) / float(layer.noise_variance)
        # Where the ratio was held, training may have left it a rounding error above.
        if ratio > 1.01 / self.jitter:
            raise NotPositiveDefiniteError(f"σ_f²/σ² = {ratio:.1e} is more than the jitter allows")

    def _moved(self, at: Handed[Any] | LayerValue, met: Any) -> Moved:
        if isinstance(at, Handed):
            return at.pullback(met)
        source = Belief(at.gradients.mean, at.gradients.variance)
        return Moved(source, Layer(at.gradients.kernel, at.gradients.inducing, 0.0), None)

    def _gradient(
        self, nodes: tuple[Any, ...], layers: tuple[Layer, ...], found: Sequence[Moved]
    ) -> Parameters:
        return Parameters(nodes, layers)

    def _settled(self, e: int, parameters: Parameters, source: Any, whole: Targets) -> Settled:
        """The layer to data on all outputs."""
        edge, layer = self.edges[e], parameters.layers[e]
        return edge.settled(layer, source, edge.data, whole, self.jitter)


def conditioned(parameters: Parameters) -> bool:
    """Whether the hidden beliefs follow from their layers."""
    return any(isinstance(own, CONDITIONED) for own in parameters.nodes)


def settled_as(at: Any, capped: int = 0) -> Settled:
    """A layer as it was evaluated, as what is kept."""
    return Settled(at.layer, at.statistics, at.posterior, at.jitter, capped)


def _marginals(met: Any) -> Belief:
    return met if isinstance(met, Belief) else met.marginals
