"""Products of kernels: functions with the properties of all factors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add, mul
from typing import Any, Self

import numpy as np

from gplvm_core.kernels.bias import Bias
from gplvm_core.kernels.compound import Compound
from gplvm_core.kernels.kernel import Kernel
from gplvm_core.kernels.periodic import Periodic
from gplvm_core.kernels.rbf import RBF
from gplvm_core.numerics import Array


@dataclass(frozen=True, repr=False)
class Product(Compound):
    """k = Π parts, also written k1 * k2.

    The parts can be any kernels; the inputs must be known exactly. The variances of the parts are
    multiplied, so train only one of them.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import RBF, Periodic
    >>> kernel = RBF(lengthscale=4.0) * Periodic(period=1.0)
    >>> kernel.K(np.array([[0.0], [0.5], [1.0]])).round(3)
    array([[1.   , 0.134, 0.969],
           [0.134, 1.   , 0.134],
           [0.969, 0.134, 1.   ]])
    """

    instead = "a product of RBF kernels is one RBF; instead of a Bias, use a number: 0.5 * Linear()"

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

    @property
    def relevance(self) -> Array | None:
        if not all(isinstance(part, RBF | Periodic | Bias | Product) for part in self.parts):
            return None
        # The curvatures at x = x', as multiples of the variance, add up.
        parts = [part.relevance for part in self.parts if not isinstance(part, Bias)]
        found = [each for each in parts if each is not None]
        return reduce(add, found) if found and len(found) == len(parts) else None

    def browser_form(self) -> list[dict[str, Any]]:
        """Return one exponential: a product of RBF and Bias kernels with at most one Periodic."""
        forms = [form for part in self.parts for form in part.browser_form()]
        kinds = [form["kind"] for form in forms]
        several = len(forms) > len(self.parts) or kinds.count("waves") > 1
        if several or not {"rbf", "waves"} & set(kinds) or set(kinds) - {"rbf", "waves", "bias"}:
            return super().browser_form()
        precision = sum(np.asarray(form.get("precision", 0.0)) for form in forms)
        own = {
            "variance": float(np.prod([form["variance"] for form in forms])),
            "precision": np.atleast_1d(precision).tolist(),
        }
        if "waves" not in kinds:
            return [{"kind": "rbf", **own}]
        return [forms[kinds.index("waves")] | own]

    def scaled(self, factor: float) -> Self:
        return replace(self, parts=(self.parts[0].scaled(factor), *self.parts[1:]))


def product_of(first: Kernel, second: Kernel) -> Kernel:
    """Return first * second. A Bias only scales a kernel that has expectations."""
    for bias, other in ((first, second), (second, first)):
        expected = type(other).psi1 is not Kernel.psi1 and not isinstance(other, Bias)
        free = not bias.held_paths() and not other.held_paths()
        if isinstance(bias, Bias) and expected and free:
            return other.scaled(float(bias.variance))
    return Product.of(first, second)


def _others(values: Sequence[Any], i: int) -> Any:
    """Return the product of all values except value i."""
    return reduce(mul, (value for j, value in enumerate(values) if j != i), 1.0)
