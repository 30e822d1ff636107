"""The linear Gaussian model behind probabilistic PCA: its fit and its beliefs, gaps included.

y = center + xᵀ weights + noise with x ~ N(0, I) and isotropic noise (Tipping & Bishop 1999). Rows
may miss entries (NaN): what is observed of a row is Gaussian with the matching part of the
covariance weightsᵀ weights + σ² I, so nothing here is approximate.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray
from scipy import linalg

from gplvm_core.numerics import Array
from gplvm_core.optimise import LBFGS, Result

METHODS = ("auto", "primal", "dual")
# Patterns of gaps whose Q × Q matrices are held at once.
BLOCK = 512
# Iterations, and the largest slope in nats per standard deviation of a parameter, of the fit.
MOST_ITERATIONS = 2000
TOLERANCE = 1e-5
# The likelihood has no maximum where the components can fit every observed entry.
LEAST_NOISE = 1e-6


@dataclass(frozen=True)
class Factors:
    """The parameters: rows of `weights` are the directions, times their standard deviations."""

    weights: Float[Array, "Q D"]
    center: Float[Array, " D"]
    noise_variance: float

    @classmethod
    def whole(cls, targets: Float[Array, "N D"], n_components: int, method: str = "auto") -> Self:
        """Maximum likelihood for whole, centred rows, with as many components as there can be.

        method "primal" takes the eigenvectors of the D × D covariance, "dual" those of the N × N
        inner products (Lawrence 2005), "auto" the smaller. Raises ValueError for any other.
        """
        n_outputs = targets.shape[1]
        values, directions = _principal(targets, method)
        # One direction at least is left for the noise, else its variance is 0.
        most = max(min(n_outputs - 1, len(values) - (n_outputs > len(values))), 1)
        kept = min(n_components, most, len(values))
        left_over = max(
            float(np.mean(np.sum(targets**2, axis=1))) - float(values[:kept].sum()), 0.0
        )
        noise = left_over / max(n_outputs - kept, 1)
        noise = max(noise, 1e-12 * float(values[0]))
        gains = np.sqrt(np.maximum(values[:kept] - noise, 0.0))
        return cls(gains[:, None] * directions[:, :kept].T, np.zeros(n_outputs), noise)

    @property
    def canonical(self) -> Self:
        """The same density with orthogonal directions, the largest first."""
        _, gains, directions = np.linalg.svd(self.weights, full_matrices=False)
        return type(self)(gains[:, None] * directions, self.center, self.noise_variance)


@dataclass(frozen=True)
class Inferred:
    """Posteriors N(mean_n, covariance of the row's pattern of gaps) of x, and log densities."""

    mean: Float[Array, "N Q"]
    covariance: Float[Array, "P Q Q"]
    pattern: NDArray[np.intp]  # (N,)
    log_density: Float[Array, " N"]

    @property
    def variance(self) -> Float[Array, "N Q"]:
        """The diagonals of the rows' covariances."""
        return np.asarray(np.diagonal(self.covariance, axis1=1, axis2=2))[self.pattern]


def infer(factors: Factors, targets: Float[Array, "N D"]) -> Inferred:
    """Exact posteriors of x and log p(observed entries) in nats, for rows with gaps (NaN)."""
    return _infer(factors, _Gaps.of(targets))[0]


def reconstruct(
    factors: Factors, targets: Float[Array, "N D"]
) -> tuple[Float[Array, "N D"], Float[Array, "N D"]]:
    """Mean and variance of every noise-free output given what is observed of its row."""
    inferred, weights = infer(factors, targets), factors.weights
    variance = np.empty((len(inferred.covariance), weights.shape[1]))
    for start in range(0, len(variance), BLOCK):
        block = slice(start, start + BLOCK)
        variance[block] = np.sum(np.matmul(inferred.covariance[block], weights) * weights, axis=1)
    return factors.center + inferred.mean @ weights, variance[inferred.pattern]


def reconstruct_jointly(
    factors: Factors, targets: Float[Array, "N D"]
) -> tuple[Float[Array, "N D"], Float[Array, "N D D"]]:
    """As `reconstruct`, with the full covariance of each row's noise-free outputs."""
    inferred, weights = infer(factors, targets), factors.weights
    covariance = weights.T @ inferred.covariance @ weights
    return factors.center + inferred.mean @ weights, covariance[inferred.pattern]


def draw_rows(
    factors: Factors,
    targets: Float[Array, "N D"],
    n_samples: int,
    generator: np.random.Generator,
) -> Float[Array, "S N D"]:
    """Draws of every output, noise included, given what is observed of its row."""
    inferred, weights = infer(factors, targets), factors.weights
    values, vectors = np.linalg.eigh(inferred.covariance)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))[:, None])[inferred.pattern]
    unit = generator.standard_normal((n_samples, *inferred.mean.shape))
    latent = inferred.mean + np.einsum("nqr,snr->snq", root, unit)
    noise = generator.standard_normal((n_samples, *targets.shape))
    return factors.center + latent @ weights + np.sqrt(factors.noise_variance) * noise


