"""All that a trained layer needs to be asked about: frozen, independent of any estimator."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray

from gplvm_core.kernels import Kernel
from gplvm_core.numerics import Array


@dataclass(frozen=True)
class Posterior:
    """A layer with its optimal q(u), and the units of its outputs.

    In the model's internal units f_d(x*) has mean k*ᵀ weights_d and variance k** − k*ᵀ gap_g k*,
    g the group of output d: outputs observed in the same rows share their variance. Outputs are
    center + scale · f. Source: Titsias & Lawrence (2010), §4; Damianou (2015), App. B.1.2.
    """

    kernel: Kernel
    inducing: Float[Array, "M Q"]
    weights: Float[Array, "M D"]
    gap: Float[Array, "G M M"]
    noise_variance: float
    jitter: float  # absolute, on the diagonal of K
    center: Float[Array, " D"]
    scale: Float[Array, " D"]
    groups: Int[NDArray[np.intp], " D"] | None = None  # None: one group of all

    def __post_init__(self) -> None:
        if self.groups is None:
            object.__setattr__(self, "groups", np.zeros(self.n_outputs, dtype=np.intp))

    @property
    def n_latent(self) -> int:
        return self.inducing.shape[1]

    @property
    def n_outputs(self) -> int:
        return self.weights.shape[1]

    @property
    def group_sizes(self) -> Int[NDArray[np.intp], " G"]:
        """How many outputs each group has."""
        return np.bincount(np.asarray(self.groups), minlength=len(self.gap))

    @property
    def mean_gap(self) -> Float[Array, "M M"]:
        """The gap averaged over outputs: of their mean variance."""
        share = self.group_sizes / self.n_outputs
        return np.asarray(np.tensordot(share, self.gap, axes=1))

    def to_internal(self, outputs: Float[Array, "N D"]) -> Float[Array, "N D"]:
        """Outputs in the user's units, centred and scaled as the layer saw them."""
        return (outputs - self.center) / self.scale
