"""Counts as negative binomials: p(y | f) = Γ(y + r)/(Γ(r) y!) σ(f)^y σ(−f)^r, mean r exp(f)."""

import numpy as np
from jaxtyping import Bool, Float
from scipy.special import betainc, expit, gammaln, log_expit

from gplvm_core.likelihoods.logistic import LOG_WEIGHTS, NODES
from gplvm_core.numerics import Array, BoolArray

# The candidate sizes r: from strongly overdispersed to almost Poisson.
SIZES = np.geomspace(0.1, 1000.0, 81)
# The largest number of probabilities that a distribution may list.
MOST_LISTED = 100_000


def log_base(counts: Float[Array, "*S"], size: Float[Array, "*S"]) -> Float[Array, "*S"]:
    """Return log Γ(y + r)/(Γ(r) y!), the part of log p(y | f) that does not depend on f."""
    return np.asarray(gammaln(counts + size) - gammaln(size) - gammaln(counts + 1.0))


def best_sizes(
    counts: Float[Array, "N K"],
    observed: Bool[BoolArray, "N K"],
    mean: Float[Array, "N K"],
    variance: Float[Array, "N K"],
    size: Float[Array, " K"],
) -> tuple[Float[Array, " K"], Float[Array, " K"]]:
    """Return the size r of each column that maximises the bound, and the corresponding shift of f.

    mean, variance: moments of f at the present size. A new r shifts f by log(size/r), so that the
    mean count r exp(f) does not change. A column keeps its present size if no other size is better.
    """
    best, shift = size.copy(), np.zeros_like(size)
    for k in range(len(size)):
        seen = observed[:, k]
        y, m, v = counts[seen, k], mean[seen, k], variance[seen, k]

        def value(
            r: float, y: Array = y, m: Array = m, v: Array = v, now: float = size[k]
        ) -> float:
            moved = m - np.log(r / now)
            xi = np.sqrt(moved**2 + v)
            own = 0.5 * (y - r) * moved + (y + r) * (log_expit(xi) - 0.5 * xi)
            return float(np.sum(own + log_base(y, np.full_like(y, r))))

        values = [value(r) for r in SIZES]
        at = int(np.argmax(values))
        if values[at] > value(size[k]):
            best[k], shift[k] = SIZES[at], np.log(SIZES[at] / size[k])
    return best, shift


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


def mixture_quantiles(
    levels: Float[Array, " L"],
    weights: Float[Array, "N K"],
    mean: Float[Array, "N K"],
    variance: Float[Array, "N K"],
    size: float,
) -> Float[Array, "L N"]:
    """Return quantiles of counts: the smallest count whose cumulative probability reaches each
    level.

    f is distributed as a mixture of Gaussians, so the counts are a mixture of negative binomials.
    The search on the cumulative distribution doubles a count, then bisects.
    """
    std = np.sqrt(variance)

    def cumulative(count: Array) -> Array:
        found = np.zeros(len(weights))
        for node, log_weight in zip(NODES, LOG_WEIGHTS, strict=True):
            stop = expit(-(mean + node * std))
            own = betainc(size, count[:, None] + 1.0, stop)
            found += np.exp(log_weight) * np.sum(weights * own, axis=1)
        return found

    rows = []
    for level in levels:
        low, high = np.full(len(weights), -1.0), np.zeros(len(weights))
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
