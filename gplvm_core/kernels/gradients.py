"""Types for the gradients of a kernel's expectations, and for cross terms."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.parameters import add


@dataclass(frozen=True)
class Gradients:
    """The gradients ∂F with respect to all arguments of an expectation; they can be added."""

    mean: Float[Array, "N Q"]
    variance: Float[Array, "N Q"]
    inducing: Float[Array, "M Q"]
    kernel: Any

    def __add__(self, other: "Gradients") -> "Gradients":
        return Gradients(
            self.mean + other.mean,
            self.variance + other.variance,
            self.inducing + other.inducing,
            add(self.kernel, other.kernel),
        )


# A kernel's cache of intermediates for its pullback.
Kept = list[Any]
Pullback = Callable[[Array], Gradients]


CrossPullback = Callable[[Array], tuple[Array, tuple[Gradients, Gradients]]]


class CrossTerm(Protocol):
    """C + Cᵀ of ⟨k_carrier(z, x) k_other(x, z')⟩ summed over the points of each group.

    pullback: adjoint → (∂psi1 of the carrier, (direct gradients of the carrier, of the other)). The
    carrier's have the gradients in the points, and the other's have 0.
    """

    @property
    def value(self) -> Float[Array, "G M M"]:
        """C + Cᵀ of every group."""

    @property
    def pullback(self) -> CrossPullback:
        """The pullback from a symmetric adjoint."""

    def weighted(
        self, adjoint: Float[Array, "G M M"], psi1: Float[Array, "N M"], pull_psi1: Pullback
    ) -> tuple[Float[Array, " N"], Float[Array, "N Q"], Float[Array, "N Q"]]:
        """Return tr(adjoint (C + Cᵀ)) of each point, with its gradients in mean and variance.

        adjoint: one matrix for all points, or one for each point (every point is then a group).
        psi1: the carrier's psi1.
        """


@dataclass(frozen=True)
class Cross:
    """A cross term that is linear in its carrier's psi1."""

    value: Float[Array, "G M M"]
    pullback: CrossPullback

    def weighted(
        self, adjoint: Float[Array, "G M M"], psi1: Float[Array, "N M"], pull_psi1: Pullback
    ) -> tuple[Float[Array, " N"], Float[Array, "N Q"], Float[Array, "N Q"]]:
        through, (own, _) = self.pullback(adjoint)
        pulled = pull_psi1(through)
        value = np.sum(psi1 * through, axis=1)
        return value, pulled.mean + own.mean, pulled.variance + own.variance


@dataclass(frozen=True)
class CrossWhole:
    """A cross term with direct gradients only, none through the carrier's psi1.

    pull takes (adjoint of each group, rows) or (adjoint of each point, None). It returns tr(adjoint
    (C + Cᵀ)) of each point, the gradients of the carrier, and the gradients of the other kernel.
    If rows is None, only the gradients in mean and variance are needed.
    """

    make: Callable[[], Float[Array, "G M M"]]
    pull: Callable[[Array, Array | None], tuple[Array, Gradients, Gradients]]
    rows: Float[Array, "N G"]

    @cached_property
    def value(self) -> Float[Array, "G M M"]:
        """C + Cᵀ of every group."""
        return self.make()

    def pullback(self, adjoint: Float[Array, "G M M"]) -> tuple[Array, tuple[Gradients, Gradients]]:
        _, own, other = self.pull(adjoint, self.rows)
        shape = len(own.mean), len(own.inducing)
        return np.zeros(shape), (own, other)

    def weighted(
        self, adjoint: Float[Array, "G M M"], psi1: Float[Array, "N M"], pull_psi1: Pullback
    ) -> tuple[Float[Array, " N"], Float[Array, "N Q"], Float[Array, "N Q"]]:
        level, own, _ = self.pull(adjoint, None)
        return level, own.mean, own.variance


WeightedPsi2 = Callable[[Array, Array, Array], tuple[Array, Array, Array]]
CrossBuilder = Callable[[Array, Array, Array, Array], CrossTerm]
