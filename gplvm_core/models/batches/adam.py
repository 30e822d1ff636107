"""Adam on batches, with natural-gradient steps for some entries and an immutable state."""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from jaxtyping import Bool, Float

from gplvm_core.numerics import Array, BoolArray
from gplvm_core.optimise import State
from gplvm_core.optimise.objective import check_settings, first_evaluation, frozen

# Decay rates of the running means of the gradient and of its square. TINY keeps the step finite
# where the gradient is zero (Kingma & Ba 2015, algorithm 1).
FORGET, FORGET_SQUARE, TINY = 0.9, 0.99, 1e-8
# The run ends after this many consecutive batches that cannot be evaluated.
MOST_REJECTED = 10


class BatchObjective(Protocol):
    """A function to minimise, evaluated on batches.

    natural: the entries of x whose gradient is x minus the batch's estimate of x, so that a
    gradient step is a running mean. The natural gradient of a Gaussian with respect to its
    statistics has this form.
    """

    @property
    def natural(self) -> Bool[BoolArray, " P"]: ...

    def batch(self, x: Float[Array, " P"], number: int, /) -> tuple[float, Float[Array, " P"]]: ...


@dataclass(frozen=True, eq=False)
class AdamState(State):
    """The state of Adam; `value` and `gradient` are those of the last batch.

    `first`, `second` (P,): running means of the gradient and of its square. `steps`: the number of
    batches that changed x.
    """

    first: Float[Array, " P"]
    second: Float[Array, " P"]
    steps: int


@dataclass(frozen=True)
class Adam:
    """Adam with a linearly decreasing rate: `iterations` iterations of `batches` batches each.

    Natural entries move towards the estimate of each batch by the fraction `natural_step`. The
    status is "converged" after all iterations, and "stalled" if batches cannot be evaluated.
    Source: Kingma & Ba (2015), Adam: a method for stochastic optimization; Hensman, Fusi & Lawrence
    (2013) for the natural steps.
    """

    rate: float = 0.03
    natural_step: float = 0.1
    iterations: int = 50
    batches: int = 10

    def __post_init__(self) -> None:
        check_settings(
            {
                "rate": (self.rate, 0.0),
                "natural_step": (self.natural_step, 0.0),
                "iterations": (self.iterations, 1),
                "batches": (self.batches, 1),
            }
        )

    def start(self, x: Array, objective: BatchObjective) -> AdamState:
        """The state at x, shape (P,), after one batch.

        Raises ValueError if the objective or its gradient is not finite at x.
        """
        x, value, gradient = first_evaluation(x, lambda at: objective.batch(at, 0))
        empty = frozen(np.zeros_like(x))
        return AdamState(x, value, gradient, 0, 1, 0, "running", "", empty, empty, 0)

    def step(self, state: AdamState, objective: BatchObjective) -> AdamState:
        """Make one iteration of several batches.

        A state that is not running is returned unchanged.
        """
        if state.status != "running":
            return state
        natural, failed = objective.natural, 0
        x, first, second = state.x, state.first, state.second
        value, gradient = state.value, state.gradient
        evaluations, rejected, steps = state.evaluations, state.rejected, state.steps
        for _ in range(self.batches):
            found, slope = objective.batch(x, evaluations)
            evaluations += 1
            if not (np.isfinite(found) and np.isfinite(slope).all()):
                rejected, failed = rejected + 1, failed + 1
                continue
            failed, steps, value, gradient = 0, steps + 1, found, slope
            first = FORGET * first + (1.0 - FORGET) * slope
            second = FORGET_SQUARE * second + (1.0 - FORGET_SQUARE) * slope**2
            size = np.sqrt(second / (1.0 - FORGET_SQUARE**steps)) + TINY
            rate = self.rate * max(1.0 - steps / (self.iterations * self.batches), 0.0)
            adaptive = rate * first / (1.0 - FORGET**steps) / size
            x = x - np.where(natural, self.natural_step * slope, adaptive)
        moved = replace(
            state,
            x=frozen(x),
            value=value,
            gradient=frozen(gradient),
            iteration=state.iteration + 1,
            evaluations=evaluations,
            rejected=rejected,
            first=frozen(first),
            second=frozen(second),
            steps=steps,
        )
        if failed >= min(MOST_REJECTED, self.batches):
            return replace(moved, status="stalled", reason="The batches cannot be evaluated.")
        if moved.iteration >= self.iterations:
            reason = f"All {self.iterations * self.batches} batches were processed."
            return replace(moved, status="converged", reason=reason)
        return moved
