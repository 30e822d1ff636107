"""The likelihood of numbers some of which may be far from all others: Student-t noise.

With r = y − f and the scale s, log p(y | f) is convex in r². Its tangent at ξ is therefore a lower
bound, quadratic in f, for every ξ ≥ 0:

    log p(y | f) ≥ log p(√ξ) − ½ w (r² − ξ),   w = (ν + 1)/(ν s² + ξ).

For given moments of f the best ξ is ⟨r²⟩. The bound is that of a gamma posterior of the precision
of each entry (Lange, Little & Taylor 1989; Tipping & Lawrence 2005): w is the mean precision.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float
from scipy.special import gammainccinv, gammaincinv, gammaln, logsumexp

from gplvm_core.likelihoods.likelihood import Each, Levels, Likelihood, Quadratic, Rows
from gplvm_core.likelihoods.numbers import Number
from gplvm_core.numerics import Array

# At the start of training, values this many units from the median count as outliers.
USUAL = 3.0
LEAST_SCALE, STEPS, TOLERANCE = 1e-3, 100, 1e-6
# The mixture of Gaussians in `gaussians` is exact up to this many standard deviations.
FARTHEST = 1e6


@dataclass(frozen=True)
class Robust(Likelihood):
    """A number with Student-t noise: y = f + scale · t, with `freedom` > 2 degrees of freedom."""

    measured: ClassVar[bool] = True
    scale: float | Float[Array, " K"] = 0.3
    freedom: float | Float[Array, " K"] = 4.0

    def __post_init__(self) -> None:
        if not (np.all(np.greater(self.freedom, 2.0)) and np.all(np.greater(self.scale, 0.0))):
            raise ValueError(
                "Student-t noise needs a scale above 0 and more than 2 degrees of freedom; got "
                f"{self.scale} and {self.freedom}"
            )

    def in_units(self, scale: float) -> "Robust":
        return Robust(float(self.scale * scale), self.freedom)

    @property
    def noise(self) -> float:
        return float(self.scale**2 * self.freedom / (self.freedom - 2.0))

    def log_factor(self, values: Each, f: Each) -> Each:
        return self._log_density((values - f) ** 2)

    def started(self, values: Each) -> Each:
        return np.asarray((np.abs(values) - USUAL).clip(0.0) ** 2)

    def local(self, values: Each, mean: Each, square: Each) -> Each:
        return np.asarray((values - mean) ** 2 + np.maximum(square - mean**2, 0.0))

    def factors(self, values: Each, xi: Each) -> Quadratic:
        w = (self.freedom + 1.0) / (self.freedom * self.scale**2 + xi)
        return Quadratic(w, w * values, self._log_density(xi) + 0.5 * w * (xi - values**2))

    def learnt(self, values: Each, mean: Each, variance: Each) -> tuple["Robust", float]:
        """Return the scale that maximises the bound, by expectation maximisation; no shift."""
        square, found = (values - mean) ** 2 + variance, float(self.scale) ** 2
        for _ in range(STEPS if len(values) else 0):
            weight = (self.freedom + 1.0) / (self.freedom + square / found)
            before, found = found, max(float(np.mean(weight * square)), LEAST_SCALE**2)
            if abs(found - before) < TOLERANCE * before:
                break
        return Robust(float(np.sqrt(found)), self.freedom), 0.0

    def log_probability(self, values: Each, mean: Each, variance: Each) -> Each:
        terms = []
        square = (values - mean) ** 2
        for log_weight, spread in zip(*self.gaussians(), strict=True):
            own = variance + spread
            terms.append(log_weight - 0.5 * (np.log(2.0 * np.pi * own) + square / own))
        far = square > FARTHEST**2 * (variance + self.scale**2)
        return np.where(far, self._log_density(square), logsumexp(terms, axis=0))

    def moments(self, mean: Each, variance: Each) -> tuple[Each, Each]:
        return mean, variance + self.scale**2 * self.freedom / (self.freedom - 2.0)

    def draw(self, functions: Each, generator: np.random.Generator) -> Each:
        freedom = np.broadcast_to(self.freedom, functions.shape)
        return functions + self.scale * generator.standard_t(freedom)

    def quantiles(
        self, levels: Levels, weights: Rows, mean: Rows, variance: Rows
    ) -> Float[Array, "L N"]:
        """Return quantiles of the mixture of Gaussians of each row."""
        log_weights, spreads = (np.asarray(own) for own in self.gaussians())
        every = (weights[..., None] * np.exp(log_weights)).reshape(len(weights), -1)
        wide = (variance[..., None] + spreads).reshape(len(weights), -1)
        return Number().quantiles(levels, every, np.repeat(mean, len(spreads), axis=1), wide)

    def browser_form(self, noise: float) -> dict[str, Any]:
        return {"noise": noise, "freedom": float(self.freedom)}

    def gaussians(self) -> tuple[Array, Array]:
        """Return log weights and variances of a mixture of Gaussians that is the noise.

        The precision λ/s² of an entry is gamma distributed. The trapezoidal rule in log λ converges
        exponentially; its error is about 1e-6 of the density.
        """
        least, most = np.min(self.freedom), np.max(self.freedom)
        half, above = 0.5 * least, 0.5 * (least + 1.0)
        high = np.log(gammainccinv(half, 1e-12) / half)
        low = np.log(gammaincinv(above, 1e-6) / (half + 0.5 * FARTHEST**2))
        step = 0.6 * np.sqrt(4.0 / max(most, 4.0))
        u = np.arange(low, high, step).reshape(-1, *np.ones(np.ndim(self.freedom), dtype=int))
        own = 0.5 * np.asarray(self.freedom)
        log_weights = own * (u - np.exp(u)) + own * np.log(own) - gammaln(own) + np.log(step)
        return log_weights, np.asarray(self.scale**2 * np.exp(-u))

    def _log_density(self, square: Each) -> Each:
        """Return log p(y | f) at (y − f)²."""
        half, variance = 0.5 * (self.freedom + 1.0), self.freedom * self.scale**2
        base = gammaln(half) - gammaln(half - 0.5) - 0.5 * np.log(np.pi * variance)
        return np.asarray(base - half * np.log1p(square / variance))
