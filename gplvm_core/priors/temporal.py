"""A Gaussian-process prior over time on every latent dimension (VGPDS), in dense algebra.

p(x_j) = N(0, K) with K block-diagonal over independent sequences. q(x_j) is this prior times one
Gaussian site exp(ν x − ½ λ x²) for every point: q(x_j) = N(S_j ν_j, S_j) with S_j = (K⁻¹ + Λ_j)⁻¹
and Λ_j = diag λ_j ≥ 0. The mean is also K μ̄_j with μ̄ = ν − λ mean. All results are computed from
B = I + Λ^½ K Λ^½, whose eigenvalues are at least 1, so K is never inverted; unless sites are far
more precise than the prior, through a factor of K without its white noise, which has few columns
for smooth paths. Damianou (2015), §3.3.6 and App. B.3. `kalman` computes the same results in O(N)
for Matérn kernels.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from gplvm_core.beliefs import Belief
from gplvm_core.kernels import Kernel
from gplvm_core.numerics import Array, IntArray, factorise, low_rank, symmetrise
from gplvm_core.parameters import add

# Up to this precision of sites, in units of the prior, or with as little white noise, the algebra
# of low rank keeps nine digits.
MOST_PRECISE = 1e7


@dataclass(frozen=True)
class Timeline:
    """The observed inputs of the prior (times, N × 1, or vectors) and the rows of all sequences."""

    times: Float[Array, "N P"]
    rows: tuple[Int[IntArray, " _n"], ...]

    @classmethod
    def of(
        cls, times: Float[Array, "N P"], sequences: Int[IntArray, " N"] | None = None
    ) -> "Timeline":
        """Make a timeline from the sequence number of each row; None means one sequence."""
        if sequences is None:
            return cls(times, (np.arange(len(times)),))
        return cls(times, tuple(np.flatnonzero(sequences == s) for s in np.unique(sequences)))


@dataclass(frozen=True)
class Sites:
    """The sites' natural parameters: ν (linear) and λ ≥ 0 (precision); also their gradients."""

    linear: Float[Array, "N Q"]
    precision: Float[Array, "N Q"]


@dataclass(frozen=True)
class Path:
    """What predictions need of q(X): means K·dual and covariances (K⁻¹ + diag precision)⁻¹."""

    dual: Float[Array, "N Q"]  # μ̄
    precision: Float[Array, "N Q"]  # λ


@dataclass(frozen=True)
class Pulled:
    """Gradients of F − KL with respect to the sites and the kernel."""

    sites: Sites
    kernel: Kernel


@dataclass(frozen=True)
class Smoothed:
    """The posterior of prior and sites: marginals of q(X) and the KL in nats per dimension."""

    belief: Belief
    kl: Float[Array, " Q"]


@dataclass(frozen=True)
class Marginals(Smoothed):
    """`Smoothed` with μ̄ and the pullback.

    pullback: (∂F/∂mean, ∂F/∂variance) of the data term → gradients of F − KL.
    """

    dual: Float[Array, "N Q"]
    pullback: Callable[[Array, Array], Pulled]


def smooth(kernel: Kernel, timeline: Timeline, sites: Sites) -> Marginals:
    """Compute the sites' posterior, in O(Q n³) for each sequence of n points; usually in O(Q n² r),
    where r is the rank of K without white noise.

    Raises NotPositiveDefiniteError for precisions that overflow. Source: Damianou (2015), eq. 3.29
    and App. B.3.
    """
    mean, variance, dual = np.empty((3, *sites.linear.shape))
    kl = np.zeros(sites.linear.shape[1])
    blocks = []
    for rows in timeline.rows:
        block_of = _algebra(kernel, timeline.times[rows])
        columns = zip(sites.linear[rows].T, sites.precision[rows].T, strict=True)
        each = [block_of(*column) for column in columns]
        blocks.append((rows, each))
        for j, block in enumerate(each):
            mean[rows, j], variance[rows, j] = block.mean, block.variance
            dual[rows, j] = block.dual
            kl[j] += block.kl

    def pullback(d_mean: Array, d_variance: Array) -> Pulled:
        d_linear, d_precision = np.empty_like(mean), np.empty_like(mean)
        d_kernel: Kernel = kernel.zero()
        for rows, each in blocks:
            d_gram = np.zeros((len(rows), len(rows)))
            for j, block in enumerate(each):
                own = block.pullback(d_mean[rows, j], d_variance[rows, j])
                d_linear[rows, j], d_precision[rows, j] = own[:2]
                d_gram += own[2]
            d_kernel = add(d_kernel, kernel.K_pullback(timeline.times[rows], symmetrise(d_gram))[1])
        return Pulled(Sites(d_linear, d_precision), d_kernel)

    return Marginals(Belief(mean, variance), kl, dual, pullback)


