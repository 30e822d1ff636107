"""The base class of kernels: values, expectations under Gaussian inputs, and their pullbacks.

Also here: stationary kernels: k depends only on the difference of two points.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from jaxtyping import Float

from gplvm_core.kernels.exact import exact_psi0, exact_psi1, exact_psi2, stacked_pullback
from gplvm_core.kernels.gradients import CrossBuilder, Gradients, Kept, Pullback, WeightedPsi2
from gplvm_core.kernels.parametric import KernelError, Parametric, positive
from gplvm_core.numerics import Array, unfold_upper

# `psi2` of separate points is computed for several points at a time. Together, these Φ matrices
# have at most this many entries (32 MB).
MOST_NUMBERS = 4_000_000


@dataclass(frozen=True, repr=False)
class Kernel(Parametric):
    """A covariance function k(x, x') whose fields are its parameters.

    held: names of the parameters that training does not change (set by `holding`). A gradient with
    respect to a kernel has the type of the kernel, so the constructor does not check parameters;
    call `check` for that.

    To write a kernel, make a subclass with `@dataclass(frozen=True, repr=False)`. Every number or
    array in its fields is a parameter, and must be declared; constants are class variables:

        variance: float = positive(1.0, overall=True)
        frequency: float | Array = real(1.0, blind_at=0.0)  # ARD: one, or one for each dimension

    A kernel over times and other exact inputs needs `K`, `diag`, and either `K_pullback` or
    `between_pullback`. Each of these two pullbacks has a default based on the other;
    `between_pullback` is faster for sparse models. `Stationary` provides a variance, `diag` and
    `psi0`. A kernel over uncertain inputs also needs `psi0`, `psi1` and `grouped_psi2`. By default
    `psi2`, `psi2_pullback` and `weighted_psi2` call `grouped_psi2`; override them for speed.
    `relevance` returns the ARD weights. `cross_with` makes the cross term in a sum with another
    kernel; sums with Bias and White work without it. Pages can draw a kernel that has a
    `browser_form`, if assets/canvas/geometry/kernels.js has a function for its "kind". Training and
    model files support every kernel that is defined in gplvm_core/kernels.

    Examples
    --------
    >>> from dataclasses import dataclass, replace
    >>> import numpy as np
    >>> from gplvm_core import Kernel, positive
    >>> @dataclass(frozen=True, repr=False)
    ... class Constant(Kernel):
    ...     variance: float = positive(1.0, overall=True)
    ...     def K(self, first, second=None):
    ...         second = first if second is None else second
    ...         return np.full((len(first), len(second)), self.variance)
    ...     def diag(self, points):
    ...         return np.full(len(points), self.variance)
    ...     def K_pullback(self, points, gram):
    ...         return np.zeros_like(points), replace(self, variance=float(gram.sum()))
    >>> Constant(0.5)
    Constant(variance=0.5)
    >>> Constant(0.5).K(np.zeros((2, 1)))
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """

    # The kernel that error messages suggest for uncertain inputs.
    instead: ClassVar[str] = ""
    # Makes numpy.float64(2.0) * kernel a kernel.
    __array_ufunc__: ClassVar[None] = None

    def K(
        self, first: Float[Array, "N Q"], second: Float[Array, "M Q"] | None = None
    ) -> Float[Array, "N M"]:
        """Return k(first, second). If `second` is None, return K of `first`, with white noise."""
        raise NotImplementedError

    def diag(self, points: Float[Array, "N Q"]) -> Float[Array, " N"]:
        """Return k(x_n, x_n)."""
        raise NotImplementedError

    def K_pullback(
        self, points: Float[Array, "N Q"], gram: Float[Array, "N N"]
    ) -> tuple[Float[Array, "N Q"], Self]:
        """Return (∂points, ∂kernel) from ∂K of K(points), which is symmetric.

        Override this method for a kernel whose K(points) differs from K(points, points), such as
        white noise.
        """
        first, second, own = self.between_pullback(points, points, gram)
        return first + second, own

    def between_pullback(
        self,
        first: Float[Array, "N Q"],
        second: Float[Array, "M Q"],
        adjoint: Float[Array, "N M"],
    ) -> tuple[Float[Array, "N Q"], Float[Array, "M Q"], Self]:
        """Return (∂first, ∂second, ∂kernel) from ∂K of K(first, second)."""
        kind = type(self)
        if kind.psi1 is not Kernel.psi1:
            pulled = self.psi1(first, np.zeros_like(first), second)[1](adjoint)
            return pulled.mean, pulled.inducing, pulled.kernel
        if kind.K_pullback is Kernel.K_pullback:
            raise NotImplementedError(
                f"{kind.__name__} has no gradients: write K_pullback or between_pullback"
            )
        return stacked_pullback(self, first, second, adjoint)

    def psi0(
        self, mean: Float[Array, "N Q"], variance: Float[Array, "N Q"]
    ) -> tuple[Float[Array, " N"], Callable[[Array], tuple[Array, Array, Self]]]:
        """Return ⟨k(x_n, x_n)⟩ and its pullback ∂psi0 → (∂mean, ∂variance, ∂kernel).

        In this base class, all expectations are for exact inputs; they raise KernelError for
        uncertain inputs.
        """
        self._check_exact(variance)
        return exact_psi0(self, mean)

    def psi1(
        self,
        mean: Float[Array, "N Q"],
        variance: Float[Array, "N Q"],
        inducing: Float[Array, "M Q"],
    ) -> tuple[Float[Array, "N M"], Pullback]:
        """Return ⟨k(x_n, z_m)⟩ and its pullback from ∂psi1."""
        self._check_exact(variance)
        return exact_psi1(self, mean, inducing)

    def psi2(
        self,
        mean: Float[Array, "N Q"],
        variance: Float[Array, "N Q"],
        inducing: Float[Array, "M Q"],
        keep: Kept | None = None,
    ) -> tuple[Float[Array, "M M"], Pullback]:
        """Return Σ_n ⟨k(z_m, x_n) k(x_n, z_m')⟩ and its pullback from a symmetric ∂psi2.

        keep: an empty list, in which intermediates are cached for `psi2_pullback` at the same
        inputs.
        """
        rows = np.ones((len(mean), 1))
        value, pullback = self.grouped_psi2(mean, variance, inducing, rows, keep)
        return value[0], lambda adjoint: pullback(adjoint[None])

    def grouped_psi2(
        self,
        mean: Float[Array, "N Q"],
        variance: Float[Array, "N Q"],
        inducing: Float[Array, "M Q"],
        rows: Float[Array, "N G"],
        keep: Kept | None = None,
    ) -> tuple[Float[Array, "G M M"], Pullback]:
        """Return Σ_n rows_ng ⟨k(z_m, x_n) k(x_n, z_m')⟩ of each group g, and its pullback."""
        self._check_exact(variance)
        return exact_psi2(self, mean, inducing, rows)

    def psi2_pullback(
        self,
        mean: Float[Array, "N Q"],
        variance: Float[Array, "N Q"],
        inducing: Float[Array, "M Q"],
        adjoint: Float[Array, "*G M M"],
        rows: Float[Array, "N G"] | None = None,
        kept: Kept | None = None,
    ) -> Gradients:
        """Return the gradients of `psi2` or, if `rows` are given, of `grouped_psi2`.

        kept: the list that `keep` filled. Override this method for a kernel whose pullback does not
        need the value.
        """
        if rows is None:
            return self.psi2(mean, variance, inducing)[1](adjoint)
        return self.grouped_psi2(mean, variance, inducing, rows)[1](adjoint)

    def weighted_psi2(self, inducing: Float[Array, "M Q"]) -> WeightedPsi2:
        """Return a function for many calls: (mean, variance, weights) → tr(W_n Φ_n) of each point.

        The function also returns the gradients in mean and variance: (N,), (N, Q), (N, Q). weights:
        W_n as folded by `fold_upper`, one row for all points or one for each point. This default
        uses `grouped_psi2` with one point per group, and as many points at a time as memory allows.
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

    def psi2_traces(
        self,
        mean: Float[Array, "N Q"],
        variance: Float[Array, "N Q"],
        inducing: Float[Array, "M Q"],
        weights: Float[Array, "K P"],
    ) -> Float[Array, "N K"]:
        """Return tr(W_k Φ_n) for every point n and every matrix W_k, which `fold_upper` folded."""
        size, found = len(inducing), np.empty((len(mean), len(weights)))
        step = max(1, MOST_NUMBERS // size**2)
        for first in range(0, len(mean), step):
            some = slice(first, first + step)
            own = np.eye(len(mean[some]))
            psi2, _ = self.grouped_psi2(mean[some], variance[some], inducing, own)
            found[some] = (
                psi2.reshape(len(psi2), -1)
                @ unfold_upper(weights, size).reshape(len(weights), -1).T
            )
        return found

    def cross_with(self, carrier: "Kernel") -> CrossBuilder | None:
        """Return a function (mean, variance, inducing, rows) → the cross term with `carrier`.

        The cross term is computed from the carrier's psi1. None if the kernels have no analytic
        cross term.
        """
        return None

    def browser_form(self) -> list[dict[str, Any]]:
        """Return summands {"kind": …} with numbers and lists of numbers for the browser.

        A list has one number for each latent dimension (call `with_latent` first). If all lists of
        a summand are 0 for a dimension, the summand does not depend on it.
        """
        from gplvm_core.kernels.sum import without_drawing

        raise without_drawing(self)

    @property
    def relevance(self) -> Float[Array, " Q"] | None:
        """ARD weights w_q of the latent dimensions; None for a kernel without them."""
        return None

    def check(self, *, exact: bool = False) -> None:
        """Raise KernelError unless the parameters are valid and the kernel can be used in a layer.

        exact: the layer's inputs are known exactly, so every kernel has the expectations that the
        layer needs.
        """
        self.check_parameters()
        if not exact and type(self).psi1 is Kernel.psi1:
            raise self._without_expectations()

    def __add__(self, other: "Kernel") -> "Kernel":
        # Imported here because `sum` imports this module.
        from gplvm_core.kernels.sum import Sum

        return Sum.of(self, other) if isinstance(other, Kernel) else NotImplemented

    def __mul__(self, other: "Kernel | float") -> "Kernel":
        """Return the product with a kernel or a positive number; KernelError for other numbers."""
        from gplvm_core.kernels.product import product_of

        if isinstance(other, Kernel):
            return product_of(self, other)
        if not isinstance(other, Real) or isinstance(other, bool):
            return NotImplemented
        if not (np.isfinite(other) and other > 0):
            raise KernelError(f"a kernel can be multiplied by a positive number; got {other}")
        return self.scaled(float(other))

    __rmul__ = __mul__

    def _check_exact(self, variance: Array) -> None:
        """Raise KernelError unless the variance of the inputs is 0 everywhere."""
        if variance.any():
            raise self._without_expectations()

    def _without_expectations(self) -> KernelError:
        from gplvm_core.kernels.sum import without_expectations

        return without_expectations(self)


@dataclass(frozen=True, repr=False)
class Stationary(Kernel):
    """A kernel whose k(x, x) is its variance everywhere."""

    variance: float = positive(1.0, overall=True)

    def diag(self, points: Float[Array, "N Q"]) -> Float[Array, " N"]:
        return np.full(len(points), float(self.variance))

    def psi0(
        self, mean: Float[Array, "N Q"], variance: Float[Array, "N Q"]
    ) -> tuple[Float[Array, " N"], Callable[[Array], tuple[Array, Array, Self]]]:
        def pullback(adjoint: Array) -> tuple[Array, Array, Self]:
            nothing = np.zeros_like(mean)
            return nothing, nothing, replace(self.zero(), variance=float(np.sum(adjoint)))

        return np.full(len(mean), float(self.variance)), pullback
