"""The likelihood σ(f)^a σ(−f)^b of yes/no entries and counts, and its Gaussian lower bound.

With λ(ξ) = tanh(ξ/2)/(4ξ) and s = a + b, for every ξ

    a log σ(f) + b log σ(−f) ≥ −½ w f² + ℓ f + c,   w = 2 s λ(ξ),   ℓ = (a − b)/2,
    c = s [log σ(ξ) − ξ/2 + λ(ξ) ξ²],

with equality at f = ±ξ (Jaakkola & Jordan 2000). For given moments of f the best ξ² is ⟨f²⟩.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from jaxtyping import Bool, Float
from scipy.special import expit, log_expit, logsumexp

from gplvm_core.likelihoods.likelihood import LOG_WEIGHTS, NODES, Each, Likelihood, Quadratic, Rows
from gplvm_core.numerics import Array, BoolArray

# For smaller ξ the power series of λ(ξ) is exact to all digits.
SMALL = 1e-3
# The variance of a logistic distribution, which is the noise variance of f in logits.
LOGISTIC = float(np.pi**2 / 3.0)


@dataclass(frozen=True)
class Logistic(Likelihood):
    """σ(f)^a σ(−f)^b with a successes and b failures."""

    noise: ClassVar[float] = LOGISTIC

    def entries(self, values: Each) -> tuple[Each, Each]:
        """Return successes and failures."""
        raise NotImplementedError

    def log_factor(self, values: Each, f: Each) -> Each:
        successes, failures = self.entries(values)
        return np.asarray(successes * log_expit(f) + failures * log_expit(-f))

    def log_factors(
        self, values: Rows, observed: Bool[BoolArray, "N K"], functions: Float[Array, "T K"]
    ) -> Float[Array, "N T"]:
        successes, failures = (own * observed for own in self.entries(values))
        return successes @ log_expit(functions).T + failures @ log_expit(-functions).T

    def started(self, values: Each) -> Each:
        """Return the ξ at which the bound equals the likelihood where f fits the entry best.

        At this f the factors of large counts are narrow. The map therefore learns from large counts
        before a small size parameter can explain them as noise.
        """
        successes, failures = self.entries(values)
        return np.asarray(np.abs(np.log((successes + 0.5) / (failures + 0.5))))

    def local(self, values: Each, mean: Each, square: Each) -> Each:
        return np.asarray(np.sqrt(np.maximum(square, 0.0)))

    def factors(self, values: Each, xi: Each) -> Quadratic:
        return quadratic(*self.entries(values), xi)

    def expected(self, values: Each, mean: Each, square: Each) -> tuple[Each, Each, Each]:
        """Return the bound's expectation at ξ² = ⟨f²⟩, and its gradients ½(a − b) and −s λ(ξ)."""
        successes, failures = self.entries(values)
        total, half, xi = successes + failures, 0.5 * (successes - failures), np.sqrt(square)
        return half * mean + total * (log_expit(xi) - 0.5 * xi), half, -total * tangent(xi)

    def log_probability(self, values: Each, mean: Each, variance: Each) -> Each:
        """Return log ⟨p(y | f)⟩ for f ~ N(mean, variance), without `log_base`.

        The likelihood of a large count is much narrower than N(mean, variance). The quadrature
        nodes are therefore those of the Gaussian that approximates the integrand at its maximum
        (Laplace).
        """
        successes, failures = self.entries(values)
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
            terms.append(
                log_weight + log_ratio + successes * log_expit(f) + failures * log_expit(-f)
            )
        return np.asarray(logsumexp(terms, axis=0))


@dataclass(frozen=True)
class YesNo(Logistic):
    """A yes/no entry, 1 or 0, with p(yes) = σ(f)."""

    def entries(self, values: Each) -> tuple[Each, Each]:
        return values, 1.0 - values

    def conditional(self, f: Each) -> tuple[Each, Each]:
        yes = expit(f)
        return yes, yes * (1.0 - yes)

    def draw(self, functions: Each, generator: np.random.Generator) -> Each:
        return np.asarray(generator.random(functions.shape) < expit(functions), dtype=np.float64)


def tangent(xi: Each) -> Each:
    """Return λ(ξ) = tanh(ξ/2)/(4ξ), which is 1/8 at 0."""
    safe = np.maximum(xi, SMALL)
    return np.where(xi < SMALL, 0.125 - xi**2 / 96.0, np.tanh(0.5 * safe) / (4.0 * safe))


def quadratic(successes: Each, failures: Each, xi: Each) -> Quadratic:
    """Return the bound at ξ. It is 0 where successes and failures are both 0, as for missing
    entries.
    """
    total, rate = successes + failures, tangent(xi)
    return Quadratic(
        2.0 * total * rate,
        0.5 * (successes - failures),
        total * (log_expit(xi) - 0.5 * xi + rate * xi**2),
    )


def probability(mean: Each, variance: Each) -> Each:
    """Return ⟨σ(f)⟩ for f ~ N(mean, variance), by Gauss–Hermite quadrature."""
    std = np.sqrt(variance)
    found: Array = np.zeros(np.shape(mean))
    for node, weight in zip(NODES, np.exp(LOG_WEIGHTS), strict=True):
        found += weight * expit(mean + node * std)
    return found