def _algebra(
    kernel: Kernel, times: Float[Array, "n P"]
) -> "Callable[[Array, Array], Block | SmoothBlock]":
    """The function from ν and λ of one latent dimension to its block."""
    rest = kernel.K(times, times)  # two points are never the same, so there is no white noise
    level = np.diagonal(rest)
    noise = np.maximum(kernel.diag(times) - level, 0.0)
    factor, gram = low_rank(rest), rest + np.diag(noise)

    def block(linear: Array, precision: Array) -> Block | SmoothBlock:
        if np.max(level * precision / (1.0 + noise * precision)) < MOST_PRECISE:
            return SmoothBlock.of(factor, noise, linear, precision)
        return Block.of(gram, linear, precision)

    return block


@dataclass(frozen=True)
class SmoothBlock:
    """A block whose K is F Fᵀ + diag noise, with an F of few columns.

    With G = 1 / (1 + noise λ), C = I + Fᵀ Λ G F = L Lᵀ and Ψ = G F L⁻ᵀ, the matrix inversion lemma
    gives S = noise G + Ψ Ψᵀ, a sum of positive terms. Further, with the names of `Block`,
    I − B̂K = G − Λ Ψ Ψᵀ and B̂ = Λ G − Λ Ψ Ψᵀ Λ.
    """

    precision: Float[Array, " n"]  # λ
    shrink: Float[Array, " n"]  # G
    alone: Float[Array, " n"]  # noise G
    half: Float[Array, "n r"]  # Ψ
    squares: Float[Array, " n"]  # the diagonal of Ψ Ψᵀ
    dual: Float[Array, " n"]  # μ̄ = (I − B̂K) ν
    mean: Float[Array, " n"]
    kl: float

    @property
    def variance(self) -> Array:
        return self.alone + self.squares

    @classmethod
    def of(cls, factor: Array, noise: Array, linear: Array, precision: Array) -> "SmoothBlock":
        grown = 1.0 + noise * precision
        shrink, alone = 1.0 / grown, noise / grown
        scaled = np.sqrt(precision * shrink)[:, None] * factor
        inner = scaled.T @ scaled
        inner.flat[:: len(inner) + 1] += 1.0
        solver = factorise(inner)
        half = solver.solve_lower((shrink[:, None] * factor).T).T
        seen, squares = half @ (half.T @ linear), np.sum(half**2, axis=1)
        mean, dual = alone * linear + seen, shrink * linear - precision * seen
        log_determinant = float(np.sum(np.log(grown))) + solver.log_determinant
        kl = 0.5 * (float(dual @ mean - precision @ (alone + squares)) + log_determinant)
        return cls(precision, shrink, alone, half, squares, dual, mean, kl)

    def pullback(self, d_mean: Array, d_variance: Array) -> tuple[Array, Array, Array]:
        """See `Block.pullback`; the symmetric part of the third result is ∂K."""
        by_mean, by_variance = d_mean - self.dual, d_variance + 0.5 * self.precision
        seen = self.half @ (self.half.T @ by_mean)
        d_linear = self.alone * by_mean + seen
        weighted = by_variance[:, None] * self.half
        middle = self.half @ (self.half.T @ weighted)
        curved = by_variance * self.alone * (self.alone + 2.0 * self.squares)
        d_precision = -self.mean * d_linear - curved - np.sum(self.half * middle, axis=1)
        left = self.precision[:, None] * (middle + 0.5 * self.half)
        left -= 2.0 * self.shrink[:, None] * weighted
        d_gram = left @ (self.precision[:, None] * self.half).T
        by_dual = 0.5 * self.dual + self.shrink * by_mean - self.precision * seen
        d_gram += np.outer(by_dual, self.dual)
        d_gram.flat[:: len(d_gram) + 1] += self.shrink * (
            self.shrink * by_variance - 0.5 * self.precision
        )
        return d_linear, d_precision, d_gram


