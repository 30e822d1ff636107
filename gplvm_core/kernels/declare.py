"""What the fields of a kernel declare: its parameters, as training and checks see them."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gplvm_core.numerics import Array
from gplvm_core.parameters import IDENTITY, LOG, Transform

_KEY = "parameter"


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel.

    transform: to the free number that training moves. scale: a change of the free number that
    matters much; training takes it over √N. blind_at: there is one for each latent dimension
    (ARD), and with this value the kernel does not see the dimension; None: one for all of them.
    overall: k is proportional to it.
    """

    transform: Transform
    scale: float
    blind_at: float | None
    overall: bool

    @property
    def ard(self) -> bool:
        return self.blind_at is not None

    def allows(self, value: float | Array) -> bool:
        """Whether training can start from a value."""
        allowed = np.isfinite(value)
        if self.transform is LOG:
            allowed = allowed & (np.asarray(value) > 0)
        return bool(np.all(allowed))

    @property
    def domain(self) -> str:
        """What values must be, in words."""
        return "positive and finite" if self.transform is LOG else "finite"


def positive(
    default: float = 1.0,
    *,
    scale: float = 1.0,
    blind_at: float | None = None,
    overall: bool = False,
) -> Any:
    """The field of a positive parameter, whose logarithm training moves; see `Parameter`."""
    return field(default=default, metadata={_KEY: Parameter(LOG, scale, blind_at, overall)})


def real(default: float = 0.0, *, scale: float = 1.0, blind_at: float | None = None) -> Any:
    """The field of a parameter that may be negative, which training moves as it is."""
    return field(default=default, metadata={_KEY: Parameter(IDENTITY, scale, blind_at, False)})


def own_parameters(kernel: Any) -> dict[str, Parameter]:
    """Which of a kernel's own fields declare a parameter, and what."""
    known = type(kernel).__dataclass_fields__
    return {name: each.metadata[_KEY] for name, each in known.items() if _KEY in each.metadata}
