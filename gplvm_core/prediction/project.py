"""Data → latent: beliefs about the inputs of new rows, whole or partial, q(u) at its optimum.

With q(u) fixed the bound splits over rows, and a row's observed outputs enter through one adjoint
of its Φ, so all rows are inferred together at the cost of one expectation each (Titsias &
Lawrence 2010, §4; Damianou 2015, §3.4.1).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial as partial_of
from typing import Self

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray
from scipy.special import logsumexp

from gplvm_core.beliefs import Belief
from gplvm_core.kernels import Kernel
from gplvm_core.numerics import Array, one_thread_a_product
from gplvm_core.optimise import minimise_rows
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.row_terms import (
    ROWS_PER_TILE,
    CertainTerms,
    Evidence,
    UncertainTerms,
    terms_of,
)
from gplvm_core.priors import StandardNormal

ROWS_PER_BATCH = 1024
# Of rows to ask about.
TOLERANCE = 1e-3
# Training points that rows may start from: the distances to all of very many would fill the memory.
MOST_PLACES = 10_000
# Two ends closer than this many standard deviations (squared) are one explanation.
APART = 1.0
# Nor are ends told apart that are nearer than this share of the training points' spread.
LEAST_APART = 0.05

Rows = NDArray[np.intp]
Unpack = Callable[[Array], tuple[Array, Array]]
RowsFunction = Callable[[Array, Rows], tuple[Array, Array]]


@dataclass(frozen=True)
class Effort:
    """How many starts a row has, whole or with gaps, which may well have several explanations; at
    most how many iterations, to which largest slope in nats a standard deviation (what is left to
    gain is its square); and how many rows are worked on at once.
    """

    starts: int = 2
    starts_of_partial: int = 6
    iterations: int = 200
    tolerance: float = TOLERANCE
    tile: int = ROWS_PER_TILE


# For a few rows to ask about, and for many to add: those are near rows that were learnt from, and
# larger tiles, two thirds of the time, cost no more than a digit that hangs on a row's neighbours,
# and what the tolerance leaves is a thousandth of a nat.
THOROUGH, QUICK = Effort(), Effort(starts=1, iterations=40, tolerance=0.03, tile=512)


@dataclass(frozen=True)
class Projection:
    """The explanations N(mean, diag variance) of each row, the best first, with their bounds.

    Bounds are in nats, −inf for starts that ended where a better one did.
    """

    mean: Float[Array, "N K Q"]
    variance: Float[Array, "N K Q"]
    bound: Float[Array, "N K"]

    @property
    def best(self) -> Belief:
        """q(x*) of each row: its best explanation."""
        return Belief(self.mean[:, 0], self.variance[:, 0])

    @property
    def weights(self) -> Float[Array, "N K"]:
        """How much each explanation counts: the best weights of a mixture of separate Gaussians."""
        return np.exp(self.bound - logsumexp(self.bound, axis=1, keepdims=True))

    @classmethod
    def of(cls, mean: Array, variance: Array, bound: Array, least: Array) -> Self:
        """The ends of each row, told apart and sorted; least: variances (Q,) too small to tell."""
        found = cls(mean, variance, bound)._sorted()
        told = found.bound.copy()
        for later in range(1, told.shape[1]):
            gap = found.mean[:, :later] - found.mean[:, later : later + 1]
            spread = found.variance[:, :later] + found.variance[:, later : later + 1]
            distance = np.sum(gap**2 / np.maximum(spread, least), axis=2)
            same = np.isfinite(told[:, :later]) & (distance < APART)
            told[same.any(axis=1), later] = -np.inf
        return cls(found.mean, found.variance, told)._sorted()

    def _sorted(self) -> Self:
        order = np.argsort(-self.bound, axis=1, kind="stable")
        deep = order[:, :, None]
        return type(self)(
            np.take_along_axis(self.mean, deep, axis=1),
            np.take_along_axis(self.variance, deep, axis=1),
            np.take_along_axis(self.bound, order, axis=1),
        )


def project(
    evidence: Sequence[Evidence],
    training: Belief,
    *,
    partial: bool = False,
    effort: Effort = THOROUGH,
) -> Projection:
    """q(x*) = N(mean, diag variance) of new rows from the layers' outputs, each row on its own.

    training: q(X) of the training rows. Every row starts from training points whose generated
    outputs are near where it is observed.
    partial: there are more outputs than the evidence holds, so every row has gaps.
    """
    scale, n_latent = np.sqrt(training.variance.mean(axis=0)), training.n_latent
    training = training.thinned(MOST_PLACES)

    def unpack(vector: Array) -> tuple[Array, Array]:
        return scale * vector[:, :n_latent], np.exp(2.0 * vector[:, n_latent:])

    def start(nearest: Rows) -> Array:
        spread = 0.5 * np.log(training.variance[nearest])
        return np.hstack([training.mean[nearest] / scale, spread])

    def objective(evidence: Sequence[Evidence], starts: int, which: Rows) -> RowsFunction:
        terms = terms_of(evidence, partial_of(UncertainTerms.of, tile=effort.tile))

        def negative_bound(vector: Array, rows: Rows) -> tuple[Array, Array]:
            # A step too long may overflow: that row's evaluation is rejected.
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
                mean, variance = unpack(vector)
                value, d_mean, d_variance = terms.data(mean, variance, rows // starts)
                prior, belief = StandardNormal(), Belief(mean, variance)
                _, d_kl = prior.kl(belief)
                value = value - prior.kl_terms(belief).sum(axis=1)
                d_mean, d_variance = d_mean - d_kl.mean, d_variance - d_kl.variance
                return -value, -np.hstack([scale * d_mean, 2.0 * variance * d_variance])

        return negative_bound

    return projected(evidence, training.mean, partial, objective, start, unpack, effort=effort)


def project_certain(
    posterior: Posterior, outputs: Float[Array, "N D"], training_mean: Float[Array, "T Q"]
) -> Projection:
    """The most probable latent points of each new row, for models whose latents are points."""

    def objective(evidence: Sequence[Evidence], starts: int, which: Rows) -> RowsFunction:
        terms = terms_of(evidence, CertainTerms.of)

        def negative(vector: Array, rows: Rows) -> tuple[Array, Array]:
            value, d_mean, _ = terms.data(vector, np.zeros_like(vector), rows // starts)
            return -value + 0.5 * np.sum(vector**2, axis=1), -d_mean + vector

        return negative

    def start(nearest: Rows) -> Array:
        return training_mean[nearest]

    def unpack(vector: Array) -> tuple[Array, Array]:
        return vector, np.zeros_like(vector)

    return projected(
        (Evidence(posterior, outputs),), training_mean, False, objective, start, unpack
    )


@one_thread_a_product()
def projected(
    evidence: Sequence[Evidence],
    training_mean: Array,
    partial: bool,
    objective: Callable[[Sequence[Evidence], int, Rows], RowsFunction],
    start: Callable[[Rows], Array],
    unpack: Unpack,
    inferred: Array | None = None,
    effort: Effort = THOROUGH,
    untold: Bool[NDArray[np.bool_], "N P"] | None = None,
) -> Projection:
    """The ends of every row over its starts, in batches that bound the memory.

    inferred: training means of all that is inferred of a row, where that is more than what the
    evidence hangs on; untold: of which of it a row's bound says nothing, so that it stays where it
    started and cannot tell explanations apart: N(0, 1) stands there.
    """
    generated = np.hstack([_at_noise_level(each, training_mean) for each in evidence])
    internal = np.hstack([each.internal * _precision(each) for each in evidence])
    n_rows, n_latent = len(internal), training_mean.shape[1]
    inferred = training_mean if inferred is None else inferred
    shared = [each for each in evidence if each.at is None]
    relevance = [_relative_relevance(each.layers[0].kernel, n_latent) for each in shared]
    places = training_mean * np.sqrt(np.max(relevance or [np.ones(n_latent)], axis=0))
    gaps = np.asarray(np.isnan(internal).any(axis=1) | partial)
    most = max(effort.starts, effort.starts_of_partial)
    mean = np.zeros((n_rows, most, inferred.shape[1]))
    variance, bound = np.ones_like(mean), np.full(mean.shape[:2], -np.inf)
    for which in _batches(gaps):
        some = bool(gaps[which[0]])
        count = effort.starts_of_partial if some else effort.starts
        starts = _starts(internal[which], generated, places, count, partial=some)
        count = starts.shape[1]
        negative = objective([each.rows(which) for each in evidence], count, which)
        run = minimise_rows(negative, start(starts.ravel()), effort.iterations, effort.tolerance)
        ends = (*starts.shape, inferred.shape[1])
        mean[which, :count], variance[which, :count] = (x.reshape(ends) for x in unpack(run.x))
        bound[which, :count] = -run.values.reshape(starts.shape)
    if untold is not None:
        mean = np.where(untold[:, None], 0.0, mean)
        variance = np.where(untold[:, None], 1.0, variance)
    return Projection.of(mean, variance, bound, LEAST_APART**2 * inferred.var(axis=0))


def _precision(evidence: Evidence) -> float:
    """1/σ: outputs of several layers compare at the level of their noise."""
    return float(1.0 / np.sqrt(evidence.posterior.noise_variance))


def _at_noise_level(evidence: Evidence, points: Array) -> Array:
    """The training rows' outputs; points: theirs in the space that views share."""
    posterior = evidence.posterior
    if evidence.at is not None:
        points = evidence.at
    elif evidence.own:
        points = evidence.own[-1].training.mean
    generated = posterior.kernel.K(points, posterior.inducing) @ posterior.weights
    return np.asarray(generated * _precision(evidence))


