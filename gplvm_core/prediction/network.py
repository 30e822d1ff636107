"""A trained graph of layers: its nodes, its edges, and the posteriors of the training rows.

Other modules compute with the nodes and edges: predictions (`forward`), inference (`project`),
completions and draws (`complete`), densities (`density`), sequences (`sequence`), and prediction of
one view from others (`transfer`).

Also here: a trained graph whose maps to data depend only on some of its training rows.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
from jaxtyping import Bool, Float

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import gram_factor
from gplvm_core.numerics import Array, BoolArray, IntArray
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.statistics import Statistics, Targets, reduce_statistics

Outputs = Mapping[str, Float[Array, "N _D"]]
DATA = "data"  # the default name of data


@dataclass(frozen=True)
class TrainedEdge:
    """A trained layer: the numbers of its source nodes, and its target node or data.

    statistics: the statistics of the training rows; None if they do not determine q(u). mean_field:
    q(u) is independent of q of the target node. weight: how much the layer counts in inference.
    """

    name: str
    sources: tuple[int, ...]
    target: int | str
    posterior: Posterior
    statistics: Statistics | None = None
    mean_field: bool = False
    weight: float = 1.0

    @property
    def has_bound(self) -> bool:
        """Whether a row's outputs raise the bound by an amount that its statistics determine."""
        posterior = self.posterior
        return self.statistics is not None and not (posterior.links or posterior.errors is not None)


@dataclass(frozen=True)
class Network:
    """A trained graph, in which a node has a larger number than the nodes above it.

    nodes: the names of the nodes. known: the nodes whose points are inputs. beliefs: the posteriors
    of the training rows at every node; empty if nothing will be inferred.
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
        weight: float = 1.0,
    ) -> "Network":
        """Make a chain of layers, of which the last generates `DATA`.

        If a layer has more inputs than the layer above has outputs, the additional inputs are the
        top node's points. weight: how much the data count in inference.
        """
        edges, last = list[TrainedEdge](), len(posteriors) - 1
        width = posteriors[0].n_latent
        own = [None] * len(posteriors) if statistics is None else statistics
        for at, (posterior, each) in enumerate(zip(posteriors, own, strict=True)):
            sources = (at,) if posterior.n_latent == width else (at, 0)
            end = DATA if at == last else at + 1
            counts = weight if at == last else 1.0
            edges.append(TrainedEdge(str(at), sources, end, posterior, each, mean_field, counts))
            width = posterior.n_outputs
        return cls(tuple(map(str, range(len(posteriors)))), tuple(edges), known, tuple(beliefs))

    @classmethod
    def star(
        cls,
        ends: Mapping[str, Posterior],
        belief: Belief | None = None,
        statistics: Mapping[str, Statistics] | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> "Network":
        """Make a graph of one node, with a layer from the node to each of the named data.

        weights: how much each of the data counts in inference; None: all 1.
        """
        known, each = statistics or {}, weights or {}
        edges = (
            TrainedEdge(name, (0,), name, own, known.get(name), weight=each.get(name, 1.0))
            for name, own in ends.items()
        )
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
        """The free nodes without incoming edges."""
        return tuple(at for at in self.free if self.into(at) is None)

    @property
    def can_adapt(self) -> bool:
        """Whether new rows can update the mappings: one node, and layers to numbers with sums."""
        return len(self.nodes) == 1 and all(
            edge.posterior.links is None and edge.statistics is not None for edge in self.edges
        )

    def with_errors(self, errors: Outputs) -> "Network":
        """Return the graph for rows whose data have known errors, in the user's units."""
        return self._each_posterior(
            lambda edge: replace(edge.posterior, errors=errors.get(str(edge.target)))
        )

    def of_rows(self, chosen: IntArray) -> "Network":
        """Return the graph for some of the rows that a question is about."""
        return self._each_posterior(lambda edge: edge.posterior.of_rows(chosen))

    def _each_posterior(self, changed: Callable[[TrainedEdge], Posterior]) -> "Network":
        edges = tuple(replace(edge, posterior=changed(edge)) for edge in self.edges)
        return replace(self, edges=edges)

    def into(self, node: int) -> TrainedEdge | None:
        """Return the incoming edge of a node; None for a root or a known node."""
        return next((edge for edge in self.edges if edge.target == node), None)

    def below(self, node: int) -> frozenset[str]:
        """Return the names of all data that are below a node."""
        found: set[str] = set()
        for edge in self.edges:
            if node in edge.sources:
                end = edge.target
                found |= {end} if isinstance(end, str) else self.below(end)
        return frozenset(found)

    def width(self, node: int) -> int:
        """Return the number of dimensions of a node."""
        edge = self.into(node)
        if edge is not None:
            return edge.posterior.n_outputs
        if self.beliefs:
            return self.beliefs[node].n_latent
        single = next(edge for edge in self.edges if edge.sources == (node,))
        return single.posterior.n_latent

    def informed(self, outputs: Outputs) -> Bool[BoolArray, "N V"]:
        """Whether a row has observed data below a free node, for every row and node."""
        seen = {name: ~np.isnan(values).all(axis=1) for name, values in outputs.items()}
        below = [self.below(at) for at in self.free]
        each = [[own for name, own in seen.items() if name in names] for names in below]
        nothing = np.zeros((1, len(next(iter(outputs.values())))), dtype=bool)
        return np.column_stack([np.any([*nothing, *own], axis=0) for own in each])


def inputs_of(edge: TrainedEdge, at: Mapping[int, Belief]) -> Belief:
    """Return the posteriors of a layer's inputs, side by side."""
    return reduce(Belief.beside, (at[node] for node in edge.sources))


def with_rows(network: Network, outputs: Float[Array, "n D"], chosen: IntArray) -> Network:
    """Return the graph with q(u) optimal for some training rows; other rows can then test it.

    outputs: the outputs of these rows, all data side by side, in the user's units (NaN: missing).
    Only those layers to data change whose q(u) follows from sums over rows. Kernels, noise,
    inducing inputs and the rows' points were trained on all rows, so the other rows are not
    completely unseen.
    """
    beliefs = tuple(own.rows(chosen) for own in network.beliefs)
    known, edges, first = dict(enumerate(beliefs)), dict[str, TrainedEdge](), 0
    for name, edge in network.ends.items():
        own, last = edge.posterior, first + edge.posterior.n_outputs
        if edge.statistics is not None:
            targets = Targets.whole(own.to_internal(outputs[:, first:last]))
            targets = replace(targets, slope=own.slope)
            inputs = inputs_of(edge, known)
            found, _ = reduce_statistics(own.kernel, inputs, own.inducing, targets)
            gram = gram_factor(own.kernel, own.inducing, own.jitter, relative=False)
            at = own.bound(found, gram)
            groups = np.asarray(found.groups)
            own = replace(own, weights=at.weights, gap=at.gap, each=at.each, groups=groups)
            edges[name] = replace(edge, posterior=own, statistics=found)
        first = last
    whole = tuple(edges.get(str(edge.target), edge) for edge in network.edges)
    return replace(network, edges=whole, beliefs=beliefs)
