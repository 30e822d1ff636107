"""Waves in one dimension under Gaussian inputs: values for points × pairs, and their pullback.

⟨cos(ωx − φ)⟩ = e^{−½ω²S} cos(ωμ − φ) under N(μ, S). Without an RBF in the dimension, points and
pairs separate, and the values are a product of two narrow matrices (`Straight`). An RBF first
changes mean and variance to m̂ = c + (μ − c)/d and S/d, differently for every pair (`Bent`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from jaxtyping import Float

from gplvm_core.kernels.waves import Series
from gplvm_core.numerics import Array

# Arrays in which the blocks accumulate gradients.
Carried = tuple[Array, ...]


@dataclass(frozen=True)
class WaveInputs:
    """One dimension of points and pairs, and of two kernels.

    center, spread: c and d of the RBF. frequencies: ν of both kernels.
    """

    mean: Float[Array, " N"]
    variance: Float[Array, " N"]
    one: Float[Array, " P"]
    other: Float[Array, " P"]
    center: Float[Array, " P"]
    spread: Float[Array, " N"]
    frequencies: Float[Array, "2"]
    series: Series


@dataclass(frozen=True)
class AlongOne:
    """The gradients with respect to a dimension's waves.

    weight: ∂w̄, without the part through center and spread.
    """

    mean: Float[Array, " N"]
    variance: Float[Array, " N"]
    one: Float[Array, " P"]
    other: Float[Array, " P"]
    center: Float[Array, " P"] | float
    spread: Float[Array, " N"] | float
    sharpness: Float[Array, "2"]
    frequencies: Float[Array, "2"]
    weight: float = 0.0


class WaveDimension(Protocol):
    """The factor that a dimension contributes to the values, block by block; `add` accumulates
    gradients.
    """

    def value(self, rows: slice, columns: slice) -> Float[Array, "n p"]:
        """Return this factor in a block."""

    def sums(self) -> Carried:
        """Return arrays of zeros, in which `add` accumulates gradients."""

    def add(self, sums: Carried, rows: slice, columns: slice, adjoint: Float[Array, "n p"]) -> None:
        """Add the adjoint of a block to the sums, in place."""

    def back(self, sums: Carried) -> AlongOne:
        """Return the gradients from the sums over all blocks."""


@dataclass(frozen=True)
class Separated:
    """A dimension whose values are a product of two narrow matrices, `left` and `right`."""

    at: WaveInputs

    @property
    def left(self) -> Float[Array, "N W"]:
        """The points' factor."""
        raise NotImplementedError

    @property
    def right(self) -> Float[Array, "W P"]:
        """The pairs' factor."""
        raise NotImplementedError

    def value(self, rows: slice, columns: slice) -> Array:
        return np.asarray(self.left[rows] @ self.right[:, columns])

    def sums(self) -> Carried:
        return np.zeros_like(self.left), np.zeros_like(self.right)

    def add(self, sums: Carried, rows: slice, columns: slice, adjoint: Array) -> None:
        d_left, d_right = sums
        d_left[rows] += adjoint @ self.right[:, columns].T
        d_right[:, columns] += self.left[rows].T @ adjoint

    def points_back(self, d_left: Array) -> tuple[Array, Array]:
        """Return ∂(ωμ) and −2 ∂(ω²S), (N, T), from the adjoint of `features`."""
        (even, odd), (d_even, d_odd) = (np.split(a, 2, axis=1) for a in (self.left, d_left))
        return d_odd * even - d_even * odd, d_even * even + d_odd * odd


