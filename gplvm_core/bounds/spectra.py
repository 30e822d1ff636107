"""The eigenvectors of C = L⁻¹ΦL⁻ᵀ, in which I + rC comes apart for every r.

C is positive semi-definite, so I + rC is never smaller than I: of the eigenvalues that rounding
makes negative none is kept, where a Cholesky factor would fail, or count them as a gain.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array, Factor, NotPositiveDefiniteError
from gplvm_core.statistics import Statistics


@dataclass(frozen=True)
class Spectra:
    """C = U diag(λ) Uᵀ of every group of columns, and UᵀL⁻¹A."""

    values: Float[Array, "G M"]
    vectors: Float[Array, "G M M"]
    carried: Float[Array, "M D"]

    @classmethod
    def of(cls, statistics: Statistics, gram: Factor) -> Self:
        """Raises NotPositiveDefiniteError where the statistics are not finite."""
        whitened = gram.whiten(statistics.psi2)
        carried = gram.solve_lower(statistics.psi1_targets)
        # LAPACK reports what is not finite only by luck.
        if not (np.isfinite(whitened).all() and np.isfinite(carried).all()):
            raise NotPositiveDefiniteError("the statistics are not finite")
        values, vectors = np.linalg.eigh(whitened)
        for basis, columns in zip(vectors, statistics.columns(), strict=True):
            carried[:, columns] = basis.T @ carried[:, columns]
        return cls(np.maximum(values, 0.0), vectors, carried)

    def scaled(self, scale: float) -> "Spectra":
        """Of the kernel times a scale."""
        return Spectra(scale * self.values, self.vectors, np.sqrt(scale) * self.carried)
