"""Data → nodes: posteriors of the points of new rows, complete or partial, with q(u) fixed.

With q(u) fixed the bound is a sum over rows. A row's observed outputs enter only through the
adjoint of its Φ. All rows are therefore inferred at once, at the cost of one kernel expectation per
row (Titsias & Lawrence 2010, §4; Damianou 2015, §3.4.1, for every layer of §6.2).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.special import logsumexp

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import Array, BoolArray, IntArray, one_thread_a_product
from gplvm_core.prediction.forward import followed
from gplvm_core.prediction.generate import predict
from gplvm_core.prediction.network import Network, Outputs, TrainedEdge, inputs_of
from gplvm_core.prediction.row_bound import RowBound, Search
from gplvm_core.prediction.row_terms import ROWS_PER_TILE

ROWS_PER_BATCH = 1024
# The search for few rows ends below this slope, in nats per standard deviation.
TOLERANCE = 1e-3
# The largest number of training points to start from; more distances would fill the memory.
MOST_PLACES = 10_000
# Two end points count as one explanation if their squared distance, in standard deviations, is
# below this.
APART = 1.0
# They also count as one if their distance is below this fraction of the training points' standard
# deviation.
LEAST_APART = 0.05

Inputs = Mapping[int, Float[Array, "N _Q"]]


@dataclass(frozen=True)
class Effort:
    """The effort of the search.

    starts, starts_of_partial: the number of starts of a complete row, and of a row with gaps, which
    may have several explanations. iterations: the largest number of iterations. tolerance: the
    slope at which the search ends, in nats per standard deviation; the bound could then still rise
    by about the square of this slope. tile: the number of rows in one computation.
    """

    starts: int = 2
    starts_of_partial: int = 6
    iterations: int = 200
    tolerance: float = TOLERANCE
    tile: int = ROWS_PER_TILE


# THOROUGH is for few rows, ROUGH for rows whose errors are averaged, and QUICK for adding many rows
# that are near training rows.
# With the larger tiles of QUICK, the computation takes two thirds of the time. The tiles change
# only the last digit of a row's result: this digit depends on the other rows of the tile. With the
# tolerance of QUICK, the bound could still rise by about a thousandth of a nat.
THOROUGH, QUICK = Effort(), Effort(starts=1, iterations=40, tolerance=0.03, tile=512)
ROUGH = Effort(starts=1, starts_of_partial=2, iterations=40, tolerance=0.01)


@dataclass(frozen=True)
class Projection:
    """The explanations N(mean, diag variance) of each row, the best first, with their bounds.

    Bounds are in nats, −inf for starts that ended at the same point as a better one.
    """

    mean: Float[Array, "N K Q"]
    variance: Float[Array, "N K Q"]
    bound: Float[Array, "N K"]

    @property
    def best(self) -> Belief:
        """q(x*) of each row: the row's best explanation."""
        return Belief(self.mean[:, 0], self.variance[:, 0])

    @property
    def weights(self) -> Float[Array, "N K"]:
        """The optimal weights of the explanations in a mixture, if the Gaussians do not overlap."""
        return np.exp(self.bound - logsumexp(self.bound, axis=1, keepdims=True))

    def likely(self, least: float) -> Self:
        """The explanations with at least this weight."""
        bound = np.where(self.weights < least, -np.inf, self.bound)
        return type(self)(self.mean, self.variance, bound)

    @classmethod
    def of(cls, mean: Array, variance: Array, bound: Array, least: Array) -> Self:
        """Select the distinct end points of each row's search, the best first.

        least: the lower limits of variances (Q,).
        """
        found = cls(mean, variance, bound)._sorted()
        bounds = found.bound.copy()
        for later in range(1, bounds.shape[1]):
            gap = found.mean[:, :later] - found.mean[:, later : later + 1]
            spread = found.variance[:, :later] + found.variance[:, later : later + 1]
            distance = np.sum(gap**2 / np.maximum(spread, least), axis=2)
            same = np.isfinite(bounds[:, :later]) & (distance < APART)
            bounds[same.any(axis=1), later] = -np.inf
        return cls(found.mean, found.variance, bounds)._sorted()

    def _sorted(self) -> Self:
        order = np.argsort(-self.bound, axis=1, kind="stable")
        deep = order[:, :, None]
        return type(self)(
            np.take_along_axis(self.mean, deep, axis=1),
            np.take_along_axis(self.variance, deep, axis=1),
            np.take_along_axis(self.bound, order, axis=1),
        )


