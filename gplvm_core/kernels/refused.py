"""Error messages for operations that a kernel does not support; each names kernels that do."""

from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Any

from gplvm_core.kernels.compound import Compound
from gplvm_core.kernels.kernel import Kernel
from gplvm_core.kernels.parametric import KernelError

EXACT = (
    "inputs that are known exactly: times, the inputs of a regression without X_variance and "
    "missing entries (in DeepGP those of the first layer), or the latent points of GPLVM"
)


def without_expectations(kernel: Any) -> KernelError:
    """Return the error for a kernel at uncertain inputs."""
    instead = f"; {kernel.instead}" if kernel.instead else ""
    return KernelError(
        f"{type(kernel).__name__} has no analytic expectations under Gaussian inputs, so it needs "
        f"{EXACT}. For uncertain inputs use a kernel that has them: {_names('psi1')}{instead}"
    )


def without_cross(first: Any, second: Any) -> KernelError:
    """Return the error for a sum of two kernels at uncertain inputs."""
    return KernelError(
        f"a sum of {type(first).__name__} and {type(second).__name__} has no analytic cross "
        f"expectations, so it needs {EXACT}. Sums that have them: "
        f"{', '.join(sums_with_expectations())}"
    )


def without_drawing(kernel: Any) -> KernelError:
    """Return the error for a kernel that the browser cannot evaluate."""
    return KernelError(
        f"the browser cannot evaluate {type(kernel).__name__}, so it cannot draw its map; it can "
        f"evaluate {_names('browser_form')}"
    )


def kernels_that(write: str) -> list[type[Kernel]]:
    """Return the kernels that override a method of `Kernel`, sorted by name, without base
    classes.
    """

    def below(kind: type[Kernel]) -> Iterator[type[Kernel]]:
        for child in kind.__subclasses__():
            yield from (child, *below(child))

    plain = getattr(Kernel, write)
    able = {kind for kind in below(Kernel) if getattr(kind, write) is not plain}
    return sorted((kind for kind in able if kind.K is not Kernel.K), key=lambda kind: kind.__name__)


def sums_with_expectations() -> list[str]:
    """Return the pairs of kernels with a cross term, such as "Bias + RBF"."""
    kinds = [kind for kind in kernels_that("psi1") if not issubclass(kind, Compound)]
    return [
        f"{first.__name__} + {second.__name__}"
        for first, second in combinations_with_replacement(kinds, 2)
        if first().cross_with(second()) or second().cross_with(first())
    ]


def _names(write: str) -> str:
    return ", ".join(kind.__name__ for kind in kernels_that(write))
