"""What the expectations of a kernel hand back beside their values: gradients, and how they meet."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jaxtyping import Float

from gplvm_core.numerics import AnyArray, Array
from gplvm_core.parameters import add


@dataclass(frozen=True)
class Gradients:
    """∂F with respect to everything an expectation depends on; gradients add."""

    mean: Float[AnyArray, "N Q"]
    variance: Float[AnyArray, "N Q"]
    inducing: Float[Array, "M Q"]
    kernel: Any

    def __add__(self, other: "Gradients") -> "Gradients":
        return Gradients(
            self.mean + other.mean,
            self.variance + other.variance,
            self.inducing + other.inducing,
            add(self.kernel, other.kernel),
        )


# What a kernel may keep of a value for the way back.
Kept = list[Any]
Pullback = Callable[[Array], Gradients]


@dataclass(frozen=True)
class Cross:
    """C + Cᵀ of ⟨k_carrier(z, x) k_other(x, z')⟩ summed over the points of each group.

    pullback: its adjoint → (∂psi1 of the carrier, (the carrier's own gradients, the other's)).
    """

    value: Float[Array, "G M M"]
    pullback: Callable[[Array], tuple[Array, tuple[Gradients, Gradients]]]


WeightedPsi2 = Callable[[Array, Array, Array], tuple[Array, Array, Array]]
CrossBuilder = Callable[[Array, Array, Array, Array], Cross]
