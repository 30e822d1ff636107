"""Sums of kernels: functions that are sums of independent functions.

Also here: error messages for operations that a kernel does not support; each names kernels that do.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, combinations_with_replacement
from typing import Any, Self

import numpy as np

from gplvm_core.kernels.combine import cross_exact
from gplvm_core.kernels.compound import Compound
from gplvm_core.kernels.gradients import (
    CrossBuilder,
    CrossTerm,
    Gradients,
    Kept,
    Pullback,
    WeightedPsi2,
)
from gplvm_core.kernels.kernel import Kernel
from gplvm_core.kernels.parametric import KernelError
from gplvm_core.numerics import Array, unfold_upper

EXACT = (
    "inputs that are known exactly: times, the inputs of a regression without X_variance and "
    "missing entries (in DeepGP those of the first layer), or the latent points of GPLVM"
)


def without_expectations(kernel: Any) -> KernelError:
    """Return the error for a kernel at uncertain inputs."""
    instead = f"; {kernel.instead}" if kernel.instead else ""
    return KernelError(
        f"{type(kernel).__name__} has no analytic expectations under Gaussian inputs, so it needs "
        f"{EXACT}. For uncertain inputs use a kernel that has them: {_names('psi1')}{instead}"
    )


def without_cross(first: Any, second: Any) -> KernelError:
    """Return the error for a sum of two kernels at uncertain inputs."""
    return KernelError(
        f"a sum of {type(first).__name__} and {type(second).__name__} has no analytic cross "
        f"expectations, so it needs {EXACT}. Sums that have them: "
        f"{', '.join(sums_with_expectations())}"
    )


def without_drawing(kernel: Any) -> KernelError:
    """Return the error for a kernel that the browser cannot evaluate."""
    return KernelError(
        f"the browser cannot evaluate {type(kernel).__name__}, so it cannot draw its map; it can "
        f"evaluate {_names('browser_form')}"
    )


def kernels_that(write: str) -> list[type[Kernel]]:
    """Return the kernels that override a method of `Kernel`, sorted by name, without base
    classes.
    """

    def below(kind: type[Kernel]) -> Iterator[type[Kernel]]:
        for child in kind.__subclasses__():
            yield from (child, *below(child))

    plain = getattr(Kernel, write)
    able = {kind for kind in below(Kernel) if getattr(kind, write) is not plain}
    return sorted((kind for kind in able if kind.K is not Kernel.K), key=lambda kind: kind.__name__)


def sums_with_expectations() -> list[str]:
    """Return the pairs of kernels with a cross term, such as "Bias + RBF"."""
    kinds = [kind for kind in kernels_that("psi1") if not issubclass(kind, Compound)]
    return [
        f"{first.__name__} + {second.__name__}"
        for first, second in combinations_with_replacement(kinds, 2)
        if first().cross_with(second()) or second().cross_with(first())
    ]


def _names(write: str) -> str:
    return ", ".join(kind.__name__ for kind in kernels_that(write))


@dataclass(frozen=True, repr=False)
class Sum(Compound):
    """k = Σ parts. At uncertain inputs, parts without a cross term raise KernelError."""

    def K(self, first: Array, second: Array | None = None) -> Array:
        return _total(part.K(first, second) for part in self.parts)

    def diag(self, points: Array) -> Array:
        return _total(part.diag(points) for part in self.parts)

    def K_pullback(self, points: Array, gram: Array) -> tuple[Array, Self]:
        pulled = [part.K_pullback(points, gram) for part in self.parts]
        return _total(p for p, _ in pulled), replace(self, parts=tuple(k for _, k in pulled))

    def psi0(
        self, mean: Array, variance: Array
    ) -> tuple[Array, Callable[[Array], tuple[Array, Array, Self]]]:
        values, pullbacks = zip(*(part.psi0(mean, variance) for part in self.parts), strict=True)

        def pullback(adjoint: Array) -> tuple[Array, Array, Self]:
            pulled = [pull(adjoint) for pull in pullbacks]
            kernel = replace(self, parts=tuple(k for _, _, k in pulled))
            return _total(m for m, _, _ in pulled), _total(s for _, s, _ in pulled), kernel

        return _total(iter(values)), pullback

    def psi1(self, mean: Array, variance: Array, inducing: Array) -> tuple[Array, Pullback]:
        values, pullbacks = self._each_psi1(mean, variance, inducing)

        def pullback(adjoint: Array) -> Gradients:
            return self._gathered([pull(adjoint) for pull in pullbacks])

        return _total(iter(values)), pullback

    def psi2(
        self, mean: Array, variance: Array, inducing: Array, keep: Kept | None = None
    ) -> tuple[Array, Pullback]:
        own = self._own(keep)
        parts = _total(
            part.psi2(mean, variance, inducing, kept)[0]
            for part, kept in zip(self.parts, own, strict=True)
        )
        crosses = self._crosses(mean, variance, inducing, np.ones((len(mean), 1)))
        value = _total([parts, *(pair.cross.value[0] for pair in crosses)])
        return value, lambda adjoint: self.psi2_pullback(mean, variance, inducing, adjoint)

    def grouped_psi2(
        self,
        mean: Array,
        variance: Array,
        inducing: Array,
        rows: Array,
        keep: Kept | None = None,
    ) -> tuple[Array, Pullback]:
        own = self._own(keep)
        parts = _total(
            part.grouped_psi2(mean, variance, inducing, rows, kept)[0]
            for part, kept in zip(self.parts, own, strict=True)
        )
        crosses = self._crosses(mean, variance, inducing, rows)
        value = _total([parts, *(pair.cross.value for pair in crosses)])
        return value, lambda adjoint: self.psi2_pullback(mean, variance, inducing, adjoint, rows)

    def psi2_pullback(
        self,
        mean: Array,
        variance: Array,
        inducing: Array,
        adjoint: Array,
        rows: Array | None = None,
        kept: Kept | None = None,
    ) -> Gradients:
        inputs = mean, variance, inducing
        pulled = [
            part.psi2_pullback(*inputs, adjoint, rows, own)
            for part, own in zip(self.parts, kept or [None] * len(self.parts), strict=True)
        ]
        _, pull_psi1 = self._each_psi1(*inputs)
        if rows is None:
            rows, adjoint = np.ones((len(mean), 1)), adjoint[None]
        for pair in self._crosses(*inputs, rows):
            through_psi1, direct = pair.cross.pullback(adjoint)
            pulled[pair.carrier] += pull_psi1[pair.carrier](through_psi1) + direct[0]
            pulled[pair.other] += direct[1]
        return self._gathered(pulled)

    def _own(self, keep: Kept | None) -> list[Kept | None]:
        """Return one cache list for each part, stored in `keep`."""
        if keep is None:
            return [None] * len(self.parts)
        keep.extend([] for _ in self.parts)
        return list(keep)

    def weighted_psi2(self, inducing: Array) -> WeightedPsi2:
        by_part = [part.weighted_psi2(inducing) for part in self.parts]

        def weighted(mean: Array, variance: Array, weights: Array) -> tuple[Array, Array, Array]:
            each = [part(mean, variance, weights) for part in by_part]
            value, d_mean, d_variance = (_total(terms) for terms in zip(*each, strict=True))
            psi1, pull_psi1 = self._each_psi1(mean, variance, inducing)
            symmetric = unfold_upper(weights, len(inducing))
            # If all points have the same weights they form one group; otherwise every point is a
            # separate group.
            rows = np.ones((len(mean), 1)) if len(weights) == 1 else np.eye(len(mean))
            for pair in self._crosses(mean, variance, inducing, rows):
                carrier = psi1[pair.carrier], pull_psi1[pair.carrier]
                own, own_mean, own_variance = pair.cross.weighted(symmetric, *carrier)
                value = value + own
                d_mean, d_variance = d_mean + own_mean, d_variance + own_variance
            return value, d_mean, d_variance

        return weighted

    def browser_form(self) -> list[dict[str, Any]]:
        return [summand for part in self.parts for summand in part.browser_form()]

    def scaled(self, factor: float) -> Self:
        return replace(self, parts=tuple(part.scaled(factor) for part in self.parts))

    def check(self, *, exact: bool = False) -> None:
        self.check_parameters()
        for part in self.parts:
            part.check(exact=exact)
        for first, second in combinations(range(len(self.parts)), 2):
            self._cross_builder(first, second, exact)

    def _each_psi1(
        self, mean: Array, variance: Array, inducing: Array
    ) -> tuple[list[Array], list[Pullback]]:
        each = [part.psi1(mean, variance, inducing) for part in self.parts]
        return [value for value, _ in each], [pull for _, pull in each]

    def _gathered(self, pulled: list[Gradients]) -> Gradients:
        return Gradients(
            _total(p.mean for p in pulled),
            _total(p.variance for p in pulled),
            _total(p.inducing for p in pulled),
            replace(self, parts=tuple(p.kernel for p in pulled)),
        )

    def _crosses(
        self, mean: Array, variance: Array, inducing: Array, rows: Array
    ) -> Iterator["_CrossPair"]:
        exact = not bool(np.any(variance != 0.0))
        for first, second in combinations(range(len(self.parts)), 2):
            carrier, other, build = self._cross_builder(first, second, exact)
            yield _CrossPair(carrier, other, build(mean, variance, inducing, rows))

    def _cross_builder(self, first: int, second: int, exact: bool) -> tuple[int, int, CrossBuilder]:
        """Return the carrier, the other part, and the function that computes their cross term.

        exact: the inputs are known exactly, so every two kernels have a cross term.
        """
        for carrier, other in ((first, second), (second, first)):
            build = self.parts[other].cross_with(self.parts[carrier])
            if build is not None:
                return carrier, other, build
        if exact:
            return first, second, partial(cross_exact, self.parts[first], self.parts[second])
        raise without_cross(self.parts[first], self.parts[second])


@dataclass(frozen=True)
class _CrossPair:
    """The cross term of two parts, given by their positions."""

    carrier: int
    other: int
    cross: CrossTerm


def _total(terms: Any) -> Any:
    terms = list(terms)
    return sum(terms[1:], terms[0]) if terms else 0.0
