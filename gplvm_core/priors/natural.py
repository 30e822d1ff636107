"""Natural-gradient steps for a prior over time: conjugate computation (Khan & Lin 2017).

q(x_j) ∝ N(x_j; 0, K) Π_n exp(ν_nj x_nj − ½ λ_nj x_nj²): the prior times one Gaussian site for every
point. A step needs only the posterior of these sites, and the data term's ∂mean and ∂variance.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import Array
from gplvm_core.priors.temporal import Sites, Smoothed

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
