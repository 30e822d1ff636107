"""Cross terms of sums whose parts are products of RBF and periodic kernels.

The term of two such products uses `wave_pairs` for all pairs of inducing inputs. The term of such a
product and a linear kernel uses the first tilted moments ⟨k(z, x) x_q⟩ of the product.
"""

from functools import partial
from typing import Any

import numpy as np

from gplvm_core.kernels.gradients import CrossBuilder, CrossWhole, Gradients
from gplvm_core.kernels.wave_pairs import WavePairs
from gplvm_core.kernels.waves import Waves
from gplvm_core.numerics import Array
from gplvm_core.parameters import add


def cross_waves(carrier: Any, other: Any) -> CrossBuilder | None:
    """Return the function that computes the cross term; None unless both kernels have waves."""
    return partial(_cross, carrier, other) if carrier.waves and other.waves else None


def _cross(
    carrier: Any, other: Any, mean: Array, variance: Array, inducing: Array, rows: Array
) -> CrossWhole:
    size, n_latent = inducing.shape
    every = np.repeat(inducing, size, axis=0), np.tile(inducing, (size, 1))
    pairs = WavePairs.of((carrier.waves, other.waves), mean, variance, every)

    def value() -> Array:
        half = pairs.summed(rows).reshape(-1, size, size)
        return half + np.swapaxes(half, 1, 2)

    def pull(adjoint: Array, rows: Array | None) -> tuple[Array, Gradients, Gradients]:
        # The adjoint of C is A + Aᵀ for the adjoint A of C + Cᵀ.
        both = adjoint + np.swapaxes(adjoint, 1, 2)
        found = pairs.pulled(both.reshape(len(adjoint), -1), rows)
        d_inducing = found.one.reshape(size, size, n_latent).sum(axis=1)
        d_inducing += found.other.reshape(size, size, n_latent).sum(axis=0)
        own = Gradients(found.mean, found.variance, d_inducing, carrier.from_waves(found.first))
        return found.level, own, _of_kernel(mean, inducing, other.from_waves(found.second))

    return CrossWhole(value, pull, rows)


def cross_waves_linear(
    carrier: Any, linear: Any, mean: Array, variance: Array, inducing: Array, rows: Array
) -> CrossWhole:
    """Return the cross term from C = T diag(c) Zᵀ, T_mq = Σ_n ⟨k(z_m, x_n) x_nq⟩."""
    kernels, every = (carrier.waves, Waves(1.0)), (inducing, inducing)
    dimensions = range(inducing.shape[1])
    moments = [WavePairs.of(kernels, mean, variance, every, q) for q in dimensions]

    def tilted(rows: Array) -> Array:
        return np.stack([moment.summed(rows) for moment in moments], axis=2)

    def value() -> Array:
        half = (tilted(rows) * linear.variance) @ inducing.T
        return half + np.swapaxes(half, 1, 2)

    def pull(adjoint: Array, rows: Array | None) -> tuple[Array, Gradients, Gradients]:
        carried = 2.0 * adjoint @ inducing
        d_tilted = carried * linear.variance
        found = [each.pulled(d_tilted[:, :, q], rows) for q, each in enumerate(moments)]
        d_inducing = np.sum([each.one + each.other for each in found], axis=0)
        d_linear = linear.zero()
        if rows is not None:
            seen = tilted(rows)
            d_inducing += np.sum(2.0 * adjoint @ seen, axis=0) * linear.variance
            d_linear = linear._shaped(np.sum(seen * carried, axis=(0, 1)))
        d_waves = found[0].first
        for each in found[1:]:
            d_waves = add(d_waves, each.first)
        own = Gradients(
            np.sum([each.mean for each in found], axis=0),
            np.sum([each.variance for each in found], axis=0),
            d_inducing,
            carrier.from_waves(d_waves),
        )
        level = np.sum([each.level for each in found], axis=0)
        return level, own, _of_kernel(mean, inducing, d_linear)

    return CrossWhole(value, pull, rows)


def _of_kernel(mean: Array, inducing: Array, kernel: Any) -> Gradients:
    nothing = np.zeros_like(mean)
    return Gradients(nothing, nothing, np.zeros_like(inducing), kernel)
