"""Products of kernels: functions that have the properties of all factors together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import mul
from typing import Self

import numpy as np

from gplvm_core.kernels.compound import Compound
from gplvm_core.numerics import Array


@dataclass(frozen=True, repr=False)
class Product(Compound):
    """k = Π parts, also written k1 * k2: for inputs that are known exactly.

    The variances of the parts multiply, so only one of them need be free.
    """

    def K(self, first: Array, second: Array | None = None) -> Array:
        return reduce(mul, (part.K(first, second) for part in self.parts))

    def diag(self, points: Array) -> Array:
        return reduce(mul, (part.diag(points) for part in self.parts))

    def K_pullback(self, points: Array, gram: Array) -> tuple[Array, Self]:
        values = [part.K(points) for part in self.parts]
        d_points, d_parts = np.zeros_like(points), []
        for i, part in enumerate(self.parts):
            own_points, own = part.K_pullback(points, gram * _others(values, i))
            d_points += own_points
            d_parts.append(own)
        return d_points, replace(self, parts=tuple(d_parts))

    def between_pullback(
        self, first: Array, second: Array, adjoint: Array
    ) -> tuple[Array, Array, Self]:
        values = [part.K(first, second) for part in self.parts]
        d_first, d_second, d_parts = np.zeros_like(first), np.zeros_like(second), []
        for i, part in enumerate(self.parts):
            own = part.between_pullback(first, second, adjoint * _others(values, i))
            d_first += own[0]
            d_second += own[1]
            d_parts.append(own[2])
        return d_first, d_second, replace(self, parts=tuple(d_parts))

    def psi0(
        self, mean: Array, variance: Array
    ) -> tuple[Array, Callable[[Array], tuple[Array, Array, Self]]]:
        self._check_exact(variance)
        values, pullbacks = zip(*(part.psi0(mean, variance) for part in self.parts), strict=True)

        def pullback(adjoint: Array) -> tuple[Array, Array, Self]:
            d_mean, d_parts = np.zeros_like(mean), []
            for i, pull in enumerate(pullbacks):
                own_mean, _, own = pull(adjoint * _others(values, i))
                d_mean += own_mean
                d_parts.append(own)
            return d_mean, np.zeros_like(mean), replace(self, parts=tuple(d_parts))

        return reduce(mul, values), pullback

    def scaled(self, factor: float) -> Self:
        return replace(self, parts=(self.parts[0].scaled(factor), *self.parts[1:]))


def _others(values: Sequence[Array], i: int) -> Array | float:
    """The product of all values but one."""
    return reduce(mul, (value for j, value in enumerate(values) if j != i), 1.0)
