"""The only place that factorises a matrix, adds jitter or solves a triangular system."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from scipy import linalg

Array = NDArray[np.float64]


class NotPositiveDefiniteError(ValueError):
    """A matrix that must be positive definite is not, at the jitter it was given."""


@dataclass(frozen=True)
class Factor:
    """Cholesky factor L of (matrix + jitter·I), with the jitter that was added."""

    lower: Float[Array, "M M"]
    jitter: float

    @property
    def log_determinant(self) -> float:
        return 2.0 * float(np.sum(np.log(np.diagonal(self.lower))))

    def solve_lower(self, right: Float[Array, "M K"]) -> Float[Array, "M K"]:
        """L⁻¹ right."""
        return _triangular(self.lower, right, transposed=False)

    def solve_lower_transposed(self, right: Float[Array, "M K"]) -> Float[Array, "M K"]:
        """L⁻ᵀ right."""
        return _triangular(self.lower, right, transposed=True)

    def solve(self, right: Float[Array, "M K"]) -> Float[Array, "M K"]:
        """(L Lᵀ)⁻¹ right."""
        return self.solve_lower_transposed(self.solve_lower(right))

    def whiten(self, matrix: Float[Array, "M M"]) -> Float[Array, "M M"]:
        """L⁻¹ matrix L⁻ᵀ for a symmetric matrix."""
        half = self.solve_lower(matrix)
        return symmetrise(self.solve_lower(np.ascontiguousarray(half.T)))

    def inverse(self) -> Float[Array, "M M"]:
        """(L Lᵀ)⁻¹."""
        half = self.solve_lower(np.eye(len(self.lower)))
        return half.T @ half


def factorise(matrix: Float[Array, "M M"], jitter: float = 0.0) -> Factor:
    """Cholesky factor of a symmetric matrix with an absolute jitter on its diagonal.

    Nothing is retried: a jitter raised in silence would change the objective in the middle
    of a line search. Raises NotPositiveDefiniteError, with the jitter that was not enough.
    """
    shifted = np.array(matrix, dtype=np.float64)
    shifted.flat[:: len(shifted) + 1] += jitter
    # LAPACK's potrf reports NaN through `info` only by luck, so finiteness is asked for first.
    if np.isfinite(shifted).all():
        lower, info = linalg.lapack.dpotrf(shifted, lower=True, clean=True, overwrite_a=True)
        if info == 0:
            return Factor(lower, jitter)
    raise NotPositiveDefiniteError(
        f"a {len(matrix)}×{len(matrix)} covariance matrix is not positive definite with jitter "
        f"{jitter:.1e}: use fewer inducing inputs, or a larger jitter"
    )


def symmetrise(matrix: Float[Array, "M M"]) -> Float[Array, "M M"]:
    """½(X + Xᵀ)."""
    return 0.5 * (matrix + matrix.T)


def mirror_upper(values: Any, rows: Any, columns: Any, size: int) -> Array:
    """The symmetric matrix whose entries (rows, columns), on and above the diagonal, are given."""
    matrix = np.empty((size, size))
    matrix[rows, columns] = values
    matrix[columns, rows] = values
    return matrix


def _triangular(lower: Array, right: Array, *, transposed: bool) -> Array:
    solution, _ = linalg.lapack.dtrtrs(lower, right, lower=True, trans=transposed)
    return solution.reshape(np.shape(right))