@dataclass(frozen=True)
class Explained:
    """The explanations of rows at every free node.

    nodes: the numbers of the free nodes. informed: for every row and node, whether the row has
    observed data below the node. If not, the posterior is N(0, I). known: the rows' points at the
    known nodes.
    """

    nodes: tuple[int, ...]
    found: tuple[Projection, ...]
    informed: Bool[BoolArray, "N V"]
    known: Mapping[int, Belief]

    @classmethod
    def at(cls, node: int, found: Projection) -> Self:
        """Make the explanations at a single node."""
        return cls((node,), (found,), np.ones((len(found.bound), 1), dtype=bool), {})

    def __getitem__(self, node: int) -> Projection:
        return self.found[self.nodes.index(node)]

    @property
    def weights(self) -> Float[Array, "N K"]:
        """The weights of a row's explanations, which sum to 1."""
        return self.found[0].weights

    def patterns(self) -> Iterator[tuple[IntArray, list[int]]]:
        """Yield rows with the same informed nodes, and the indices of these nodes in `nodes`."""
        kinds, which = np.unique(self.informed, axis=0, return_inverse=True)
        for number, kind in enumerate(kinds):
            yield np.flatnonzero(which.ravel() == number), np.flatnonzero(kind).tolist()

    def given(
        self, network: Network, rows: IntArray, places: Sequence[int], k: int
    ) -> dict[int, Belief]:
        """Return explanation k of rows with the same informed nodes: the posteriors at these nodes,
        at the known nodes, and at the roots.
        """
        given = {at: belief.rows(rows) for at, belief in self.known.items()}
        for place, (at, found) in enumerate(zip(self.nodes, self.found, strict=True)):
            if place in places or at in network.roots:
                given[at] = Belief(found.mean[rows, k], found.variance[rows, k])
        return given

    def best(self, network: Network) -> dict[int, Belief]:
        """Return the best explanation at every node. Nodes without observed data below them are
        predicted from the nodes above.
        """
        widths = {at: found.mean.shape[2] for at, found in zip(self.nodes, self.found, strict=True)}
        shape = {at: (len(self.informed), width) for at, width in widths.items()}
        best = {at: Belief(np.empty(size), np.empty(size)) for at, size in shape.items()}
        for rows, places in self.patterns():
            whole = followed(network, self.given(network, rows, places, 0))
            for at, own in best.items():
                own.mean[rows], own.variance[rows] = whole[at].mean, whole[at].variance
        return best | dict(self.known)


