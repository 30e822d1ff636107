"""A trained graph of layers: its nodes, its edges, and what is believed about the training rows.

Everything that may be asked of it is written over nodes and edges: where points lead (`forward`),
what rows say about the nodes (`explain`), completions and draws (`complete`), densities
(`density`), sequences (`sequence`), one end from another (`transfer`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import Array
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.statistics import Statistics

Outputs = Mapping[str, Float[Array, "N _D"]]
DATA = "data"  # the name of data that have no other


@dataclass(frozen=True)
class TrainedEdge:
    """A trained layer: the numbers of the nodes it starts from, and the node or data it ends in.

    statistics: of the training rows, None where q(u) is not a function of them. mean_field: q(u)
    is independent of q of the node that the edge ends in.
    """

    name: str
    sources: tuple[int, ...]
    target: int | str
    posterior: Posterior
    statistics: Statistics | None = None
    mean_field: bool = False


@dataclass(frozen=True)
class Network:
    """A trained graph. Its nodes are numbered so that each comes after those above it.

    nodes: their names. known: the nodes whose points are inputs. beliefs: about the training rows
    at every node; empty where nothing will be inferred.
    """

    nodes: tuple[str, ...]
    edges: tuple[TrainedEdge, ...]
    known: tuple[int, ...] = ()
    beliefs: tuple[Belief, ...] = ()

    @classmethod
    def chain(
        cls,
        posteriors: Sequence[Posterior],
        beliefs: Sequence[Belief] = (),
        statistics: Sequence[Statistics | None] | None = None,
        *,
        mean_field: bool = False,
        known: tuple[int, ...] = (),
    ) -> "Network":
        """Layers below each other, the last one ending in `DATA`. A layer with more inputs than the
        layer above has outputs sees the top as well.
        """
        edges, last = list[TrainedEdge](), len(posteriors) - 1
        width = posteriors[0].n_latent
        own = [None] * len(posteriors) if statistics is None else statistics
        for at, (posterior, each) in enumerate(zip(posteriors, own, strict=True)):
            sources = (at,) if posterior.n_latent == width else (at, 0)
            end = DATA if at == last else at + 1
            edges.append(TrainedEdge(str(at), sources, end, posterior, each, mean_field))
            width = posterior.n_outputs
        return cls(tuple(map(str, range(len(posteriors)))), tuple(edges), known, tuple(beliefs))

    @classmethod
    def star(
        cls,
        ends: Mapping[str, Posterior],
        belief: Belief | None = None,
        statistics: Mapping[str, Statistics] | None = None,
    ) -> "Network":
        """One node, and a layer from it to each of the named data."""
        known = statistics or {}
        edges = (TrainedEdge(name, (0,), name, own, known.get(name)) for name, own in ends.items())
        return cls(("0",), tuple(edges), (), () if belief is None else (belief,))

    @property
    def ends(self) -> dict[str, TrainedEdge]:
        """The edges to data, by the data's name."""
        return {edge.target: edge for edge in self.edges if isinstance(edge.target, str)}

    @property
    def free(self) -> tuple[int, ...]:
        """The nodes that are not known."""
        return tuple(at for at in range(len(self.nodes)) if at not in self.known)

    @property
    def roots(self) -> tuple[int, ...]:
        """The free nodes that no edge ends in."""
        return tuple(at for at in self.free if self.into(at) is None)

    def into(self, node: int) -> TrainedEdge | None:
        """The edge that ends in a node; None for one with a prior of its own."""
        return next((edge for edge in self.edges if edge.target == node), None)

    def below(self, node: int) -> frozenset[str]:
        """The names of all data that are below a node."""
        found: set[str] = set()
        for edge in self.edges:
            if node in edge.sources:
                end = edge.target
                found |= {end} if isinstance(end, str) else self.below(end)
        return frozenset(found)

    def width(self, node: int) -> int:
        """The dimensions of a node."""
        edge = self.into(node)
        if edge is not None:
            return edge.posterior.n_outputs
        if self.beliefs:
            return self.beliefs[node].n_latent
        alone = next(edge for edge in self.edges if edge.sources == (node,))
        return alone.posterior.n_latent

    def informed(self, outputs: Outputs) -> Bool[NDArray[np.bool_], "N V"]:
        """Of every row and free node, whether anything observed is below the node."""
        seen = {name: ~np.isnan(values).all(axis=1) for name, values in outputs.items()}
        below = [self.below(at) for at in self.free]
        each = [[own for name, own in seen.items() if name in names] for names in below]
        nothing = np.zeros((1, len(next(iter(outputs.values())))), dtype=bool)
        return np.column_stack([np.any([*nothing, *own], axis=0) for own in each])


def inputs_of(edge: TrainedEdge, at: Mapping[int, Belief]) -> Belief:
    """The beliefs about a layer's inputs, side by side."""
    return reduce(Belief.beside, (at[node] for node in edge.sources))
