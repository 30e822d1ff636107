"""Latent paths beyond the data: between and after observed times, and for new sequences.

Damianou (2015), §3.4.2 and App. B.4. q(u) and the training rows' sites are held; the new rows'
prior is the training path's continuation, or for a sequence of its own the prior over time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from gplvm_core.beliefs import Belief
from gplvm_core.kernels import Kernel
from gplvm_core.numerics import Array, factorise
from gplvm_core.prediction.project import Projection
from gplvm_core.prediction.row_terms import Evidence, UncertainTerms, terms_of
from gplvm_core.priors.natural import Sites, Smoothed, begin, step
from gplvm_core.priors.temporal import Block, Path

Flags = NDArray[np.bool_]

MOST_STEPS = 200
# The gain of a step, in nats a row, that ends the inference; and the shortest step.
TOLERANCE, LEAST_RATE = 1e-5, 1e-4
# What the means of observed rows are worth at the start, as a variance.
START_VARIANCE = 0.1
# The least that a conditional prior may vary, relative to the prior: rounding is below it.
LEAST_VARIANCE = 1e-8


@dataclass(frozen=True)
class Continued:
    """A Gaussian prior for n new rows: mean, and the covariance of each latent dimension."""

    mean: Float[Array, "n Q"]
    covariance: Float[Array, "Q n n"]

    @property
    def variance(self) -> Float[Array, "n Q"]:
        return np.maximum(np.diagonal(self.covariance, axis1=1, axis2=2).T, 0.0)

    @property
    def independent(self) -> "Continued":
        """The same without the correlations between rows."""
        spread = np.stack([np.diag(column) for column in self.variance.T])
        return Continued(self.mean, spread)


def continued(
    kernel: Kernel,
    times: Float[Array, "N P"],
    path: Path,
    new_times: Float[Array, "n P"],
) -> Continued:
    """x at new times given the path of a sequence: mean k*ᵀμ̄, covariance k** − k*ᵀB̂k*.

    Without rows (N = 0): the prior over time. Source: Damianou (2015), §3.4.2.
    """
    prior = kernel.K(new_times)
    n_latent = path.dual.shape[1]
    if len(times) == 0:
        return Continued(np.zeros((len(new_times), n_latent)), np.tile(prior, (n_latent, 1, 1)))
    gram, cross = kernel.K(times), kernel.K(times, new_times)
    covariance = np.empty((n_latent, *prior.shape))
    for j in range(n_latent):
        root = np.sqrt(path.precision[:, j])
        factor = factorise(np.eye(len(times)) + root[:, None] * gram * root)
        half = factor.solve_lower(root[:, None] * cross)
        covariance[j] = prior - half.T @ half
    return Continued(cross.T @ path.dual, covariance)


def infer_path(
    evidence: Sequence[Evidence],
    prior: Continued,
    start: Float[Array, "n Q"],
) -> tuple[Belief, bool]:
    """q(X*) of the rows of one sequence together, from one layer's outputs or from several's.

    Whole rows may be missing. start: where the means begin. The bound is maximised by
    natural-gradient steps, with q(u) held; the training rows' own beliefs stay as they are. Also
    whether the steps had come to rest.
    """
    terms = terms_of(evidence, UncertainTerms.of)
    n_points, n_latent = prior.mean.shape
    rows, nothing = np.arange(n_points), np.zeros(n_points)
    least = LEAST_VARIANCE * float(np.mean(evidence[0].posterior.kernel.diag(prior.mean[:1])))
    grams = prior.covariance + least * np.eye(n_points)

    # Sites and paths are relative to the prior's mean.
    def smoother(sites: Sites) -> Smoothed:
        mean, variance, kl = (
            np.empty_like(prior.mean),
            np.empty_like(prior.mean),
            np.zeros(n_latent),
        )
        for j, gram in enumerate(grams):
            linear, precision = sites.linear[:, j], sites.precision[:, j]
            # At dual 0 the block's KL is ½[log|B| − λᵀs].
            block = Block.of(gram, nothing, precision, smooth=False)
            path = block.covariance @ linear
            kl[j] = block.kl + 0.5 * float((linear - precision * path) @ path)
            mean[:, j], variance[:, j] = path, np.maximum(block.variance, 1e-12)
        return Smoothed(Belief(mean, variance), kl)

    def data_term(belief: Belief) -> tuple[float, Array, Array]:
        value, d_mean, d_variance = terms.data(prior.mean + belief.mean, belief.variance, rows)
        return float(value.sum()), d_mean, d_variance

    seen = np.any([~np.isnan(each.outputs).all(axis=1) for each in evidence], axis=0)[:, None]
    precision = np.where(np.tile(seen, (1, n_latent)), 1.0 / START_VARIANCE, 0.0)
    state = begin(Sites(precision * (start - prior.mean), precision), smoother, data_term)
    settled = False
    for _ in range(MOST_STEPS):
        before, state = state.bound, step(state, smoother, data_term)
        little = state.accepted and state.bound - before < TOLERANCE * n_points
        settled = little or state.rate < LEAST_RATE
        if settled:
            break
    found = state.smoothed.belief
    return Belief(prior.mean + found.mean, found.variance), settled


def likely_path(found: Projection, observed: Flags, prior: Continued) -> Float[Array, "n Q"]:
    """Of each row's explanations one, so that bounds and steps in time are most probable together.

    observed: which rows have any output; the others follow the prior's mean. Dynamic programming
    over the explanations (Viterbi).
    """
    n_points, count = found.bound.shape
    best = np.zeros((n_points, count))
    back = np.zeros((n_points, count), dtype=np.intp)
    rows = np.flatnonzero(observed)
    start = prior.mean.copy()
    if len(rows) == 0:
        return start
    spread = prior.variance
    best[rows[0]] = found.bound[rows[0]]
    for before, row in pairwise(rows):
        joint = prior.covariance[:, before, row]
        gain = joint / np.maximum(spread[before], 1e-12)
        left = np.maximum(spread[row] - gain * joint, 1e-6 * np.maximum(spread[row], 1e-12))
        expected = prior.mean[row] + gain * (found.mean[before] - prior.mean[before])
        step = np.sum((found.mean[row][None] - expected[:, None]) ** 2 / left, axis=2)
        total = best[before][:, None] - 0.5 * step
        back[row] = np.argmax(total, axis=0)
        best[row] = found.bound[row] + np.max(total, axis=0)
    k = int(np.argmax(best[rows[-1]]))
    for row in rows[::-1]:
        start[row] = found.mean[row, k]
        k = int(back[row, k])
    return start