@one_thread_a_product()
def explain(
    network: Network,
    outputs: Outputs,
    inputs: Inputs | None = None,
    *,
    effort: Effort = THOROUGH,
) -> Explained:
    """Infer q of new rows at all nodes, separately for each row, with q(u) of the layers fixed.

    outputs: the values of some or all of the data (NaN: missing), in the user's units. inputs: the
    points of the rows at the known nodes. Every row starts from training points whose generated
    outputs are near its observed outputs. Without free roots, the first start is the prediction
    from the known nodes.
    """
    inputs = {} if inputs is None else inputs
    training = tuple(each.thinned(MOST_PLACES) for each in network.beliefs)
    known = dict(enumerate(training))
    edges = {name: network.ends[name] for name in outputs}
    generated = np.hstack([_generated(edge, known) for edge in edges.values()])
    internal = np.hstack(
        [
            edge.posterior.to_internal(outputs[name]) * _precision(edge)
            for name, edge in edges.items()
        ]
    )
    places = _places(list(edges.values()), training)
    # A row whose values have errors may have several explanations, as a row with gaps.
    known_errors = any(edge.posterior.errors is not None for edge in edges.values())
    partial = len(outputs) < len(network.ends) or known_errors
    gaps = np.asarray(np.isnan(internal).any(axis=1) | partial)
    ends = np.cumsum([0, *(training[at].n_latent for at in network.free)])
    columns = {at: slice(ends[n], ends[n + 1]) for n, at in enumerate(network.free)}
    most = max(effort.starts, effort.starts_of_partial)
    mean = np.zeros((len(internal), most, ends[-1]))
    variance, bound = np.ones_like(mean), np.full(mean.shape[:2], -np.inf)
    for which in _batches(gaps):
        some = bool(gaps[which[0]])
        count = effort.starts_of_partial if some else effort.starts
        here = network.of_rows(which)
        further = sum(_unlikely(here.ends[name], outputs[name][which], known) for name in edges)
        starts = _starts(internal[which], generated, further, places, count, partial=some)
        count = starts.shape[1]
        some_rows = (
            {name: values[which] for name, values in outputs.items()},
            {at: values[which] for at, values in inputs.items()},
        )
        highest, values = _highest(here, training, some_rows, starts, effort)
        for at, own in highest.items():
            shape = (*starts.shape, own.n_latent)
            mean[which, :count, columns[at]] = own.mean.reshape(shape)
            variance[which, :count, columns[at]] = own.variance.reshape(shape)
        bound[which, :count] = values.reshape(starts.shape)
    informed = network.informed(outputs)
    nothing = np.repeat(~informed, np.diff(ends), axis=1)[:, None]
    mean, variance = np.where(nothing, 0.0, mean), np.where(nothing, 1.0, variance)
    spread = np.hstack([training[at].mean.var(axis=0) for at in network.free])
    whole = Projection.of(mean, variance, bound, LEAST_APART**2 * spread)
    parts = tuple(
        Projection(whole.mean[:, :, at], whole.variance[:, :, at], whole.bound)
        for at in columns.values()
    )
    points = {at: Belief.certain(values) for at, values in inputs.items()}
    return Explained(network.free, parts, informed, points)


def _highest(
    network: Network,
    training: tuple[Belief, ...],
    rows: tuple[Outputs, Inputs],
    starts: Int[IntArray, "n S"],
    effort: Effort,
) -> tuple[dict[int, Belief], Float[Array, " _nS"]]:
    """Return q of rows at their nodes, searched from every start, and its bounds.

    rows: their outputs, and their points at the known nodes.
    """
    free = network.free
    certain = all(network.beliefs[at].known for at in free)
    bound = RowBound.of(network, *rows, roots=network.roots, certain=certain, tile=effort.tile)
    start = _at_starts(network, training, bound, starts)
    scale = {at: np.sqrt(network.beliefs[at].variance.mean(axis=0)) for at in free}
    search = Search(
        bound,
        tuple(training[at].n_latent for at in bound.nodes),
        np.ones(start.n_latent) if certain else np.hstack([scale[at] for at in bound.nodes]),
        certain,
        starts.shape[1],
    )
    found, values = search.highest(start, effort.iterations, effort.tolerance)
    return dict(zip(bound.nodes, found.split(search.widths), strict=True)), values


def _precision(edge: TrainedEdge) -> float:
    """Return 1/σ, the factor that makes the outputs of several layers comparable."""
    return float(1.0 / np.sqrt(edge.posterior.noise_variance))


def _generated(edge: TrainedEdge, training: Mapping[int, Belief]) -> Array:
    """Return the outputs that one layer predicts at the training rows' points."""
    points, posterior = inputs_of(edge, training).mean, edge.posterior
    cross = posterior.kernel.K(points, posterior.inducing)
    generated = posterior.mean(points, cross) * _precision(edge)
    links = posterior.row_links
    return generated if links is None else generated * links.numbers


def _unlikely(edge: TrainedEdge, outputs: Array, training: Mapping[int, Belief]) -> Array | float:
    """Return −2 log p(a row's yes/no entries and counts | functions at the training points)."""
    posterior, links = edge.posterior, edge.posterior.row_links
    if links is None:
        return 0.0
    points = inputs_of(edge, training).mean
    # Numbers are centred, because squares of values far from 0 lose digits.
    shift = np.where(links.measured, posterior.center, 0.0)
    functions = predict(posterior, points)[0] - shift
    return -2.0 * links.log_likelihoods(outputs - shift, functions)


