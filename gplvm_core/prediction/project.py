"""Data → latent: beliefs about the inputs of new complete rows, q(u) held at its optimum.

With q(u) fixed the bound splits over rows, and every row has the same adjoint of Φ, so all rows
are inferred together at the cost of one expectation each (Titsias & Lawrence 2010, §4).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import Array
from gplvm_core.optimise import minimise_rows
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.priors import StandardNormal

ROWS_PER_BATCH = 1024
ROWS_PER_TILE = 64
MAX_ITERATIONS = 200
TOLERANCE = 1e-8

Rows = NDArray[np.intp]
RowsFunction = Callable[[Array, Rows], tuple[Array, Array]]


def project(
    posterior: Posterior,
    outputs: Float[Array, "N D"],
    training_mean: Float[Array, "T Q"],
    training_variance: Float[Array, "T Q"],
    n_starts: int = 2,
) -> Belief:
    """q(x*) = N(mean, diag variance) of new complete rows (user's units), each on its own.

    Every row starts from the training points whose generated outputs are nearest, and keeps the
    end with the higher bound.
    """
    scale = np.sqrt(training_variance.mean(axis=0))
    n_latent = posterior.n_latent

    def unpack(vector: Array) -> tuple[Array, Array]:
        return scale * vector[:, :n_latent], np.exp(2.0 * vector[:, n_latent:])

    def start(nearest: Rows) -> Array:
        return np.hstack([training_mean[nearest] / scale, 0.5 * np.log(training_variance[nearest])])

    def objective(terms: "_Terms") -> RowsFunction:
        def negative_bound(vector: Array, rows: Rows) -> tuple[Array, Array]:
            # A step too long may overflow: that row's evaluation is rejected.
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
                mean, variance = unpack(vector)
                value, d_mean, d_variance = terms.data(mean, variance, rows)
                prior, belief = StandardNormal(), Belief(mean, variance)
                _, d_kl = prior.kl(belief)
                value = value - prior.kl_terms(belief).sum(axis=1)
                d_mean, d_variance = d_mean - d_kl.mean, d_variance - d_kl.variance
                return -value, -np.hstack([scale * d_mean, 2.0 * variance * d_variance])

        return negative_bound

    mean, variance = unpack(_best(posterior, outputs, training_mean, n_starts, start, objective))
    return Belief(mean, variance)


def project_certain(
    posterior: Posterior,
    outputs: Float[Array, "N D"],
    training_mean: Float[Array, "T Q"],
    n_starts: int = 2,
) -> Float[Array, "N Q"]:
    """The most probable latent point of each new row, for models whose latents are points."""

    def objective(terms: "_Terms") -> RowsFunction:
        def negative(vector: Array, rows: Rows) -> tuple[Array, Array]:
            value, d_mean, _ = terms.data(vector, np.zeros_like(vector), rows)
            return -value + 0.5 * np.sum(vector**2, axis=1), -d_mean + vector

        return negative

    return _best(
        posterior, outputs, training_mean, n_starts, lambda near: training_mean[near], objective
    )


def _best(
    posterior: Posterior,
    outputs: Array,
    training_mean: Array,
    n_starts: int,
    start: Callable[[Rows], Array],
    objective: Callable[["_Terms"], RowsFunction],
) -> Array:
    """The best end of every row over its starts, in batches that bound the memory."""
    ends = []
    generated = posterior.kernel.K(training_mean, posterior.inducing) @ posterior.weights
    squares = np.sum(generated**2, axis=1)
    for first in range(0, len(outputs), ROWS_PER_BATCH):
        internal = posterior.to_internal(outputs[first : first + ROWS_PER_BATCH])
        terms = _Terms.of(posterior, internal)
        distance = squares - 2.0 * internal @ generated.T
        order = np.argsort(distance, axis=1, kind="stable")[:, :n_starts]
        runs = [
            minimise_rows(objective(terms), start(order[:, column]), MAX_ITERATIONS, TOLERANCE)
            for column in range(order.shape[1])
        ]
        chosen = np.argmin([run.values for run in runs], axis=0)
        ends.append(np.stack([run.x for run in runs])[chosen, np.arange(len(internal))])
    return np.concatenate(ends)


@dataclass(frozen=True)
class _Terms:
    """⟨log p(y_n | f)⟩ under q(u) and q(x_n): what does not depend on q(x_n)."""

    posterior: Posterior
    carried: Float[Array, "N M"]  # Y Vᵀ
    yy: Float[Array, " N"]
    weights: Float[Array, "M M"]  # VVᵀ − D gap: the adjoint of every row's Φ, up to −β/2

    @classmethod
    def of(cls, posterior: Posterior, internal: Array) -> Self:
        v = posterior.weights
        return cls(
            posterior,
            np.concatenate([internal[t] @ v.T for t in _tiles(len(internal))])[: len(internal)],
            np.sum(internal**2, axis=1),
            v @ v.T - posterior.n_outputs * posterior.gap,
        )

    def data(self, mean: Array, variance: Array, rows: Rows) -> tuple[Array, Array, Array]:
        """The expected log likelihood of some rows, with gradients in mean and variance.

        Always in tiles of the same shape, the last one filled up with its last row: so a row's
        digits depend on no other row, nor on how many there are.
        """
        done = [self._tile(mean[t], variance[t], rows[t]) for t in _tiles(len(rows))]
        value, d_mean, d_variance = (np.concatenate(part) for part in zip(*done, strict=True))
        return value[: len(rows)], d_mean[: len(rows)], d_variance[: len(rows)]

    def _tile(self, mean: Array, variance: Array, rows: Rows) -> tuple[Array, Array, Array]:
        kernel, inducing = self.posterior.kernel, self.posterior.inducing
        n_outputs, precision = self.posterior.n_outputs, 1.0 / self.posterior.noise_variance
        carried = self.carried[rows]
        psi0, pull_psi0 = kernel.psi0(mean, variance)
        psi1, pull_psi1 = kernel.psi1(mean, variance, inducing)
        quadratic, d_mean2, d_variance2 = kernel.weighted_psi2(
            mean, variance, inducing, self.weights
        )
        value = -0.5 * n_outputs * np.log(2.0 * np.pi / precision) - 0.5 * precision * (
            self.yy[rows] - 2.0 * np.sum(psi1 * carried, axis=1) + quadratic + n_outputs * psi0
        )
        through = pull_psi1(precision * carried)
        d_mean0, d_variance0, _ = pull_psi0(np.full(len(mean), -0.5 * precision * n_outputs))
        return (
            value,
            through.mean + d_mean0 - 0.5 * precision * d_mean2,
            through.variance + d_variance0 - 0.5 * precision * d_variance2,
        )


def _tiles(count: int) -> list[Rows]:
    """Which rows stand in each tile; the last row fills up the last one."""
    firsts = range(0, count, ROWS_PER_TILE)
    return [np.minimum(np.arange(a, a + ROWS_PER_TILE), count - 1) for a in firsts]
