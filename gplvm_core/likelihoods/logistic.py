"""The likelihood σ(f)^a σ(−f)^b of yes/no entries and counts, and its Gaussian lower bound.

With λ(ξ) = tanh(ξ/2)/(4ξ) and s = a + b, for every ξ

    a log σ(f) + b log σ(−f) ≥ −½ w f² + ℓ f + c,   w = 2 s λ(ξ),   ℓ = (a − b)/2,
    c = s [log σ(ξ) − ξ/2 + λ(ξ) ξ²],

with equality at f = ±ξ (Jaakkola & Jordan 2000). For given moments of f the best ξ² is ⟨f²⟩.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.special import expit, log_expit, logsumexp

from gplvm_core.numerics import Array

# For smaller ξ the power series of λ(ξ) is exact to all digits.
SMALL = 1e-3
NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(20)
LOG_WEIGHTS = np.log(_WEIGHTS) - 0.5 * np.log(2.0 * np.pi)


@dataclass(frozen=True)
class Quadratic:
    """The quadratic bound of every entry: −½ weight f² + slope f + offset."""

    weight: Float[Array, "*S"]
    slope: Float[Array, "*S"]
    offset: Float[Array, "*S"]


def tangent(xi: Float[Array, "*S"]) -> Float[Array, "*S"]:
    """Return λ(ξ) = tanh(ξ/2)/(4ξ), which is 1/8 at 0."""
    safe = np.maximum(xi, SMALL)
    return np.where(xi < SMALL, 0.125 - xi**2 / 96.0, np.tanh(0.5 * safe) / (4.0 * safe))


def quadratic(
    successes: Float[Array, "*S"], failures: Float[Array, "*S"], xi: Float[Array, "*S"]
) -> Quadratic:
    """Return the bound at ξ. It is 0 where successes and failures are both 0, as for missing
    entries.
    """
    total, rate = successes + failures, tangent(xi)
    return Quadratic(
        2.0 * total * rate,
        0.5 * (successes - failures),
        total * (log_expit(xi) - 0.5 * xi + rate * xi**2),
    )


def expected_log_likelihood(
    successes: Float[Array, "*S"],
    failures: Float[Array, "*S"],
    mean: Float[Array, "*S"],
    square: Float[Array, "*S"],
) -> tuple[Float[Array, "*S"], Float[Array, "*S"], Float[Array, "*S"]]:
    """Return the bound's expectation at its best ξ² = ⟨f²⟩, and its gradients in ⟨f⟩ and ⟨f²⟩.

    By the envelope theorem these gradients are ½(a − b) and −s λ(ξ).
    """
    total, half, xi = successes + failures, 0.5 * (successes - failures), np.sqrt(square)
    value = half * mean + total * (log_expit(xi) - 0.5 * xi)
    return value, half, -total * tangent(xi)


def probability(mean: Float[Array, "*S"], variance: Float[Array, "*S"]) -> Float[Array, "*S"]:
    """Return ⟨σ(f)⟩ for f ~ N(mean, variance), by Gauss–Hermite quadrature."""
    std = np.sqrt(variance)
    found: Array = np.zeros(np.shape(mean))
    for node, weight in zip(NODES, np.exp(LOG_WEIGHTS), strict=True):
        found += weight * expit(mean + node * std)
    return found


def log_probability(
    successes: Float[Array, "*S"],
    failures: Float[Array, "*S"],
    mean: Float[Array, "*S"],
    variance: Float[Array, "*S"],
) -> Float[Array, "*S"]:
    """Return log ⟨σ(f)^a σ(−f)^b⟩ for f ~ N(mean, variance), by Gauss–Hermite quadrature.

    The likelihood of a large count is much narrower than N(mean, variance). The quadrature nodes
    are therefore those of the Gaussian that approximates the integrand at its maximum (Laplace).
    """
    mode, total = mean.astype(np.float64), successes + failures
    for _ in range(8):
        p = expit(mode)
        slope = successes - total * p - (mode - mean) / variance
        # The weight of the quadratic bound replaces the curvature, so that no step overshoots.
        mode = mode + slope / (2.0 * total * tangent(np.abs(mode)) + 1.0 / variance)
    p = expit(mode)
    spread = 1.0 / (total * p * (1.0 - p) + 1.0 / variance)
    terms = []
    for node, log_weight in zip(NODES, LOG_WEIGHTS, strict=True):
        f = mode + node * np.sqrt(spread)
        log_ratio = 0.5 * (node**2 - (f - mean) ** 2 / variance + np.log(spread / variance))
        terms.append(log_weight + log_ratio + successes * log_expit(f) + failures * log_expit(-f))
    return np.asarray(logsumexp(terms, axis=0))
