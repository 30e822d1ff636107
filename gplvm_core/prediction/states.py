"""States of sequences in a state-space model, with both of its functions fixed.

The states of a new sequence are inferred together: q(x_t) maximises the bound
Σ ⟨log p(y_t | x_t)⟩ + Σ ⟨log p(x_t | x_{t−1})⟩ + the entropy of q. The search starts from the most
probable path through the training states (the algorithm of Viterbi), also where frames are missing.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Float, Int, Shaped

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import AnyNDArray, Array, IntArray
from gplvm_core.optimise.lbfgs import LBFGS
from gplvm_core.prediction.forward import log_normal
from gplvm_core.prediction.generate import predict, predict_at
from gplvm_core.prediction.paths import MOST_STEPS, Ending, StepCallback
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.row_bound import HiddenTerms
from gplvm_core.prediction.row_terms import UncertainTerms
from gplvm_core.priors import StandardNormal

FUTURES = 200  # sampled futures over which a forecast is averaged
MOST_PLACES = 300  # training states through which the first path leads
# A longer gap counts as this many steps, after which a state is hardly less uncertain.
LONGEST_GAP = 50

# An iteration that gains a smaller share of the bound ends the search.
ENOUGH = 1e-7


def futures(
    transition: Posterior,
    now: Belief,
    steps: int,
    n_samples: int,
    generator: np.random.Generator,
) -> Float[Array, "S n Q"]:
    """Draw the next states; now: the present state (one row, or one row per sample).

    Every step draws x_{t+1} from the transition's prediction at x_t, with the variance of g and of
    the transition's noise. The draws of g at different steps are independent.
    """
    shape = (n_samples, now.n_latent)
    at = now.mean + np.sqrt(now.variance) * generator.standard_normal(shape)
    drawn = np.empty((n_samples, steps, now.n_latent))
    for step in range(steps):
        mean, variance = predict(transition, at, noise=True)
        at = mean + np.sqrt(variance) * generator.standard_normal(shape)
        drawn[:, step] = at
    return drawn


def outputs_of(
    mapping: Posterior, states: Float[Array, "S n Q"]
) -> tuple[Float[Array, "n D"], Float[Array, "n D"]]:
    """Means and variances, with noise, of the outputs of a mixture of states at every step."""
    found = [predict(mapping, at, noise=True) for at in np.moveaxis(states, 1, 0)]
    means = np.array([mean.mean(axis=0) for mean, _ in found])
    spreads = np.array([variance.mean(axis=0) + mean.var(axis=0) for mean, variance in found])
    return means, spreads


@dataclass(frozen=True, eq=False)
class MissingStates:
    """q(x_t) at times of trained sequences that have no row."""

    times: Float[Array, " n"]
    sequences: Shaped[AnyNDArray, " n"]
    belief: Belief

    def of(self, sequence: object) -> tuple[Float[Array, " m"], Belief]:
        """The times and the states of one sequence."""
        own = np.flatnonzero(self.sequences == sequence)
        return self.times[own], self.belief.rows(own)


@dataclass(frozen=True)
class StateBound:
    """The bound of the states of one sequence.

    before: the state before the first row; None: the first state is N(0, I). weight: how much the
    data count beside the transition.
    """

    data: UncertainTerms
    transition: HiddenTerms
    before: Belief | None
    weight: float

    @classmethod
    def of(
        cls,
        mapping: Posterior,
        transition: Posterior,
        outputs: Float[Array, "n D"],
        before: Belief | None,
        weight: float,
    ) -> Self:
        internal = mapping.to_internal(outputs)
        return cls(UncertainTerms.of(mapping, internal), HiddenTerms.of(transition), before, weight)

    def __call__(self, states: Belief) -> tuple[float, Belief]:
        """The bound in nats, and its gradient in the means and variances."""
        rows = np.arange(states.n_points)
        each, d_mean, d_variance = self.data.data(states.mean, states.variance, rows)
        d_mean, d_variance = self.weight * d_mean, self.weight * d_variance
        value, first = self.weight * float(each.sum()), 1
        if self.before is None:
            kl, d_kl = StandardNormal().kl(states.rows(slice(1)))
            value -= kl
            d_mean[:1] -= d_kl.mean
            d_variance[:1] -= d_kl.variance
            above = states.rows(slice(-1))
        else:
            first = 0
            above = self.before.followed_by(states.rows(slice(-1)))
        if above.n_points:
            below = states.rows(slice(first, None))
            each, d_above, d_below = self.transition.data(above, below)
            value += float(each.sum())
            d_mean[first:] += d_below.mean
            d_variance[first:] += d_below.variance
            d_mean[:-1] += d_above.mean[1 - first :]
            d_variance[:-1] += d_above.variance[1 - first :]
        return value, Belief(d_mean, d_variance)


def infer_states(
    mapping: Posterior,
    transition: Posterior,
    trained: Belief,
    outputs: Float[Array, "n D"],
    before: Belief | None = None,
    callback: StepCallback | None = None,
    *,
    steps: Int[IntArray, " n"] | None = None,
    weight: float = 1.0,
) -> tuple[Belief, Ending]:
    """Infer q(x_t) of the rows of one sequence, and how the search ended; NaN: missing.

    trained: the training states. before: the state before the first row, if the rows continue a
    trained sequence. callback(step, bound in nats): called after each step; StopIteration ends the
    search. steps: the steps from the first state to the state of each row; None: 0, 1, 2, …
    Between rows that are several steps apart, the missing states are inferred, too. weight: how
    much the rows count beside the transition.
    """
    if steps is not None:
        order, places = np.argsort(steps), np.empty_like(steps)
        places[order] = np.cumsum(np.minimum(np.diff(steps[order], prepend=0), LONGEST_GAP))
        whole = np.full((places.max() + 1, outputs.shape[1]), np.nan)
        whole[places] = outputs
        known = mapping, transition, trained
        states, ending = infer_states(*known, whole, before, callback, weight=weight)
        return states.rows(places), ending
    bound = StateBound.of(mapping, transition, outputs, before, weight)
    start = first_path(mapping, transition, trained.mean, outputs, before, weight)
    variance = np.tile(np.median(trained.variance, axis=0), (len(outputs), 1))
    unit, size = np.sqrt(variance), start.size

    def at(x: Array) -> Belief:
        means, logs = x[:size].reshape(start.shape), x[size:].reshape(start.shape)
        return Belief(start + unit * means, variance * np.exp(np.clip(logs, -50.0, 50.0)))

    def objective(x: Array) -> tuple[float, Array]:
        states = at(x)
        value, slope = bound(states)
        parts = unit * slope.mean, states.variance * slope.variance
        return -value, -np.concatenate([part.ravel() for part in parts])

    optimiser = LBFGS(value_tolerance=ENOUGH)
    state = optimiser.start(np.zeros(2 * size), objective)
    while state.status == "running" and state.iteration < MOST_STEPS:
        state = optimiser.step(state, objective)
        if callback is not None:
            try:
                callback(state.iteration, -state.value)
            except StopIteration:
                return at(state.x), "stopped"
    return at(state.x), "moving" if state.status == "running" else "at rest"


def first_path(
    mapping: Posterior,
    transition: Posterior,
    trained: Float[Array, "N Q"],
    outputs: Float[Array, "n D"],
    before: Belief | None,
    weight: float,
) -> Float[Array, "n Q"]:
    """The most probable path through (evenly chosen) training states, given the outputs."""
    count = min(MOST_PLACES, len(trained))
    places = trained[np.linspace(0, len(trained) - 1, count).astype(int)]
    next_mean, next_variance = predict(transition, places, noise=True)
    # True states lie between the training states.
    slack = np.mean(np.diff(places, axis=0) ** 2, axis=0)
    moves = log_normal(places[None], next_mean[:, None], next_variance[:, None] + slack)
    if before is None:
        score = -0.5 * np.sum(places**2, axis=1)
    else:
        mean, spread = predict_at(transition, before.mean, before.variance, noise=True)
        score = log_normal(places, mean, spread + slack)
    mean, spread = predict(mapping, places, noise=True)
    back = np.empty((len(outputs), count), dtype=np.intp)
    for row, values in enumerate(outputs):
        if row:
            through = score[:, None] + moves
            back[row] = np.argmax(through, axis=0)
            score = np.max(through, axis=0)
        score = score + weight * log_normal(values, mean, spread)
    best: list[int] = [int(np.argmax(score))]
    for row in range(len(outputs) - 1, 0, -1):
        best.append(int(back[row, best[-1]]))
    chosen: Int[IntArray, " n"] = np.array(best[::-1])
    return np.asarray(places[chosen])