def _relative_relevance(kernel: Kernel, n_latent: int) -> Float[Array, " Q"]:
    relevance = kernel.relevance
    return np.ones(n_latent) if relevance is None else relevance / relevance.max()


def _batches(gaps: Bool[NDArray[np.bool_], " _N"]) -> Iterator[Rows]:
    """Rows without gaps, then rows with gaps, so many at once."""
    for alike in (np.flatnonzero(~gaps), np.flatnonzero(gaps)):
        yield from (alike[a : a + ROWS_PER_BATCH] for a in range(0, len(alike), ROWS_PER_BATCH))


def _starts(internal: Array, generated: Array, places: Array, count: int, *, partial: bool) -> Rows:
    """Training points to start each row from (n, K): near in the outputs that are observed.

    For a row with gaps also far from each other on the map, among those that are near.
    """
    observed = ~np.isnan(internal)
    filled = np.where(observed, internal, 0.0)
    distance = observed.astype(np.float64) @ (generated**2).T - 2.0 * filled @ generated.T
    count = min(count, len(generated))
    if count == 1:
        return np.argmin(distance, axis=1)[:, None]
    near = np.argsort(distance, axis=1, kind="stable")
    return spread_out(places, near[:, : 8 * count], count) if partial else near[:, :count]


def spread_out(
    places: Float[Array, "T Q"], candidates: Int[Rows, "n C"], count: int
) -> Int[Rows, "n K"]:
    """Of each row's candidate places the first, then those farthest from all chosen before."""
    chosen = candidates[:, :1]
    apart = np.full(candidates.shape, np.inf)
    for _ in range(1, min(count, candidates.shape[1])):
        step = places[candidates] - places[chosen[:, -1]][:, None]
        apart = np.minimum(apart, np.sum(step**2, axis=2))
        farthest = np.take_along_axis(candidates, np.argmax(apart, axis=1)[:, None], axis=1)
        chosen = np.hstack([chosen, farthest])
    return chosen
