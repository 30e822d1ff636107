"""Problem of the state-space model: a latent sequence in which each state generates the next one.

The states X are one node of the graph. A layer f leads from X to the data. A second layer g, the
transition, leads from X to X, shifted by one row: x_t = g(x_{t−1}) + noise. Its bound, as in a deep
model, contains E log p(x_t | x_{t−1}) for all rows but the first of every sequence.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Self

import numpy as np
from jaxtyping import Float, Int, Shaped
from scipy.interpolate import Akima1DInterpolator

from gplvm_core.beliefs import Belief
from gplvm_core.kernels import RBF, Kernel, Linear
from gplvm_core.models.problems.edges import LayerEdge, Shift
from gplvm_core.models.problems.graph import Begun
from gplvm_core.models.problems.nodes import Believed, HiddenNode
from gplvm_core.models.problems.starts import Start, start_layer
from gplvm_core.numerics import AnyNDArray, Array, IntArray
from gplvm_core.priors import StandardNormal
from gplvm_core.readers.errors import plural
from gplvm_core.statistics import Executor

# Starting variances of q(x_t) and of the transition noise; the starting means have variance 1.
STATE_VARIANCE, TRANSITION_NOISE = 0.02, 0.02
# The states of missing rows link rows that are at most this many steps apart.
MOST_APART = 10


@dataclass(frozen=True)
class LinkedStates:
    """The states of all sequences: first those of the rows, then those of missing rows.

    line: the states, one sequence after the other, in the order of their times. shift: pairs of
    states that are one step apart. n_rows: the number of rows. wide: the number of gaps in
    sequences across which rows are not linked.
    """

    line: Int[IntArray, " S"]
    shift: Shift
    n_rows: int
    wide: int

    @classmethod
    def of(
        cls,
        times: Float[Array, "N 1"],
        sequences: Shaped[AnyNDArray, " N"],  # type: ignore[type-arg]
        step: float,
    ) -> Self:
        """Link the rows of every sequence; rows that are more than MOST_APART steps apart are not
        linked.
        """
        count = len(times)
        order = np.lexsort([times[:, 0], np.unique(sequences, return_inverse=True)[1]])
        apart = np.round(np.diff(times[order, 0]) / step).astype(np.intp)
        same = sequences[order[1:]] == sequences[order[:-1]]
        linked = same & (apart <= MOST_APART)
        missing = np.where(linked, apart - 1, 0)
        places = np.arange(count) + np.concatenate([[0], np.cumsum(missing)])
        line = np.empty(count + missing.sum(), dtype=np.intp)
        line[places] = order
        line[np.setdiff1d(np.arange(len(line)), places)] = np.arange(count, len(line))
        follows = np.ones(len(line) - 1, dtype=bool)
        follows[places[:-1][~linked]] = False
        shift = Shift(line[:-1][follows], line[1:][follows])
        return cls(line, shift, count, int(np.sum(same & ~linked)))

    @property
    def first(self) -> Int[IntArray, " F"]:
        """The states that follow no other state."""
        return np.setdiff1d(self.line, self.shift.after)

    @property
    def before_missing(self) -> Int[IntArray, " M"]:
        """The row before each missing row."""
        places = np.arange(len(self.line))
        last = np.maximum.accumulate(np.where(self.line < self.n_rows, places, 0))
        return np.asarray(self.line[last[np.argsort(self.line)[self.n_rows :]]])

    @property
    def seen(self) -> Shift | None:
        """The states of the rows; None if no row is missing."""
        rows = np.arange(self.n_rows)
        return None if len(self.line) == self.n_rows else Shift(rows, rows)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on missing rows."""
        notes, missing = [], len(self.line) - self.n_rows
        if missing:
            notes.append(
                f"missing in the times: {plural(missing, 'row')}; a state is inferred for each"
            )
        if self.wide:
            notes.append(
                f"in the times: {plural(self.wide, 'gap')} of more than {MOST_APART} steps; the "
                "rule does not link the rows before and after"
            )
        return tuple(notes)

    def bridged(self, mean: Float[Array, "N Q"]) -> Float[Array, "S Q"]:
        """Add the states of missing rows, on smooth curves through the states of the rows."""
        whole = np.full((len(self.line), mean.shape[1]), np.nan)
        whole[: len(mean)] = mean
        for states in np.split(self.line, np.flatnonzero(np.isin(self.line, self.first))):
            hidden = states >= self.n_rows
            known, missing = np.flatnonzero(~hidden), np.flatnonzero(hidden)
            if len(missing):
                whole[states[missing]] = Akima1DInterpolator(known, mean[states[known]])(missing)
        return whole


@dataclass(frozen=True)
class StateNode(HiddenNode):
    """States x_t: the first state of a sequence is N(0, I), and the transition generates the rest.

    first: the first states (`LinkedStates.first`).
    """

    first: Int[IntArray, " S"]

    def believed(self, own: Belief) -> Believed:
        hidden = super().believed(own)
        first = own.rows(self.first)
        # −KL of the first states, whose entropy the hidden node already contains.
        kl, d_kl = StandardNormal().kl(first)
        entropy, d_entropy = first.entropy()

        def pullback(adjoint: Belief) -> Belief:
            slope = hidden.pullback(adjoint)
            mean, variance = slope.mean.copy(), slope.variance.copy()
            mean[self.first] -= d_kl.mean
            variance[self.first] -= d_kl.variance + d_entropy.variance
            return Belief(mean, variance)

        # The first states have the wide prior N(0, I), also in dimensions that are off.
        rest = np.setdiff1d(np.arange(own.n_points), self.first)
        later = super().believed(own.rows(rest))
        return Believed(own, hidden.own - kl - entropy, later.information, pullback)


@dataclass(frozen=True)
class StateStart(Start):
    """The start of a latent variable model, with a layer from the states to the next states."""

    _: KW_ONLY
    links: LinkedStates

    def __call__(self, seed: int, /) -> Begun:
        begun = super().__call__(seed)
        mean = self.links.bridged(begun.beliefs[0].mean)
        transition, notes = start_layer(
            transition_kernel(mean.shape[1]),
            mean[self.links.shift.before],
            self.n_inducing,
            TRANSITION_NOISE,
            np.random.default_rng(seed),
        )
        states = Belief(mean, np.full_like(mean, STATE_VARIANCE))
        every = tuple(dict.fromkeys((*begun.notes, *notes, *self.links.notes)))
        return Begun((states,), (*begun.layers, transition), every)


def transition_kernel(n_latent: int) -> Kernel:
    """The starting kernel of the transition: a linear part for the drift, an RBF for the rest."""
    smooth = RBF(0.5, np.full(n_latent, 2.0))
    return smooth + Linear(np.full(n_latent, 0.5 / n_latent))


def to_next(shift: Shift, executor: Executor) -> LayerEdge:
    """The transition: the layer from the first node to itself, shifted by one row."""
    return LayerEdge((0,), 0, executor, shift=shift)
