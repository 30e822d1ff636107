"""Cross terms ⟨k₁(z, x) k₂(x, z')⟩ of sums of kernels, which Φ needs.

White noise has none. A bias has Ψ·bias with any kernel. RBF × linear: first tilted moment of the
RBF (kernel times Gaussian is a scaled Gaussian; Damianou 2015, §3.3.3).
"""

from dataclasses import replace
from typing import Any

import numpy as np

from gplvm_core.kernels.gradients import Cross, Gradients
from gplvm_core.kernels.kernel import Kernel
from gplvm_core.numerics import Array


def cross_bias(
    carrier: Kernel, bias: Any, mean: Array, variance: Array, inducing: Array, rows: Array
) -> Cross:
    """Ψ·bias: a constant meets any kernel."""
    psi1, _ = carrier.psi1(mean, variance, inducing)
    column = rows.T @ psi1

    def pullback(adjoint: Array) -> tuple[Array, tuple[Gradients, Gradients]]:
        summed = adjoint.sum(axis=2)
        nothing, no_inducing = np.zeros_like(mean), np.zeros_like(inducing)
        own = Gradients(nothing, nothing, no_inducing, carrier.zero())
        d_bias = replace(bias, variance=2.0 * float(np.vdot(summed, column)))
        return 2.0 * bias.variance * (rows @ summed), (own, replace(own, kernel=d_bias))

    return Cross(bias.variance * (column[:, :, None] + column[:, None, :]), pullback)


def cross_rbf_linear(
    carrier: Any, linear: Any, mean: Array, variance: Array, inducing: Array, rows: Array
) -> Cross:
    """The first tilted moment of the RBF meets a linear kernel."""
    # C = T diag(c) Zᵀ, T_mq = Σ_n ψ1_nm m̂_nmq with m̂ = μ/d + (1 − 1/d) z, d = 1 + wS.
    weight = np.broadcast_to(carrier.relevance, (mean.shape[1],))
    psi1, _ = carrier.psi1(mean, variance, inducing)
    spread = 1.0 + weight * variance
    shrunk, pulled_in = mean / spread, 1.0 - 1.0 / spread
    columns = [row[:, None] for row in rows.T]
    attracted = np.stack([(psi1 * column).T @ pulled_in for column in columns])
    tilted = np.stack([(psi1 * column).T @ shrunk for column in columns]) + inducing * attracted
    half = (tilted * linear.variance) @ inducing.T

    def pullback(adjoint: Array) -> tuple[Array, tuple[Gradients, Gradients]]:
        carried = 2.0 * adjoint @ inducing
        d_tilted = carried * linear.variance
        d_inducing = (2.0 * adjoint @ tilted) * linear.variance + d_tilted * attracted
        through = np.zeros_like(psi1)
        d_shrunk, d_pulled = np.zeros_like(mean), np.zeros_like(mean)
        for column, toward in zip(columns, d_tilted, strict=True):
            through += column * (shrunk @ toward.T + pulled_in @ (toward * inducing).T)
            d_shrunk += column * (psi1 @ toward)
            d_pulled += column * (psi1 @ (toward * inducing))
        d_spread = (d_pulled - d_shrunk * mean) / spread**2
        nothing = np.zeros_like(mean)
        own = Gradients(
            d_shrunk / spread,
            d_spread * weight,
            d_inducing.sum(axis=0),
            carrier._shaped(0.0, np.sum(d_spread * variance, axis=0)),
        )
        other = Gradients(
            nothing,
            nothing,
            np.zeros_like(inducing),
            linear._shaped(np.sum(tilted * carried, axis=(0, 1))),
        )
        return through, (own, other)

    return Cross(half + np.swapaxes(half, 1, 2), pullback)


def cross_nothing(
    carrier: Kernel, other: Kernel, mean: Array, variance: Array, inducing: Array, rows: Array
) -> Cross:
    """White noise is independent of every other kernel."""
    size = len(inducing)

    def pullback(adjoint: Array) -> tuple[Array, tuple[Gradients, Gradients]]:
        nothing, no_inducing = np.zeros_like(mean), np.zeros_like(inducing)
        own = Gradients(nothing, nothing, no_inducing, carrier.zero())
        return np.zeros((len(mean), size)), (own, replace(own, kernel=other.zero()))

    return Cross(np.zeros((rows.shape[1], size, size)), pullback)
