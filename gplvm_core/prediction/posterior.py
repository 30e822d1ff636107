"""All that a trained layer needs to be asked about: frozen, independent of any estimator."""

from dataclasses import dataclass

from jaxtyping import Float

from gplvm_core.kernels import Kernel
from gplvm_core.numerics import Array


@dataclass(frozen=True)
class Posterior:
    """A layer with its optimal q(u), and the units of its outputs.

    In the model's internal units f(x*) has mean k*ᵀ weights and variance k** − k*ᵀ gap k*
    (`mean` + `variance` of `predict`); outputs are center + scale · f.
    Source: Titsias & Lawrence (2010), §4; Damianou (2015), App. B.1.2.
    """

    kernel: Kernel
    inducing: Float[Array, "M Q"]
    weights: Float[Array, "M D"]
    gap: Float[Array, "M M"]
    noise_variance: float
    jitter: float  # absolute, on the diagonal of K
    center: Float[Array, " D"]
    scale: Float[Array, " D"]

    @property
    def n_latent(self) -> int:
        return self.inducing.shape[1]

    @property
    def n_outputs(self) -> int:
        return self.weights.shape[1]

    def to_internal(self, outputs: Float[Array, "N D"]) -> Float[Array, "N D"]:
        """Outputs in the user's units, centred and scaled as the layer saw them."""
        return (outputs - self.center) / self.scale
