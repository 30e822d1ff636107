"""What the expectations of a kernel hand back beside their values: gradients, and how they meet."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
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


CrossPullback = Callable[[Array], tuple[Array, tuple[Gradients, Gradients]]]


class CrossTerm(Protocol):
    """C + Cᵀ of ⟨k_carrier(z, x) k_other(x, z')⟩ summed over the points of each group.

    pullback: its adjoint → (∂psi1 of the carrier, (the carrier's own gradients, the other's)).
    """

    @property
    def value(self) -> Float[Array, "G M M"]:
        """C + Cᵀ of every group."""

    @property
    def pullback(self) -> CrossPullback:
        """The way back from a symmetric adjoint."""

    def weighted(
        self, adjoint: Float[Array, "G M M"], psi1: Float[Array, "N M"], pull_psi1: Pullback
    ) -> tuple[Float[Array, " N"], Float[Array, "N Q"], Float[Array, "N Q"]]:
        """tr(adjoint (C + Cᵀ)) of each point, with its gradients in mean and variance.

        adjoint: one for all points, or one for each, which is then a group of its own. psi1: of
        the carrier.
        """


@dataclass(frozen=True)
class Cross:
    """A cross term that is linear in the psi1 of its carrier."""

    value: Float[Array, "G M M"]
    pullback: CrossPullback

    def weighted(
        self, adjoint: Float[Array, "G M M"], psi1: Float[Array, "N M"], pull_psi1: Pullback
    ) -> tuple[Float[Array, " N"], Float[Array, "N Q"], Float[Array, "N Q"]]:
        through, (own, other) = self.pullback(adjoint)
        pulled = pull_psi1(through)
        return (
            np.sum(psi1 * through, axis=1),
            pulled.mean + own.mean + other.mean,
            pulled.variance + own.variance + other.variance,
        )


@dataclass(frozen=True)
class CrossWhole:
    """A cross term that has all gradients itself: nothing goes through the carrier's psi1.

    pull: (adjoint of the groups, rows), or (adjoint of each point, None) → (tr(adjoint (C + Cᵀ)) of
    each point, the carrier's gradients, the other's). Without rows only the gradients of the mean
    and variance are needed.
    """

    make: Callable[[], Float[Array, "G M M"]]
    pull: Callable[[Array, Array | None], tuple[Array, Gradients, Gradients]]
    rows: Float[AnyArray, "N G"]

    @cached_property
    def value(self) -> Float[Array, "G M M"]:
        """C + Cᵀ of every group."""
        return self.make()

    def pullback(self, adjoint: Float[Array, "G M M"]) -> tuple[Array, tuple[Gradients, Gradients]]:
        _, own, other = self.pull(adjoint, self.rows)
        shape = len(own.mean), len(own.inducing)
        return np.zeros(shape, like=own.mean), (own, other)

    def weighted(
        self, adjoint: Float[Array, "G M M"], psi1: Float[Array, "N M"], pull_psi1: Pullback
    ) -> tuple[Float[Array, " N"], Float[Array, "N Q"], Float[Array, "N Q"]]:
        level, own, other = self.pull(adjoint, None)
        return level, own.mean + other.mean, own.variance + other.variance


WeightedPsi2 = Callable[[Array, Array, Array], tuple[Array, Array, Array]]
CrossBuilder = Callable[[Array, Array, Array, Array], CrossTerm]
