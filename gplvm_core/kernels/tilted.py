"""The tilted moment ⟨k (x − μ)⟩ of an RBF kernel under Gaussian inputs.

A kernel times a Gaussian is a scaled Gaussian. This module avoids S⁻¹ and W⁻¹, which do not exist
for exact inputs and for dimensions that are off. Source: Chamberlin (2016), App. A.
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
    """⟨k (x − μ)⟩ = Ψ_nm c_nq (z_mq − μ_nq), with c = Sw/(1 + wS) and a diagonal S.

    By Stein's lemma this moment is S ∂Ψ/∂μ. Sums are computed by matrix products, without an
    N × M × Q array.
    """

    kernel: RBF
    mean: Float[Array, "N Q"]
    variance: Float[Array, "N Q"]
    inducing: Float[Array, "M Q"]
    psi1: Float[Array, "N M"]

    @property
    def share(self) -> Float[Array, "N Q"]:
        """c: the kernel moves a point by this fraction of its distance to an inducing input."""
        return self._strong / (1.0 + self._strong)

    @property
    def _strong(self) -> Array:
        return np.asarray(self.kernel.relevance * self.variance)

    def total(self) -> Float[Array, "M Q"]:
        """Return the sum over points."""
        share = self.share
        return self.inducing * (self.psi1.T @ share) - self.psi1.T @ (share * self.mean)

    def weighted(
        self, weights: Float[Array, "M Q"]
    ) -> tuple[Float[Array, " N"], Float[Array, "N M"], Gradients]:
        """Return each point's weighted sum Σ_mq of the drift, and its gradients.

        The gradients are with respect to Ψ, the mean, the variance, the inducing inputs and the
        kernel; all but the first are for a fixed Ψ. With weights = the adjoint of `total`, this is
        the pullback of `total`.
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
    """Return the kernel if it is an RBF. Raises KernelError otherwise."""
    if not isinstance(kernel, RBF):
        raise KernelError(
            f"tilted moments are implemented only for RBF, got {type(kernel).__name__}"
        )
    return kernel
