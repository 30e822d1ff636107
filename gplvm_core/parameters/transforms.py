"""Maps between bounded parameters and unbounded numbers."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gplvm_core.numerics import Array


@dataclass(frozen=True)
class Transform:
    """A parameter θ = forward(v) of an unbounded number v; `slope` is dθ/dv as a function of θ."""

    name: str
    forward: Callable[[Array], Array]
    inverse: Callable[[Array], Array]
    slope: Callable[[Array], Array]


def _softplus_inverse(value: Array) -> Array:
    return np.asarray(value + np.log(-np.expm1(-value)))


def _exp(value: Array) -> Array:
    # A line search may try a step that is too large. The overflow gives inf, so the evaluation is
    # rejected.
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(value))


def log_above(least: Array) -> Transform:
    """θ = least + exp(v): a parameter above a lower bound of the same shape.

    Values at the bound, or below it, are moved to 1.001 times the bound.
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
