"""Adam on batches, with entries that go by the natural gradient, and a state that is a value."""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray

from gplvm_core.numerics import Array
from gplvm_core.optimise import State
from gplvm_core.optimise.objective import check_settings, first_evaluation, frozen

# How fast the running means of the gradient and of its square forget, and what keeps the step
# finite where there is no gradient (Kingma & Ba 2015, algorithm 1).
FORGET, FORGET_SQUARE, TINY = 0.9, 0.99, 1e-8
# So many batches in a row that cannot be evaluated end the run.
MOST_REJECTED = 10


class BatchObjective(Protocol):
    """A function that is minimised, seen a batch at a time.

    natural: entries of x whose gradient is x less what the batch says they should be, so that a
    plain step along it is a running mean; such is the natural gradient of a Gaussian in its own
    statistics.
    """

    @property
    def natural(self) -> Bool[NDArray[np.bool_], " P"]: ...

    def batch(self, x: Float[Array, " P"], number: int, /) -> tuple[float, Float[Array, " P"]]: ...


@dataclass(frozen=True, eq=False)
class AdamState(State):
    """Where Adam stands: `value` and `gradient` are of the last batch.

    `first`, `second` (P,): running means of the gradient and of its square; `steps` batches moved
    x.
    """

    first: Float[Array, " P"]
    second: Float[Array, " P"]
    steps: int


@dataclass(frozen=True)
class Adam:
    """Adaptive steps of about `rate`, which falls to 0 in a straight line, for `iterations` of so
    many `batches`; natural entries take the share `natural_step` of what each batch says.

    It ends as "converged" when its iterations are done, and stalls when batches cannot be
    evaluated. Source: Kingma & Ba (2015), Adam: a method for stochastic optimization; Hensman,
    Fusi & Lawrence (2013) for the natural steps.
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
        """The state at x, shape (P,), after one batch. Raises ValueError when it is not finite."""
        x, value, gradient = first_evaluation(x, lambda at: objective.batch(at, 0))
        empty = frozen(np.zeros_like(x))
        return AdamState(x, value, gradient, 0, 1, 0, "running", "", empty, empty, 0)

    def step(self, state: AdamState, objective: BatchObjective) -> AdamState:
        """One iteration of several batches; the same state when it is no longer running."""
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
            told = f"All {self.iterations * self.batches} batches were seen, the last steps near 0."
            return replace(moved, status="converged", reason=told)
        return moved
