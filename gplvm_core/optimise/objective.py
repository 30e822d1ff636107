"""Types of the optimiser: the objective, the state of a run, its progress and result."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeVar

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.numerics import Array

Status = Literal["running", "converged", "stalled"]


class Objective(Protocol):
    """A function of a vector to minimise, with its gradient.

    The function takes x of shape (P,) and returns a value and a gradient of shape (P,). If the
    value or the gradient is not finite, the evaluation is rejected: the optimiser counts it and
    shortens its step. The vector is read-only and the gradient is copied, so an objective may reuse
    its buffers.
    """

    def __call__(self, x: Float[Array, " P"], /) -> tuple[float, Float[Array, " P"]]: ...


@dataclass(frozen=True, eq=False)
class State:
    """The state of an optimiser, without its memory of earlier steps.

    `value` and `gradient` belong to x. `rejected` counts the `evaluations` that were not finite.
    `reason` is empty while the run continues. The state consists only of arrays, numbers and
    strings. A run continued from a stored state gives the same numbers as an uninterrupted run.
    """

    x: Float[Array, " P"]
    value: float
    gradient: Float[Array, " P"]
    iteration: int
    evaluations: int
    rejected: int
    status: Status
    reason: str


S = TypeVar("S", bound=State)


@dataclass(frozen=True, eq=False)
class Progress:
    """The progress report that training passes to its callback after every accepted iteration.

    `relevance` and `information` (Q,): 1/lengthscale² and mean KL in nats per latent dimension;
    `latent_mean` (N, Q); `seconds` since the start and `seconds_left` (estimated; None if unknown);
    `message` describes the current phase; `run` is the value from which training continues exactly;
    `verdicts` describes each of several layers, but is empty in most reports. `share` is the
    completed fraction of all work, including the work after training, if all allowed steps are
    needed.
    """

    phase: str
    iteration: int
    evaluations: int
    bound: float
    noise_variance: float
    relevance: Float[Array, " Q"]
    information: Float[Array, " Q"]
    latent_mean: Float[Array, "N Q"]
    seconds: float
    seconds_left: float | None
    message: str
    run: object
    verdicts: tuple[str, ...] = ()
    share: float = 0.0


@dataclass(frozen=True)
class Result:
    """The end of a training run.

    `status`: "converged" (within a tolerance), "stalled" (the line search failed at a gradient that
    is not zero), "stopped" (by the callback) or "limit" (`max_iter`); `reason` explains it in
    words. `rejected` counts the `evaluations` that were not finite; `jitter` is the relative jitter
    that was used. `failure` is the numerical error that ended training, "" if there was none.
    """

    status: Literal["converged", "stalled", "stopped", "limit"]
    reason: str
    iterations: int
    evaluations: int
    rejected: int
    jitter: float
    failure: str = ""


def frozen(array: ArrayLike) -> Array:
    """Return a read-only float64 copy, so that states are immutable."""
    copy = np.array(array, dtype=np.float64)
    copy.setflags(write=False)
    return copy


def evaluate(
    objective: Objective, x: Float[Array, " P"]
) -> tuple[float, Float[Array, " P"]] | None:
    """Return value and gradient at x, or None for a rejected evaluation.

    Raises ValueError if the gradient's shape differs from that of x.
    """
    value, gradient = objective(x)
    gradient = frozen(gradient)
    if gradient.shape != x.shape:
        raise ValueError(
            f"The objective's gradient has shape {gradient.shape} at a vector of shape {x.shape}; "
            "return one derivative per variable."
        )
    if not (np.isfinite(value) and np.isfinite(gradient).all()):
        return None
    return float(value), gradient


def first_evaluation(
    x: Array, objective: Objective
) -> tuple[Float[Array, " P"], float, Float[Array, " P"]]:
    """Return a checked copy of the starting vector, its value and its gradient.

    Raises ValueError unless x is a non-empty finite vector and its evaluation is finite.
    """
    start = frozen(x)
    if start.ndim != 1 or start.size == 0:
        raise ValueError(
            f"The starting vector must have at least one variable, got shape {start.shape}."
        )
    if not np.isfinite(start).all():
        raise ValueError(
            f"The starting vector has {np.count_nonzero(~np.isfinite(start))} of {start.size} "
            "entries that are not finite (nan or inf); start from finite numbers."
        )
    evaluated = evaluate(objective, start)
    if evaluated is None:
        raise ValueError(
            "The objective or its gradient is not finite (nan or inf) at the starting vector; "
            "start from a vector where it can be evaluated."
        )
    return start, *evaluated


def check_settings(least: Mapping[str, tuple[float, float]]) -> None:
    """Raise a ValueError for the first setting below its limit; least: (value, smallest allowed
    value).
    """
    for name, (value, lowest) in least.items():
        if not value >= lowest:
            raise ValueError(f"{name} must be at least {lowest}, got {value}.")


def judged(state: S, decrease: float, gradient_tolerance: float, value_tolerance: float) -> S:
    """Return the state, marked as converged if its gradient or decrease is within tolerance."""
    largest = float(np.max(np.abs(state.gradient)))
    if largest <= gradient_tolerance:
        reason = (
            f"The largest gradient entry, {largest:.3g}, is within the tolerance "
            f"{gradient_tolerance:.3g}."
        )
    elif decrease <= value_tolerance * max(abs(state.value), 1.0):
        reason = (
            f"The last iteration lowered the value by {decrease:.3g}, within the relative "
            f"tolerance {value_tolerance:.3g}."
        )
    else:
        return state
    return replace(state, status="converged", reason=reason)


def counted(state: S, evaluations: int, rejected: int) -> S:
    """Return the state with further evaluations counted; `rejected` of them were not finite."""
    return replace(
        state,
        evaluations=state.evaluations + evaluations,
        rejected=state.rejected + rejected,
    )
