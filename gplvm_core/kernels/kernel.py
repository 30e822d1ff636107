"""What every kernel offers: values, expectations under Gaussian inputs, and their pullbacks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

import numpy as np
from jaxtyping import Float

from gplvm_core.kernels.declare import Parameter, own_parameters
from gplvm_core.kernels.gradients import CrossBuilder, Gradients, Kept, Pullback, WeightedPsi2
from gplvm_core.numerics import AnyArray, Array, filled, unfold_upper
from gplvm_core.parameters import leaves, replace_leaves, scale_leaves

# What the Φ of points, each a group of its own, may take in memory: numbers, 32 MB of them.
MOST_NUMBERS = 4_000_000


class KernelError(ValueError):
    """A kernel cannot do what was asked of it; the message says which kernels can."""


@dataclass(frozen=True, repr=False)
class Kernel:
    """A covariance function k(x, x') whose fields are its parameters.

    held: names of those that training leaves as they are (`holding` fills it in). A gradient with
    respect to a kernel is a kernel-shaped dataclass, so parameters are not checked on
    construction: `check` does that, at the boundary.

    A kernel of one's own is a subclass, `@dataclass(frozen=True, repr=False)`. Every number or
    array in its fields is a parameter and declares what it is; constants are class variables:

        variance: float = positive(1.0, overall=True)
        frequency: float | Array = real(1.0, blind_at=0.0)  # ARD: one, or one for each dimension

    Values only, for a kernel over time: write `K`, `diag` and `K_pullback`. `Stationary` has a
    variance, `diag` and `psi0`. Over latent inputs: write `psi0`, `psi1` and `grouped_psi2` as
    well; `psi2`, `psi2_pullback` and `weighted_psi2` follow from the last, and may be written where
    that pays. `relevance` tells dimensions apart. `cross_with` is for sums with other kernels: with
    Bias and White every kernel has them. `browser_form`, with a function of that kind in
    assets/canvas/model.js, lets pages draw it. A file in gplvm_core/kernels that holds the kernel
    is all that models and files need to know of it.
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
        self, mean: Float[AnyArray, "N Q"], variance: Float[AnyArray, "N Q"]
    ) -> tuple[Float[AnyArray, " N"], Callable[[Array], tuple[Array, Array, Self]]]:
        """⟨k(x_n, x_n)⟩ and its pullback ∂psi0 → (∂mean, ∂variance, ∂kernel)."""
        raise self._without_expectations()

    def psi1(
        self,
        mean: Float[AnyArray, "N Q"],
        variance: Float[AnyArray, "N Q"],
        inducing: Float[Array, "M Q"],
    ) -> tuple[Float[AnyArray, "N M"], Pullback]:
        """⟨k(x_n, z_m)⟩ and its pullback from ∂psi1."""
        raise self._without_expectations()

    def psi2(
        self,
        mean: Float[AnyArray, "N Q"],
        variance: Float[AnyArray, "N Q"],
        inducing: Float[Array, "M Q"],
        keep: Kept | None = None,
    ) -> tuple[Float[Array, "M M"], Pullback]:
        """Σ_n ⟨k(z_m, x_n) k(x_n, z_m')⟩ and its pullback from a symmetric ∂psi2.

        keep: an empty list, for whatever spares `psi2_pullback` of the same inputs some work.
        """
        rows = filled((mean.shape[0], 1), 1.0, mean)
        value, pullback = self.grouped_psi2(mean, variance, inducing, rows, keep)
        return value[0], lambda adjoint: pullback(adjoint[None])

    def grouped_psi2(
        self,
        mean: Float[AnyArray, "N Q"],
        variance: Float[AnyArray, "N Q"],
        inducing: Float[Array, "M Q"],
        rows: Float[AnyArray, "N G"],
        keep: Kept | None = None,
    ) -> tuple[Float[Array, "G M M"], Pullback]:
        """Σ_n rows_ng ⟨k(z_m, x_n) k(x_n, z_m')⟩ for every group g of points, with its pullback."""
        raise self._without_expectations()

    def psi2_pullback(
        self,
        mean: Float[AnyArray, "N Q"],
        variance: Float[AnyArray, "N Q"],
        inducing: Float[Array, "M Q"],
        adjoint: Float[Array, "*G M M"],
        rows: Float[AnyArray, "N G"] | None = None,
        kept: Kept | None = None,
    ) -> Gradients:
        """What the pullback of `psi2`, or with rows of `grouped_psi2`, gives.

        A kernel whose pullback needs nothing of the value makes none here, and may read what was
        kept.
        """
        if rows is None:
            return self.psi2(mean, variance, inducing)[1](adjoint)
        return self.grouped_psi2(mean, variance, inducing, rows)[1](adjoint)

    def weighted_psi2(self, inducing: Float[Array, "M Q"]) -> WeightedPsi2:
        """Prepared for many calls: (mean, variance, weights) → tr(W_n Φ_n) of each point alone.

        With its gradients in mean and variance, (N,), (N, Q), (N, Q). weights: W_n as `fold_upper`
        folds it, one row for all points or one for each. Here from `grouped_psi2`, with each point
        a group of its own and as many of them at a time as memory allows.
        """
        if type(self).grouped_psi2 is Kernel.grouped_psi2:
            raise self._without_expectations()
        size = len(inducing)
        step = max(1, MOST_NUMBERS // size**2)

        def weighted(mean: Array, variance: Array, weights: Array) -> tuple[Array, Array, Array]:
            value = np.empty(len(mean))
            d_mean, d_variance = np.empty_like(mean), np.empty_like(variance)
            for first in range(0, len(mean), step):
                some = slice(first, first + step)
                own = np.eye(len(mean[some]))
                psi2, pullback = self.grouped_psi2(mean[some], variance[some], inducing, own)
                adjoint = unfold_upper(weights if len(weights) == 1 else weights[some], size)
                adjoint = np.broadcast_to(adjoint, psi2.shape)
                value[some] = np.sum(adjoint * psi2, axis=(1, 2))
                pulled = pullback(adjoint)
                d_mean[some], d_variance[some] = pulled.mean, pulled.variance
            return value, d_mean, d_variance

        return weighted

    def cross_with(self, carrier: "Kernel") -> CrossBuilder | None:
        """(mean, variance, inducing, rows) → the cross term with a kernel whose psi1 carries it.

        None where there is no analytic one.
        """
        return None

    def browser_form(self) -> list[dict[str, Any]]:
        """What the browser evaluates: summands {"kind": …} with numbers, and lists of numbers.

        A list has one number for each latent dimension (the kernel is one of `with_latent`); 0 in
        all of a summand's lists means that it does not see the dimension.
        """
        raise KernelError(
            f"the browser cannot evaluate {type(self).__name__}, so that its map cannot be drawn; "
            f"it knows {_names(kernels_that('browser_form'))}"
        )

    @property
    def in_any_library(self) -> bool:
        """Whether psi0, psi1, psi2 and the pullbacks take arrays of other libraries than NumPy.

        mean, variance and rows are such arrays then, and so is all that has a row a point (psi0,
        psi1, their adjoints, ∂mean and ∂variance); all else stays NumPy's.
        """
        return False

    def declared(self) -> dict[str, Parameter]:
        """What every parameter declares, by the path of its leaf. Raises KernelError."""
        known = own_parameters(self)
        silent = [path for path in leaves(self) if path.split(".")[0] not in known]
        if silent:
            raise KernelError(
                f"{type(self).__name__} does not declare what {', '.join(silent)} is: write "
                f"{silent[0]} = positive(…) or real(…), from gplvm_core.kernels, or make it a "
                "class variable if it is a constant"
            )
        return known

    def scaled(self, factor: float) -> Self:
        """The kernel times a positive number. Raises KernelError without an overall variance."""
        overall = [path for path, each in self.declared().items() if each.overall]
        if not overall:
            raise KernelError(
                f"{type(self).__name__} has no overall variance, and a layer needs one: declare "
                "the parameter that k is proportional to with positive(…, overall=True)"
            )
        values = leaves(self)
        return replace_leaves(self, {path: factor * values[path] for path in overall})

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
        """The kernel with one ARD parameter per latent dimension. Raises KernelError."""
        each: dict[str, Any] = {name: self._for_each(name, n_latent) for name in self._ard()}
        return replace(self, **each)

    def without(self, dimension: int) -> Self:
        """The kernel blind to one latent dimension: its ARD weight is 0. Raises KernelError."""
        blind: dict[str, Any] = {}
        for name, at in self._ard().items():
            blind[name] = np.array(getattr(self, name), dtype=float)
            if not blind[name].ndim:
                raise KernelError(
                    f"{type(self).__name__} with one {name} for all dimensions: use with_latent "
                    "first"
                )
            blind[name][dimension] = at
        return replace(self, **blind)

    def _ard(self) -> dict[str, float]:
        """The parameters that tell dimensions apart, and where they make them invisible."""
        declared = self.declared().items()
        return {name: each.blind_at for name, each in declared if each.blind_at is not None}

    def _for_each(self, name: str, n_latent: int) -> Array:
        value = np.asarray(getattr(self, name), dtype=float)
        if value.ndim and len(value) != n_latent:
            raise KernelError(
                f"{type(self).__name__}: {name} has {len(value)} numbers for {n_latent} latent "
                "dimensions: give one number, or one for each dimension"
            )
        return np.array(np.broadcast_to(value, (n_latent,)))

    def check(self) -> None:
        """Raise KernelError unless a layer can use it: parameters, and analytic expectations."""
        self.check_parameters()
        if type(self).psi1 is Kernel.psi1:
            raise self._without_expectations()

    def check_parameters(self) -> None:
        """Raise KernelError unless every parameter, held or not, is such as it is declared."""
        unknown = self.held_paths() - set(leaves(self))
        if unknown:
            raise KernelError(
                f"{type(self).__name__} has no parameter {', '.join(sorted(unknown))} to hold: "
                "kernel.holding(name) holds a parameter by its name"
            )
        values = leaves(self)
        for path, each in self.declared().items():
            if not each.allows(values[path]):
                raise KernelError(
                    f"{type(self).__name__}: {path} must be {each.domain}, got {values[path]}"
                )

    def zero(self) -> Self:
        """A gradient of nothing: the kernel's shape filled with 0."""
        return scale_leaves(self, 0.0)

    def __add__(self, other: "Kernel") -> "Kernel":
        # A sum is a kernel, and kernels add up: so the sum is looked for when it is asked for.
        from gplvm_core.kernels.sum import Sum

        return Sum.of(self, other)

    def __repr__(self) -> str:
        # `held` comes last, and only where something is.
        own = [each.name for each in fields(self) if each.name != "held"]
        shown = [*own, "held"] if self.held else own
        return f"{type(self).__name__}({', '.join(f'{k}={getattr(self, k)!r}' for k in shown)})"

    def _without_expectations(self) -> KernelError:
        return KernelError(
            f"{type(self).__name__} has no analytic expectations under Gaussian inputs: it can be "
            "a kernel over time, not over latent inputs; those that can be both: "
            f"{_names(kernels_that('psi1'))}"
        )


def kernels_that(write: str) -> list[type[Kernel]]:
    """All kernels that write this method of `Kernel`, by name."""

    def below(kind: type[Kernel]) -> Iterator[type[Kernel]]:
        for child in kind.__subclasses__():
            yield from (child, *below(child))

    plain = getattr(Kernel, write)
    able = (kind for kind in below(Kernel) if getattr(kind, write) is not plain)
    return sorted(able, key=lambda kind: kind.__name__)


def _names(kinds: list[type[Kernel]]) -> str:
    return ", ".join(kind.__name__ for kind in kinds)
