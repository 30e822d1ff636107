"""Maps between a parameter with bounds and a free number."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gplvm_core.numerics import Array


@dataclass(frozen=True)
class Transform:
    """A parameter θ = forward(v) of a free v; `slope` is dθ/dv as a function of θ."""

    name: str
    forward: Callable[[Array], Array]
    inverse: Callable[[Array], Array]
    slope: Callable[[Array], Array]


def _softplus_inverse(value: Array) -> Array:
    return np.asarray(value + np.log(-np.expm1(-value)))


def _exp(value: Array) -> Array:
    # A line search may try any step: an overflow becomes inf and the evaluation is rejected.
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(value))


def log_above(least: Array) -> Transform:
    """θ = least + exp(v): a parameter that stays above a floor of its own shape.

    What stands at the floor, or below it, starts a thousandth of the floor above.
    """
    return Transform(
        "log above",
        lambda v: least + _exp(v),
        lambda t: np.log(np.maximum(t - least, 1e-3 * least)),
        lambda t: t - least,
    )


IDENTITY = Transform("identity", lambda v: v, lambda t: t, np.ones_like)
LOG = Transform("log", _exp, np.log, lambda t: t)
SOFTPLUS = Transform(
    "softplus", lambda v: np.logaddexp(0.0, v), _softplus_inverse, lambda t: -np.expm1(-t)
)
