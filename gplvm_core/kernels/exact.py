"""Expectations at exact inputs, where ⟨k⟩ = k, for every kernel."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.kernels.gradients import Gradients, Pullback
from gplvm_core.numerics import Array
from gplvm_core.parameters import add

# Number of rows in a block of `exact_psi0`'s pullback.
DIAGONAL_BLOCK = 32


def exact_psi0(
    kernel: Any, points: Float[Array, "N Q"]
) -> tuple[Float[Array, " N"], Callable[[Array], tuple[Array, Array, Any]]]:
    """Return k(x_n, x_n) and its pullback, from `K_pullback` of diagonal adjoints."""

    def pullback(adjoint: Array) -> tuple[Array, Array, Any]:
        d_points, d_kernel = np.zeros_like(points), kernel.zero()
        for rows in _blocks(len(points), DIAGONAL_BLOCK):
            d_points[rows], own = kernel.K_pullback(points[rows], np.diag(adjoint[rows]))
            d_kernel = add(d_kernel, own)
        return d_points, np.zeros_like(points), d_kernel

    return kernel.diag(points), pullback


def exact_psi1(
    kernel: Any, points: Float[Array, "N Q"], inducing: Float[Array, "M Q"]
) -> tuple[Float[Array, "N M"], Pullback]:
    """Return k(x_n, z_m) and its pullback, from `between_pullback`."""

    def pullback(adjoint: Array) -> Gradients:
        d_points, d_inducing, own = kernel.between_pullback(points, inducing, adjoint)
        return Gradients(d_points, np.zeros_like(points), d_inducing, own)

    return kernel.K(points, inducing), pullback


def exact_psi2(
    kernel: Any,
    points: Float[Array, "N Q"],
    inducing: Float[Array, "M Q"],
    rows: Float[Array, "N G"],
) -> tuple[Float[Array, "G M M"], Pullback]:
    """Return Σ_n rows_ng k(z_m, x_n) k(x_n, z_m') of every group, and its pullback."""
    psi1, pull_psi1 = exact_psi1(kernel, points, inducing)
    return products(psi1, rows), lambda adjoint: pull_psi1(products_pullback(psi1, adjoint, rows))


def products(
    psi1: Float[Array, "N M"], rows: Float[Array, "N G"] | None = None
) -> Float[Array, "G M M"]:
    """Return Φ of every group from Ψ, with ⟨kk'⟩ = kk'. rows: None if all points form one group."""
    if rows is None:
        return np.asarray(psi1.T @ psi1)[None]
    seen = (rows[:, g : g + 1] for g in range(rows.shape[1]))
    return np.stack([np.asarray((psi1 * each).T @ psi1) for each in seen])


def products_pullback(
    psi1: Float[Array, "N M"],
    adjoint: Float[Array, "G M M"],
    rows: Float[Array, "N G"] | None = None,
) -> Float[Array, "N M"]:
    """Return the adjoint of Ψ from the adjoint of `products`."""
    both = [each + each.T for each in adjoint]
    if rows is None:
        return psi1 @ both[0]
    return sum(rows[:, g : g + 1] * (psi1 @ each) for g, each in enumerate(both))


def stacked_pullback(
    kernel: Any,
    first: Float[Array, "N Q"],
    second: Float[Array, "M Q"],
    adjoint: Float[Array, "N M"],
) -> tuple[Float[Array, "N Q"], Float[Array, "M Q"], Any]:
    """Compute `between_pullback` from `K_pullback` of both sets of points together.

    K of [first; second] contains k(first, second) twice, in its off-diagonal blocks. Blocks of M
    rows of `first` make the cost proportional to N M.
    """
    d_first, d_second, d_kernel = np.empty_like(first), np.zeros_like(second), kernel.zero()
    for rows in _blocks(len(first), max(len(second), DIAGONAL_BLOCK)):
        own, count = 0.5 * adjoint[rows], len(first[rows])
        gram = np.zeros((count + len(second),) * 2)
        gram[:count, count:], gram[count:, :count] = own, own.T
        moved, part = kernel.K_pullback(np.concatenate([first[rows], second]), gram)
        d_first[rows] = moved[:count]
        d_second += moved[count:]
        d_kernel = add(d_kernel, part)
    return d_first, d_second, d_kernel


def _blocks(count: int, size: int) -> Iterator[slice]:
    return (slice(first, first + size) for first in range(0, count, size))
