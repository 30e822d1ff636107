"""Questions to a trained graph of layers: moments, draws, explanations, and densities of rows.

Evidence is given by node (points) or by the name of data (outputs with gaps); answers are beliefs
at every node, and moments or draws at every end.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray
from scipy.special import logsumexp

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import Array
from gplvm_core.prediction.deep import MOST_POINTS, at_each
from gplvm_core.prediction.generate import predict_at
from gplvm_core.prediction.importance import WIDER, log_normal, proposed
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.project import THOROUGH, Projection, Rows
from gplvm_core.prediction.project_deep import Nodes, infer_nodes
from gplvm_core.prediction.row_bound import HiddenTerms, Link, RowBound
from gplvm_core.prediction.row_terms import Evidence, UncertainTerms, terms_of

Flags = NDArray[np.bool_]
Given = Mapping[int, Belief]
Outputs = Mapping[str, Float[Array, "N _D"]]
CHAINED = "data"  # what a chain of layers ends in


@dataclass(frozen=True)
class TrainedEdge:
    """A trained layer: the numbers of the nodes it starts from, and the node or data it ends in."""

    name: str
    sources: tuple[int, ...]
    target: int | str
    posterior: Posterior


@dataclass(frozen=True)
class Network:
    """A trained graph. Its nodes are numbered so that each comes after those above it.

    nodes: their names. edges: sorted by their names. known: the nodes whose points are inputs.
    """

    nodes: tuple[str, ...]
    edges: tuple[TrainedEdge, ...]
    known: tuple[int, ...] = ()

    @classmethod
    def chain(cls, posteriors: Sequence[Posterior]) -> "Network":
        """Layers below each other. One with more inputs than the layer above has outputs sees the
        top as well.
        """
        edges, widths = list[TrainedEdge](), [posteriors[0].n_latent]
        for at, posterior in enumerate(posteriors):
            sources = (at,) if posterior.n_latent == widths[at] else (at, 0)
            end = at + 1 if at + 1 < len(posteriors) else CHAINED
            edges.append(TrainedEdge(str(at), sources, end, posterior))
            widths.append(posterior.n_outputs)
        return cls(tuple(map(str, range(len(posteriors)))), tuple(edges))

    @property
    def ends(self) -> dict[str, TrainedEdge]:
        """The edges to data, by the data's name."""
        return {edge.target: edge for edge in self.edges if isinstance(edge.target, str)}

    def into(self, node: int) -> TrainedEdge | None:
        """The edge that ends in a node; None for one with a prior of its own."""
        return next((edge for edge in self.edges if edge.target == node), None)

    @property
    def roots(self) -> tuple[int, ...]:
        """The nodes with the prior N(0, I)."""
        own = (at for at in range(len(self.nodes)) if self.into(at) is None)
        return tuple(at for at in own if at not in self.known)

    def below(self, node: int) -> frozenset[str]:
        """The names of all data that are below a node."""
        found: set[str] = set()
        for edge in self.edges:
            if node in edge.sources:
                end = edge.target
                found |= {end} if isinstance(end, str) else self.below(end)
        return frozenset(found)


def moments(
    network: Network, given: Given, *, noise: bool
) -> dict[str, tuple[Float[Array, "N _D"], Float[Array, "N _D"]]]:
    """Mean and variance of all data below nodes whose points are given, certain or as beliefs.

    The first two moments are passed from layer to layer, and nodes count as independent given
    their own. Data that also need other nodes are left out. Source: Damianou (2015), §6.2.
    """
    known = dict(given)
    for node in range(len(network.nodes)):
        edge = network.into(node)
        if node not in known and edge is not None and all(at in known for at in edge.sources):
            inputs = _inputs(edge, known)
            known[node] = Belief(*predict_at(edge.posterior, *inputs, noise=True))
    return {
        name: predict_at(edge.posterior, *_inputs(edge, known), noise=noise)
        for name, edge in network.ends.items()
        if all(at in known for at in edge.sources)
    }


def _inputs(edge: TrainedEdge, known: Given) -> tuple[Array, Array | None]:
    """Means and variances of a layer's inputs; no variances where all of them are certain."""
    whole = reduce(Belief.beside, (known[at] for at in edge.sources))
    return whole.mean, whole.variance if whole.variance.any() else None


