"""What a layer knows of its data: sums over points (Damianou 2015, §2.3.3, §3.3.7)."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array


@dataclass(frozen=True)
class Statistics:
    """ψ0, A = Ψᵀ·targets, Φ, yy = Σ targets², N and D; the sum of two is that of both chunks.

    Also the shape of the bound's adjoints with respect to them (there N and D are 0).
    """

    psi0: float
    psi1_targets: Float[Array, "M D"]
    psi2: Float[Array, "M M"]
    yy: float
    n_points: int
    n_outputs: int

    def __add__(self, other: "Statistics") -> "Statistics":
        if self.n_outputs != other.n_outputs:
            raise ValueError(
                f"statistics of {self.n_outputs} and {other.n_outputs} outputs cannot be added"
            )
        return Statistics(
            self.psi0 + other.psi0,
            self.psi1_targets + other.psi1_targets,
            self.psi2 + other.psi2,
            self.yy + other.yy,
            self.n_points + other.n_points,
            self.n_outputs,
        )

    def of_scaled_kernel(self, factor: float) -> "Statistics":
        """The statistics when the kernel is multiplied by a factor."""
        return Statistics(
            factor * self.psi0,
            factor * self.psi1_targets,
            factor**2 * self.psi2,
            self.yy,
            self.n_points,
            self.n_outputs,
        )


@dataclass(frozen=True)
class Targets:
    """Centred outputs, N × D, or a square root of Y Yᵀ with fewer columns and the true D."""

    values: Float[Array, "N R"]
    n_outputs: int

    @classmethod
    def of(cls, values: Float[Array, "N D"]) -> "Targets":
        """Targets with as few columns as their inner products need (Damianou 2015, §3.3.7).

        The bound and its gradients are the same; the weights of the prediction need the true Y.
        """
        n_points, n_outputs = values.shape
        if n_outputs <= n_points:
            return cls(values, n_outputs)
        # Yᵀ = QR, so Y Yᵀ = RᵀR: no squared condition number, as Y Yᵀ's own root would have.
        return cls(np.ascontiguousarray(np.asarray(np.linalg.qr(values.T, mode="r")).T), n_outputs)
