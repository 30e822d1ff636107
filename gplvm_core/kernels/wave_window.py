"""Waves times an RBF in one dimension, where the RBF's Gaussian is also written as waves.

e^{−½w̄y²} = ∫ g(ω) cos(ωy) dω with g(ω) = e^{−ω²/2w̄}/√(2πw̄). The Gaussian times cos(ω_t y − ψ) is
therefore an integral of waves, and points and pairs separate as they do without an RBF. The
trapezoidal rule with steps 2π/L makes the result periodic with period L. If L exceeds all distances
plus the range of the Gaussian, the rule is exact to the last digits (Trefethen & Weideman 2014).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from gplvm_core.kernels.wave_dimension import (
    AlongOne,
    Carried,
    Separated,
    WaveInputs,
    chained,
    features,
    omega_of,
)
from gplvm_core.numerics import Array

# −2 log of the largest neglected value of the Gaussian and of its spectrum.
REMAINS = 72.0


@dataclass(frozen=True)
class Windowed(Separated):
    """A dimension with an RBF of weight w̄ around the centers; this class's values include the RBF.

    weight: w̄. grid: frequencies, starting at 0.
    """

    weight: float
    grid: Float[Array, " T"]

    @classmethod
    def steps(cls, at: WaveInputs, weight: float) -> tuple[float, int]:
        """Return the step and the number of the frequencies."""
        far = float(np.max(at.mean) - np.min(at.center)), float(np.max(at.center) - np.min(at.mean))
        vanishes = np.sqrt(REMAINS * float(np.max(at.spread)) / weight)
        step = 2.0 * np.pi / (max(*far, 0.0) + vanishes)
        highest = float(np.max(np.abs(omega_of(at)))) + np.sqrt(REMAINS * weight)
        return step, int(highest / step) + 2

    @cached_property
    def left(self) -> Float[Array, "N W"]:
        return features(self.at, self.grid)

    @cached_property
    def waves(self) -> tuple[Array, Array]:
        """cos ψ and sin ψ, one row for each term."""
        at, (first, second) = self.at, self.at.frequencies
        phase = np.outer(at.series.one, first * (at.one - at.center))
        phase += np.outer(at.series.other, second * (at.other - at.center))
        return np.cos(phase), np.sin(phase)

    @cached_property
    def spectra(self) -> tuple[Array, Array]:
        """g(ω − ω_t) and g(ω + ω_t) times the quadrature weights, one row for each term."""
        omega, step = omega_of(self.at)[:, None], self.grid[1]
        counts = step * np.where(self.grid > 0.0, 1.0, 0.5) / np.sqrt(2.0 * np.pi * self.weight)
        below, above = ((self.grid - shift) ** 2 / self.weight for shift in (omega, -omega))
        return counts * np.exp(-0.5 * below), counts * np.exp(-0.5 * above)

    @cached_property
    def turned(self) -> tuple[Array, Array]:
        """cos(ωc) and sin(ωc) for the grid's frequencies, (T, P)."""
        phase = np.outer(self.grid, self.at.center)
        return np.cos(phase), np.sin(phase)

    @cached_property
    def right(self) -> Float[Array, "W P"]:
        (even, odd), (below, above), size = self.waves, self.spectra, self.at.series.amplitude
        cosine, sine = self.turned
        level, slant = (below + above).T @ (size * even), (below - above).T @ (size * odd)
        return np.vstack([level * cosine - slant * sine, level * sine + slant * cosine])

    def back(self, sums: Carried) -> AlongOne:
        at, grid, size = self.at, self.grid, self.at.series.amplitude
        d_turn, level = self.points_back(sums[0])
        (own, across), (d_own, d_across) = (np.split(a, 2) for a in (self.right, sums[1]))
        d_center = grid @ (d_across * own - d_own * across)
        cosine, sine = self.turned
        d_level, d_slant = d_own * cosine + d_across * sine, d_across * cosine - d_own * sine
        (even, odd), (below, above) = self.waves, self.spectra
        d_cosine, d_sine = (below + above) @ d_level, (below - above) @ d_slant
        d_phase = size * (d_sine * even - d_cosine * odd)
        by_one, by_other = at.series.one @ d_phase, at.series.other @ d_phase
        d_sum, d_difference = (size * even) @ d_level.T, (size * odd) @ d_slant.T
        d_below, d_above = below * (d_sum + d_difference), above * (d_sum - d_difference)
        omega = omega_of(at)[:, None]
        below, above = grid - omega, grid + omega
        d_omega = np.sum(d_below * below - d_above * above, axis=1) / self.weight
        d_weight = np.sum(d_below * below**2 + d_above * above**2) / self.weight
        d_weight = 0.5 * (d_weight - np.sum(d_below + d_above)) / self.weight
        sharpness, frequencies, apart = chained(at, d_cosine * even + d_sine * odd, d_omega)
        first, second = at.frequencies
        turns = np.array([by_one @ (at.one - at.center), by_other @ (at.other - at.center)])
        return AlongOne(
            d_turn @ grid,
            -0.5 * (level @ grid**2),
            first * by_one + apart,
            second * by_other - apart,
            d_center - first * by_one - second * by_other,
            0.0,
            sharpness,
            frequencies + turns,
            float(d_weight),
        )
