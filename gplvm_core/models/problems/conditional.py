"""Chains whose hidden beliefs follow from the layers above: the conditional families.

q(h | u) gated and free (MATHEMATICS.md, 6.2), q(h | h⁻) diagonal (6.5). From scratch they are badly
conditioned, so training begins as every chain does, with beliefs that move on their own, and a last
phase conditions them: from there a node's parameters say how its belief follows from the layer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Literal, get_args

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Informed, Layer, LayerValue, Scales
from gplvm_core.bounds.families import (
    GivenInducing,
    GivenInputs,
    Handed,
    given_inducing,
    given_inputs,
)
from gplvm_core.kernels.tilted import as_rbf
from gplvm_core.models.problems.edges import FREE, Settled
from gplvm_core.models.problems.graph import Graph, Learnt, Parameters
from gplvm_core.models.problems.natural_steps import natural_steps
from gplvm_core.models.problems.nodes import Believed, HiddenNode
from gplvm_core.models.training.run import Evaluated, Phase
from gplvm_core.numerics import Array, NotPositiveDefiniteError
from gplvm_core.parameters import Layout, Leaf, add
from gplvm_core.statistics import Targets

Conditional = Literal["gated", "free", "diagonal"]
CONDITIONAL = get_args(Conditional)
# Of max_iter, what the phases before the last one have together.
BEFORE = 0.65
# How far a gate, a free T or what follows an input moves as a matter of course.
TRANSFER_SCALE = 0.1
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
    """One way down: what is believed at every node, and every edge's value."""

    nodes: tuple[Believed, ...]
    edges: tuple[Handed | LayerValue, ...]

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
        if self.family == "diagonal":
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

    def _following(self, own: Belief, width: tuple[int, int]) -> GivenInducing | GivenInputs:
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
            if isinstance(own, GivenInducing | GivenInputs):
                belief = Belief(own.mean, own.variance)
            free |= node.free(f"nodes.{i}", own, belief, refreshed=True)
            if isinstance(own, GivenInputs):
                free[f"nodes.{i}.follows"] = Leaf(scale=TRANSFER_SCALE)
            elif isinstance(own, GivenInducing):
                name = "gate" if own.transfer is None else "transfer"
                free[f"nodes.{i}.{name}"] = Leaf(scale=TRANSFER_SCALE)
        for e, (edge, layer) in enumerate(zip(self.edges, anchor.layers, strict=True)):
            source = nodes[edge.source].belief
            spread = self.nodes[edge.source].spread(source, refreshed=True)
            profiled = not edge.ends_in_node or self.family == "diagonal"
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
        met = [[_zero(node.belief)] for node in down.nodes]
        layers, own = list(parameters.layers), list(parameters.nodes)
        # From the data up: what lies below an edge says what it needs of the belief above.
        for e in reversed(range(len(self.edges))):
            edge, at = self.edges[e], down.edges[e]
            if isinstance(at, LayerValue):
                met[edge.source].append(Belief(at.gradients.mean, at.gradients.variance))
                layers[e] = Layer(at.gradients.kernel, at.gradients.inducing, 0.0)
            elif isinstance(edge.outputs, int):
                moved = at.pullback(reduce(add, met[edge.outputs]))
                met[edge.source].append(moved.source)
                layers[e], own[edge.outputs] = moved.layer, moved.own
        own[0] = down.nodes[0].pullback(reduce(add, met[0]))
        noise = float(np.mean([np.mean(at.layer.noise_variance) for at in down.edges]))
        return Evaluated(down.bound, Parameters(tuple(own), tuple(layers)), noise)

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
        for edge, at, layer in zip(self.edges, down.edges, parameters.layers, strict=True):
            if isinstance(at, Handed):
                settled.append(
                    Settled(at.layer, at.statistics, at.posterior, at.jitter, int(at.capped))
                )
            else:
                source, whole = down.nodes[edge.source].belief, Targets.whole(next(given))
                settled.append(edge.settled(layer, source, edge.data, whole, self.jitter))
        return Learnt(down.nodes, tuple(settled))

    def downward(self, parameters: Parameters, phase: Phase) -> Downward:
        """Edge by edge: a layer hands the belief about its outputs to those below."""
        nodes = {0: self.nodes[0].believed(parameters.nodes[0])}
        edges = list[Handed | LayerValue]()
        for edge, layer in zip(self.edges, parameters.layers, strict=True):
            source = nodes[edge.source].belief
            if not isinstance(edge.outputs, int):
                edges.append(edge.value(layer, source, edge.data, self.jitter, phase))
                continue
            at = self._handed(layer, source, parameters.nodes[edge.outputs])
            edges.append(at)
            seen = HiddenNode().believed(at.belief)
            nodes[edge.outputs] = replace(seen, own=at.entropy)
        return Downward(tuple(nodes[i] for i in range(len(self.nodes))), tuple(edges))

    def _handed(self, layer: Layer, source: Belief, own: GivenInducing | GivenInputs) -> Handed:
        if isinstance(own, GivenInputs):
            scales = Scales(profile=True, most_ratio=1.0 / self.jitter)
            return given_inputs(layer, source, own, scales, jitter=self.jitter)
        ratio = float(np.mean(layer.kernel.diag(layer.inducing))) / float(layer.noise_variance)
        # Where the ratio was held, training may have left it a rounding error above.
        if ratio > 1.01 / self.jitter:
            raise NotPositiveDefiniteError(f"σ_f²/σ² = {ratio:.1e} is more than the jitter allows")
        return given_inducing(layer, source, own, jitter=self.jitter)


def conditioned(parameters: Parameters) -> bool:
    """Whether the hidden beliefs follow from their layers."""
    return any(isinstance(own, GivenInducing | GivenInputs) for own in parameters.nodes)


def _zero(belief: Belief) -> Belief:
    return Belief(np.zeros_like(belief.mean), np.zeros_like(belief.mean))
