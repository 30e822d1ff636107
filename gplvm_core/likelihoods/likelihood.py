"""The interface of a likelihood: the distribution of an output given its function."""

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np
from jaxtyping import Bool, Float
from scipy.special import logsumexp

from gplvm_core.numerics import Array, BoolArray
from gplvm_core.readers import DataError

Each = Float[Array, "*S"]
Rows = Float[Array, "N K"]
Levels = Float[Array, " L"]
NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(20)
LOG_WEIGHTS = np.log(_WEIGHTS) - 0.5 * np.log(2.0 * np.pi)


@dataclass(frozen=True)
class Quadratic:
    """The quadratic bound of every entry: −½ weight f² + slope f + offset."""

    weight: Each
    slope: Each
    offset: Each

    def beside(self, known: Each) -> "Quadratic":
        """Return the bound as a function of h, for f = known + h."""
        w = self.weight
        offset = self.offset + known * (self.slope - 0.5 * w * known)
        return Quadratic(w, self.slope - w * known, offset)


@dataclass(frozen=True)
class Likelihood:
    """The distribution p(y | f) of an output y, given its function f.

    The fields of a subclass are its parameters: numbers for one output, or arrays with one number
    per output, for outputs on the last axis of all arguments. Arguments have no missing values.
    A subclass needs `log_factor`, `local`, `factors`, `conditional` and `draw`. Quadrature over f
    gives the rest.
    """

    # Whether f and y have the units of the data, so that the data are centred and scaled.
    measured: ClassVar[bool] = False
    # Whether an exposure of the row multiplies y, so that f includes its logarithm.
    exposed: ClassVar[bool] = False
    # Whether entries have Gaussian factors; otherwise the layer's noise explains them, or nothing.
    factored: ClassVar[bool] = True

    @property
    def noise(self) -> float:
        """The variance of the noise of one output, in the squared units of f."""
        raise NotImplementedError

    @classmethod
    def stacked(cls, several: tuple["Likelihood", ...]) -> Self:
        """Join likelihoods of this class to one for all their outputs."""
        names = [field.name for field in fields(cls)]
        return cls(**{name: np.array([getattr(one, name) for one in several]) for name in names})

    def in_units(self, scale: float) -> "Likelihood":
        """Return the likelihood of scale · y, if y has units."""
        return self

    def with_errors(self, errors: Each) -> "Likelihood":
        """Return the likelihood of entries with these known errors, if it has errors."""
        return self

    def log_base(self, values: Each) -> Each:
        """Return the terms of log p(y | f) that do not depend on f."""
        return np.zeros(np.shape(values))

    def log_factor(self, values: Each, f: Each) -> Each:
        """Return log p(y | f) without `log_base`."""
        raise NotImplementedError

    def log_factors(
        self, values: Rows, observed: Bool[BoolArray, "N K"], functions: Float[Array, "T K"]
    ) -> Float[Array, "N T"]:
        """Return Σ `log_factor` over the observed outputs of each row at each f."""
        every = (np.broadcast_to(own, functions.shape) for own in values)
        each = zip(every, observed, strict=True)
        return np.stack([self.log_factor(own, functions) @ seen for own, seen in each])

    def started(self, values: Each) -> Each:
        """Return the ξ at which training starts, before the functions are known."""
        raise NotImplementedError

    def local(self, values: Each, mean: Each, square: Each) -> Each:
        """Return the best ξ for given ⟨f⟩ and ⟨f²⟩."""
        raise NotImplementedError

    def factors(self, values: Each, xi: Each) -> Quadratic:
        """Return the lower bound of `log_factor` at ξ, quadratic in f."""
        raise NotImplementedError

    def expected(self, values: Each, mean: Each, square: Each) -> tuple[Each, Each, Each]:
        """Return the bound's expectation at the best ξ, and its gradients in ⟨f⟩ and ⟨f²⟩.

        By the envelope theorem the gradients are those at a fixed ξ.
        """
        at = self.factors(values, self.local(values, mean, square))
        value = at.slope * mean - 0.5 * at.weight * square + at.offset
        return value, at.slope, -0.5 * at.weight

    def learnt(self, values: Each, mean: Each, variance: Each) -> tuple["Likelihood", float]:
        """Return the parameters of one output that maximise the bound, and their shift of f.

        mean, variance: moments of f.
        """
        return self, 0.0

    def log_probability(self, values: Each, mean: Each, variance: Each) -> Each:
        """Return log ⟨p(y | f)⟩ for f ~ N(mean, variance), without `log_base`."""
        terms = [
            log_weight + self.log_factor(values, mean + node * np.sqrt(variance))
            for node, log_weight in zip(NODES, LOG_WEIGHTS, strict=True)
        ]
        return np.asarray(logsumexp(terms, axis=0))

    def conditional(self, f: Each) -> tuple[Each, Each]:
        """Return mean and variance of y, given f."""
        raise NotImplementedError

    def moments(self, mean: Each, variance: Each) -> tuple[Each, Each]:
        """Return mean and variance of y for f ~ N(mean, variance)."""
        level, square = np.zeros(np.shape(mean)), np.zeros(np.shape(mean))
        for node, weight in zip(NODES, np.exp(LOG_WEIGHTS), strict=True):
            own, spread = self.conditional(mean + node * np.sqrt(variance))
            level += weight * own
            square += weight * (spread + own**2)
        return level, square - level**2

    def draw(self, functions: Each, generator: np.random.Generator) -> Each:
        """Draw y at these functions."""
        raise NotImplementedError

    def quantiles(
        self, levels: Levels, weights: Rows, mean: Rows, variance: Rows
    ) -> Float[Array, "L N"]:
        """Return quantiles of one output whose f has a mixture of Gaussians for each row.

        Raises DataError for a likelihood whose values have no order.
        """
        raise DataError(f"{type(self).__name__} has no quantiles: use class_probabilities")

    def browser_form(self, noise: float) -> dict[str, Any]:
        """Return the numbers with which the browser converts f to y.

        noise: the variance of the output's noise, in the user's units.
        """
        return {}
