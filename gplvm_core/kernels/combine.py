"""Cross terms ⟨k₁(z, x) k₂(x, z')⟩ in the Φ of sums of kernels.

The cross term of white noise and any kernel is 0. The cross term of a bias and any kernel is
Ψ·bias. For an RBF and a linear kernel, the cross term follows from the first tilted moment of the
RBF. An RBF times a Gaussian is a scaled Gaussian (Damianou 2015, §3.3.3), and so is the product of
two RBFs.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from gplvm_core.kernels.gradients import Cross, CrossWhole, Gradients
from gplvm_core.kernels.kernel import Kernel
from gplvm_core.kernels.pairs import PairFactor, PointFactor, exponentials
from gplvm_core.numerics import Array


def cross_bias(
    carrier: Kernel, bias: Any, mean: Array, variance: Array, inducing: Array, rows: Array
) -> Cross:
    """Return the cross term of a bias and any kernel, Ψ·bias."""
    psi1, _ = carrier.psi1(mean, variance, inducing)
    column = np.asarray(rows.T @ psi1)

    def pullback(adjoint: Array) -> tuple[Array, tuple[Gradients, Gradients]]:
        summed = adjoint.sum(axis=2)
        nothing, no_inducing = np.zeros_like(mean), np.zeros_like(inducing)
        own = Gradients(nothing, nothing, no_inducing, carrier.zero())
        d_bias = replace(bias, variance=2.0 * float(np.vdot(summed, column)))
        through = (2.0 * float(bias.variance)) * (rows @ summed)
        return through, (own, replace(own, kernel=d_bias))

    return Cross(bias.variance * (column[:, :, None] + column[:, None, :]), pullback)


def cross_rbf_linear(
    carrier: Any, linear: Any, mean: Array, variance: Array, inducing: Array, rows: Array
) -> Cross:
    """Return the cross term of an RBF and a linear kernel, from the RBF's first tilted moment."""
    # C = T diag(c) Zᵀ, T_mq = Σ_n ψ1_nm m̂_nmq with m̂ = μ/d + (1 − 1/d) z, d = 1 + wS.
    weight = np.broadcast_to(carrier.relevance, mean.shape[1:])
    psi1, _ = carrier.psi1(mean, variance, inducing)
    spread = 1.0 + weight * variance
    shrunk, pulled_in = mean / spread, 1.0 - 1.0 / spread
    columns = [rows[:, g : g + 1] for g in range(rows.shape[1])]
    attracted = np.stack([np.asarray((psi1 * column).T @ pulled_in) for column in columns])
    tilted = np.stack([np.asarray((psi1 * column).T @ shrunk) for column in columns])
    tilted += inducing * attracted
    half = (tilted * linear.variance) @ inducing.T

    def pullback(adjoint: Array) -> tuple[Array, tuple[Gradients, Gradients]]:
        carried = 2.0 * adjoint @ inducing
        d_tilted = carried * linear.variance
        d_inducing = (2.0 * adjoint @ tilted) * linear.variance + d_tilted * attracted
        through = np.zeros_like(psi1)
        d_shrunk, d_pulled = np.zeros_like(mean), np.zeros_like(mean)
        for column, d_column in zip(columns, d_tilted, strict=True):
            toward, across = d_column, d_column * inducing
            through += column * (shrunk @ toward.T + pulled_in @ across.T)
            d_shrunk += column * (psi1 @ toward)
            d_pulled += column * (psi1 @ across)
        d_spread = (d_pulled - d_shrunk * mean) / spread**2
        nothing = np.zeros_like(mean)
        own = Gradients(
            d_shrunk / spread,
            d_spread * weight,
            d_inducing.sum(axis=0),
            carrier._shaped(0.0, np.asarray(np.sum(d_spread * variance, axis=0))),
        )
        other = Gradients(
            nothing,
            nothing,
            np.zeros_like(inducing),
            linear._shaped(np.sum(tilted * carried, axis=(0, 1))),
        )
        return through, (own, other)

    return Cross(half + np.swapaxes(half, 1, 2), pullback)


