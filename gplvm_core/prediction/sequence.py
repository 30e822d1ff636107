"""Sequences: joint inference of all nodes for their rows, and draws from the prior.

The points of some nodes (`tops`) form a path with a prior over time. For each path, all other
points are optimised row by row. Damianou (2015), §3.4.2 and App. B.4; for hidden layers §6.2.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import Array, IntArray, factorise, one_thread_a_product
from gplvm_core.prediction.adapted import adapted_terms
from gplvm_core.prediction.forward import draw_jointly, followed, with_priors
from gplvm_core.prediction.network import Network, Outputs
from gplvm_core.prediction.paths import (
    MOST_STEPS,
    Continued,
    Ending,
    StepCallback,
    ascend,
    likely_path,
)
from gplvm_core.prediction.project import Explained, Inputs, Projection, explain
from gplvm_core.prediction.row_bound import RowBound, Search

# The number of rows that are examined between two calls of a callback.
ROWS_AT_ONCE = 128
# Limits of the search for hidden points after each step of the path; the tolerance is in nats per
# standard deviation.
ITERATIONS, TOLERANCE = 50, 1e-4


@dataclass(frozen=True)
class FoundPath:
    """q of a sequence's rows at every node, and how inference ended.

    network: the graph to predict with, with updated mappings if the rows adapted them. separately:
    the explanations of the separate rows with data, if the search started from them.
    """

    network: Network
    beliefs: Mapping[int, Belief]
    ending: Ending
    separately: Explained | None = None


@one_thread_a_product()
def infer_sequence(
    network: Network,
    outputs: Outputs,
    prior: Continued,
    *,
    tops: tuple[int, ...] = (0,),
    inputs: Inputs | None = None,
    callback: StepCallback | None = None,
    adapt: bool = False,
) -> FoundPath:
    """Infer q of the rows of one sequence at all nodes.

    The search starts from the most probable path through the explanations of the separate rows.
    prior: the prior of the tops' points, side by side. Rows without data follow the path. adapt:
    whether the new rows also update the mappings; this needs one layer on the path. callback(step,
    bound in nats) is called after every step, and with step 0 and −inf while rows are examined
    separately. If it raises StopIteration, inference ends with the best q so far.
    """
    inputs = {} if inputs is None else inputs
    seen = np.flatnonzero(_rows_seen(outputs))
    found = _explained_separately(network, outputs, inputs, seen, callback)
    most_steps = MOST_STEPS if len(found.informed) == len(seen) else 0
    seen = seen[: len(found.informed)]
    top = _side_by_side([found[at] for at in tops])
    start = likely_path(top, seen, prior)
    chosen = _nearest(top, start[seen])
    hidden = {at: _chosen(found[at], chosen) for at in network.free if at not in tops}
    path = infer_path(
        network,
        outputs,
        prior,
        start,
        tops=tops,
        inputs=inputs,
        hidden=hidden,
        seen=seen,
        callback=callback,
        most_steps=most_steps,
    )
    path = replace(path, separately=found)
    if not most_steps:
        return replace(path, ending="stopped")
    if adapt and path.ending != "stopped":
        path = with_updated_mappings(network, outputs, prior, path, callback)
    return path


def infer_path(
    network: Network,
    outputs: Outputs,
    prior: Continued,
    start: Float[Array, "n Q"],
    *,
    tops: tuple[int, ...] = (0,),
    inputs: Inputs | None = None,
    hidden: Mapping[int, Belief] | None = None,
    seen: Int[IntArray, " r"] | None = None,
    callback: StepCallback | None = None,
    most_steps: int = MOST_STEPS,
) -> FoundPath:
    """Infer q of the rows of one sequence, with every q(u) fixed.

    Natural-gradient steps maximise the bound. start: the starting means of the tops. hidden: the
    starting points of the other nodes for the rows `seen`. seen: rows to use; None: all rows with
    an observed value.
    """
    inputs = {} if inputs is None else inputs
    if seen is None:
        seen = np.flatnonzero(_rows_seen(outputs))
    below = None
    if len(seen):
        others = tuple(at for at in network.roots if at not in tops)
        some = {name: values[seen] for name, values in outputs.items()}
        known = {at: values[seen] for at, values in inputs.items()}
        bound = RowBound.of(network, some, known, roots=others)
        usual = {at: network.beliefs[at].variance.mean(axis=0) for at in bound.nodes}
        below = BelowPath(bound, tops, {} if hidden is None else hidden, usual)

    def data_term(belief: Belief) -> tuple[float, Array, Array]:
        d_mean, d_variance = np.zeros_like(belief.mean), np.zeros_like(belief.mean)
        if below is None:
            return 0.0, d_mean, d_variance
        value, d_mean[seen], d_variance[seen] = below(belief.rows(seen))
        return value, d_mean, d_variance

    there = np.isin(np.arange(len(start)), seen)
    path, ending = ascend(data_term, prior, start, there, callback, most_steps)
    widths = [network.width(at) for at in tops]
    given = dict(zip(tops, path.split(widths), strict=True))
    given |= {at: Belief.certain(values) for at, values in inputs.items()}
    # Rows without observed data below a node are predicted from the nodes above.
    beliefs = followed(network, with_priors(network, given))
    if below is not None:
        below(path.rows(seen))
        informed = network.informed({name: values[seen] for name, values in outputs.items()})
        for at, flags in zip(network.free, informed.T, strict=True):
            if at in below.hidden:
                own, rows = beliefs[at], seen[flags]
                own.mean[rows] = below.hidden[at].mean[flags]
                own.variance[rows] = below.hidden[at].variance[flags]
    return FoundPath(network, beliefs, ending)


class BelowPath:
    """The bound of rows as a function of q at the tops, with all other points optimised.

    The next evaluation starts from these optimised points, because its q is usually similar.
    """

    def __init__(
        self,
        bound: RowBound,
        tops: tuple[int, ...],
        hidden: Mapping[int, Belief],
        usual: Mapping[int, Float[Array, " _Q"]],
    ) -> None:
        """hidden: starting points of other nodes. usual: variances at every node (step units)."""
        self.bound, self.tops = bound, tops
        self.hidden = {at: hidden[at] for at in bound.nodes if at not in tops}
        self.widths = tuple(each.n_latent for each in self.hidden.values())
        self.top_widths = [len(usual[at]) for at in tops]
        self.scale = np.sqrt(np.hstack([np.empty(0), *(usual[at] for at in self.hidden)]))

    def __call__(self, top: Belief) -> tuple[float, Array, Array]:
        """Return the value in nats, and its gradients in the tops' moments (by the envelope
        theorem).
        """
        rows = np.arange(top.n_points)
        above = dict(zip(self.tops, top.split(self.top_widths), strict=True))
        if self.hidden:
            at = tuple(self.hidden)
            below = replace(self.bound, nodes=at, known=dict(self.bound.known) | above)
            start = reduce(Belief.beside, self.hidden.values())
            found, _ = Search(below, self.widths, self.scale).highest(start, ITERATIONS, TOLERANCE)
            self.hidden = dict(zip(at, found.split(self.widths), strict=True))
        beliefs = above | self.hidden
        value, slopes = self.bound.data([beliefs[node] for node in self.bound.nodes], rows)
        at_node = dict(zip(self.bound.nodes, slopes, strict=True))
        slope = reduce(Belief.beside, (at_node[node] for node in self.tops))
        return float(value.sum()), slope.mean, slope.variance


def with_updated_mappings(
    network: Network,
    outputs: Outputs,
    prior: Continued,
    fixed: FoundPath,
    callback: StepCallback | None = None,
) -> FoundPath:
    """Infer the path of rows that update the mappings: q(u) is optimal for all rows.

    fixed: the path of the same rows with fixed mappings, as a start.
    """
    ends = network.ends
    terms = adapted_terms([ends[name] for name in outputs], list(outputs.values()))

    def data_term(at: Belief) -> tuple[float, Array, Array]:
        value, d_mean, d_variance = zip(*(each.data(at) for each in terms), strict=True)
        return sum(value), np.sum(d_mean, axis=0), np.sum(d_variance, axis=0)

    path, ending = ascend(
        data_term, prior, fixed.beliefs[0].mean, _rows_seen(outputs), callback, MOST_STEPS
    )
    new = dict(zip(outputs, (each.posterior(path) for each in terms), strict=True))
    edges = tuple(
        replace(edge, posterior=new.get(name, edge.posterior)) for name, edge in ends.items()
    )
    return FoundPath(replace(network, edges=edges), {0: path}, ending)


def _rows_seen(outputs: Outputs) -> NDArray[np.bool_]:
    return np.any([~np.isnan(values).all(axis=1) for values in outputs.values()], axis=0)


def _explained_separately(
    network: Network,
    outputs: Outputs,
    inputs: Inputs,
    rows: Int[IntArray, " r"],
    callback: StepCallback | None,
) -> Explained:
    """Explain rows in batches. If the callback stops inference, the rest are not explained."""

    def of(some: IntArray) -> Explained:
        seen = {name: values[some] for name, values in outputs.items()}
        return explain(network, seen, {at: values[some] for at, values in inputs.items()})

    parts = [of(rows[:0])]
    for begin in range(0, len(rows), ROWS_AT_ONCE):
        try:
            if callback is not None:
                callback(0, -np.inf)
        except StopIteration:
            break
        parts.append(of(rows[begin : begin + ROWS_AT_ONCE]))
    found = tuple(_stacked(each) for each in zip(*(part.found for part in parts), strict=True))
    informed = np.concatenate([part.informed for part in parts])
    return Explained(parts[0].nodes, found, informed, {})


def _stacked(parts: Sequence[Projection]) -> Projection:
    return Projection(
        np.concatenate([part.mean for part in parts]),
        np.concatenate([part.variance for part in parts]),
        np.concatenate([part.bound for part in parts]),
    )


def _side_by_side(found: Sequence[Projection]) -> Projection:
    mean = np.concatenate([each.mean for each in found], axis=2)
    variance = np.concatenate([each.variance for each in found], axis=2)
    return Projection(mean, variance, found[0].bound)


def _nearest(found: Projection, start: Float[Array, "n Q"]) -> IntArray:
    """Return, for each row, the explanation that provided the start."""
    apart = np.sum((found.mean - start[:, None]) ** 2, axis=2)
    return np.argmin(np.where(np.isfinite(found.bound), apart, np.inf), axis=1)


def _chosen(found: Projection, which: IntArray) -> Belief:
    rows = np.arange(len(which))
    return Belief(found.mean[rows, which], found.variance[rows, which])


def sample_paths(
    network: Network,
    prior: Continued,
    n_samples: int,
    random_state: int | np.random.Generator | None = None,
    tops: tuple[int, ...] = (0,),
) -> tuple[Float[Array, "S n Q"], dict[str, Float[Array, "S n _D"]]]:
    """Draw paths of the tops from their prior over time, and data along them.

    The data are drawn without observation noise.
    """
    generator = np.random.default_rng(random_state)
    alike = np.ptp(prior.covariance, axis=0).max() == 0.0
    roots = [
        factorise(gram, 1e-9 * float(np.mean(np.diagonal(gram)))).lower
        for gram in (prior.covariance[:1] if alike else prior.covariance)
    ]
    widths = [network.width(at) for at in tops]
    paths, drawn = np.empty((n_samples, *prior.mean.shape)), list[dict[str, Array]]()
    for s in range(n_samples):
        unit = generator.standard_normal(prior.mean.shape)
        if alike:
            paths[s] = roots[0] @ unit
        else:
            paths[s] = np.stack([r @ u for r, u in zip(roots, unit.T, strict=True)], axis=1)
        at = Belief.certain(paths[s]).split(widths)
        given = with_priors(network, dict(zip(tops, at, strict=True)))
        drawn.append(draw_jointly(network, given, 1, generator, noise=False))
    return paths, {name: np.stack([each[name][0] for each in drawn]) for name in drawn[0]}
