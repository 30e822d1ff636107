"""Hold parameters of a kernel fixed in training, scale a kernel, or drop a dimension.

Also here: declarations of the fields of a kernel as parameters, for training and checks.
"""

from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

import numpy as np

from gplvm_core.numerics import Array
from gplvm_core.parameters import IDENTITY, LOG, Transform, leaves, replace_leaves, scale_leaves

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


class KernelError(ValueError):
    """Raised if a kernel does not support an operation; the message names kernels that do."""


@dataclass(frozen=True, repr=False)
class Parametric:
    """The base class of kernels' parameters: a frozen dataclass whose fields declare parameters.

    held: names of the parameters that training does not change (set by `holding`).
    """

    held: tuple[str, ...] = field(default=(), kw_only=True)

    def declared(self) -> dict[str, Parameter]:
        """Return every parameter's declaration, by its path. Raises KernelError."""
        known = own_parameters(self)
        undeclared = [path for path in leaves(self) if path.split(".")[0] not in known]
        if undeclared:
            raise KernelError(
                f"{type(self).__name__} does not declare {', '.join(undeclared)}: write "
                f"{undeclared[0]} = positive(…) or real(…), from gplvm_core.kernels, or make it a "
                "class variable if it is a constant"
            )
        return known

    def scaled(self, factor: float) -> Self:
        """Return the kernel times a positive number; KernelError without an overall variance."""
        overall = [path for path, each in self.declared().items() if each.overall]
        if not overall:
            raise KernelError(
                f"{type(self).__name__} has no overall variance, and a layer needs one: declare "
                "the parameter that k is proportional to with positive(…, overall=True)"
            )
        values = leaves(self)
        return replace_leaves(self, {path: factor * values[path] for path in overall})

    def holding(self, *names: str) -> Self:
        """Return the kernel with these parameters held fixed in training.

        If no names are given, all parameters are held.
        Example: RBF(1.0, 10.0).holding("lengthscale"). In a sum or product, the parameters of all
        parts are held: (Periodic(1.0) + RBF(0.1)).holding("variance") fixes the ratio of two
        variances (Damianou 2015, §3.5.1). In the kernel of a mapping, only ratios of variances can
        be held, because training always sets the overall scale to its optimum. Raises KernelError
        for a name that no part has as a parameter.
        """
        known = {path.split(".")[-1] for path in leaves(self)}
        if not known.issuperset(names):
            raise KernelError(
                f"{type(self).__name__} cannot hold {', '.join(sorted(set(names) - known))}; "
                f"its parameters are {', '.join(sorted(known))}"
            )
        return self._holding(set(names) or known)

    def _holding(self, names: set[str]) -> Self:
        own = set(leaves(self)) & (names | set(self.held))
        return replace(self, held=tuple(sorted(own)))

    def held_paths(self) -> set[str]:
        """Return the paths of the held parameters: "lengthscale", or "parts.0.lengthscale"."""
        return set(self.held)

    def with_latent(self, n_latent: int) -> Self:
        """Return the kernel with one ARD parameter per latent dimension. Raises KernelError."""
        each: dict[str, Any] = {name: self._for_each(name, n_latent) for name in self._ard()}
        return replace(self, **each)

    def without(self, dimension: int) -> Self:
        """Return the kernel without one latent dimension (ARD weight 0). Raises KernelError."""
        blind: dict[str, Any] = {}
        for name, at in self._ard().items():
            blind[name] = np.array(getattr(self, name), dtype=float)
            if not blind[name].ndim:
                raise KernelError(
                    f"{type(self).__name__} has one {name} for all dimensions, so it cannot ignore "
                    "one of them: use with_latent first"
                )
            blind[name][dimension] = at
        return replace(self, **blind)

    def _ard(self) -> dict[str, float]:
        """Return the ARD parameters, with the value that switches a dimension off."""
        declared = self.declared().items()
        return {name: each.blind_at for name, each in declared if each.blind_at is not None}

    def _for_each(self, name: str, n_latent: int) -> Array:
        value = np.asarray(getattr(self, name), dtype=float)
        if value.ndim and len(value) != n_latent:
            raise KernelError(
                f"{type(self).__name__}: {name} has the length {len(value)}, but n_latent is "
                f"{n_latent}: give one number, or one for each dimension"
            )
        return np.array(np.broadcast_to(value, (n_latent,)))

    def check_parameters(self) -> None:
        """Raise KernelError unless every parameter, held or not, matches its declaration."""
        unknown = self.held_paths() - set(leaves(self))
        if unknown:
            raise KernelError(
                f"{type(self).__name__} has no parameter {', '.join(sorted(unknown))} to hold: "
                "kernel.holding(name) holds a parameter by its name"
            )
        values = leaves(self)
        for path, each in self.declared().items():
            if not each.allows(values[path]):
                raise KernelError(
                    f"{type(self).__name__}: {path} must be {each.domain}, got {values[path]}"
                )

    def zero(self) -> Self:
        """Return a zero gradient with the kernel's shape."""
        return scale_leaves(self, 0.0)

    def __repr__(self) -> str:
        # `held` is last, and is omitted if empty.
        own = [each.name for each in fields(self) if each.name != "held"]
        shown = [*own, "held"] if self.held else own
        return f"{type(self).__name__}({', '.join(f'{k}={getattr(self, k)!r}' for k in shown)})"
