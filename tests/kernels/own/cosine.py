"""The cosine kernel k(x, x') = σ² cos(Σ_q ω_q (x_q − x'_q)): waves with real-valued frequencies.

Under N(μ, diag S), ⟨cos(ω·x + φ)⟩ = cos(ω·μ + φ) exp(−½ Σ_q ω_q² S_q), and a product of two cosines
is a sum of two cosines. The matrix K of this kernel has rank 2, so without another kernel it needs
jitter.
"""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from jaxtyping import Float

from gplvm_core.kernels import Gradients, Kept, Pullback, Stationary, real
from gplvm_core.numerics import Array


@dataclass(frozen=True, repr=False)
class Cosine(Stationary):
    """Cosine kernel.

    frequency: in radians per unit; one number for all dimensions, or (Q,).
    """

    frequency: float | Float[Array, " Q"] = real(1.0, blind_at=0.0)

    def K(self, first: Array, second: Array | None = None) -> Array:
        phase, other = self._phase(first), self._phase(first if second is None else second)
        return np.asarray(self.variance * np.cos(phase[:, None] - other))

    def K_pullback(self, points: Array, gram: Array) -> tuple[Array, Self]:
        phase = self._phase(points)
        apart = phase[:, None] - phase
        d_phase = -2.0 * self.variance * np.sum(gram * np.sin(apart), axis=1)
        own = self._shaped(float(np.vdot(gram, np.cos(apart))), d_phase @ points)
        return self._spread(d_phase, points), own

    def psi1(self, mean: Array, variance: Array, inducing: Array) -> tuple[Array, Pullback]:
        apart = self._phase(mean)[:, None] - self._phase(inducing)
        damping = np.exp(-0.5 * variance @ self._squared(mean))[:, None]
        value = self.variance * damping * np.cos(apart)

        def pullback(adjoint: Array) -> Gradients:
            turned = -adjoint * self.variance * damping * np.sin(apart)
            return self._pulled(
                (mean, variance, inducing),
                (turned.sum(axis=1), -0.5 * np.sum(adjoint * value, axis=1), -turned.sum(axis=0)),
                float(np.vdot(adjoint, value)) / self.variance,
            )

        return value, pullback

    def grouped_psi2(
        self,
        mean: Array,
        variance: Array,
        inducing: Array,
        rows: Array,
        keep: Kept | None = None,
    ) -> tuple[Array, Pullback]:
        # Φ_g = σ⁴/2 (n_g cos(θ − θ') + a_g cos(θ + θ') + b_g sin(θ + θ')), where θ are the phases
        # of Z.
        half = 0.5 * self.variance**2
        twice, phase = 2.0 * self._phase(mean), self._phase(inducing)
        damping = np.exp(-2.0 * variance @ self._squared(mean))
        cosine, sine = damping * np.cos(twice), damping * np.sin(twice)
        apart, both = phase[:, None] - phase, phase[:, None] + phase
        count, a, b = (rows.T @ each for each in (np.ones(len(mean)), cosine, sine))
        waves = np.stack([np.cos(apart), np.cos(both), np.sin(both)])
        value = half * np.tensordot(np.stack([count, a, b], axis=1), waves, axes=1)

        def pullback(adjoint: Array) -> Gradients:
            d_a, d_b = (half * np.tensordot(adjoint, wave) for wave in waves[1:])
            a_row, b_row = rows @ d_a, rows @ d_b
            shares = (np.tensordot(each, adjoint, axes=1) for each in (count, a, b))
            level, even, odd = shares
            turned = odd * waves[1] - even * waves[2] - level * np.sin(apart)
            return self._pulled(
                (mean, variance, inducing),
                (
                    2.0 * (b_row * cosine - a_row * sine),
                    -2.0 * (a_row * cosine + b_row * sine),
                    2.0 * half * turned.sum(axis=1),
                ),
                2.0 * float(np.vdot(adjoint, value)) / self.variance,
            )

        return value, pullback

    def browser_form(self) -> list[dict[str, Any]]:
        frequency = np.asarray(self.frequency, dtype=float).tolist()
        return [{"kind": "cosine", "variance": float(self.variance), "frequency": frequency}]

    @property
    def relevance(self) -> Array:
        return np.atleast_1d(np.asarray(self.frequency, dtype=float)) ** 2

    def _phase(self, points: Array) -> Array:
        return np.asarray(np.sum(points * self.frequency, axis=1))

    def _squared(self, points: Array) -> Array:
        return np.broadcast_to(self.relevance, points.shape[1:])

    def _spread(self, d_phase: Array, points: Array) -> Array:
        return d_phase[:, None] * np.broadcast_to(self.frequency, points.shape)

    def _pulled(
        self, inputs: tuple[Array, Array, Array], turns: tuple[Array, Array, Array], d_scale: float
    ) -> Gradients:
        """Return gradients, given adjoints of the points' phases, Σ_q ω_q² S_q and Z's phases."""
        (mean, variance, inducing), (d_phase, d_damping, d_inducing) = inputs, turns
        d_frequency = d_phase @ mean + d_inducing @ inducing
        d_frequency = d_frequency + 2.0 * self.frequency * (d_damping @ variance)
        return Gradients(
            self._spread(d_phase, mean),
            d_damping[:, None] * self._squared(mean),
            self._spread(d_inducing, inducing),
            self._shaped(d_scale, d_frequency),
        )

    def _shaped(self, d_variance: float, d_frequency: Array) -> Self:
        one = np.ndim(self.frequency) == 0
        found = float(d_frequency.sum()) if one else d_frequency
        return replace(self, variance=d_variance, frequency=found)
