"""Products of RBF and periodic kernels in one form, and the Fourier series of their waves.

k(x, x') = σ² Π_q exp(−½ w_q δ_q² + b_q (cos ν_q δ_q − 1)), δ = x − x'. An RBF has weights w; a
periodic kernel has b = 1/ℓ² and ν = 2π/period, because −2 sin²(νδ/2) = cos νδ − 1. In a product of
two such kernels the exponents add. The waves are a Fourier series with Bessel weights that sum to
1, exp(b (cos νδ − 1)) = Σ_k a_k cos kνδ, a_k = e^{−b} I_k(b) over all integers k (Abramowitz &
Stegun 1964, 9.6.34). Terms with a total weight of TAIL are left out.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Self

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from scipy.special import ive

from gplvm_core.kernels.parametric import KernelError
from gplvm_core.numerics import Array, NotPositiveDefiniteError

# Largest sum of the Bessel weights that a series leaves out; the relative error of kernels is then
# below 1e-12.
TAIL = 1e-14
# The largest b = 1/ℓ², for a lengthscale of 0.01; this needs 800 waves.
NARROWEST = 1e4


class NarrowWavesError(KernelError, NotPositiveDefiniteError):
    """A periodic kernel has too short a lengthscale for uncertain inputs.

    Training rejects a step to such a lengthscale, just as a step to a matrix that cannot be
    factorised.
    """


@dataclass(frozen=True)
class Waves:
    """A product of kernels: σ², and w, b and ν of every dimension. The gradients with respect to
    these numbers are also a `Waves`.
    """

    variance: float
    weight: float | Float[Array, " _Q"] = 0.0
    sharpness: float | Float[Array, " _Q"] = 0.0
    frequency: float | Float[Array, " _Q"] = 0.0

    @property
    def relevance(self) -> Float[Array, " _Q"]:
        """The curvature of k at x = x' along each dimension, as a multiple of σ²."""
        return np.atleast_1d(np.asarray(self.weight + self.sharpness * self.frequency**2))

    def over(self, n_latent: int) -> Self:
        """Return the waves with one number for each dimension. Raises NarrowWavesError."""
        if np.max(self.sharpness) > NARROWEST:
            raise NarrowWavesError(
                f"Periodic: the lengthscale {np.max(self.sharpness) ** -0.5:.3g} is too short for "
                f"uncertain inputs; give one of at least {NARROWEST**-0.5:.3g}, or hold it with "
                'holding("lengthscale")'
            )
        each = (self.weight, self.sharpness, self.frequency)
        weight, sharpness, frequency = (np.array(np.broadcast_to(a, (n_latent,))) for a in each)
        return replace(self, weight=weight, sharpness=sharpness, frequency=frequency)

    def times(self, other: "Waves") -> "Waves | None":
        """Return the product; None if both kernels are periodic."""
        if np.any(self.sharpness) and np.any(other.sharpness):
            return None
        waving = self if np.any(self.sharpness) else other
        return Waves(
            self.variance * other.variance,
            self.weight + other.weight,
            waving.sharpness,
            waving.frequency,
        )