def fit_partial(
    targets: Float[Array, "N D"],
    n_components: int,
    most_iterations: int = MOST_ITERATIONS,
    tolerance: float = TOLERANCE,
) -> tuple[Factors, Result]:
    """Maximum likelihood from the observed entries of roughly centred rows, center included.

    By L-BFGS on the log likelihood, whose gradient is the expected one over the posterior of x
    (Fisher's identity), from the closed form for rows with gaps filled in by 0. Converged: no
    parameter has a slope above `tolerance`, in nats per (a priori) standard error.
    """
    gaps = _Gaps.of(targets)
    n_observed = int(gaps.observed.sum())
    begin = Factors.whole(gaps.filled, n_components)
    least = LEAST_NOISE * float(np.sum(gaps.filled**2)) / n_observed
    n_latent, n_outputs = begin.weights.shape
    size = n_latent * n_outputs
    noise = max(begin.noise_variance, 2.0 * least)
    entry_scale, noise_scale = np.sqrt(noise / len(targets)), np.sqrt(2.0 / n_observed)

    def unpack(vector: Array) -> Factors:
        weights = entry_scale * vector[:size].reshape(n_latent, n_outputs)
        center = entry_scale * vector[size:-1]
        return Factors(weights, center, least + float(np.exp(noise_scale * vector[-1])))

    def objective(vector: Array) -> tuple[float, Array]:
        factors = unpack(vector)
        value, d_weights, d_center, d_noise = _likelihood(factors, gaps)
        d_level = noise_scale * (factors.noise_variance - least) * d_noise
        entries = entry_scale * np.concatenate([d_weights.ravel(), d_center])
        return -value, -np.append(entries, d_level)

    optimiser = LBFGS(gradient_tolerance=tolerance)
    packed = np.concatenate([begin.weights.ravel(), begin.center]) / entry_scale
    state = optimiser.start(np.append(packed, np.log(noise - least) / noise_scale), objective)
    while state.status == "running" and state.iteration < most_iterations:
        state = optimiser.step(state, objective)
    counts = (state.iteration, state.evaluations, state.rejected, 0.0)
    if state.status == "running":
        result = Result("limit", f"{most_iterations} iterations were made.", *counts)
    else:
        result = Result(state.status, state.reason, *counts)
    return unpack(state.x).canonical, result


def at_least_noise(factors: Factors, targets: Float[Array, "N D"]) -> bool:
    """Whether the noise variance ended at the least that `fit_partial` allows."""
    return factors.noise_variance < 2.0 * LEAST_NOISE * float(np.nanmean(targets**2))


@dataclass(frozen=True)
class _Gaps:
    """Which entries are observed; rows with the same gaps share a pattern."""

    filled: Float[Array, "N D"]  # 0 where missing
    observed: Bool[NDArray[np.bool_], "N D"]
    patterns: Float[Array, "P D"]
    which: NDArray[np.intp]  # (N,)

    @classmethod
    def of(cls, targets: Array) -> Self:
        observed = ~np.isnan(targets)
        packed = np.packbits(observed, axis=1)
        _, first, which = np.unique(packed, axis=0, return_index=True, return_inverse=True)
        patterns = observed[first].astype(np.float64)
        return cls(np.where(observed, targets, 0.0), observed, patterns, which.reshape(-1))


def _inner_matrices(factors: Factors, patterns: Array) -> Iterator[tuple[slice, Array]]:
    """σ² I + W_O W_Oᵀ of every pattern, in blocks that bound the memory."""
    weights, n_latent = factors.weights, len(factors.weights)
    products = (weights[:, None] * weights).reshape(n_latent**2, -1).T
    for start in range(0, len(patterns), BLOCK):
        block = slice(start, start + BLOCK)
        inner = (patterns[block] @ products).reshape(-1, n_latent, n_latent)
        yield block, inner + factors.noise_variance * np.eye(n_latent)


def _infer(factors: Factors, gaps: _Gaps) -> tuple[Inferred, Array]:
    """Posteriors and log densities, and what the posterior means leave of the observed entries."""
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
    # Woodbury, with the quadratic form as a sum of squares: no small difference of large numbers.
    quadratic = np.sum(residual**2, axis=1) / noise + np.sum(mean**2, axis=1)
    count = gaps.observed.sum(axis=1)
    constant = count * np.log(2.0 * np.pi) + (count - n_latent) * np.log(noise)
    log_density = -0.5 * (quadratic + constant + log_determinant[gaps.which])
    return Inferred(mean, covariance, gaps.which, log_density), residual


def _likelihood(factors: Factors, gaps: _Gaps) -> tuple[float, Array, Array, float]:
    """The log likelihood, and its derivatives in weights, center and noise variance."""
    inferred, residual = _infer(factors, gaps)
    weights, noise = factors.weights, factors.noise_variance
    n_latent = len(weights)
    count = np.bincount(gaps.which, minlength=len(gaps.patterns)).astype(np.float64)
    # Σ_n over the rows that observe output d of the covariance of x_n, times that output's weights.
    spread = (gaps.patterns * count[:, None]).T @ inferred.covariance.reshape(-1, n_latent**2)
    pulled = np.matmul(spread.reshape(-1, n_latent, n_latent), weights.T[:, :, None])[:, :, 0].T
    d_weights = (inferred.mean.T @ residual - pulled) / noise
    expected = float(np.sum(residual**2)) + float(np.vdot(pulled, weights))
    d_noise = 0.5 * (expected / noise - float(gaps.observed.sum())) / noise
    return float(inferred.log_density.sum()), d_weights, residual.sum(axis=0) / noise, d_noise


def _principal(targets: Array, method: str) -> tuple[Array, Array]:
    """Eigenvalues of the covariance, largest first, with unit eigenvectors (D × K)."""
    n_points, n_outputs = targets.shape
    if method not in METHODS:
        raise ValueError(f"method must be {', '.join(METHODS[:-1])} or dual; got {method!r}")
    if method == "primal" or (method == "auto" and n_outputs <= n_points):
        values, vectors = linalg.eigh(targets.T @ targets / n_points)
        return np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    values, scores = linalg.eigh(targets @ targets.T / n_points)
    values, scores = np.maximum(values[::-1], 0.0), scores[:, ::-1]
    kept = values > 1e-12 * values[0]
    values, scores = values[kept], scores[:, kept]
    return values, targets.T @ scores / np.sqrt(n_points * values)