def draws(
    network: Network, given: Mapping[int, Float[Array, "S N _Q"]], generator: np.random.Generator
) -> dict[str, Float[Array, "S N _D"]]:
    """Draws of all data through draws of every layer, noise included, each row on its own.

    given: draws of the points of nodes, among them all that have no layer above.
    """
    known = dict(given)
    for node in range(len(network.nodes)):
        edge = network.into(node)
        if node not in known and edge is not None:
            known[node] = _drawn(edge, known, generator)
    return {name: _drawn(edge, known, generator) for name, edge in network.ends.items()}


def _drawn(
    edge: TrainedEdge, known: Mapping[int, Array], generator: np.random.Generator
) -> Float[Array, "S N _D"]:
    inputs = np.concatenate([known[at] for at in edge.sources], axis=2)
    mean, variance = at_each(edge.posterior, inputs)
    return mean + np.sqrt(variance) * generator.standard_normal(mean.shape)


@dataclass(frozen=True)
class Explained:
    """The explanations of rows at every node that is not known.

    nodes: their numbers. informed: of every row, which of them have anything observed below them;
    the beliefs at the others say nothing.
    """

    nodes: tuple[int, ...]
    found: tuple[Projection, ...]
    informed: Bool[Flags, "N V"]

    @property
    def weights(self) -> Float[Array, "N K"]:
        """Of a row's explanations, together 1."""
        return self.found[0].weights

    def patterns(self) -> Iterator[tuple[Rows, list[int]]]:
        """Rows with the same informed nodes, and the places of these in `nodes`."""
        kinds, which = np.unique(self.informed, axis=0, return_inverse=True)
        for number, kind in enumerate(kinds):
            yield np.flatnonzero(which.ravel() == number), np.flatnonzero(kind).tolist()


def explain(
    network: Network,
    outputs: Outputs,
    training: Sequence[Belief],
    inputs: Mapping[int, Float[Array, "N _Q"]],
) -> Explained:
    """q of all nodes of new rows, each row on its own, the layers' q(u) held.

    outputs: of some or all of the data (NaN: missing). training: what is believed at every node
    about the training rows. inputs: of the rows, for the nodes that are known. Source: Damianou
    (2015), §3.4.1, for every layer of §6.2.
    """
    free = tuple(at for at in range(len(network.nodes)) if at not in network.known)
    seen = {name: ~np.isnan(values).all(axis=1) for name, values in outputs.items()}
    n_rows = len(next(iter(outputs.values())))

    def is_informed(node: int) -> Bool[Flags, " N"]:
        each = (seen[name] for name in network.below(node) if name in seen)
        return reduce(np.logical_or, each, np.zeros(n_rows, dtype=bool))

    informed = np.column_stack([is_informed(at) for at in free])
    evidence = [
        Evidence(network.ends[name].posterior, values, at=_training_inputs(network, name, training))
        for name, values in outputs.items()
    ]

    def bound_of(some: Sequence[Evidence], rows: Rows) -> RowBound:
        place = {at: number for number, at in enumerate(free)}
        known = {at: Belief.certain(values[rows]) for at, values in inputs.items()}
        ends = tuple(
            (terms_of([each], UncertainTerms.of), network.ends[name].sources)
            for name, each in zip(outputs, some, strict=True)
        )
        links = tuple(
            Link(
                HiddenTerms.of(edge.posterior),
                edge.sources,
                edge.target,
                informed[rows][:, place[edge.target]].astype(np.float64),
            )
            for edge in network.edges
            if isinstance(edge.target, int)
        )
        return RowBound(ends, links, known)

    beliefs = [training[at] for at in free]
    widths = [each.n_latent for each in beliefs]
    places = np.hstack([each.mean / each.mean.std() for each in beliefs])
    roots = [number for number, at in enumerate(free) if at in network.roots]
    uninformed = np.repeat(~informed, widths, axis=1)
    partial = len(outputs) < len(network.ends)
    found = infer_nodes(bound_of, evidence, beliefs, roots, places, uninformed, partial, THOROUGH)
    return Explained(free, Nodes.of(beliefs).split(found), informed)


def _training_inputs(
    network: Network, name: str, training: Sequence[Belief]
) -> Float[Array, "T _Q"]:
    return np.hstack([training[at].mean for at in network.ends[name].sources])


