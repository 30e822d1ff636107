"""Cholesky factorisation, jitter and triangular solves; no other module does these."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy import linalg

from gplvm_core.numerics.types import Array, IntArray


class NotPositiveDefiniteError(ValueError):
    """A matrix is not positive definite with the given jitter."""


@dataclass(frozen=True)
class Factor:
    """Cholesky factor L of (matrix + jitter·I), with the jitter that was added."""

    lower: Float[Array, "M M"]
    jitter: float

    @property
    def log_determinant(self) -> float:
        return 2.0 * float(np.sum(np.log(np.diagonal(self.lower))))

    def solve_lower(self, right: Float[Array, "M K"]) -> Float[Array, "M K"]:
        """Return L⁻¹ right."""
        return _triangular(self.lower, right, transposed=False)

    def solve_lower_transposed(self, right: Float[Array, "M K"]) -> Float[Array, "M K"]:
        """Return L⁻ᵀ right."""
        return _triangular(self.lower, right, transposed=True)

    def solve(self, right: Float[Array, "M K"]) -> Float[Array, "M K"]:
        """Return (L Lᵀ)⁻¹ right."""
        return self.solve_lower_transposed(self.solve_lower(right))

    def whiten(self, matrices: Float[Array, "*G M M"]) -> Float[Array, "*G M M"]:
        """Return L⁻¹ X L⁻ᵀ for symmetric matrices X."""
        return self._both_sides(matrices, self.solve_lower)

    def unwhiten(self, matrices: Float[Array, "*G M M"]) -> Float[Array, "*G M M"]:
        """Return L⁻ᵀ X L⁻¹ for symmetric matrices X."""
        return self._both_sides(matrices, self.solve_lower_transposed)

    def inverse(self) -> Float[Array, "M M"]:
        """Return (L Lᵀ)⁻¹."""
        half = self.solve_lower(np.eye(len(self.lower)))
        return half.T @ half

    @staticmethod
    def _both_sides(matrices: Array, solve: Callable[[Array], Array]) -> Array:
        # All matrices are concatenated, so multiplication from each side takes one triangular
        # solve.
        size = matrices.shape[-1]

        def one_side(stack: Array) -> Array:
            beside = stack.transpose(1, 0, 2).reshape(size, -1)
            return solve(beside).reshape(size, -1, size).transpose(1, 0, 2)

        half = one_side(matrices.reshape(-1, size, size)).transpose(0, 2, 1)
        return symmetrise(one_side(half)).reshape(matrices.shape)


def factorise(matrix: Float[Array, "M M"], jitter: float = 0.0) -> Factor:
    """Return the Cholesky factor of a symmetric matrix with an absolute jitter on its diagonal.

    Does not retry with a larger jitter, which would change the objective in the middle of a line
    search. Raises NotPositiveDefiniteError, which names the jitter.
    """
    shifted = np.array(matrix, dtype=np.float64)
    shifted.flat[:: len(shifted) + 1] += jitter
    # LAPACK's potrf does not reliably report NaN through `info`, so finiteness is checked first.
    if np.isfinite(shifted).all():
        lower, info = linalg.lapack.dpotrf(shifted, lower=True, clean=True, overwrite_a=True)
        if info == 0:
            return Factor(lower, jitter)
    raise NotPositiveDefiniteError(
        f"a {len(matrix)}×{len(matrix)} covariance matrix is not positive definite with jitter "
        f"{jitter:.1e}: use fewer inducing inputs, or a larger jitter"
    )


def low_rank(matrix: Float[Array, "M M"]) -> Float[Array, "M R"]:
    """Return F of the least width with F Fᵀ = matrix, up to rounding, by a pivoted Cholesky
    factorisation; a zero matrix has R = 0.

    Raises NotPositiveDefiniteError for numbers that are not finite.
    """
    if not np.isfinite(matrix).all():
        raise NotPositiveDefiniteError("a covariance matrix has numbers that are not finite")
    lower, order, rank, _ = linalg.lapack.dpstrf(matrix, lower=True)
    factor = np.empty((len(matrix), rank))
    factor[order - 1] = np.tril(lower)[:, :rank]
    return factor


def symmetrise(matrix: Float[Array, "*G M M"]) -> Float[Array, "*G M M"]:
    """Return ½(X + Xᵀ)."""
    return 0.5 * (matrix + np.swapaxes(matrix, -1, -2))


@lru_cache(maxsize=8)
def upper_pairs(size: int) -> tuple[IntArray, IntArray]:
    """Return rows and columns of the pairs m ≤ m', in the order of numpy.triu_indices."""
    rows, columns = np.triu_indices(size)
    rows.flags.writeable = columns.flags.writeable = False
    return rows, columns


def mirror_upper(values: Any, rows: Any, columns: Any, size: int) -> Array:
    """Make symmetric matrices (…, M, M) from entries on and above the diagonal (…, P)."""
    matrix = np.empty((*np.shape(values)[:-1], size, size))
    matrix[..., rows, columns] = values
    matrix[..., columns, rows] = values
    return matrix


def fold_upper(matrix: Float[Array, "*G M M"]) -> Float[Array, "*G P"]:
    """Fold a symmetric matrix W into one number w_p per pair m ≤ m': ⟨W, X⟩ = Σ_p w_p x_p.

    The pairs are in the order of `upper_pairs`; w_p sums both triangles for m < m'.
    """
    rows, columns = upper_pairs(matrix.shape[-1])
    both = matrix[..., rows, columns] + matrix[..., columns, rows]
    return np.where(rows == columns, 0.5 * both, both)


def unfold_upper(folded: Float[Array, "*G P"], size: int) -> Float[Array, "*G M M"]:
    """Return the symmetric matrix W from its folded numbers; the inverse of `fold_upper`."""
    rows, columns = upper_pairs(size)
    return mirror_upper(np.where(rows == columns, folded, 0.5 * folded), rows, columns, size)


def _triangular(lower: Array, right: Array, *, transposed: bool) -> Array:
    solution, _ = linalg.lapack.dtrtrs(lower, right, lower=True, trans=transposed)
    return solution.reshape(np.shape(right))