@dataclass(frozen=True)
class Block:
    """One latent dimension of one sequence: q(x) = N(Sν, S) with S = (K⁻¹ + Λ)⁻¹ under N(0, K)."""

    gram: Float[Array, "n n"]
    precision: Float[Array, " n"]  # λ
    inner: Float[Array, "n n"]  # B̂ = (K + Λ⁻¹)⁻¹ = Λ^½ B⁻¹ Λ^½
    shrink: Float[Array, "n n"]  # I − B̂K
    dual: Float[Array, " n"]  # μ̄ = (I − B̂K) ν
    mean: Float[Array, " n"]
    covariance: Float[Array, "n n"]  # S = K − K B̂ K
    kl: float

    @property
    def variance(self) -> Array:
        return np.diagonal(self.covariance)

    @classmethod
    def of(cls, gram: Array, linear: Array, precision: Array) -> "Block":
        root = np.sqrt(precision)
        factor = factorise(np.eye(len(gram)) + root[:, None] * gram * root)
        whitened = factor.solve_lower(np.eye(len(gram)))
        half = whitened * root
        inner = half.T @ half
        carried = half @ gram
        covariance = gram - carried.T @ carried
        # If sites are far more precise than the prior, the difference K − KB̂K loses digits. The
        # equal difference S = Λ⁻¹ − Λ⁻¹B̂Λ⁻¹, with diagonal (1 − diag B⁻¹) / λ, loses none.
        shrunk = np.sum(whitened**2, axis=0)
        precise = np.flatnonzero(precision * np.diagonal(gram) > 1.0)
        among, spread = np.ix_(precise, precise), 1.0 / precision[precise]
        covariance[among] = -spread[:, None] * inner[among] * spread
        covariance[precise, precise] = (1.0 - shrunk[precise]) * spread
        # Between far more precise sites, a variance is lost in rounding, also below 0.
        lost = np.flatnonzero(np.diagonal(covariance) <= 0.0)
        covariance[lost, lost] = np.finfo(float).eps * np.diagonal(gram)[lost]
        # For the same reason I − B̂K is computed as B̂Λ⁻¹ where there are sites.
        nothing = np.flatnonzero(precision == 0.0)
        shrink = inner / np.where(precision == 0.0, 1.0, precision)
        shrink[:, nothing] = np.eye(len(gram))[:, nothing] - half.T @ carried[:, nothing]
        dual = shrink @ linear
        mean = gram @ dual
        excess = float(shrunk.sum()) - len(gram)
        kl = 0.5 * (float(dual @ mean) + excess + factor.log_determinant)
        return cls(gram, precision, inner, shrink, dual, mean, covariance, kl)

    def pullback(self, d_mean: Array, d_variance: Array) -> tuple[Array, Array, Array]:
        """Return (∂ν, ∂λ, ∂K) of F − KL from the data term's ∂mean and ∂variance.

        Source: Damianou (2015), App. B.3.
        """
        by_mean, by_variance = d_mean - self.dual, d_variance + 0.5 * self.precision
        d_linear = self.covariance @ by_mean
        d_precision = -self.mean * d_linear - (self.covariance**2) @ by_variance
        d_gram = (self.shrink * by_variance) @ self.shrink.T - 0.5 * self.inner
        d_gram += np.outer(0.5 * self.dual + self.shrink @ by_mean, self.dual)
        return d_linear, d_precision, d_gram