def cross_rbfs(
    carrier: Any, other: Any, mean: Array, variance: Array, inducing: Array, rows: Array
) -> CrossWhole:
    """Return the cross term of two RBFs with the weights w₁ and w₂.

    With w̄ = w₁ + w₂ and c = (w₁z + w₂z')/w̄, it is ⟨kk'⟩ of one RBF of the weights w̄/2 at all M²
    pairs, with c in place of the middle of z and z' (MATHEMATICS.md, section 2).
    """
    (size, n_latent), centre = inducing.shape, inducing.mean(axis=0)
    mean, inducing = mean - centre, inducing - centre
    one, two = np.repeat(inducing, size, axis=0), np.tile(inducing, (size, 1))
    first, second = carrier._weight(n_latent), other._weight(n_latent)
    both, apart = first + second, one - two
    # The position of c between z' (0) and z (1); arbitrary for a dimension that is off.
    share = np.divide(first, both, out=np.full_like(both, 0.5), where=both > 0.0)
    middle = one - (1.0 - share) * apart
    scale = np.log(carrier.variance) + np.log(other.variance)
    points = PointFactor.of(0.5 * both, mean, variance)
    pairs = PairFactor.from_parts(middle, apart, scale - 0.5 * (apart**2 @ (share * second)))

    def value() -> Array:
        total = np.zeros((rows.shape[1], pairs.count))
        for which, columns, block in exponentials(points, pairs):
            total[:, columns] += rows[which, :].T @ block
        half = total.reshape(-1, size, size)
        return half + np.swapaxes(half, 1, 2)

    def pull(adjoint: Array, rows: Array | None) -> tuple[Array, Gradients, Gradients]:
        # The adjoint of C is A + Aᵀ for the adjoint A of C + Cᵀ.
        pair = (adjoint + np.swapaxes(adjoint, 1, 2)).reshape(len(adjoint), -1)
        sums = np.zeros((len(mean), pairs.carried.shape[1]))
        carried = np.zeros((pairs.count, points.carried.shape[1]))
        for which, columns, block in exponentials(points, pairs):
            if rows is not None:
                weighted = block * (rows[which, :] @ pair[:, columns])
            else:
                weighted = block * pair[which if len(pair) > 1 else slice(None), columns]
            sums[which, :] += weighted @ pairs.carried[columns, :]
            carried[columns, :] += weighted.T @ points.carried[which, :]
        d_mean, d_variance, d_half = points.gradients(sums, mean, variance)
        drift, rate, count = np.split(carried, [n_latent, 2 * n_latent], axis=1)
        d_middle = drift + 2.0 * middle * rate
        push = share * second * count * apart
        d_one, d_two = share * d_middle - push, (1.0 - share) * d_middle + push
        d_inducing = d_one.reshape(size, size, -1).sum(axis=1)
        d_inducing += d_two.reshape(size, size, -1).sum(axis=0)
        # Chain rule for s = w₁/w̄ and w₁w₂/w̄ as functions of w₁ and w₂.
        d_share, d_apart = np.sum(d_middle * apart, axis=0), -0.5 * (count[:, 0] @ apart**2)
        turned = np.divide(d_share, both, out=np.zeros_like(both), where=both > 0.0)
        d_first = 0.5 * d_half + turned * (1.0 - share) + d_apart * (1.0 - share) ** 2
        d_second = 0.5 * d_half - turned * share + d_apart * share**2
        total, nothing = float(np.sum(sums[:, 0])), np.zeros_like(mean)
        own = carrier._shaped(total / carrier.variance, d_first)
        beside = other._shaped(total / other.variance, d_second)
        return (
            sums[:, 0],
            Gradients(d_mean, d_variance, d_inducing, own),
            Gradients(nothing, nothing, np.zeros_like(inducing), beside),
        )

    return CrossWhole(value, pull, rows)


def cross_exact(
    carrier: Kernel, other: Kernel, mean: Array, variance: Array, inducing: Array, rows: Array
) -> Cross:
    """Return the cross term of any two kernels at exact inputs, from products of their values."""
    psi1, _ = carrier.psi1(mean, variance, inducing)
    psi1_other, pull_other = other.psi1(mean, variance, inducing)
    columns = [rows[:, g : g + 1] for g in range(rows.shape[1])]
    half = np.stack([(psi1 * column).T @ psi1_other for column in columns])

    def pullback(adjoint: Array) -> tuple[Array, tuple[Gradients, Gradients]]:
        through, d_other = np.zeros_like(psi1), np.zeros_like(psi1)
        for column, own in zip(columns, adjoint, strict=True):
            through += 2.0 * column * (psi1_other @ own)
            d_other += 2.0 * column * (psi1 @ own)
        nothing = np.zeros_like(mean)
        direct = Gradients(nothing, nothing, np.zeros_like(inducing), carrier.zero())
        return through, (direct, pull_other(d_other))

    return Cross(half + np.swapaxes(half, 1, 2), pullback)


def cross_nothing(
    carrier: Kernel, other: Kernel, mean: Array, variance: Array, inducing: Array, rows: Array
) -> Cross:
    """Return the cross term of white noise and any kernel; it is zero."""
    size = len(inducing)

    def pullback(adjoint: Array) -> tuple[Array, tuple[Gradients, Gradients]]:
        nothing, no_inducing = np.zeros_like(mean), np.zeros_like(inducing)
        own = Gradients(nothing, nothing, no_inducing, carrier.zero())
        return np.zeros((len(mean), size)), (own, replace(own, kernel=other.zero()))

    return Cross(np.zeros((rows.shape[1], size, size)), pullback)
