"""Data → latent: beliefs about the inputs of new rows, whole or partial, q(u) at its optimum.

With q(u) fixed the bound splits over rows, and a row's observed outputs enter through one adjoint
of its Φ, so all rows are inferred together at the cost of one expectation each (Titsias &
Lawrence 2010, §4; Damianou 2015, §3.4.1).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from scipy.special import logsumexp

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import Array
from gplvm_core.optimise import minimise_rows
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.row_terms import CertainTerms, RowTerms, UncertainTerms
from gplvm_core.priors import StandardNormal

ROWS_PER_BATCH = 1024
MAX_ITERATIONS = 200
# Largest slope at the end, in nats a standard deviation: what is left to gain is its square.
TOLERANCE = 1e-3
# Starts of a whole row, and of one with gaps, which may well have several explanations.
STARTS, STARTS_OF_PARTIAL = 2, 6
# Two ends closer than this many standard deviations (squared) are one explanation.
APART = 1.0
# Nor are ends told apart that are nearer than this share of the training points' spread.
LEAST_APART = 0.05

Rows = NDArray[np.intp]
Unpack = Callable[[Array], tuple[Array, Array]]
RowsFunction = Callable[[Array, Rows], tuple[Array, Array]]


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
    posterior: Posterior,
    outputs: Float[Array, "N D"],
    training_mean: Float[Array, "T Q"],
    training_variance: Float[Array, "T Q"],
) -> Projection:
    """q(x*) = N(mean, diag variance) of new rows (user's units, NaN: missing), each on its own.

    Every row starts from training points whose generated outputs are near where it is observed.
    """
    scale = np.sqrt(training_variance.mean(axis=0))
    n_latent = posterior.n_latent

    def unpack(vector: Array) -> tuple[Array, Array]:
        return scale * vector[:, :n_latent], np.exp(2.0 * vector[:, n_latent:])

    def start(nearest: Rows) -> Array:
        return np.hstack([training_mean[nearest] / scale, 0.5 * np.log(training_variance[nearest])])

    def objective(terms: RowTerms, starts: int) -> RowsFunction:
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

    terms = UncertainTerms.of
    return _projection(posterior, outputs, training_mean, terms, start, objective, unpack)


def project_certain(
    posterior: Posterior, outputs: Float[Array, "N D"], training_mean: Float[Array, "T Q"]
) -> Projection:
    """The most probable latent points of each new row, for models whose latents are points."""

    def objective(terms: RowTerms, starts: int) -> RowsFunction:
        def negative(vector: Array, rows: Rows) -> tuple[Array, Array]:
            value, d_mean, _ = terms.data(vector, np.zeros_like(vector), rows // starts)
            return -value + 0.5 * np.sum(vector**2, axis=1), -d_mean + vector

        return negative

    def start(nearest: Rows) -> Array:
        return training_mean[nearest]

    def unpack(vector: Array) -> tuple[Array, Array]:
        return vector, np.zeros_like(vector)

    terms = CertainTerms.of
    return _projection(posterior, outputs, training_mean, terms, start, objective, unpack)


def _projection(
    posterior: Posterior,
    outputs: Array,
    training_mean: Array,
    terms_of: Callable[[Posterior, Array], RowTerms],
    start: Callable[[Rows], Array],
    objective: Callable[[RowTerms, int], RowsFunction],
    unpack: Unpack,
) -> Projection:
    """The ends of every row over its starts, in batches that bound the memory."""
    generated = posterior.kernel.K(training_mean, posterior.inducing) @ posterior.weights
    most = max(STARTS, STARTS_OF_PARTIAL)
    mean = np.zeros((len(outputs), most, posterior.n_latent))
    variance, bound = np.ones_like(mean), np.full(mean.shape[:2], -np.inf)
    for which in _batches(outputs):
        internal = posterior.to_internal(outputs[which])
        starts = _starts(posterior, internal, generated, training_mean)
        count = starts.shape[1]
        negative = objective(terms_of(posterior, internal), count)
        run = minimise_rows(negative, start(starts.ravel()), MAX_ITERATIONS, TOLERANCE)
        ends = (*starts.shape, posterior.n_latent)
        mean[which, :count], variance[which, :count] = (x.reshape(ends) for x in unpack(run.x))
        bound[which, :count] = -run.values.reshape(starts.shape)
    return Projection.of(mean, variance, bound, LEAST_APART**2 * training_mean.var(axis=0))


def _batches(outputs: Array) -> Iterator[Rows]:
    """Rows without gaps, then rows with gaps, so many at once."""
    partial = np.isnan(outputs).any(axis=1)
    for alike in (np.flatnonzero(~partial), np.flatnonzero(partial)):
        yield from (alike[a : a + ROWS_PER_BATCH] for a in range(0, len(alike), ROWS_PER_BATCH))


def _starts(posterior: Posterior, internal: Array, generated: Array, training_mean: Array) -> Rows:
    """Training points to start each row from (n, K): near in the outputs that are observed.

    For a row with gaps also far from each other on the map, among those that are near.
    """
    observed = ~np.isnan(internal)
    partial = not observed.all()
    filled = np.where(observed, internal, 0.0)
    distance = observed.astype(np.float64) @ (generated**2).T - 2.0 * filled @ generated.T
    count = min(STARTS_OF_PARTIAL if partial else STARTS, len(generated))
    if not partial:
        return np.argsort(distance, axis=1, kind="stable")[:, :count]
    near = np.argsort(distance, axis=1, kind="stable")[:, : 8 * count]
    relevance = posterior.kernel.relevance
    places = training_mean * np.sqrt(1.0 if relevance is None else relevance)
    chosen = near[:, :1]
    apart = np.full(near.shape, np.inf)
    for _ in range(1, count):
        step = places[near] - places[chosen[:, -1]][:, None]
        apart = np.minimum(apart, np.sum(step**2, axis=2))
        farthest = np.take_along_axis(near, np.argmax(apart, axis=1)[:, None], axis=1)
        chosen = np.hstack([chosen, farthest])
    return chosen
