"""Declarations of the fields of a kernel as parameters, for training and checks."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gplvm_core.numerics import Array
from gplvm_core.parameters import IDENTITY, LOG, Transform

_KEY = "parameter"


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel.

    transform: maps the parameter to the free number that training changes. scale: a large change of
    the free number; training uses scale/√N as the unit of the free number. blind_at: for a
    parameter with one value per latent dimension (ARD), the value that makes the kernel independent
    of the dimension. None if the parameter has one value for all dimensions. overall:
    whether k is proportional to the parameter.
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
        """The condition on values, in words."""
        return "positive and finite" if self.transform is LOG else "finite"


def positive(
    default: float = 1.0,
    *,
    scale: float = 1.0,
    blind_at: float | None = None,
    overall: bool = False,
) -> Any:
    """Declare a positive parameter, whose logarithm is trained; see `Parameter`.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from gplvm_core import Kernel, positive
    >>> @dataclass(frozen=True, repr=False)
    ... class Rough(Kernel):
    ...     variance: float = positive(1.0, overall=True)
    ...     lengthscale: float = positive(1.0)
    >>> Rough(lengthscale=0.5)
    Rough(variance=1.0, lengthscale=0.5)
    """
    return field(default=default, metadata={_KEY: Parameter(LOG, scale, blind_at, overall)})


def real(default: float = 0.0, *, scale: float = 1.0, blind_at: float | None = None) -> Any:
    """Declare a parameter that may be negative, trained without a transform; see `Parameter`.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from gplvm_core import Kernel, positive, real
    >>> @dataclass(frozen=True, repr=False)
    ... class Shifted(Kernel):
    ...     variance: float = positive(1.0, overall=True)
    ...     shift: float = real(0.0)
    >>> Shifted(shift=-2.0)
    Shifted(variance=1.0, shift=-2.0)
    """
    return field(default=default, metadata={_KEY: Parameter(IDENTITY, scale, blind_at, False)})


def own_parameters(kernel: Any) -> dict[str, Parameter]:
    """Return the parameters that a kernel's own fields declare, by field name."""
    known = type(kernel).__dataclass_fields__
    return {name: each.metadata[_KEY] for name, each in known.items() if _KEY in each.metadata}