@dataclass(frozen=True)
class Series:
    """The series Σ_t A_t cos(j_t α + k_t γ) of two kernels with the phases α and γ in a dimension.

    amplitude: (T, P), or (T, 1) if it is the same for all pairs of inducing inputs. chain: maps the
    adjoint of the amplitude to the adjoints of both kernels' b, of the first kernel's ν, and of z −
    z'. harmonic: the terms are the multiples 0, 1, … of one phase.
    """

    one: Float[Array, " T"]
    other: Float[Array, " T"]
    amplitude: Float[Array, "T _P"]
    chain: Callable[[Array], tuple[float, float, float, Array | float]]
    harmonic: bool

    @classmethod
    def of_both(cls, first: float, second: float) -> Self:
        """Return the product of two kernels' series; one of them may have b = 0."""
        (a, slope), (a_other, slope_other) = bessel(first), bessel(second)
        reach = len(a_other) - 1
        one, other = np.meshgrid(np.arange(len(a)), np.arange(-reach, reach + 1), indexing="ij")
        # The term with both signs reversed is the same wave.
        half = (one > 0) | (other >= 0)
        weight = np.where((one > 0) | (other != 0), 2.0, 1.0)
        size = weight * a[one] * a_other[np.abs(other)]
        # The omitted products sum to at most TAIL.
        harmonic = len(a) == 1 or reach == 0
        seen = half & ((size > TAIL / size.size) | (one + np.abs(other) <= 1) | harmonic)
        one, other, weight, size = one[seen], other[seen], weight[seen], size[seen]

        def chain(adjoint: Array) -> tuple[float, float, float, float]:
            scaled, at = weight * adjoint.sum(axis=1), np.abs(other)
            d_first = float(np.sum(scaled * slope[one] * a_other[at]))
            return d_first, float(np.sum(scaled * a[one] * slope_other[at])), 0.0, 0.0

        harmonics = np.asarray(one, float), np.asarray(other, float)
        return cls(*harmonics, size[:, None], chain, harmonic)

    @classmethod
    def of_square(cls, sharpness: float, frequency: float, apart: Float[Array, " _P"]) -> Self:
        """Return the product of one kernel at z and at z', as a series around their middle.

        A_t = 2 e^{−2b} I_t(2b cos(ν(z − z')/2)) = 2 Σ_m a_{(t+m)/2} a_{(t−m)/2} cos(m ν(z − z')/2)
        over all m of the parity of t (Neumann's addition theorem); A_0 is half of this expression.
        """
        a, slope = bessel(sharpness)
        reach = len(bessel(2.0 * sharpness)[0])
        t, m = np.meshgrid(np.arange(reach), np.arange(2 * len(a) - 1), indexing="ij")
        up, down = (t + m) // 2, np.abs(t - m) // 2
        seen = ((t + m) % 2 == 0) & (up < len(a)) & (down < len(a))
        up, down = np.where(seen, up, 0), np.where(seen, down, 0)
        weight = seen * np.where(t > 0, 2.0, 1.0) * np.where(m > 0, 2.0, 1.0)
        table, half = weight * a[up] * a[down], 0.5 * frequency * apart
        orders = np.arange(table.shape[1])[:, None]
        waves = np.cos(orders * half)

        def chain(adjoint: Array) -> tuple[float, float, float, Array]:
            d_table = (adjoint @ waves.T) * weight
            d_b = float(np.sum(d_table * (slope[up] * a[down] + a[up] * slope[down])))
            d_half = -np.sum((table.T @ adjoint) * orders * np.sin(orders * half), axis=0)
            return d_b, 0.0, 0.5 * float(d_half @ apart), 0.5 * frequency * d_half

        halves = np.asarray(0.5 * np.arange(reach))
        return cls(halves, halves, table @ waves, chain, True)


@lru_cache(maxsize=64)
def bessel(sharpness: float) -> tuple[Float[Array, " K"], Float[Array, " K"]]:
    """Return a_k = e^{−b} I_k(b) for k = 0, 1, … until the rest is negligible, and da_k/db."""
    if sharpness == 0.0:
        return np.ones(1), np.zeros(1)
    orders = np.arange(int(9.0 * np.sqrt(sharpness)) + 25)
    a = np.asarray(ive(orders, sharpness), float)
    beyond: NDArray[np.bool_] = 2.0 * np.cumsum(a[::-1])[::-1] > TAIL
    # One additional term, because the slope of a term is as large as the previous term.
    reach = max(int(beyond.sum()), 1)
    slope = 0.5 * (np.append(a[1], a[:reach]) + a[1 : reach + 2]) - a[: reach + 1]
    return np.asarray(a[: reach + 1]), np.asarray(slope)
