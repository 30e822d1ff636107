"""Counts as negative binomials: p(y | f) = Γ(y + r)/(Γ(r) y!) σ(f)^y σ(−f)^r, mean r exp(f)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float
from scipy.special import betainc, expit, gammaln, log_expit

from gplvm_core.likelihoods.likelihood import LOG_WEIGHTS, NODES, Each, Levels, Rows
from gplvm_core.likelihoods.logistic import Logistic
from gplvm_core.numerics import Array

# The size of counts at the start of training.
FIRST_SIZE = 10.0
# The candidate sizes r: from strongly overdispersed to almost Poisson.
SIZES = np.geomspace(0.1, 1000.0, 81)


def log_base(counts: Float[Array, "*S"], size: Float[Array, "*S"]) -> Float[Array, "*S"]:
    """Return log Γ(y + r)/(Γ(r) y!), the part of log p(y | f) that does not depend on f."""
    return np.asarray(gammaln(counts + size) - gammaln(size) - gammaln(counts + 1.0))


def count_probabilities(
    mean: Float[Array, "*S"], variance: Float[Array, "*S"], size: float, most: int
) -> Float[Array, "*S C"]:
    """Return p(y) for y = 0 … most and f ~ N(mean, variance), by Gauss–Hermite quadrature."""
    counts = np.arange(most + 1, dtype=np.float64)
    base = log_base(counts, np.full_like(counts, size))
    found = np.zeros((*np.shape(mean), most + 1))
    for node, log_weight in zip(NODES, LOG_WEIGHTS, strict=True):
        f = (mean + node * np.sqrt(variance))[..., None]
        found += np.exp(log_weight + base + counts * log_expit(f) + size * log_expit(-f))
    return found


def smallest_counts(
    levels: Levels, n_rows: int, cumulative: Callable[[Array], Array]
) -> Float[Array, "L N"]:
    """Return the smallest counts whose cumulative probabilities reach each level.

    The search on the cumulative distribution doubles a count, then bisects.
    """
    rows = []
    for level in levels:
        low, high = np.full(n_rows, -1.0), np.zeros(n_rows)
        short = cumulative(high) < level
        while short.any() and high.max() < 1e15:
            low, high = np.where(short, high, low), np.where(short, 2.0 * high + 1.0, high)
            short = cumulative(high) < level
        while (high - low > 1.0).any():
            middle = np.floor(0.5 * (low + high))
            below = cumulative(np.maximum(middle, 0.0)) < level
            wide = high - low > 1.0
            low = np.where(wide & below, middle, low)
            high = np.where(wide & ~below, middle, high)
        rows.append(high)
    return np.stack(rows)


@dataclass(frozen=True)
class Count(Logistic):
    """A count: a negative binomial of this size, with mean size · exp(f) · exposure."""

    exposed: ClassVar[bool] = True
    size: float | Float[Array, " K"] = FIRST_SIZE

    def entries(self, values: Each) -> tuple[Each, Each]:
        return values, np.broadcast_to(self.size, values.shape)

    def log_base(self, values: Each) -> Each:
        return log_base(values, np.broadcast_to(self.size, values.shape))

    def learnt(self, values: Each, mean: Each, variance: Each) -> tuple["Count", float]:
        """Return the size r that maximises the bound, and the corresponding shift of f.

        A new r shifts f by log(size/r), so that the mean count r exp(f) does not change. The size
        stays if no other size is better.
        """

        def value(size: float) -> float:
            moved = mean - np.log(size / self.size)
            xi = np.sqrt(moved**2 + variance)
            own = 0.5 * (values - size) * moved + (values + size) * (log_expit(xi) - 0.5 * xi)
            return float(np.sum(own + log_base(values, np.full_like(values, size))))

        best = max(SIZES.tolist(), key=value)
        if value(best) <= value(float(self.size)):
            return self, 0.0
        return Count(best), float(np.log(best / self.size))

    def moments(self, mean: Each, variance: Each) -> tuple[Each, Each]:
        level = self.size * np.exp(mean + 0.5 * variance)
        # Var y = ⟨r eᶠ + r e²ᶠ⟩ + Var(r eᶠ)
        square = self.size * np.exp(2.0 * (mean + variance))
        return level, level + square * (1.0 + self.size) - level**2

    def draw(self, functions: Each, generator: np.random.Generator) -> Each:
        # A value of f far above all data would give counts that are too large for an integer.
        stop = np.maximum(expit(-functions), 1e-12)
        drawn = generator.negative_binomial(np.broadcast_to(self.size, stop.shape), stop)
        return np.asarray(drawn, dtype=np.float64)

    def quantiles(
        self, levels: Levels, weights: Rows, mean: Rows, variance: Rows
    ) -> Float[Array, "L N"]:
        """Return the smallest count whose cumulative probability reaches each level."""
        return smallest_counts(
            levels, len(weights), lambda counts: self.cumulative(counts, weights, mean, variance)
        )

    def cumulative(
        self, counts: Float[Array, " N"], weights: Rows, mean: Rows, variance: Rows
    ) -> Float[Array, " N"]:
        """Return the probability that each row's count is at most this one."""
        found, std = np.zeros(len(weights)), np.sqrt(variance)
        for node, log_weight in zip(NODES, LOG_WEIGHTS, strict=True):
            stop = expit(-(mean + node * std))
            own = betainc(self.size, counts[:, None] + 1.0, stop)
            found += np.exp(log_weight) * np.sum(weights * own, axis=1)
        return found

    def browser_form(self, noise: float) -> dict[str, Any]:
        return {"size": float(self.size)}
