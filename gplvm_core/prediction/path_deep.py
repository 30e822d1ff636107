"""Sequences in a deep model: the path of their rows at the top, and the hidden points below it.

The path is inferred as in one layer (`paths`), of a bound whose hidden points stand at their best
for it, row by row; the layers' q(u) is held.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import Array
from gplvm_core.optimise import minimise_rows
from gplvm_core.prediction.deep import through
from gplvm_core.prediction.paths import (
    MOST_STEPS,
    Continued,
    FoundPath,
    StepCallback,
    ascend,
    likely_path,
)
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.project import Projection
from gplvm_core.prediction.project_deep import Nodes, beliefs_at
from gplvm_core.prediction.row_bound import RowBound, Rows
from gplvm_core.prediction.row_terms import Evidence, rows_seen
from gplvm_core.prediction.sequence import EachAlone, looked_at

# Hidden points follow every step of the path so far; slopes in nats a standard deviation.
ITERATIONS, TOLERANCE = 50, 1e-4


@dataclass(frozen=True)
class FoundDeepPath(FoundPath):
    """The same, with what is believed at the last node that all outputs share."""

    lowest: Belief


class HiddenBelow:
    """The bound of rows as a function of the belief at the top, hidden points at their best.

    Remembers these, for the next belief will be near: evaluations may only get better for it.
    """

    def __init__(self, bound: RowBound, hidden: Sequence[Belief]) -> None:
        self.bound, self.nodes = bound, Nodes.of(hidden)
        self.belief = _beside(hidden)

    def __call__(self, top: Belief) -> tuple[float, Array, Array]:
        """Value in nats, and gradients in the top's means and variances (an envelope's)."""
        scale, rows = np.sqrt(self.belief.variance), np.arange(top.n_points)
        n_hidden = scale.shape[1]

        def unpack(vector: Array, chosen: Rows) -> Belief:
            spread = np.exp(2.0 * vector[:, n_hidden:])
            return Belief(scale[chosen] * vector[:, :n_hidden], spread)

        def negative(vector: Array, chosen: Rows) -> tuple[Array, Array]:
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
                at = unpack(vector, chosen)
                above = Belief(top.mean[chosen], top.variance[chosen])
                value, (_, *slopes) = self.bound.data((above, *self._split(at)), chosen)
                d_mean = scale[chosen] * np.hstack([each.mean for each in slopes])
                d_spread = 2.0 * at.variance * np.hstack([each.variance for each in slopes])
            return -value, -np.hstack([d_mean, d_spread])

        if n_hidden:
            start = np.hstack([self.belief.mean / scale, 0.5 * np.log(self.belief.variance)])
            self.belief = unpack(minimise_rows(negative, start, ITERATIONS, TOLERANCE).x, rows)
        value, (slope, *_) = self.bound.data((top, *self._split(self.belief)), rows)
        return float(value.sum()), slope.mean, slope.variance

    def at(self, node: int, top: Belief) -> Belief:
        """What is believed at a node."""
        return (top, *self._split(self.belief))[node]

    def _split(self, at: Belief) -> tuple[Belief, ...]:
        return tuple(Belief(at.mean[:, own], at.variance[:, own]) for own in self.nodes)


def infer_deep_sequence(
    evidence: Sequence[Evidence],
    above: Sequence[Posterior],
    prior: Continued,
    each_alone: EachAlone,
    widths: Sequence[Belief],
    callback: StepCallback | None = None,
) -> FoundDeepPath:
    """q of one sequence's rows at the top, together, and at the last node.

    above: the hidden layers; each_alone: the explanations of rows at all nodes side by side, as
    wide as the beliefs `widths`, which layers of a view's own add to (`beliefs_at`). Rows of which
    nothing is observed follow the path alone. callback as in `infer_sequence`.
    """
    seen = np.flatnonzero(rows_seen(evidence))
    found = looked_at(evidence, seen, each_alone, callback)
    most_steps = MOST_STEPS if len(found.bound) == len(seen) else 0
    seen = seen[: len(found.bound)]
    top, *hidden = Nodes.of(beliefs_at(evidence, widths)).split(found)
    start = likely_path(top, seen, prior)
    chosen = _nearest(top, start[seen])
    below = None
    if len(seen):
        own = RowBound.of([each.rows(seen) for each in evidence], above)
        below = HiddenBelow(own, [_chosen(each, chosen) for each in hidden])

    def data_term(belief: Belief) -> tuple[float, Array, Array]:
        d_mean, d_variance = np.zeros_like(belief.mean), np.zeros_like(belief.mean)
        if below is None:
            return 0.0, d_mean, d_variance
        at = Belief(belief.mean[seen], belief.variance[seen])
        value, d_mean[seen], d_variance[seen] = below(at)
        return value, d_mean, d_variance

    known = np.isin(np.arange(len(start)), seen)
    path, ending = ascend(data_term, prior, start, known, callback, most_steps)
    posteriors = tuple(each.posterior for each in evidence)
    lowest = path
    if above:
        # What nothing is observed of is where the path leads.
        mean, variance = through(above, path.mean, path.variance, noise=True)
        if below is not None:
            last = below.at(len(above), Belief(path.mean[seen], path.variance[seen]))
            mean[seen], variance[seen] = last.mean, last.variance
        lowest = Belief(mean, variance)
    return FoundDeepPath(path, posteriors, ending if most_steps else "stopped", lowest)


def _beside(beliefs: Sequence[Belief]) -> Belief:
    if not beliefs:
        return Belief(np.empty((0, 0)), np.empty((0, 0)))
    means, variances = ([getattr(b, name) for b in beliefs] for name in ("mean", "variance"))
    return Belief(np.hstack(means), np.hstack(variances))


def _nearest(found: Projection, start: Float[Array, "n Q"]) -> Rows:
    """Which explanation of each row the start was taken from."""
    apart = np.sum((found.mean - start[:, None]) ** 2, axis=2)
    return np.argmin(np.where(np.isfinite(found.bound), apart, np.inf), axis=1)


def _chosen(found: Projection, which: Rows) -> Belief:
    rows = np.arange(len(which))
    return Belief(found.mean[rows, which], found.variance[rows, which])