@dataclass(frozen=True)
class Straight(Separated):
    """A dimension without an RBF."""

    @cached_property
    def omega(self) -> Float[Array, " T"]:
        return omega_of(self.at)

    @cached_property
    def left(self) -> Float[Array, "N W"]:
        return features(self.at, self.omega)

    @cached_property
    def turned(self) -> Float[Array, "W P"]:
        """Cosines and sines of the pairs' phases."""
        (first, second), series = self.at.frequencies, self.at.series
        phase = np.outer(series.one, first * self.at.one)
        phase += np.outer(series.other, second * self.at.other)
        return np.vstack([np.cos(phase), np.sin(phase)])

    @cached_property
    def right(self) -> Float[Array, "W P"]:
        return np.tile(self.at.series.amplitude, (2, 1)) * self.turned

    def back(self, sums: Carried) -> AlongOne:
        at, omega = self.at, self.omega
        d_turn, level = self.points_back(sums[0])
        (even, odd), (d_even, d_odd) = (np.split(a, 2) for a in (self.turned, sums[1]))
        d_phase = at.series.amplitude * (d_odd * even - d_even * odd)
        by_one, by_other = at.series.one @ d_phase, at.series.other @ d_phase
        sharpness, frequencies, apart = chained(
            at, d_even * even + d_odd * odd, at.mean @ d_turn - omega * (at.variance @ level)
        )
        first, second = at.frequencies
        return AlongOne(
            d_turn @ omega,
            -0.5 * (level @ omega**2),
            first * by_one + apart,
            second * by_other - apart,
            0.0,
            0.0,
            sharpness,
            frequencies + np.array([by_one @ at.one, by_other @ at.other]),
        )


