"""Problem of the state-space model: a latent sequence in which each state generates the next one.

The states X are one node of the graph. A layer f leads from X to the data. A second layer g, the
transition, leads from X to X, shifted by one row: x_t = g(x_{t−1}) + noise. Its bound, as in a deep
model, contains E log p(x_t | x_{t−1}) for all rows but the first of every sequence.
"""

from dataclasses import KW_ONLY, dataclass

import numpy as np
from jaxtyping import Float, Int, Shaped
from numpy.typing import NDArray

from gplvm_core.beliefs import Belief
from gplvm_core.kernels import RBF, Kernel, Linear
from gplvm_core.models.problems.edges import LayerEdge
from gplvm_core.models.problems.graph import Begun
from gplvm_core.models.problems.nodes import Believed, HiddenNode
from gplvm_core.models.problems.shift import Shift
from gplvm_core.models.problems.starts import Start, start_layer
from gplvm_core.numerics import Array
from gplvm_core.priors import StandardNormal
from gplvm_core.statistics import Executor

# Starting variances of q(x_t) and of the transition noise; the starting means have variance 1.
STATE_VARIANCE, TRANSITION_NOISE = 0.02, 0.02

Rows = NDArray[np.intp]


def shift_of(
    times: Float[Array, "N 1"],
    sequences: Shaped[NDArray, " N"],  # type: ignore[type-arg]
    step: float,
) -> Shift:
    """Pair every row with the next row of its sequence, if that row is one step later."""
    order = np.lexsort([times[:, 0], np.unique(sequences, return_inverse=True)[1]])
    near = np.diff(times[order, 0]) < 1.5 * step
    follows = (sequences[order[1:]] == sequences[order[:-1]]) & near
    return Shift(order[:-1][follows], order[1:][follows])


@dataclass(frozen=True)
class StateNode(HiddenNode):
    """States x_t: the first state of a sequence is N(0, I), and the transition generates the rest.

    first: the rows of the first states. A state after missing rows is a first state, too.
    """

    first: Int[Rows, " S"]

    def believed(self, own: Belief) -> Believed:
        hidden = super().believed(own)
        first = Belief(own.mean[self.first], own.variance[self.first])
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
        later = super().believed(Belief(own.mean[rest], own.variance[rest]))
        return Believed(own, hidden.own - kl - entropy, later.information, pullback)


@dataclass(frozen=True)
class StateStart(Start):
    """The start of a latent variable model, with a layer from the states to the next states."""

    _: KW_ONLY
    shift: Shift

    def __call__(self, seed: int, /) -> Begun:
        begun = super().__call__(seed)
        mean = begun.beliefs[0].mean
        transition, notes = start_layer(
            transition_kernel(mean.shape[1]),
            mean[self.shift.before],
            self.n_inducing,
            TRANSITION_NOISE,
            np.random.default_rng(seed),
        )
        states = Belief(mean, np.full_like(mean, STATE_VARIANCE))
        every = tuple(dict.fromkeys((*begun.notes, *notes)))
        return Begun((states,), (*begun.layers, transition), every)


def transition_kernel(n_latent: int) -> Kernel:
    """The starting kernel of the transition: a linear part for the drift, an RBF for the rest."""
    smooth = RBF(0.5, np.full(n_latent, 2.0))
    return smooth + Linear(np.full(n_latent, 0.5 / n_latent))


def to_next(shift: Shift, executor: Executor) -> LayerEdge:
    """The transition: the layer from the first node to itself, shifted by one row."""
    return LayerEdge((0,), 0, executor, shift=shift)
