"""The eigenvectors of C = L⁻¹ΦL⁻ᵀ; they diagonalise I + rC for every r.

C is positive semi-definite, so eigenvalues that rounding makes negative are set to 0. With negative
eigenvalues, a Cholesky factorisation would fail, or the bound would be too high.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array, Factor, NotPositiveDefiniteError
from gplvm_core.statistics import Statistics


@dataclass(frozen=True)
class Spectra:
    """The eigenvalues λ and eigenvectors U of every group's C, and UᵀL⁻¹A."""

    values: Float[Array, "G M"]
    vectors: Float[Array, "G M M"]
    carried: Float[Array, "M D"]

    @classmethod
    def of(cls, statistics: Statistics, gram: Factor) -> Self:
        """Factorise C; raises NotPositiveDefiniteError if the statistics are not finite."""
        whitened = gram.whiten(statistics.psi2)
        carried = gram.solve_lower(statistics.psi1_targets)
        # LAPACK does not reliably report entries that are not finite.
        if not (np.isfinite(whitened).all() and np.isfinite(carried).all()):
            raise NotPositiveDefiniteError("the statistics are not finite")
        values, vectors = np.linalg.eigh(whitened)
        for basis, columns in zip(vectors, statistics.columns(), strict=True):
            carried[:, columns] = basis.T @ carried[:, columns]
        return cls(np.maximum(values, 0.0), vectors, carried)

    def scaled(self, scale: float) -> "Spectra":
        """Return the spectra for the kernel times a scale."""
        return Spectra(scale * self.values, self.vectors, np.sqrt(scale) * self.carried)
