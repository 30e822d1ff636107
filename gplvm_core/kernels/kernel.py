"""What every kernel offers: values, expectations under Gaussian inputs, and their pullbacks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from itertools import combinations
from typing import Any, Self

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array, unfold_upper
from gplvm_core.parameters import add, leaves, replace_leaves, scale_leaves


class KernelError(ValueError):
    """A kernel cannot do what was asked of it; the message says which kernels can."""


@dataclass(frozen=True)
class Gradients:
    """∂F with respect to everything an expectation depends on; gradients add."""

    mean: Float[Array, "N Q"]
    variance: Float[Array, "N Q"]
    inducing: Float[Array, "M Q"]
    kernel: Any

    def __add__(self, other: "Gradients") -> "Gradients":
        return Gradients(
            self.mean + other.mean,
            self.variance + other.variance,
            self.inducing + other.inducing,
            add(self.kernel, other.kernel),
        )


Pullback = Callable[[Array], Gradients]


@dataclass(frozen=True)
class Cross:
    """C + Cᵀ of ⟨k_carrier(z, x) k_other(x, z')⟩ summed over the points of each group.

    pullback: its adjoint → (∂psi1 of the carrier, (the carrier's own gradients, the other's)).
    """

    value: Float[Array, "G M M"]
    pullback: Callable[[Array], tuple[Array, tuple[Gradients, Gradients]]]


WeightedPsi2 = Callable[[Array, Array, Array], tuple[Array, Array, Array]]
CrossBuilder = Callable[[Array, Array, Array, Array], Cross]


@dataclass(frozen=True, repr=False)
class Kernel:
    """A covariance function k(x, x') whose fields are its parameters.

    held: names of those that training leaves as they are (`holding` fills it in). A gradient with
    respect to a kernel is a kernel-shaped dataclass, so parameters are not checked on
    construction: `check` does that, at the boundary.
    """

    held: tuple[str, ...] = field(default=(), kw_only=True)

    def K(
        self, first: Float[Array, "N Q"], second: Float[Array, "M Q"] | None = None
    ) -> Float[Array, "N M"]:
        """k(first, second); `second` None means the same points (white noise counts there)."""
        raise NotImplementedError

    def diag(self, points: Float[Array, "N Q"]) -> Float[Array, " N"]:
        """k(x_n, x_n)."""
        raise NotImplementedError

    def K_pullback(
        self, points: Float[Array, "N Q"], gram: Float[Array, "N N"]
    ) -> tuple[Float[Array, "N Q"], Self]:
        """(∂points, ∂kernel) from the symmetric ∂K of K(points)."""
        raise NotImplementedError

    def psi0(
        self, mean: Float[Array, "N Q"], variance: Float[Array, "N Q"]
    ) -> tuple[Float[Array, " N"], Callable[[Array], tuple[Array, Array, Self]]]:
        """⟨k(x_n, x_n)⟩ and its pullback ∂psi0 → (∂mean, ∂variance, ∂kernel)."""
        raise self._without_expectations()

    def psi1(
        self,
        mean: Float[Array, "N Q"],
        variance: Float[Array, "N Q"],
        inducing: Float[Array, "M Q"],
    ) -> tuple[Float[Array, "N M"], Pullback]:
        """⟨k(x_n, z_m)⟩ and its pullback from ∂psi1."""
        raise self._without_expectations()

    def psi2(
        self,
        mean: Float[Array, "N Q"],
        variance: Float[Array, "N Q"],
        inducing: Float[Array, "M Q"],
        keep: int = 0,
    ) -> tuple[Float[Array, "M M"], Pullback]:
        """Σ_n ⟨k(z_m, x_n) k(x_n, z_m')⟩ and its pullback from a symmetric ∂psi2.

        keep: how many numbers may be kept in memory for the pullback instead of made again.
        """
        value, pullback = self.grouped_psi2(mean, variance, inducing, np.ones((len(mean), 1)), keep)
        return value[0], lambda adjoint: pullback(adjoint[None])

    def grouped_psi2(
        self,
        mean: Float[Array, "N Q"],
        variance: Float[Array, "N Q"],
        inducing: Float[Array, "M Q"],
        rows: Float[Array, "N G"],
        keep: int = 0,
    ) -> tuple[Float[Array, "G M M"], Pullback]:
        """Σ_n rows_ng ⟨k(z_m, x_n) k(x_n, z_m')⟩ for every group g of points, with its pullback."""
        raise self._without_expectations()

    def weighted_psi2(self, inducing: Float[Array, "M Q"]) -> WeightedPsi2:
        """Prepared for many calls: (mean, variance, weights) → tr(W_n Φ_n) of each point alone.

        With its gradients in mean and variance, (N,), (N, Q), (N, Q). weights: W_n as `fold_upper`
        folds it, one row for all points or one for each.
        """
        raise self._without_expectations()

    def cross_with(self, carrier: "Kernel") -> CrossBuilder | None:
        """(mean, variance, inducing, rows) → the cross term with a kernel whose psi1 carries it.

        None where there is no analytic one.
        """
        return None

    def scaled(self, factor: float) -> Self:
        """The kernel times a positive number: every variance is multiplied."""
        variances = {k: v for k, v in leaves(self).items() if k.split(".")[-1] == "variance"}
        return replace_leaves(self, {k: factor * v for k, v in variances.items()})

    def holding(self, *names: str) -> Self:
        """The kernel with these parameters held in training; without names, all of them.

        RBF(1.0, 10.0).holding("lengthscale"). Of a sum or product, in every part that has them:
        (Periodic(1.0) + RBF(0.1)).holding("variance") keeps the ratio of two variances (Damianou
        2015, §3.5.1). The overall scale of a mapping is always at its optimum: variances held in
        its kernel are so relative to each other. Raises KernelError for a name that no part has.
        """
        known = {path.split(".")[-1] for path in leaves(self)}
        if not known.issuperset(names):
            raise KernelError(
                f"{type(self).__name__} cannot hold {', '.join(sorted(set(names) - known))}; "
                f"its parameters are {', '.join(sorted(known))}"
            )
        return self._holding(set(names) or known)

    def _holding(self, names: set[str]) -> Self:
        own = set(leaves(self)) & (names | set(self.held))
        return replace(self, held=tuple(sorted(own)))

    def held_paths(self) -> set[str]:
        """Which leaves are held, by path: "lengthscale", or of a part "parts.0.lengthscale"."""
        return set(self.held)

    @property
    def relevance(self) -> Float[Array, " Q"] | None:
        """ARD weights w_q of the latent dimensions; None for a kernel without any."""
        return None

    def with_latent(self, n_latent: int) -> Self:
        """The kernel with one ARD parameter per latent dimension."""
        return self

    def without(self, dimension: int) -> Self:
        """The kernel blind to one latent dimension: its ARD weight is 0."""
        return self

    def check(self) -> None:
        """Raise KernelError unless a layer can use it: parameters, and analytic expectations."""
        self.check_parameters()
        if type(self).psi1 is Kernel.psi1:
            raise self._without_expectations()

    def check_parameters(self) -> None:
        """Raise KernelError unless every parameter is a positive finite number, held or not."""
        unknown = self.held_paths() - set(leaves(self))
        if unknown:
            raise KernelError(
                f"{type(self).__name__} has no parameter {', '.join(sorted(unknown))} to hold: "
                "kernel.holding(name) holds a parameter by its name"
            )
        for path, value in leaves(self).items():
            if not (np.all(np.isfinite(value)) and np.all(np.asarray(value) > 0)):
                raise KernelError(
                    f"{type(self).__name__}: {path} must be positive and finite, got {value}"
                )

    def zero(self) -> Self:
        """A gradient of nothing: the kernel's shape filled with 0."""
        return scale_leaves(self, 0.0)

    def __add__(self, other: "Kernel") -> "Sum":
        return Sum.of(self, other)

    def __repr__(self) -> str:
        # `held` comes last, and only where something is.
        own = [each.name for each in fields(self) if each.name != "held"]
        shown = [*own, "held"] if self.held else own
        return f"{type(self).__name__}({', '.join(f'{k}={getattr(self, k)!r}' for k in shown)})"

    def _without_expectations(self) -> KernelError:
        return KernelError(
            f"{type(self).__name__} has no analytic expectations under Gaussian inputs: it can be "
            "a kernel over time, not over latent inputs; RBF, Linear, Bias, White and their sums "
            "can be both"
        )


@dataclass(frozen=True, repr=False)
class Stationary(Kernel):
    """A kernel whose k(x, x) is its variance everywhere."""

    variance: float = 1.0

    def diag(self, points: Float[Array, "N Q"]) -> Float[Array, " N"]:
        return np.full(len(points), float(self.variance))

    def psi0(
        self, mean: Float[Array, "N Q"], variance: Float[Array, "N Q"]
    ) -> tuple[Float[Array, " N"], Callable[[Array], tuple[Array, Array, Self]]]:
        def pullback(adjoint: Array) -> tuple[Array, Array, Self]:
            nothing = np.zeros_like(mean)
            return nothing, nothing, replace(self.zero(), variance=float(np.sum(adjoint)))

        return self.diag(mean), pullback


@dataclass(frozen=True, repr=False)
class Compound(Kernel):
    """A kernel made of others: a sum or a product."""

    parts: tuple[Kernel, ...] = ()

    @classmethod
    def of(cls, *kernels: Kernel) -> Self:
        """The sum (product) of kernels, with sums (products) inside it opened."""
        parts: list[Kernel] = []
        for kernel in kernels:
            parts.extend(kernel.parts if isinstance(kernel, cls) else (kernel,))
        return cls(tuple(parts))

    def with_latent(self, n_latent: int) -> Self:
        return replace(self, parts=tuple(part.with_latent(n_latent) for part in self.parts))

    def without(self, dimension: int) -> Self:
        return replace(self, parts=tuple(part.without(dimension) for part in self.parts))

    def _holding(self, names: set[str]) -> Self:
        return replace(self, parts=tuple(part._holding(names) for part in self.parts))

    def held_paths(self) -> set[str]:
        each = enumerate(part.held_paths() for part in self.parts)
        return super().held_paths() | {f"parts.{i}.{path}" for i, held in each for path in held}


@dataclass(frozen=True, repr=False)
class Sum(Compound):
    """k = Σ parts. Kernels without analytic cross terms raise KernelError."""

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
        self, mean: Array, variance: Array, inducing: Array, keep: int = 0
    ) -> tuple[Array, Pullback]:
        alone = [part.psi2(mean, variance, inducing, keep) for part in self.parts]
        value, pullback = self._met(mean, variance, inducing, np.ones((len(mean), 1)))

        def pulled_back(adjoint: Array) -> Gradients:
            return pullback([pull(adjoint) for _, pull in alone], adjoint[None])

        return _total(part for part, _ in alone) + value[0], pulled_back

    def grouped_psi2(
        self, mean: Array, variance: Array, inducing: Array, rows: Array, keep: int = 0
    ) -> tuple[Array, Pullback]:
        alone = [part.grouped_psi2(mean, variance, inducing, rows, keep) for part in self.parts]
        value, pullback = self._met(mean, variance, inducing, rows)

        def pulled_back(adjoint: Array) -> Gradients:
            return pullback([pull(adjoint) for _, pull in alone], adjoint)

        return _total(part for part, _ in alone) + value, pulled_back

    def _met(
        self, mean: Array, variance: Array, inducing: Array, rows: Array
    ) -> tuple[Array, Callable[[list[Gradients], Array], Gradients]]:
        """All cross terms, and what completes the parts' own gradients from their adjoint."""
        crosses = list(self._crosses(mean, variance, inducing, rows))
        _, pull_psi1 = self._each_psi1(mean, variance, inducing)

        def pullback(pulled: list[Gradients], adjoint: Array) -> Gradients:
            for met in crosses:
                through_psi1, direct = met.cross.pullback(adjoint)
                pulled[met.carrier] += pull_psi1[met.carrier](through_psi1) + direct[0]
                pulled[met.other] += direct[1]
            return self._gathered(pulled)

        nothing = np.zeros((rows.shape[1], len(inducing), len(inducing)))
        return _total([nothing, *(met.cross.value for met in crosses)]), pullback

    def weighted_psi2(self, inducing: Array) -> WeightedPsi2:
        alone = [part.weighted_psi2(inducing) for part in self.parts]

        def weighted(mean: Array, variance: Array, weights: Array) -> tuple[Array, Array, Array]:
            each = [part(mean, variance, weights) for part in alone]
            value, d_mean, d_variance = (_total(terms) for terms in zip(*each, strict=True))
            psi1, pull_psi1 = self._each_psi1(mean, variance, inducing)
            symmetric = unfold_upper(weights, len(inducing))
            # Points that share their weights are one group; else each is a group of its own.
            rows = np.ones((len(mean), 1)) if len(weights) == 1 else np.eye(len(mean))
            for met in self._crosses(mean, variance, inducing, rows):
                through_psi1, direct = met.cross.pullback(symmetric)
                # The cross term is linear in the carrier's psi1, so its value is that product.
                value = value + np.sum(psi1[met.carrier] * through_psi1, axis=1)
                pulled = pull_psi1[met.carrier](through_psi1) + direct[0]
                d_mean, d_variance = d_mean + pulled.mean, d_variance + pulled.variance
            return value, d_mean, d_variance

        return weighted

    @property
    def relevance(self) -> Array | None:
        # The first part that tells dimensions apart speaks for the sum.
        for part in self.parts:
            if part.relevance is not None:
                return part.relevance
        return None

    def check(self) -> None:
        self.check_parameters()
        for part in self.parts:
            part.check()
        for first, second in combinations(range(len(self.parts)), 2):
            self._meeting(first, second)

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
    ) -> Iterator["_Met"]:
        for first, second in combinations(range(len(self.parts)), 2):
            carrier, other, build = self._meeting(first, second)
            yield _Met(carrier, other, build(mean, variance, inducing, rows))

    def _meeting(self, first: int, second: int) -> tuple[int, int, "CrossBuilder"]:
        """Which of two parts carries psi1, and how their cross term is made."""
        for carrier, other in ((first, second), (second, first)):
            build = self.parts[other].cross_with(self.parts[carrier])
            if build is not None:
                return carrier, other, build
        names = " and ".join(type(self.parts[i]).__name__ for i in (first, second))
        raise KernelError(
            f"a sum of {names} has no analytic cross expectations; those that have: "
            "RBF + Linear, any + Bias, any + White (each once)"
        )


@dataclass(frozen=True)
class _Met:
    """The cross term of two parts, given by their positions."""

    carrier: int
    other: int
    cross: Cross


def _total(terms: Any) -> Any:
    terms = list(terms)
    return sum(terms[1:], terms[0]) if terms else 0.0