def _places(edges: Sequence[TrainedEdge], training: Sequence[Belief]) -> Float[Array, "T Q"]:
    """Return the training points at the nodes on which the given outputs depend directly.

    The coordinates are scaled by their relevance to the outputs; distances between starts are
    measured in these units.
    """
    counts = dict[int, Array]()
    for edge in edges:
        relevance, at = edge.posterior.kernel.relevance, 0
        share = np.ones(edge.posterior.n_latent)
        if relevance is not None:
            share = relevance / relevance.max()
        for node in edge.sources:
            own = share[at : at + training[node].n_latent]
            counts[node], at = np.maximum(counts.get(node, 0.0), own), at + len(own)
    return np.hstack([training[node].mean * np.sqrt(own) for node, own in counts.items()])


def _at_starts(
    network: Network, training: Sequence[Belief], bound: RowBound, starts: Int[IntArray, "n K"]
) -> Belief:
    """Return the starting points of every row, one for each start, side by side for all nodes."""
    nearest, nodes = starts.ravel(), bound.nodes
    mean = np.hstack([training[at].mean[nearest] for at in nodes])
    variance = np.hstack([training[at].variance[nearest] for at in nodes])
    if not network.roots:
        # The prediction from the known points, with the average variance of training rows.
        above = dict(bound.known)
        for at in network.free:
            edge = network.into(at)
            assert edge is not None
            above[at] = Belief.certain(predict(edge.posterior, inputs_of(edge, above).mean)[0])
        first = slice(None, None, starts.shape[1])
        mean[first] = np.hstack([above[at].mean for at in nodes])
        variance[first] = np.hstack([training[at].variance.mean(axis=0) for at in nodes])
    return Belief(mean, variance)


def _batches(gaps: Bool[BoolArray, " _N"]) -> Iterator[IntArray]:
    """Yield batches of rows without gaps, then of rows with gaps."""
    for alike in (np.flatnonzero(~gaps), np.flatnonzero(gaps)):
        yield from (alike[a : a + ROWS_PER_BATCH] for a in range(0, len(alike), ROWS_PER_BATCH))


def _starts(
    internal: Array,
    generated: Array,
    further: Array | float,
    places: Array,
    count: int,
    *,
    partial: bool,
) -> IntArray:
    """Return training points from which each row starts (n, K); they are near in observed outputs.

    further: the contribution of outputs that are not numbers to the squared distances (n, T).

    For a row with gaps, the chosen points are near in observed outputs, but far from each other on
    the map.
    """
    observed = ~np.isnan(internal)
    filled = np.where(observed, internal, 0.0)
    distance = observed.astype(np.float64) @ (generated**2).T - 2.0 * filled @ generated.T
    distance += further
    count = min(count, len(generated))
    if count == 1:
        return np.argmin(distance, axis=1)[:, None]
    most = min((8 if partial else 1) * count, len(generated))
    # The nearest few are found first, because sorting all distances takes longer than the rest.
    few = np.sort(np.argpartition(distance, most - 1, axis=1)[:, :most], axis=1)
    order = np.argsort(np.take_along_axis(distance, few, axis=1), axis=1, kind="stable")
    near = np.take_along_axis(few, order, axis=1)
    return spread_out(places, near, count) if partial else near


def spread_out(
    places: Float[Array, "T Q"], candidates: Int[IntArray, "n C"], count: int
) -> Int[IntArray, "n K"]:
    """Choose each row's first candidate, then those farthest from all chosen before."""
    chosen = candidates[:, :1]
    apart = np.full(candidates.shape, np.inf)
    for _ in range(1, min(count, candidates.shape[1])):
        step = places[candidates] - places[chosen[:, -1]][:, None]
        apart = np.minimum(apart, np.sum(step**2, axis=2))
        farthest = np.take_along_axis(candidates, np.argmax(apart, axis=1)[:, None], axis=1)
        chosen = np.hstack([chosen, farthest])
    return chosen
