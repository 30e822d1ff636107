"""The likelihood of numbers whose cells have known errors: y = f + noise of variance s² + e².

e is the known standard deviation of the cell, and s² is the variance of the column's own noise,
which training learns. An entry is a Gaussian factor of weight 1/(s² + e²), without a bound.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from jaxtyping import Bool, Float

from gplvm_core.likelihoods.likelihood import Each, Likelihood, Quadratic, Rows
from gplvm_core.numerics import Array, BoolArray

LEAST_SCALE, STEPS, TOLERANCE = 1e-3, 200, 1e-6


@dataclass(frozen=True)
class WithErrors(Likelihood):
    """A number with Gaussian noise of standard deviation `scale` beside the known errors of cells.

    error: the errors of the entries that the methods get. They are data, not a parameter: `Links`
    has them.
    """

    measured: ClassVar[bool] = True
    scale: float | Float[Array, " K"] = 0.3
    error: float | Each = 0.0

    @property
    def noise(self) -> float:
        return float(self.scale**2)

    def in_units(self, scale: float) -> "WithErrors":
        return WithErrors(float(self.scale * scale))

    def with_errors(self, errors: Each) -> "WithErrors":
        return replace(self, error=errors)

    def log_factor(self, values: Each, f: Each) -> Each:
        variance = self.scale**2 + np.square(self.error)
        return np.asarray(-0.5 * (np.log(2.0 * np.pi * variance) + (values - f) ** 2 / variance))

    def log_factors(
        self, values: Rows, observed: Bool[BoolArray, "N K"], functions: Float[Array, "T K"]
    ) -> Float[Array, "N T"]:
        at = self.factors(values, values)
        weight, slope, offset = (
            np.where(observed, own, 0.0) for own in (at.weight, at.slope, at.offset)
        )
        square = weight @ np.square(functions).T
        return np.asarray(offset.sum(axis=1)[:, None] + slope @ functions.T - 0.5 * square)

    def started(self, values: Each) -> Each:
        return np.zeros(np.shape(values))

    def local(self, values: Each, mean: Each, square: Each) -> Each:
        return np.zeros(np.shape(values))

    def factors(self, values: Each, xi: Each) -> Quadratic:
        variance = np.broadcast_to(self.scale**2 + np.square(self.error), np.shape(values))
        slope = values / variance
        return Quadratic(
            1.0 / variance, slope, -0.5 * (values * slope + np.log(2.0 * np.pi * variance))
        )

    def learnt(self, values: Each, mean: Each, variance: Each) -> tuple["WithErrors", float]:
        """Return the scale that maximises the bound, by steps that cannot lower it; no shift.

        With r = ⟨(y − f)²⟩ and w = 1/(s² + e²), every step minimises a function that is nowhere
        below −2 F and equal to it at the present s²: s² ← s² (Σ w² r / Σ w)^½.
        """
        square, found = (values - mean) ** 2 + variance, float(self.scale) ** 2
        for _ in range(STEPS if len(values) else 0):
            weight = 1.0 / (found + np.square(self.error) * np.ones_like(values))
            rate = float(np.sqrt(np.sum(weight**2 * square) / np.sum(weight)))
            before, found = found, max(found * rate, LEAST_SCALE**2)
            if abs(found - before) < TOLERANCE * before:
                break
        return WithErrors(float(np.sqrt(found))), 0.0
