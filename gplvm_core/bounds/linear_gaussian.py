"""The linear Gaussian model: exact likelihood and posteriors, also for rows with gaps.

y = center + xᵀ weights + noise with x ~ N(0, I) and isotropic noise (Tipping & Bishop 1999). Rows
may have missing entries (NaN). The observed entries of a row are Gaussian. Their covariance is the
matching block of weightsᵀ weights + σ² I, so all results are exact.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray

from gplvm_core.numerics import Array, BoolArray

# Number of gap patterns whose Q × Q matrices are in memory at once.
BLOCK = 512


@dataclass(frozen=True)
class Factors:
    """The parameters: rows of `weights` are the directions times their standard deviations."""

    weights: Float[Array, "Q D"]
    center: Float[Array, " D"]
    noise_variance: float

    @property
    def canonical(self) -> Self:
        """Parameters of the same density with orthogonal directions, the longest first."""
        _, gains, directions = np.linalg.svd(self.weights, full_matrices=False)
        return type(self)(gains[:, None] * directions, self.center, self.noise_variance)


@dataclass(frozen=True)
class Gaps:
    """Rows with gaps, grouped by the pattern of their gaps."""

    filled: Float[Array, "N D"]  # 0 where missing
    observed: Bool[BoolArray, "N D"]
    patterns: Float[Array, "P D"]
    which: NDArray[np.intp]  # (N,)

    @classmethod
    def of(cls, targets: Array) -> Self:
        observed = ~np.isnan(targets)
        packed = np.packbits(observed, axis=1)
        _, first, which = np.unique(packed, axis=0, return_index=True, return_inverse=True)
        patterns = observed[first].astype(np.float64)
        return cls(np.where(observed, targets, 0.0), observed, patterns, which.reshape(-1))


@dataclass(frozen=True)
class Inferred:
    """Posteriors N(mean_n, covariance of the row's gap pattern) of x, and log densities."""

    mean: Float[Array, "N Q"]
    covariance: Float[Array, "P Q Q"]
    pattern: NDArray[np.intp]  # (N,)
    log_density: Float[Array, " N"]

    @property
    def variance(self) -> Float[Array, "N Q"]:
        """The diagonals of the rows' covariances."""
        return np.asarray(np.diagonal(self.covariance, axis1=1, axis2=2))[self.pattern]


def infer(factors: Factors, targets: Float[Array, "N D"]) -> Inferred:
    """Return exact posteriors of x and log p(observed entries), for rows with gaps (NaN)."""
    return _infer(factors, Gaps.of(targets))[0]


def likelihood(factors: Factors, gaps: Gaps) -> tuple[float, Factors]:
    """Return log p(observed entries) in nats, and its gradient.

    The gradient is the posterior mean of the gradient given x (Fisher's identity).
    """
    inferred, residual = _infer(factors, gaps)
    weights, noise = factors.weights, factors.noise_variance
    n_latent = len(weights)
    count = np.bincount(gaps.which, minlength=len(gaps.patterns)).astype(np.float64)
    # For each output d: the sum of the covariances of x_n over the observed rows of d, times the
    # weights of d.
    spread = (gaps.patterns * count[:, None]).T @ inferred.covariance.reshape(-1, n_latent**2)
    pulled = np.matmul(spread.reshape(-1, n_latent, n_latent), weights.T[:, :, None])[:, :, 0].T
    d_weights = (inferred.mean.T @ residual - pulled) / noise
    expected = float(np.sum(residual**2)) + float(np.vdot(pulled, weights))
    d_noise = 0.5 * (expected / noise - float(gaps.observed.sum())) / noise
    gradient = Factors(d_weights, residual.sum(axis=0) / noise, d_noise)
    return float(inferred.log_density.sum()), gradient


def _inner_matrices(factors: Factors, patterns: Array) -> Iterator[tuple[slice, Array]]:
    """Yield σ² I + W_O W_Oᵀ of every gap pattern, in blocks that limit the memory."""
    weights, n_latent = factors.weights, len(factors.weights)
    products = (weights[:, None] * weights).reshape(n_latent**2, -1).T
    for start in range(0, len(patterns), BLOCK):
        block = slice(start, start + BLOCK)
        inner = (patterns[block] @ products).reshape(-1, n_latent, n_latent)
        yield block, inner + factors.noise_variance * np.eye(n_latent)


def _infer(factors: Factors, gaps: Gaps) -> tuple[Inferred, Array]:
    """Return posteriors with log densities, and the residuals of the observed entries."""
    weights, noise, n_latent = factors.weights, factors.noise_variance, len(factors.weights)
    covariance = np.empty((len(gaps.patterns), n_latent, n_latent))
    log_determinant = np.empty(len(gaps.patterns))
    for block, inner in _inner_matrices(factors, gaps.patterns):
        covariance[block] = noise * np.linalg.inv(inner)
        log_determinant[block] = np.linalg.slogdet(inner)[1]
    centred = np.where(gaps.observed, gaps.filled - factors.center, 0.0)
    carried = centred @ weights.T / noise
    mean = np.empty_like(carried)
    for start in range(0, len(mean), BLOCK):
        rows = slice(start, start + BLOCK)
        own = covariance[gaps.which[rows]]
        mean[rows] = np.matmul(own, carried[rows, :, None])[:, :, 0]
    residual = np.where(gaps.observed, centred - mean @ weights, 0.0)
    # Woodbury's identity with a sum of squares avoids a small difference of large numbers.
    quadratic = np.sum(residual**2, axis=1) / noise + np.sum(mean**2, axis=1)
    count = gaps.observed.sum(axis=1)
    constant = count * np.log(2.0 * np.pi) + (count - n_latent) * np.log(noise)
    log_density = -0.5 * (quadratic + constant + log_determinant[gaps.which])
    return Inferred(mean, covariance, gaps.which, log_density), residual
