"""Limited-memory BFGS with an immutable state."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.optimise.line_search import Found, search
from gplvm_core.optimise.objective import (
    Objective,
    State,
    check_settings,
    counted,
    first_evaluation,
    frozen,
    judged,
)


@dataclass(frozen=True, eq=False)
class LBFGSState(State):
    """The state of L-BFGS.

    `steps` and `changes`, shape (m, P) with m ≤ memory, are the latest differences of x and of the
    gradient, oldest first; `curvatures` (m,) are their inner products, all positive.
    """

    steps: Float[Array, "m P"]
    changes: Float[Array, "m P"]
    curvatures: Float[Array, " m"]


@dataclass(frozen=True)
class LBFGS:
    """L-BFGS with a strong-Wolfe line search, for unbounded variables.

    The run has converged if no entry of the gradient exceeds `gradient_tolerance` in size, or if an
    iteration lowers the value by at most `value_tolerance` times max(|value|, 1). The default
    tolerance is tiny, because a badly conditioned bound can improve slowly for many iterations
    before it improves faster. The run has stalled if the line search fails even along steepest
    descent. Source: Nocedal & Wright (2006), Numerical Optimization, algorithms 7.4 and 7.5.
    """

    memory: int = 20
    gradient_tolerance: float = 1e-5
    value_tolerance: float = 1e-13

    def __post_init__(self) -> None:
        check_settings(
            {
                "memory": (self.memory, 1),
                "gradient_tolerance": (self.gradient_tolerance, 0.0),
                "value_tolerance": (self.value_tolerance, 0.0),
            }
        )

    def start(self, x: Array, objective: Objective) -> LBFGSState:
        """Return the state at x, shape (P,), after one evaluation.

        Raises ValueError if x or the evaluation there is not finite.
        """
        x, value, gradient = first_evaluation(x, objective)
        empty = frozen(np.empty((0, x.size)))
        state = LBFGSState(
            x, value, gradient, 0, 1, 0, "running", "", empty, empty, frozen(np.empty(0))
        )
        return self._judge(state, np.inf)

    def step(self, state: LBFGSState, objective: Objective) -> LBFGSState:
        """Make one accepted iteration. A state that is no longer running is returned unchanged."""
        if state.status != "running":
            return state
        remembered = len(state.curvatures) > 0
        steepness = float(np.linalg.norm(state.gradient))
        first_step = 1.0 if remembered else 1.0 / steepness
        found = _search(objective, state, _direction(state), first_step)
        state = counted(state, found.evaluations, found.rejected)
        if found.reason and remembered:
            # The memory may have given a bad direction: restart with steepest descent. Without a
            # memory, the length of the newest step gives the scale.
            first_step = float(np.linalg.norm(state.steps[-1])) / steepness
            state = replace(
                state, steps=state.steps[:0], changes=state.changes[:0], curvatures=frozen([])
            )
            remembered = False
            found = _search(objective, state, -state.gradient, first_step)
            state = counted(state, found.evaluations, found.rejected)
        if found.reason:
            return replace(
                state,
                status="stalled",
                reason=f"no step improves the value any more: {found.reason}",
            )
        # After steepest descent, a small decrease does not show that the minimum is near.
        decrease = state.value - found.value if remembered else np.inf
        return self._judge(self._moved(state, found), decrease)

    def rescaled(self, state: LBFGSState, ratio: Float[Array, " P"]) -> LBFGSState:
        """Return the state in the variables ratio · x, including the memory of the curvature."""
        return replace(
            state,
            x=frozen(ratio * state.x),
            gradient=frozen(state.gradient / ratio),
            steps=frozen(ratio * state.steps),
            changes=frozen(state.changes / ratio),
        )

    def _moved(self, state: LBFGSState, found: Found) -> LBFGSState:
        moved = found.x - state.x
        change = found.gradient - state.gradient
        curvature = float(moved @ change)
        steps, changes, curvatures = state.steps, state.changes, state.curvatures
        # With pairs of positive curvature, the approximate Hessian stays positive definite.
        if curvature > np.finfo(np.float64).eps * float(change @ change):
            kept = slice(max(0, len(curvatures) + 1 - self.memory), None)
            steps = frozen(np.vstack([steps[kept], moved]))
            changes = frozen(np.vstack([changes[kept], change]))
            curvatures = frozen(np.append(curvatures[kept], curvature))
        return replace(
            state,
            x=found.x,
            value=found.value,
            gradient=found.gradient,
            iteration=state.iteration + 1,
            steps=steps,
            changes=changes,
            curvatures=curvatures,
        )

    def _judge(self, state: LBFGSState, decrease: float) -> LBFGSState:
        return judged(state, decrease, self.gradient_tolerance, self.value_tolerance)


def _search(
    objective: Objective, state: LBFGSState, direction: Float[Array, " P"], first_step: float
) -> Found:
    return search(objective, state.x, state.value, state.gradient, direction, first_step)


def _direction(state: LBFGSState) -> Float[Array, " P"]:
    """Return minus the approximate inverse Hessian times the gradient (two-loop recursion)."""
    direction = -state.gradient
    if len(state.curvatures) == 0:
        return direction
    pairs = list(zip(state.steps, state.changes, state.curvatures, strict=True))
    weights = []
    for moved, change, curvature in reversed(pairs):
        weight = float(moved @ direction) / curvature
        direction -= weight * change
        weights.append(weight)
    _, newest, curvature = pairs[-1]
    direction *= curvature / float(newest @ newest)
    for (moved, change, curvature), weight in zip(pairs, reversed(weights), strict=True):
        direction += (weight - float(change @ direction) / curvature) * moved
    return direction
