"""The linear mean of a layer, subtracted from the statistics of the layer's outputs.

In h = xW + f(x) + noise, the function f explains h − xW. For uncertain x the statistics are
averages over x. In these averages x and k(x, Z) are correlated, so A = Ψᵀ(h − μW) − Σ_n ⟨k (x_n −
μ_n)⟩ W, and yy grows by Σ_nq S_nq ‖W_q‖² (MATHEMATICS.md, section 6).
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.kernels import Gradients, Kernel
from gplvm_core.kernels.tilted import Drift, as_rbf
from gplvm_core.numerics import Array
from gplvm_core.parameters import scale_leaves


@dataclass(frozen=True)
class LinearMean:
    """A linear mean at a layer's inputs; drift: None if the inputs are known exactly."""

    slope: Float[Array, "Q D"]
    kernel: Kernel
    belief: Belief
    drift: Drift | None

    @classmethod
    def of(
        cls,
        slope: Float[Array, "Q D"],
        kernel: Kernel,
        belief: Belief,
        inducing: Float[Array, "M Q"],
        psi1: Float[Array, "N M"],
    ) -> Self:
        """Make the linear mean. Raises KernelError for uncertain inputs unless the kernel is an
        RBF.
        """
        drift = None
        if belief.variance.any():
            drift = Drift(as_rbf(kernel), belief.mean, belief.variance, inducing, psi1)
        return cls(slope, kernel, belief, drift)

    def left(self, values: Float[Array, "N D"]) -> Float[Array, "N D"]:
        """Return the outputs minus the linear mean: the residual that the function f explains."""
        return np.asarray(values - self.belief.mean @ self.slope)

    @property
    def squares(self) -> Float[Array, " N"]:
        """The part of each point's expected ‖h − xW‖² that comes from its input's variance."""
        return np.asarray(self.belief.variance @ self._sizes)

    @property
    def psi1_targets(self) -> Float[Array, "M D"] | float:
        """The correction of A for uncertain inputs."""
        return 0.0 if self.drift is None else -self.drift.total() @ self.slope

    def pullback(
        self, d_left: Float[Array, "N D"], d_psi1_targets: Float[Array, "M D"], d_squares: float
    ) -> tuple[Float[Array, " N"], Float[Array, "N M"], Gradients]:
        """Pull back the adjoints of the residual outputs, of A and of the squares.

        Returns each point's contribution to ⟨∂A, correction of A⟩, the gradient with respect to Ψ,
        and the other gradients.
        """
        d_mean = -d_left @ self.slope.T
        d_variance = np.broadcast_to(d_squares * self._sizes, d_mean.shape)
        if self.drift is None:
            (size, _), (n_points, n_latent) = d_psi1_targets.shape, d_mean.shape
            nothing = np.zeros((size, n_latent)), scale_leaves(self.kernel, 0.0)
            own = Gradients(d_mean, d_variance, *nothing)
            return np.zeros(n_points), np.zeros((n_points, size)), own
        value, d_psi1, own = self.drift.weighted(-d_psi1_targets @ self.slope.T)
        moved = replace(own, mean=own.mean + d_mean, variance=own.variance + d_variance)
        return value, d_psi1, moved

    @property
    def _sizes(self) -> Float[Array, " Q"]:
        return np.sum(self.slope**2, axis=1)
