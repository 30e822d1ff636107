"""Scaled conjugate gradients: instead of a line search, the curvature is estimated from a
difference of gradients.
"""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.optimise.objective import (
    Objective,
    State,
    check_settings,
    counted,
    evaluate,
    first_evaluation,
    frozen,
    judged,
)

# Step length for the difference of gradients, relative to max(|x|, 1).
PROBE = 1e-7
MOST_TRIALS = 30
FIRST_DAMPING = 1e-6
LEAST_DAMPING = 1e-15
# Factor by which the curvature grows after a rejected trial, and the largest factor after a trial
# with a higher value.
REJECTED_STIFFER = 10.0
MOST_STIFFER = 100.0


@dataclass(frozen=True, eq=False)
class SCGState(State):
    """The state of scaled conjugate gradients.

    `direction` (P,) is the next search direction, and `damping` is added to its curvature;
    `since_restart` counts the accepted steps since the last steepest descent.
    """

    direction: Float[Array, " P"]
    damping: float
    since_restart: int


@dataclass(frozen=True)
class SCG:
    """Møller's scaled conjugate gradients, for unbounded variables.

    An accepted iteration takes two evaluations: one for the curvature along the direction, one for
    the step. The run has converged if no entry of the gradient exceeds `gradient_tolerance` in
    size, or if an iteration lowers the value by at most `value_tolerance` times max(|value|, 1).
    The run has stalled if no step along steepest descent lowers the value. Source: Møller (1993), A
    scaled conjugate gradient algorithm for fast supervised learning.
    """

    gradient_tolerance: float = 1e-5
    value_tolerance: float = 1e-13

    def __post_init__(self) -> None:
        check_settings(
            {
                "gradient_tolerance": (self.gradient_tolerance, 0.0),
                "value_tolerance": (self.value_tolerance, 0.0),
            }
        )

    def start(self, x: Array, objective: Objective) -> SCGState:
        """Return the state at x, shape (P,), after one evaluation.

        Raises ValueError if x or the evaluation there is not finite.
        """
        x, value, gradient = first_evaluation(x, objective)
        state = SCGState(
            x, value, gradient, 0, 1, 0, "running", "", frozen(-gradient), FIRST_DAMPING, 0
        )
        return self._judge(state, np.inf)

    def step(self, state: SCGState, objective: Objective) -> SCGState:
        """Make one accepted iteration; a state that is no longer running is returned unchanged."""
        if state.status != "running":
            return state
        direction = state.direction
        slope = float(state.gradient @ direction)
        square = float(direction @ direction)
        state, own_curvature = _probed(state, objective)
        damping = state.damping
        curvature = own_curvature + damping * square
        if curvature <= 0.0:
            damping = 2.0 * (damping - curvature / square)
            curvature = own_curvature + damping * square

        reason = f"no lower value within {MOST_TRIALS} evaluations"
        for _ in range(MOST_TRIALS):
            if slope**2 / curvature < np.finfo(np.float64).eps * abs(state.value):
                reason = "the possible decrease is below the rounding error of the value"
                break
            x = frozen(state.x - slope / curvature * direction)
            evaluated = evaluate(objective, x)
            state = counted(state, 1, int(evaluated is None))
            if evaluated is None:
                stiffer = REJECTED_STIFFER
            else:
                value, gradient = evaluated
                # The ratio of the actual decrease to the decrease that the quadratic model
                # predicts; 1 is perfect.
                comparison = 2.0 * curvature * (state.value - value) / slope**2
                if comparison >= 0.0:
                    if comparison < 0.25:
                        damping += curvature * (1.0 - comparison) / square
                    elif comparison > 0.75:
                        damping = max(0.25 * damping, LEAST_DAMPING)
                    accepted = replace(
                        _turned(state, gradient, slope), x=x, value=value, damping=damping
                    )
                    # A heavily damped step is short even far from the minimum.
                    trusted = damping * square < own_curvature
                    return self._judge(accepted, state.value - value if trusted else np.inf)
                stiffer = min(2.0 - comparison, MOST_STIFFER)
            damping += (stiffer - 1.0) * curvature / square
            curvature *= stiffer

        if state.since_restart > 0:
            downhill = replace(
                state, direction=frozen(-state.gradient), damping=FIRST_DAMPING, since_restart=0
            )
            return self.step(downhill, objective)
        return replace(
            state, status="stalled", reason=f"no step improves the value any more: {reason}"
        )

    def rescaled(self, state: SCGState, ratio: Float[Array, " P"]) -> None:
        """Return None, because the direction is conjugate only in the original variables."""

    def _judge(self, state: SCGState, decrease: float) -> SCGState:
        return judged(state, decrease, self.gradient_tolerance, self.value_tolerance)


def _probed(state: SCGState, objective: Objective) -> tuple[SCGState, float]:
    """Estimate the curvature dᵀHd along the direction by a difference of gradients.

    The evaluation is counted in the state. If the evaluation is rejected, the curvature is 0, so
    that only the damping counts.
    """
    length = float(np.linalg.norm(state.direction))
    fraction = PROBE * max(float(np.linalg.norm(state.x)), 1.0) / length
    evaluated = evaluate(objective, frozen(state.x + fraction * state.direction))
    state = counted(state, 1, int(evaluated is None))
    if evaluated is None:
        return state, 0.0
    return state, float(state.direction @ (evaluated[1] - state.gradient)) / fraction


def _turned(state: SCGState, gradient: Float[Array, " P"], slope: float) -> SCGState:
    """Return the next state; its direction is conjugate, or steepest descent every P iterations."""
    turn = float(gradient @ (gradient - state.gradient)) / -slope
    direction = turn * state.direction - gradient
    since_restart = state.since_restart + 1
    if since_restart >= gradient.size or not gradient @ direction < 0.0:
        direction, since_restart = -gradient, 0
    return replace(
        state,
        gradient=gradient,
        iteration=state.iteration + 1,
        direction=frozen(direction),
        since_restart=since_restart,
    )