@dataclass(frozen=True)
class Bent:
    """A dimension with an RBF and waves, computed wave by wave.

    origin: if None, the value is the mean of the waves. If given (for a sum with a linear kernel),
    the value is the mean of (x + origin) times the waves.
    """

    at: WaveInputs
    origin: float | None = None

    @cached_property
    def omega(self) -> Float[Array, " T"]:
        return omega_of(self.at)

    @cached_property
    def shrunk(self) -> Float[Array, " N"]:
        return np.asarray(self.at.variance / self.at.spread)

    @cached_property
    def damping(self) -> Float[Array, "N T"]:
        return np.asarray(np.exp(-0.5 * self.shrunk[:, None] * self.omega**2))

    @cached_property
    def amplitude(self) -> Float[Array, "T P"]:
        shape = len(self.omega), len(self.at.one)
        return np.broadcast_to(self.at.series.amplitude, shape)

    def value(self, rows: slice, columns: slice) -> Array:
        moved = self._moved(rows, columns)
        total, size = np.zeros_like(moved), np.empty_like(moved)
        for t, wave in self._waves(moved, columns):
            np.multiply.outer(self.damping[rows, t], self.amplitude[t, columns], out=size)
            size *= self._tilted(t, moved, rows, wave)[0]
            total += size
        return total

    def sums(self) -> Carried:
        points, pairs, waves = len(self.at.mean), len(self.at.one), len(self.omega)
        shapes = (waves, pairs), (points, waves), (3, pairs), (points, 2), (2,), (points,), (waves,)
        return tuple(np.zeros(shape) for shape in shapes)

    def add(self, sums: Carried, rows: slice, columns: slice, adjoint: Array) -> None:
        d_amplitude, d_damping, d_pairs, d_points, d_frequencies, d_shrunk, d_omega = sums
        at, moved = self.at, self._moved(rows, columns)
        multiples, steps = self._steps
        d_steps = [np.zeros_like(moved) for _ in multiples]
        size, d_moved = np.empty_like(moved), np.zeros_like(moved)
        for t, wave in self._waves(moved, columns):
            damping, amplitude = self.damping[rows, t], self.amplitude[t, columns]
            value, across = self._tilted(t, moved, rows, wave)
            own = adjoint * value
            d_amplitude[t, columns] += damping @ own
            d_damping[rows, t] += own @ amplitude
            np.multiply.outer(damping, amplitude, out=size)
            if self.origin is not None:
                d_moved += size * adjoint * wave.real
                level = np.sum(size * adjoint * wave.imag, axis=1)
                d_shrunk[rows] -= self.omega[t] * level
                d_omega[t] -= level @ self.shrunk[rows]
            size *= across
            for multiple, d_step in zip(multiples, d_steps, strict=True):
                d_step -= multiple[t] * size
        d_first, d_second = adjoint * np.tensordot(steps.T, d_steps, axes=1)
        first, second = at.frequencies
        d_frequencies += [
            np.vdot(d_first, moved - at.one[columns]),
            np.vdot(d_second, moved - at.other[columns]),
        ]
        d_moved += first * d_first + second * d_second
        d_pairs[0, columns] -= first * d_first.sum(axis=0)
        d_pairs[1, columns] -= second * d_second.sum(axis=0)
        d_pairs[2, columns] += (1.0 - 1.0 / at.spread[rows]) @ d_moved
        d_points[rows, 0] += d_moved.sum(axis=1)
        d_points[rows, 1] += d_moved @ at.center[columns]

    def back(self, sums: Carried) -> AlongOne:
        d_amplitude, d_damping, d_pairs, d_points, d_frequencies, d_shrunk, d_omega = sums
        at, level = self.at, d_damping * self.damping
        d_shrunk = d_shrunk - 0.5 * (level @ self.omega**2)
        d_omega = d_omega - self.omega * (self.shrunk @ level)
        sharpness, frequencies, apart = chained(at, d_amplitude, d_omega)
        toward = at.mean * d_points[:, 0] - d_points[:, 1] + at.variance * d_shrunk
        return AlongOne(
            d_points[:, 0] / at.spread,
            d_shrunk / at.spread,
            d_pairs[0] + apart,
            d_pairs[1] - apart,
            d_pairs[2],
            -toward / at.spread**2,
            sharpness,
            d_frequencies + frequencies,
        )

    def _moved(self, rows: slice, columns: slice) -> Array:
        """Return m̂ of every point and pair."""
        share = 1.0 / self.at.spread[rows, None]
        return np.asarray(
            share * self.at.mean[rows, None] + (1.0 - share) * self.at.center[columns]
        )

    @property
    def _steps(self) -> tuple[Array, Array]:
        """Multiples (B, T) of a few basic phases, and these phases (B, 2) in terms of α and γ."""
        series = self.at.series
        both = np.stack([series.one, series.other])
        if not series.harmonic:
            return both, np.eye(2)
        # The second term has the basic phase. The first term has phase 0 and may be the only term.
        step = both[:, 1:2].T if both.shape[1] > 1 else np.zeros((1, 2))
        return np.arange(both.shape[1], dtype=float)[None], step

    def _waves(self, moved: Array, columns: slice) -> Iterator[tuple[int, Array]]:
        """Yield e^{i phase} of every term."""
        at, (multiples, steps) = self.at, self._steps
        first = at.frequencies[0] * (moved - at.one[columns])
        second = at.frequencies[1] * (moved - at.other[columns])
        phases = [j * first + k * second for j, k in steps]
        if len(phases) > 1:
            for t, (j, k) in enumerate(multiples.T):
                yield t, np.exp(1j * (j * phases[0] + k * phases[1]))
            return
        step, wave = np.exp(1j * phases[0]), np.ones(moved.shape, dtype=complex)
        for t in range(multiples.shape[1]):
            yield t, wave
            wave *= step

    def _tilted(self, t: int, moved: Array, rows: slice, wave: Array) -> tuple[Array, Array]:
        """Return the cosine of a term and minus its derivative with respect to the phase; with an
        origin, both times x.
        """
        if self.origin is None:
            return wave.real, wave.imag
        place = moved + self.origin
        swing = (self.omega[t] * self.shrunk[rows])[:, None]
        return (
            place * wave.real - swing * wave.imag,
            place * wave.imag + swing * wave.real,
        )


def features(at: WaveInputs, omega: Float[Array, " T"]) -> Float[Array, "N W"]:
    """Return ⟨cos ωx⟩ and ⟨sin ωx⟩ of the points, side by side."""
    turn = at.mean[:, None] * omega
    damping = np.exp(-0.5 * at.variance[:, None] * omega**2)
    return np.hstack([damping * np.cos(turn), damping * np.sin(turn)])


def omega_of(at: WaveInputs) -> Float[Array, " T"]:
    first, second = at.frequencies
    return np.asarray(first * at.series.one + second * at.series.other)


def chained(
    at: WaveInputs, d_amplitude: Float[Array, "T P"], d_omega: Float[Array, " T"]
) -> tuple[Array, Array, Array | float]:
    """Return ∂b and ∂ν of both kernels, and ∂(z − z')."""
    *sharpness, d_first, apart = at.series.chain(d_amplitude)
    frequencies = np.array([at.series.one @ d_omega + d_first, at.series.other @ d_omega])
    return np.array(sharpness), frequencies, apart
