"""The training problem of a user-defined model: its graph and its start."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer
from gplvm_core.kernels import kernel_named
from gplvm_core.models.problems.deep import PHASES as DEEP_PHASES
from gplvm_core.models.problems.deep_starts import HIDDEN_NOISE, UPPER_VARIANCE, straight
from gplvm_core.models.problems.doctor import glance
from gplvm_core.models.problems.edges import LayerEdge, targets_for
from gplvm_core.models.problems.graph import PHASES, Begun, Graph
from gplvm_core.models.problems.initialise import initial_latent, initial_lengthscale
from gplvm_core.models.problems.nodes import INITIAL_VARIANCE, Node
from gplvm_core.models.problems.regression import BOUNDED
from gplvm_core.models.problems.starts import start_layer
from gplvm_core.models.problems.wiring import Edge, Wiring
from gplvm_core.numerics import Array
from gplvm_core.parameters import LOG
from gplvm_core.statistics import Executor


@dataclass(frozen=True)
class NetworkStart:
    """A start from the data upwards.

    Each node starts at the principal components of the targets of its edges.
    outputs: data by name, in internal units. inputs: the points of nodes with known inputs. The
    seed chooses the inducing inputs, a subset of the rows.
    """

    wiring: Wiring
    outputs: Mapping[str, Float[Array, "N _D"]]
    inputs: Mapping[str, Float[Array, "N _Q"]]

    def __call__(self, seed: int, /) -> Begun:
        generator, notes = np.random.default_rng(seed), dict[str, None]()
        beliefs: dict[str, Belief] = {}
        for name, kind in reversed(self.wiring.nodes):
            if name in self.inputs:
                beliefs[name] = Belief.certain(self.inputs[name])
                continue
            below = self._below(name, beliefs)
            assert kind.n_components is not None
            mean, own_notes = initial_latent(below, kind.n_components, "pca", generator)
            notes |= dict.fromkeys(f"node {name!r}: {note}" for note in own_notes)
            if name in self.wiring.hidden:
                mean = mean / mean.std(axis=0).max()
            to_data = any(edge.target in self.outputs for edge in self._edges(name))
            variance = INITIAL_VARIANCE if to_data else UPPER_VARIANCE
            beliefs[name] = Belief(mean, np.full_like(mean, variance))
        layers = []
        for name, edge in self.wiring.edges:
            layer, own_notes = self._layer(edge, beliefs, generator)
            layers.append(layer)
            notes |= dict.fromkeys(f"edge {name!r}: {note}" for note in own_notes)
        return Begun(tuple(beliefs[name] for name in self.wiring.names), tuple(layers), (*notes,))

    def _edges(self, node: str) -> list[Edge]:
        """The edges whose first source is this node; without such edges, all edges from it."""
        edges = [edge for _, edge in self.wiring.edges if node in edge.sources]
        return [edge for edge in edges if edge.sources[0] == node] or edges

    def _below(self, node: str, beliefs: Mapping[str, Belief]) -> list[Array]:
        """The targets of a node's edges: data, and the points of nodes below it."""
        found = []
        for edge in self._edges(node):
            if edge.target in self.outputs:
                found.append(self.outputs[edge.target])
                continue
            mean = beliefs[edge.target].mean
            # Divide by the initial lengthscales of the node below.
            found.append((mean - mean.mean(axis=0)) / initial_lengthscale(mean))
        return found

    def _layer(
        self, edge: Edge, beliefs: Mapping[str, Belief], generator: np.random.Generator
    ) -> tuple[Layer, tuple[str, ...]]:
        means = [beliefs[source].mean for source in edge.sources]
        seen, (own, *others) = np.hstack(means), means
        kind = edge.kernel
        if isinstance(kind, str) and others:
            # The other sources get long lengthscales, so that the first source explains as much as
            # possible.
            beside = [straight(each.shape[1]) for each in others]
            kind = kernel_named(kind, np.concatenate([initial_lengthscale(own), *beside]))
        noise = 1.0
        if edge.target in beliefs:
            noise = HIDDEN_NOISE * float(np.mean(beliefs[edge.target].mean.var(axis=0)))
        return start_layer(kind, seen, edge.n_inducing, noise, generator)


def network(
    begin: NetworkStart, nodes: tuple[Node, ...], jitter: float, executor: Executor
) -> Graph:
    """F = Σ_edges F_data(sources → target) + Σ_nodes (the node's own term).

    nodes: in the wiring's order. Source: Damianou (2015), ch. 6.
    """
    wiring, edges = begin.wiring, list[LayerEdge]()
    deep = bool(wiring.hidden)
    for _, edge in wiring.edges:
        to_data = edge.target in begin.outputs
        edges.append(
            LayerEdge(
                wiring.sources(edge),
                targets_for(begin.outputs[edge.target], edge.noise)
                if to_data
                else wiring.names.index(edge.target),
                executor,
                positive=BOUNDED if deep else LOG,
                mean_field=edge.mean_field,
                per_output=to_data and edge.noise == "per_output",
            )
        )
    names = tuple(name for name, _ in wiring.edges)
    return Graph(
        nodes,
        tuple(edges),
        begin,
        jitter,
        phases=DEEP_PHASES if deep else PHASES,
        doctor=glance if deep else None,
        names=names,
    )
