"""Latent paths at new times: between and after observed times, and for new sequences.

Damianou (2015), §3.4.2 and App. B.4. The sites of the training rows are fixed, and so is q(u)
unless the new rows update the mapping. The prior of the new rows continues the training path; for a
new sequence it is the prior over time.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float, Int

from gplvm_core.beliefs import Belief
from gplvm_core.kernels import Kernel
from gplvm_core.numerics import Array, BoolArray, IntArray, factorise
from gplvm_core.prediction.project import Projection
from gplvm_core.priors import kalman
from gplvm_core.priors.natural import DataTerm, Smoother, begin, step
from gplvm_core.priors.temporal import Block, Path, Sites, Smoothed, Timeline

# Called with the number of steps and the bound in nats; StopIteration ends the inference.
StepCallback = Callable[[int, float], None]
Ending = Literal["at rest", "stopped", "moving"]

MOST_STEPS = 200
# Inference ends if a step raises the bound by less than TOLERANCE, in nats per row, or if the
# step's rate is below LEAST_RATE.
TOLERANCE, LEAST_RATE = 1e-5, 1e-4
# The initial variance around the starting means of observed rows.
START_VARIANCE = 0.1
# The smallest prior variance of a row, relative to the largest.
LEAST_VARIANCE = 1e-8


@dataclass(frozen=True)
class Continued:
    """A Gaussian prior for n new rows: mean, and the covariance of each latent dimension.

    over_time: kernel and times, for a prior over time that supports Kalman smoothing. order: the
    rows in the order of time; None: the given order.
    """

    mean: Float[Array, "n Q"]
    covariance: Float[Array, "Q n n"]
    over_time: tuple[Kernel, Timeline] | None = None
    order: Int[IntArray, " n"] | None = None

    @classmethod
    def beside(cls, parts: "Sequence[Continued]") -> "Continued":
        """Join priors of the same rows: put their latent dimensions side by side."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            np.hstack([each.mean for each in parts]),
            np.concatenate([each.covariance for each in parts]),
            order=parts[0].order,
        )

    @property
    def variance(self) -> Float[Array, "n Q"]:
        return np.maximum(np.diagonal(self.covariance, axis1=1, axis2=2).T, 0.0)

    @property
    def independent(self) -> "Continued":
        """The same prior without correlations between rows."""
        spread = np.stack([np.diag(column) for column in self.variance.T])
        return Continued(self.mean, spread, order=self.order)


def forecast(
    kernel: Kernel,
    times: Float[Array, "N P"],
    path: Path,
    new_times: Float[Array, "n P"],
) -> Belief:
    """Predict x at new times from the path of a sequence, separately for each time.

    The cost is O(N + n) for Matérn kernels over time; otherwise `continued` is used. Source:
    Damianou (2015), §3.4.2.
    """
    whole, padded = _lengthened(times, path, new_times)
    if kalman.supports(kernel, whole):
        found = kalman.marginals(kernel, whole, padded)
        return Belief(found.mean[len(times) :], np.maximum(found.variance[len(times) :], 0.0))
    prior = continued(kernel, times, path, new_times)
    return Belief(prior.mean, prior.variance)


def continued(
    kernel: Kernel,
    times: Float[Array, "N P"],
    path: Path,
    new_times: Float[Array, "n P"],
) -> Continued:
    """Predict x at new times from the path of a sequence: mean k*ᵀμ̄, covariance k** − k*ᵀB̂k*.

    If the sequence has no rows (N = 0), the result is the prior over time. The cost is O(N + n²)
    for Matérn kernels over time; otherwise dense algebra is used. Source: Damianou (2015), §3.4.2.
    """
    n_latent = path.dual.shape[1]
    order = np.argsort(new_times[:, 0], kind="stable") if new_times.shape[1] == 1 else None
    if len(times) == 0:
        prior = kernel.K(new_times)
        alike = np.broadcast_to(prior, (n_latent, *prior.shape))
        timeline = Timeline.of(new_times)
        over_time = (kernel, timeline) if kalman.supports(kernel, timeline) else None
        return Continued(np.zeros((len(new_times), n_latent)), alike, over_time, order)
    whole, padded = _lengthened(times, path, new_times)
    if kalman.supports(kernel, whole):
        new = np.arange(len(times), len(whole.times))
        mean = kalman.marginals(kernel, whole, padded).mean[new]
        spread = kalman.covariance(kernel, whole, padded.precision, new)
        return Continued(mean, spread, order=order)
    prior, gram, cross = kernel.K(new_times), kernel.K(times), kernel.K(times, new_times)
    covariance = np.empty((n_latent, *prior.shape))
    for j in range(n_latent):
        root = np.sqrt(path.precision[:, j])
        factor = factorise(np.eye(len(times)) + root[:, None] * gram * root)
        half = factor.solve_lower(root[:, None] * cross)
        covariance[j] = prior - half.T @ half
    return Continued(cross.T @ path.dual, covariance, order=order)