def reconstructed(
    network: Network, explained: Explained, inputs: Mapping[int, Float[Array, "N _Q"]]
) -> dict[str, tuple[Float[Array, "N _D"], Float[Array, "N _D"]]]:
    """Mean and variance of all data of rows, noise included: the mixture of their explanations.

    A node with nothing observed below it follows from the nodes above it, a root from its prior.
    """
    n_rows, n_explanations = explained.weights.shape
    shape = {name: (n_rows, edge.posterior.n_outputs) for name, edge in network.ends.items()}
    mean = {name: np.zeros(size) for name, size in shape.items()}
    square = {name: np.zeros(size) for name, size in shape.items()}
    for rows, informed in explained.patterns():
        fixed = {at: Belief.certain(values[rows]) for at, values in inputs.items()}
        for k in range(n_explanations):
            weight = explained.weights[rows, k][:, None]
            given = fixed | {
                at: Belief(found.mean[rows, k], found.variance[rows, k])
                for number, (at, found) in enumerate(
                    zip(explained.nodes, explained.found, strict=True)
                )
                if number in informed or at in network.roots  # else N(0, 1), its prior
            }
            for name, (own, variance) in moments(network, given, noise=True).items():
                mean[name][rows] += weight * own
                square[name][rows] += weight * (variance + own**2)
    return {name: (mean[name], np.maximum(square[name] - mean[name] ** 2, 0.0)) for name in mean}


def log_density(
    network: Network,
    outputs: Outputs,
    explained: Explained,
    inputs: Mapping[int, Float[Array, "N _Q"]],
    n_samples: int,
    random_state: int | np.random.Generator | None = None,
) -> Float[Array, " N"]:
    """log p(observed entries of the rows | Y) in nats, in the user's units, by importance sampling.

    The points of all nodes are drawn from the rows' explanations, slightly widened. Unbiased in
    the density, so low in its logarithm; the bias shrinks as the number of draws grows.
    """
    generator, value = np.random.default_rng(random_state), np.empty(len(explained.informed))
    weights = explained.weights
    for alike, informed in explained.patterns():
        step = max(1, MOST_POINTS // n_samples)
        for first in range(0, len(alike), step):
            rows = alike[first : first + step]
            chosen = [explained.found[number] for number in informed]
            mean = np.concatenate([each.mean[rows] for each in chosen], axis=2)
            variance = WIDER * np.concatenate([each.variance[rows] for each in chosen], axis=2)
            drawn, log_proposal = proposed(mean, variance, weights[rows], n_samples, generator)
            ends = np.cumsum([each.mean.shape[2] for each in chosen])
            points = dict(
                zip(
                    (explained.nodes[number] for number in informed),
                    np.split(drawn, ends[:-1], axis=2),
                    strict=True,
                )
            )
            known = points | {
                at: np.broadcast_to(values[rows], (n_samples, *values[rows].shape))
                for at, values in inputs.items()
            }
            ratio = -log_proposal
            for at, own in points.items():
                edge = network.into(at)
                above = (0.0, 1.0) if edge is None else _at(edge, known)
                ratio = ratio + log_normal(own, *above)
            for name, values in outputs.items():
                edge = network.ends[name]
                if all(at in known for at in edge.sources):
                    ratio = ratio + log_normal(values[rows], *_at(edge, known))
            value[rows] = logsumexp(ratio, axis=0) - np.log(n_samples)
    return value


def _at(edge: TrainedEdge, known: Mapping[int, Array]) -> tuple[Array, Array]:
    inputs = np.concatenate([known[at] for at in edge.sources], axis=2)
    return at_each(edge.posterior, inputs)


def log_density_sampled(
    posteriors: Sequence[Posterior],
    outputs: Float[Array, "N D"],
    found: Sequence[Projection],
    n_samples: int,
    random_state: int | np.random.Generator | None = None,
) -> Float[Array, " N"]:
    """`log_density` of rows in a chain of layers; found: their explanations at every node."""
    informed = np.ones((len(outputs), len(found)), dtype=bool)
    explained = Explained(tuple(range(len(found))), tuple(found), informed)
    chain, rows = Network.chain(posteriors), {CHAINED: outputs}
    return log_density(chain, rows, explained, {}, n_samples, random_state)
