"""The base class of sums and products of kernels."""

from dataclasses import dataclass, replace
from typing import Self

from gplvm_core.kernels.kernel import Kernel
from gplvm_core.kernels.parametric import KernelError, Parameter
from gplvm_core.numerics import Array


@dataclass(frozen=True, repr=False)
class Compound(Kernel):
    """A sum or a product of kernels."""

    parts: tuple[Kernel, ...] = ()

    @classmethod
    def of(cls, *kernels: Kernel) -> Self:
        """Return the sum (product) of kernels, with nested sums (products) flattened."""
        parts: list[Kernel] = []
        for kernel in kernels:
            parts.extend(kernel.parts if isinstance(kernel, cls) else (kernel,))
        return cls(tuple(parts))

    def check_parameters(self) -> None:
        if not self.parts:
            raise KernelError(f"{type(self).__name__} has no parts: give it at least one kernel")
        super().check_parameters()

    def declared(self) -> dict[str, Parameter]:
        each = enumerate(part.declared() for part in self.parts)
        return {f"parts.{i}.{path}": what for i, own in each for path, what in own.items()}

    def with_latent(self, n_latent: int) -> Self:
        return replace(self, parts=tuple(part.with_latent(n_latent) for part in self.parts))

    @property
    def relevance(self) -> Array | None:
        # The first part that has ARD weights determines the result.
        for part in self.parts:
            if part.relevance is not None:
                return part.relevance
        return None

    def without(self, dimension: int) -> Self:
        return replace(self, parts=tuple(part.without(dimension) for part in self.parts))

    def _holding(self, names: set[str]) -> Self:
        return replace(self, parts=tuple(part._holding(names) for part in self.parts))

    def held_paths(self) -> set[str]:
        each = enumerate(part.held_paths() for part in self.parts)
        return super().held_paths() | {f"parts.{i}.{path}" for i, held in each for path in held}
