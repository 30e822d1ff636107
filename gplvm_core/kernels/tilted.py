"""The drift of inputs that an RBF kernel tilts: ⟨k (x − μ)⟩ under Gaussian inputs.

A kernel times a Gaussian is a scaled Gaussian. Forms with S⁻¹ or W⁻¹ would fail for inputs that are
known and for dimensions that are off, so there are none here. Chamberlin (2016), App. A.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from gplvm_core.kernels.gradients import Gradients
from gplvm_core.kernels.kernel import Kernel
from gplvm_core.kernels.parametric import KernelError
from gplvm_core.kernels.rbf import RBF
from gplvm_core.numerics import Array


@dataclass(frozen=True)
class Drift:
    """⟨k (x − μ)⟩ of points by products of matrices, nowhere for every pair of point and z alone:
    Ψ_nm c_nq (z_mq − μ_nq), c = Sw/(1 + wS); S is diagonal. Stein's lemma: it is S ∂Ψ/∂μ.
    """

    kernel: RBF
    mean: Float[Array, "N Q"]
    variance: Float[Array, "N Q"]
    inducing: Float[Array, "M Q"]
    psi1: Float[Array, "N M"]

    @property
    def share(self) -> Float[Array, "N Q"]:
        """c, how much of the way to an inducing input the kernel pulls a point."""
        return self._strong / (1.0 + self._strong)

    @property
    def _strong(self) -> Array:
        return np.asarray(self.kernel.relevance * self.variance)

    def total(self) -> Float[Array, "M Q"]:
        """The sum over points."""
        share = self.share
        return self.inducing * (self.psi1.T @ share) - self.psi1.T @ (share * self.mean)

    def weighted(
        self, weights: Float[Array, "M Q"]
    ) -> tuple[Float[Array, " N"], Float[Array, "N M"], Gradients]:
        """Σ_mq of a point's drift with these weights; its gradients in Ψ, and at a fixed Ψ in the
        mean, the variance, the inducing inputs and the kernel. Of the total they are an adjoint.
        """
        share, rate = self.share, 1.0 + self._strong
        level, first = self.psi1 @ weights, self.psi1 @ (weights * self.inducing)
        away = first - self.mean * level
        d_psi1 = share @ (weights * self.inducing).T - (share * self.mean) @ weights.T
        d_strong = away / rate**2
        d_weight = np.sum(d_strong * self.variance, axis=0)
        d_length = -2.0 * d_weight * self.kernel.relevance / np.asarray(self.kernel.lengthscale)
        if np.ndim(self.kernel.lengthscale) == 0:
            d_length = float(np.sum(d_length))
        gradients = Gradients(
            -share * level,
            d_strong * self.kernel.relevance,
            weights * (self.psi1.T @ share),
            RBF(0.0, d_length, held=self.kernel.held),
        )
        return np.sum(share * away, axis=1), d_psi1, gradients


def as_rbf(kernel: Kernel) -> RBF:
    """The kernel, if it is an RBF. Raises KernelError."""
    if not isinstance(kernel, RBF):
        raise KernelError(
            f"inputs tilted by the kernel are known for RBF alone, got {type(kernel).__name__}"
        )
    return kernel
