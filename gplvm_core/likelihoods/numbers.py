"""The likelihoods without factors of their own: numbers with the layer's noise, and exposures."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float
from scipy.special import ndtr, ndtri

from gplvm_core.likelihoods.likelihood import Each, Levels, Likelihood, Rows
from gplvm_core.likelihoods.logistic import LOGISTIC
from gplvm_core.numerics import Array

BISECTIONS = 60


@dataclass(frozen=True)
class Unfactored(Likelihood):
    """A likelihood whose outputs are their functions."""

    factored: ClassVar[bool] = False

    def moments(self, mean: Each, variance: Each) -> tuple[Each, Each]:
        return mean, variance

    def draw(self, functions: Each, generator: np.random.Generator) -> Each:
        return functions


@dataclass(frozen=True)
class Number(Unfactored):
    """A number: its function with Gaussian noise, whose variance is a parameter of the layer.

    The moments of f include this noise.
    """

    measured: ClassVar[bool] = True
    noise: ClassVar[float] = 0.0

    def quantiles(
        self, levels: Levels, weights: Rows, mean: Rows, variance: Rows
    ) -> Float[Array, "L N"]:
        """Return quantiles, by bisection between the Gaussians' quantiles."""
        found, std = [], np.sqrt(variance)
        for level in levels:
            each = np.where(weights > 0.0, mean + std * ndtri(level), np.nan)
            low, high = np.nanmin(each, axis=1), np.nanmax(each, axis=1)
            for _ in range(BISECTIONS):
                middle = 0.5 * (low + high)
                apart = (middle[:, None] - mean) / std
                below = np.sum(weights * ndtr(apart), axis=1) < level
                low, high = np.where(below, middle, low), np.where(below, high, middle)
            found.append(0.5 * (low + high))
        return np.stack(found)

    def browser_form(self, noise: float) -> dict[str, Any]:
        return {"noise": noise}


@dataclass(frozen=True)
class Exposure(Unfactored):
    """The logarithm of an exposure, which is given and never predicted.

    It is a known term in the functions of the row's counts, and its own function is 0.
    """

    noise: ClassVar[float] = LOGISTIC