def _lengthened(times: Array, path: Path, new_times: Array) -> tuple[Timeline, Path]:
    """Extend a sequence by rows at new times without data (μ̄ = λ = 0)."""
    after = ((0, len(new_times)), (0, 0))
    padded = Path(np.pad(path.dual, after), np.pad(path.precision, after))
    return Timeline.of(np.concatenate([times, new_times])), padded


def ascend(
    data_term: DataTerm,
    prior: Continued,
    start: Float[Array, "n Q"],
    seen: Bool[BoolArray, " n"],
    callback: StepCallback | None,
    most_steps: int,
) -> tuple[Belief, Ending]:
    """Find q(X*) by natural-gradient steps; also return how the steps ended.

    data_term: a function of q's marginals. start: the starting means. seen: rows with an observed
    value. callback(step, bound in nats) is called after every step. If it raises StopIteration,
    inference ends with the best q so far.
    """
    n_points, n_latent = prior.mean.shape
    smoother = smoother_of(prior)

    def around(belief: Belief) -> tuple[float, Array, Array]:
        return data_term(Belief(prior.mean + belief.mean, belief.variance))

    precision = np.where(np.tile(seen[:, None], (1, n_latent)), 1.0 / START_VARIANCE, 0.0)
    state = begin(Sites(precision * (start - prior.mean), precision), smoother, around)
    ending: Ending = "moving"
    for taken in range(1, most_steps + 1):
        before, state = state.bound, step(state, smoother, around)
        little = state.accepted and state.bound - before < TOLERANCE * n_points
        if little or state.rate < LEAST_RATE:
            ending = "at rest"
        try:
            if callback is not None:
                callback(taken, state.bound)
        except StopIteration:
            ending = "stopped" if ending == "moving" else ending
        if ending != "moving":
            break
    found = state.smoothed.belief
    return Belief(prior.mean + found.mean, found.variance), ending


def smoother_of(prior: Continued) -> Smoother:
    """Return the function from sites to the posterior path, both relative to the prior mean.

    The function costs O(n) for new sequences with Matérn kernels over time; otherwise it uses dense
    algebra.
    """
    if prior.over_time is not None:
        return partial(kalman.smooth, *prior.over_time)
    n_points, n_latent = prior.mean.shape
    least = LEAST_VARIANCE * float(np.mean(prior.variance.max(axis=0)))
    grams = prior.covariance + least * np.eye(n_points)

    def smoother(sites: Sites) -> Smoothed:
        mean, variance = np.empty((2, n_points, n_latent))
        kl = np.zeros(n_latent)
        for j, gram in enumerate(grams):
            block = Block.of(gram, sites.linear[:, j], sites.precision[:, j])
            mean[:, j], variance[:, j] = block.mean, np.maximum(block.variance, 1e-12)
            kl[j] = block.kl
        return Smoothed(Belief(mean, variance), kl)

    return smoother


def likely_path(
    found: Projection, rows: Int[IntArray, " r"], prior: Continued
) -> Float[Array, "n Q"]:
    """Return the most probable path through one explanation of each row.

    The Viterbi algorithm combines the explanations' bounds with the prior of the steps between
    rows. found: the explanations of `rows`, in this order; other rows get the prior mean.
    """
    start = prior.mean.copy()
    if len(rows) == 0:
        return start
    if prior.order is not None:
        sorting = np.argsort(np.argsort(prior.order)[rows])
        rows = rows[sorting]
        found = Projection(found.mean[sorting], found.variance[sorting], found.bound[sorting])
    best, back = np.empty(found.bound.shape), np.zeros(found.bound.shape, dtype=np.intp)
    spread = prior.variance
    best[0] = found.bound[0]
    for i, (before, row) in enumerate(pairwise(rows), start=1):
        joint = prior.covariance[:, before, row]
        gain = joint / np.maximum(spread[before], 1e-12)
        left = np.maximum(spread[row] - gain * joint, 1e-6 * np.maximum(spread[row], 1e-12))
        expected = prior.mean[row] + gain * (found.mean[i - 1] - prior.mean[before])
        step = np.sum((found.mean[i][None] - expected[:, None]) ** 2 / left, axis=2)
        total = best[i - 1][:, None] - 0.5 * step
        back[i] = np.argmax(total, axis=0)
        best[i] = found.bound[i] + np.max(total, axis=0)
    k = int(np.argmax(best[-1]))
    for i in reversed(range(len(rows))):
        start[rows[i]] = found.mean[i, k]
        k = int(back[i, k])
    return start
