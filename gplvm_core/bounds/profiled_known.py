"""Optimise the bias and the signal variance of all columns whose entries are Gaussian factors.

An entry is exp(−½ w f² + ℓ f + c) with known w, ℓ and c; f = b + g(x), and g has variance r. In the
eigenvectors of the column's C = L⁻¹ΦL⁻ᵀ, with D = diag r/(1 + rλ),

    b = (Σℓ − ã_wᵀ D ã_ℓ)/(Σw − ã_wᵀ D ã_w),   ã_ℓ = UᵀL⁻¹Ψᵀℓ,   ã_w = UᵀL⁻¹Ψᵀw,

    F = Σ[c + ℓb − ½wb²] + ½ ãᵀ D ã − ½ r (ψ0 − Σλ) − ½ Σ log(1 + rλ),   ã = ã_ℓ − b ã_w,

The search treats all columns at once. It finds the best r on a grid, then the zero of dF/d log r
near this r.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from gplvm_core.bounds.collapsed import checked_left_over
from gplvm_core.numerics import Array

LEAST_SIGNAL, STEPS = 1e-6, 40
# The search ends when |dF/d log r| is below this tolerance in nats, or after this many steps.
TOLERANCE, MOST_STEPS = 1e-10, 60


@dataclass(frozen=True)
class KnownFactors:
    """The terms of every column's F; spectrum, slopes and weights in the basis of eigenvectors."""

    spectrum: Float[Array, "M K"]  # λ
    slopes: Float[Array, "M K"]  # ã_ℓ
    weights: Float[Array, "M K"]  # ã_w
    slope: Float[Array, " K"]  # Σℓ
    weight: Float[Array, " K"]  # Σw
    psi0: Float[Array, " K"]

    def bias(self, signal: Float[Array, " K"]) -> Float[Array, " K"]:
        """Return the best b at these r."""
        carried = self.weights * (signal / (1.0 + signal * self.spectrum))
        above = self.slope - np.einsum("mk,mk->k", carried, self.slopes)
        below = self.weight - np.einsum("mk,mk->k", carried, self.weights)
        # If the signal can be constant, the denominator is 0 up to rounding and b is arbitrary.
        # A column without factors (an exposure) has b = 0.
        least = np.maximum(1e-10 * self.weight, np.finfo(float).tiny)
        return above / np.maximum(below, least)

    def value(self, signal: Float[Array, " K"]) -> Float[Array, " K"]:
        """Return F at these r, each with its best b, without Σc."""
        b = self.bias(signal)
        strength = signal * self.spectrum
        carried = self.slopes - b * self.weights
        explained = np.sum(signal / (1.0 + strength) * carried**2, axis=0)
        penalty = signal * self.left_over + np.sum(np.log1p(strength), axis=0)
        return b * self.slope - 0.5 * b**2 * self.weight + 0.5 * (explained - penalty)

    def rise(self, signal: Float[Array, " K"]) -> Float[Array, " K"]:
        """Return dF/d log r at the best b."""
        damped = 1.0 + signal * self.spectrum
        carried = self.slopes - self.bias(signal) * self.weights
        gain = np.sum(signal * (carried / damped) ** 2, axis=0)
        cost = signal * self.left_over + np.sum(signal * self.spectrum / damped, axis=0)
        return 0.5 * (gain - cost)

    @cached_property
    def left_over(self) -> Float[Array, " K"]:
        """ψ0 − Σλ; see `checked_left_over`."""
        return checked_left_over(self.psi0, self.spectrum.sum(axis=0))


def profile_known(
    factors: KnownFactors, most: float, least: float | Float[Array, " K"] = LEAST_SIGNAL
) -> tuple[Float[Array, " K"], Float[Array, " K"]]:
    """Return every column's signal variance r (from `least` to `most`) and bias b that maximise F.

    Raises NotPositiveDefiniteError as `checked_left_over` does.
    """
    every = np.arange(len(factors.slope))
    grid = np.linspace(np.log(np.broadcast_to(least, len(every))), np.log(most), STEPS)
    index = np.argmax([factors.value(np.exp(at)) for at in grid], axis=0)
    low = grid[np.maximum(index - 1, 0), every]
    high = grid[np.minimum(index + 1, STEPS - 1), every]
    at_low, at_high = factors.rise(np.exp(low)), factors.rise(np.exp(high))
    # If the slope does not change its sign, the best r is at an end of the grid.
    found = np.where(at_low <= 0.0, low, high)
    open_, side = (at_low > 0.0) & (at_high < 0.0), np.zeros(len(every))
    for _ in range(MOST_STEPS):
        if not open_.any():
            break
        with np.errstate(divide="ignore", invalid="ignore"):
            cut = (low * at_high - high * at_low) / (at_high - at_low)
        found = np.where(open_, cut, found)
        rise = factors.rise(np.exp(found))
        up, down = open_ & (rise > 0.0), open_ & (rise <= 0.0)
        # The Illinois rule: if an end of the bracket stays in place twice, halve the value at this
        # end. Otherwise convergence would be slow.
        at_high = np.where(up & (side > 0.0), 0.5 * at_high, np.where(down, rise, at_high))
        at_low = np.where(down & (side < 0.0), 0.5 * at_low, np.where(up, rise, at_low))
        low, high = np.where(up, found, low), np.where(down, found, high)
        side = np.where(up, 1.0, np.where(down, -1.0, side))
        open_ &= np.abs(rise) > TOLERANCE
    signal = np.exp(found)
    return signal, factors.bias(signal)
