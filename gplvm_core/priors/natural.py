"""Natural-gradient steps for a prior over time: conjugate computation (Khan & Lin 2017).

q(x_j) ∝ N(x_j; 0, K) Π_n exp(ν_nj x_nj − ½ λ_nj x_nj²): the prior times one Gaussian site for every
point. A step needs only the data term's ∂mean and ∂variance, so `kalman.smooth` needs no N × N
matrix. `smooth` in this module computes the same results in dense algebra, for any kernel.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.kernels import Kernel
from gplvm_core.numerics import Array, symmetrise
from gplvm_core.parameters import add
from gplvm_core.priors.temporal import Block, Timeline


@dataclass(frozen=True)
class Sites:
    """The sites' natural parameters: ν (linear) and λ ≥ 0 (precision)."""

    linear: Float[Array, "N Q"]
    precision: Float[Array, "N Q"]


@dataclass(frozen=True)
class Smoothed:
    """The posterior of prior and sites: marginals of q(X) and the KL in nats per dimension."""

    belief: Belief
    kl: Float[Array, " Q"]


@dataclass(frozen=True)
class SmoothedEvidence(Smoothed):
    """`Smoothed` with the terms for learning the prior's kernel.

    log_evidence: log 𝒵 = ½ νᵀμ − ½ log|I + Λ^½ K Λ^½|, the log of the sites' mean under the prior.
    pullback: (∂F/∂mean, ∂F/∂variance) of the data term → the kernel's gradient of F − KL with fixed
    sites; for optimal sites this is the gradient of Σ_j log 𝒵_j.
    """

    log_evidence: Float[Array, " Q"]
    pullback: Callable[[Array, Array], Any]


Smoother = Callable[[Sites], Smoothed]
# A function from a belief to the data term's value in nats, and its ∂mean and ∂variance (N × Q).
DataTerm = Callable[[Belief], tuple[float, Array, Array]]


@dataclass(frozen=True)
class SiteState:
    """The state after a step: the sites, their posterior and data term, and the rate of the next
    step.

    rate: ρ in (0, 1]. accepted: whether the last step was accepted.
    """

    sites: Sites
    smoothed: Smoothed
    data: float
    d_mean: Float[Array, "N Q"]
    d_variance: Float[Array, "N Q"]
    rate: float = 1.0
    accepted: bool = True

    @property
    def bound(self) -> float:
        """F_data − KL in nats."""
        return self.data - float(self.smoothed.kl.sum())


def begin(sites: Sites, smoother: Smoother, data_term: DataTerm, *, rate: float = 1.0) -> SiteState:
    """Return the state at given sites. Raises ValueError for a rate outside (0, 1] or precisions <
    0.
    """
    if not 0.0 < rate <= 1.0:
        raise ValueError(f"rate must be above 0 and at most 1, got {rate}")
    if not (sites.precision >= 0).all():
        raise ValueError(
            f"precisions of sites must be at least 0, got {float(np.min(sites.precision))}"
        )
    smoothed = smoother(sites)
    return SiteState(sites, smoothed, *data_term(smoothed.belief), rate)


def step(
    state: SiteState, smoother: Smoother, data_term: DataTerm, *, least: float = 0.0
) -> SiteState:
    """Make one step: λ ← (1−ρ)λ + ρλ*, ν ← (1−ρ)ν + ρ(∂μ + λ* ∘ μ), λ* = max(−2∂s, least).

    A step that lowers the bound is rejected, and the rate is halved; after an accepted step the
    rate grows by half, up to 1. At a fixed point λ = λ* and μ̄ = ∂μ, for any rate. Source: Khan &
    Lin (2017), eq. 18; Damianou (2015), eq. 3.31.
    """
    # If the data term prefers more variance, λ* would be negative. ν must use the clipped λ*;
    # otherwise the mean would converge to a point with ∂μ ≠ μ̄.
    wanted = np.maximum(-2.0 * state.d_variance, least)
    toward = state.d_mean + wanted * state.smoothed.belief.mean
    rho, old = state.rate, state.sites
    sites = Sites(
        (1.0 - rho) * old.linear + rho * toward, (1.0 - rho) * old.precision + rho * wanted
    )
    smoothed = smoother(sites)
    found = SiteState(sites, smoothed, *data_term(smoothed.belief), min(1.0, 1.5 * rho))
    # Rounding errors in a sum of many terms must not count as a decrease.
    slack = 1e-12 * (abs(state.data) + float(np.abs(state.smoothed.kl).sum()))
    if found.bound >= state.bound - slack:
        return found
    return replace(state, rate=0.5 * rho, accepted=False)


def smooth(kernel: Kernel, timeline: Timeline, sites: Sites) -> SmoothedEvidence:
    """Compute the sites' posterior in dense algebra, in O(Q n³) for each sequence of n points.

    Raises NotPositiveDefiniteError for precisions that overflow. Source: Damianou (2015), App. B.3.
    """
    n_points, n_latent = sites.linear.shape
    mean, variance = np.empty((2, n_points, n_latent))
    kl, log_evidence = np.zeros((2, n_latent))
    blocks = []
    for rows in timeline.rows:
        gram = kernel.K(timeline.times[rows])
        for j in range(n_latent):
            linear, precision = sites.linear[rows, j], sites.precision[rows, j]
            # With dual 0, the block's KL is ½[log|B| − λᵀs].
            block = Block.of(gram, np.zeros(len(rows)), precision, smooth=False)
            path = block.covariance @ linear
            dual = linear - precision * path
            blocks.append((rows, j, replace(block, dual=dual, mean=path)))
            mean[rows, j], variance[rows, j] = path, block.variance
            kl[j] += block.kl + 0.5 * float(dual @ path)
            spread = float(precision @ block.variance)
            log_evidence[j] += 0.5 * float(linear @ path) - block.kl - 0.5 * spread

    def pullback(d_mean: Array, d_variance: Array) -> Kernel:
        # ∂log 𝒵, and through the marginals: dμ = (I − KB̂) dK μ̄, dS = (I − KB̂) dK (I − B̂K).
        grams = [np.zeros((len(rows), len(rows))) for rows in timeline.rows]
        for i, (rows, j, block) in enumerate(blocks):
            shrink = np.eye(len(rows)) - block.inner @ block.gram
            by_mean = d_mean[rows, j] - block.dual
            by_variance = d_variance[rows, j] + 0.5 * block.precision
            d_gram = 0.5 * (np.outer(block.dual, block.dual) - block.inner)
            d_gram += np.outer(shrink @ by_mean, block.dual)
            d_gram += (shrink * by_variance) @ shrink.T
            grams[i // n_latent] += d_gram
        d_kernel: Kernel = kernel.zero()
        for rows, d_gram in zip(timeline.rows, grams, strict=True):
            d_kernel = add(d_kernel, kernel.K_pullback(timeline.times[rows], symmetrise(d_gram))[1])
        return d_kernel

    return SmoothedEvidence(Belief(mean, variance), kl, log_evidence, pullback)
