"""Products of kernels: functions that have the properties of all factors together."""

from dataclasses import dataclass, replace
from functools import reduce
from operator import mul
from typing import Self

import numpy as np

from gplvm_core.kernels.compound import Compound
from gplvm_core.numerics import Array


@dataclass(frozen=True, repr=False)
class Product(Compound):
    """k = Π parts: values and gradients; no expectations under Gaussian inputs.

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
            others = reduce(mul, (v for j, v in enumerate(values) if j != i), np.ones_like(gram))
            own_points, own = part.K_pullback(points, gram * others)
            d_points += own_points
            d_parts.append(own)
        return d_points, replace(self, parts=tuple(d_parts))

    def scaled(self, factor: float) -> Self:
        return replace(self, parts=(self.parts[0].scaled(factor), *self.parts[1:]))
