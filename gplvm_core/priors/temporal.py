"""A Gaussian-process prior over time on every latent dimension (VGPDS), in dense algebra.

p(x_j) = N(0, K) with K block-diagonal over independent sequences, q(x_j) = N(K μ̄_j, S_j) with
S_j = (K⁻¹ + Λ_j)⁻¹ and Λ_j = diag λ_j ≥ 0. All results are computed from B = I + Λ^½ K Λ^½, whose
eigenvalues are at least 1, so K is never inverted. Damianou (2015), §3.3.6 and App. B.3.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from gplvm_core.beliefs import Belief
from gplvm_core.kernels import Kernel
from gplvm_core.numerics import Array, IntArray, factorise, symmetrise
from gplvm_core.parameters import add


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
class Path:
    """The free parameters of q(X): means K·dual and covariances (K⁻¹ + diag precision)⁻¹.

    Gradients with respect to these parameters are also a `Path`.
    """

    dual: Float[Array, "N Q"]  # μ̄
    precision: Float[Array, "N Q"]  # λ


@dataclass(frozen=True)
class Pulled:
    """Gradients of F − KL with respect to the path and the kernel."""

    path: Path
    kernel: Kernel


@dataclass(frozen=True)
class Marginals:
    """The marginals of q(X), its KL to the prior in nats for each dimension, and the pullback.

    pullback: (∂F/∂mean, ∂F/∂variance) of the data term → gradients of F − KL.
    """

    belief: Belief
    kl: Float[Array, " Q"]
    pullback: Callable[[Array, Array], Pulled]


def marginals(kernel: Kernel, timeline: Timeline, path: Path) -> Marginals:
    """Compute the marginals of q(X), sequence by sequence, in dense algebra.

    Raises NotPositiveDefiniteError for precisions that overflow. Source: Damianou (2015), eq. 3.29
    and App. B.3.
    """
    return _marginals(kernel, timeline, path, smooth=False)


def smoothed(kernel: Kernel, timeline: Timeline, sites: Path) -> Marginals:
    """Compute the marginals from pseudo-targets of precision λ, with μ̄ = (K + Λ⁻¹)⁻¹ targets.

    The means are the targets smoothed over time. An optimiser can change each target independently
    of the others, unlike the means. `sites.dual` contains the targets. In the gradients, `dual` is
    the gradient with respect to the targets. λ must be positive.
    """
    return _marginals(kernel, timeline, sites, smooth=True)


def dual_of(kernel: Kernel, timeline: Timeline, sites: Path) -> Path:
    """Return (μ̄, λ) from pseudo-targets and their precisions."""
    dual = np.empty_like(sites.dual)
    for rows in timeline.rows:
        gram = kernel.K(timeline.times[rows])
        for j in range(dual.shape[1]):
            root = np.sqrt(sites.precision[rows, j])
            factor = factorise(np.eye(len(rows)) + root[:, None] * gram * root)
            dual[rows, j] = root * factor.solve((root * sites.dual[rows, j])[:, None])[:, 0]
    return Path(dual, sites.precision)


def _marginals(kernel: Kernel, timeline: Timeline, path: Path, *, smooth: bool) -> Marginals:
    mean, variance = np.empty((2, *path.dual.shape))
    kl = np.zeros(path.dual.shape[1])
    blocks = []
    for rows in timeline.rows:
        gram = kernel.K(timeline.times[rows])
        columns = zip(path.dual[rows].T, path.precision[rows].T, strict=True)
        each = [Block.of(gram, *column, smooth=smooth) for column in columns]
        blocks.append((rows, each))
        for j, block in enumerate(each):
            mean[rows, j], variance[rows, j] = block.mean, block.variance
            kl[j] += block.kl

    def pullback(d_mean: Array, d_variance: Array) -> Pulled:
        d_dual, d_precision = np.empty_like(mean), np.empty_like(mean)
        d_kernel: Kernel = kernel.zero()
        for rows, each in blocks:
            d_gram = np.zeros((len(rows), len(rows)))
            for j, block in enumerate(each):
                own = block.pullback(d_mean[rows, j], d_variance[rows, j])
                d_dual[rows, j], d_precision[rows, j] = own[:2]
                d_gram += own[2]
            d_kernel = add(d_kernel, kernel.K_pullback(timeline.times[rows], symmetrise(d_gram))[1])
        return Pulled(Path(d_dual, d_precision), d_kernel)

    return Marginals(Belief(mean, variance), kl, pullback)


@dataclass(frozen=True)
class Block:
    """One latent dimension of one sequence: q(x) = N(K μ̄, (K⁻¹ + Λ)⁻¹) under N(0, K)."""

    gram: Float[Array, "n n"]
    dual: Float[Array, " n"]  # μ̄
    precision: Float[Array, " n"]  # λ
    inner: Float[Array, "n n"]  # B̂ = Λ^½ B⁻¹ Λ^½
    mean: Float[Array, " n"]
    covariance: Float[Array, "n n"]  # S = K − K B̂ K
    kl: float
    smooth: bool  # whether pullbacks return gradients of pseudo-targets instead of μ̄

    @property
    def variance(self) -> Array:
        return np.diagonal(self.covariance)

    @classmethod
    def of(cls, gram: Array, given: Array, precision: Array, *, smooth: bool) -> "Block":
        """Compute the block. given: μ̄; with `smooth`, the pseudo-targets t with μ̄ = B̂t."""
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
        dual = inner @ given if smooth else given
        mean = gram @ dual
        excess = float(shrunk.sum()) - len(gram)
        kl = 0.5 * (float(dual @ mean) + excess + factor.log_determinant)
        return cls(gram, dual, precision, inner, mean, covariance, kl, smooth)

    def pullback(self, d_mean: Array, d_variance: Array) -> tuple[Array, Array, Array]:
        """Return (∂μ̄ or ∂targets, ∂λ, ∂K) of F − KL from the data term's ∂mean and ∂variance.

        Source: Damianou (2015), App. B.3.
        """
        inner, dual = self.inner, self.dual
        d_dual = self.gram @ (d_mean - dual)
        d_precision = -(self.covariance**2) @ (d_variance + 0.5 * self.precision)
        if not self.smooth:
            shrink = np.eye(len(dual)) - inner @ self.gram
            d_gram = -0.5 * (inner @ self.gram @ inner + np.outer(dual, dual))
            d_gram += (shrink * d_variance) @ shrink.T + np.outer(d_mean, dual)
            return d_dual, d_precision, d_gram
        # μ̄ = B̂ targets with B̂ = (K + Λ⁻¹)⁻¹, so I − B̂K = B̂Λ⁻¹ and B̂KB̂ = B̂ − B̂Λ⁻¹B̂.
        spread = 1.0 / self.precision
        d_targets = inner @ d_dual
        d_precision = d_precision + d_targets * dual * spread**2
        d_gram = (inner * (0.5 * spread + d_variance * spread**2)) @ inner - 0.5 * inner
        d_gram += np.outer(d_mean - 0.5 * dual - d_targets, dual)
        return d_targets, d_precision, d_gram
