"""A line search for the strong Wolfe conditions that needs few evaluations.

Source: Moré & Thuente (1994), Line search algorithms with guaranteed sufficient decrease; the
tolerances are those of L-BFGS-B.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.optimise.objective import Objective, evaluate, frozen

SUFFICIENT_DECREASE = 1e-3
CURVATURE = 0.9
LONGEST_STEP = 1e10
MOST_EVALUATIONS = 20
# A rejected step is shortened to this fraction of its distance from the best step.
PULL_BACK = 0.25
# The search ends at these relative widths of the bracket: the first width if there is a sufficient
# decrease, otherwise the second.
NARROW_BRACKET = 0.1
EMPTY_BRACKET = 1e-12


@dataclass(frozen=True, eq=False)
class Found:
    """The result of a line search: `reason` is empty if it succeeded.

    After a failure `x`, `value` and `gradient` are those of the starting point.
    """

    x: Float[Array, " P"]
    value: float
    gradient: Float[Array, " P"]
    evaluations: int
    rejected: int
    reason: str


class Trial(NamedTuple):
    """A step along the line with the function's value and directional derivative."""

    step: float
    value: float
    slope: float


class Bracket(NamedTuple):
    """The best step so far, the interval's other end, and whether a minimum is between both."""

    best: Trial
    other: Trial
    closed: bool


def search(
    objective: Objective,
    x: Float[Array, " P"],
    value: float,
    gradient: Float[Array, " P"],
    direction: Float[Array, " P"],
    first_step: float,
) -> Found:
    """Find a point along the direction that satisfies the strong Wolfe conditions.

    Steps are in units of `direction`. If an evaluation is rejected, the next step is shorter and
    closer to the best step, and longer steps are not tried again. If no point satisfies the
    curvature condition, the lowest point of sufficient decrease is returned.
    """
    start = Trial(0.0, value, float(gradient @ direction))
    if not start.slope < 0.0:
        return Found(x, value, gradient, 0, 0, "the direction does not lead downhill")
    decrease = SUFFICIENT_DECREASE * start.slope
    bracket = Bracket(start, start, False)
    widths = (LONGEST_STEP, 2.0 * LONGEST_STEP)
    low, high, ceiling = 0.0, 5.0 * first_step, LONGEST_STEP
    step = min(first_step, ceiling)
    lowest: tuple[float, Array, Array] | None = None
    evaluations, rejected, modified = 0, 0, True
    reason = f"no sufficient decrease within {MOST_EVALUATIONS} evaluations"

    while evaluations < MOST_EVALUATIONS:
        if -step * start.slope < np.finfo(np.float64).eps * abs(value):
            reason = "the possible decrease is below the rounding error of the value"
            break
        point = frozen(x + step * direction)
        evaluated = evaluate(objective, point)
        evaluations += 1
        if evaluated is None:
            rejected += 1
            shorter = bracket.best.step + PULL_BACK * (step - bracket.best.step)
            ceiling = shorter if step > bracket.best.step else ceiling
            step = shorter
            continue

        trial = Trial(step, evaluated[0], float(evaluated[1] @ direction))
        enough = trial.value <= value + step * decrease
        if enough and (lowest is None or trial.value < lowest[0]):
            lowest = (trial.value, point, evaluated[1])
        if enough and abs(trial.slope) <= -CURVATURE * start.slope:
            return Found(point, *evaluated, evaluations, rejected, "")
        if enough and step >= ceiling and trial.slope <= decrease:
            break

        if enough and trial.slope >= 0.0:
            modified = False
        bracket, step = _advance(bracket, trial, low, high, decrease, modified and not enough)
        if bracket.closed:
            step, widths = _narrower(bracket, step, widths)
            low = min(bracket.best.step, bracket.other.step)
            high = max(bracket.best.step, bracket.other.step)
            narrow = NARROW_BRACKET if lowest is not None else EMPTY_BRACKET
            if widths[0] <= narrow * high or not low < step < high:
                reason = "rounding errors leave no point of sufficient decrease in the bracket"
                break
        else:
            low, high = (step + factor * (step - bracket.best.step) for factor in (1.1, 4.0))
        step = min(step, ceiling)
        if step == bracket.best.step:
            reason = "no step is left between the best one and a rejected one"
            break

    if lowest is None:
        return Found(x, value, gradient, evaluations, rejected, reason)
    return Found(lowest[1], lowest[0], lowest[2], evaluations, rejected, "")


def _narrower(
    bracket: Bracket, step: float, widths: tuple[float, float]
) -> tuple[float, tuple[float, float]]:
    """Return the step, or the middle of a bracket that shrinks too slowly, and the last widths."""
    width = abs(bracket.other.step - bracket.best.step)
    if width >= 0.66 * widths[1]:
        step = 0.5 * (bracket.best.step + bracket.other.step)
    return step, (width, widths[0])


def _advance(
    bracket: Bracket, trial: Trial, low: float, high: float, decrease: float, modified: bool
) -> tuple[Bracket, float]:
    """Return the bracket after a trial, and the next step to try.

    Until a step gives sufficient decrease, the search minimises the value minus the required
    decrease. The minimiser of this difference satisfies the condition (Moré & Thuente, section 2).
    """
    if not (modified and trial.value <= bracket.best.value):
        return _interpolate(bracket, trial, low, high)

    def tilt(t: Trial, sign: float) -> Trial:
        return Trial(t.step, t.value - sign * t.step * decrease, t.slope - sign * decrease)

    tilted = Bracket(tilt(bracket.best, 1.0), tilt(bracket.other, 1.0), bracket.closed)
    advanced, step = _interpolate(tilted, tilt(trial, 1.0), low, high)
    return Bracket(tilt(advanced.best, -1.0), tilt(advanced.other, -1.0), advanced.closed), step


def _interpolate(bracket: Bracket, trial: Trial, low: float, high: float) -> tuple[Bracket, float]:
    """Make a safeguarded cubic or quadratic step, in four cases (Moré & Thuente, section 4)."""
    best, other, closed = bracket
    turned = trial.slope * best.slope < 0.0
    span = trial.step - best.step
    bend = trial.slope - best.slope
    secant = trial.step - trial.slope / bend * span if bend != 0.0 else high

    if trial.value > best.value:  # 1: higher, so a minimum is bracketed
        cubic = _cubic(best, trial)
        fall = (best.value - trial.value) / span + best.slope
        quadratic = best.step + 0.5 * best.slope / fall * span
        nearer = abs(cubic - best.step) < abs(quadratic - best.step)
        step = cubic if nearer else 0.5 * (cubic + quadratic)
        closed = True
    elif turned:  # 2: lower and the slope has turned, so a minimum is bracketed
        cubic = _cubic(best, trial)
        step = cubic if abs(cubic - trial.step) > abs(secant - trial.step) else secant
        closed = True
    elif abs(trial.slope) < abs(best.slope):  # 3: lower and flatter, so the minimum is farther away
        far = high if trial.step > best.step else low
        cubic = _cubic(best, trial, beyond=far)
        if closed:
            step = cubic if abs(cubic - trial.step) < abs(secant - trial.step) else secant
            limit = trial.step + 0.66 * (other.step - trial.step)
            step = min(limit, step) if trial.step > best.step else max(limit, step)
        else:
            step = cubic if abs(cubic - trial.step) > abs(secant - trial.step) else secant
            step = min(high, max(low, step))
    elif closed:  # 4: lower but not flatter, inside a bracket
        step = _cubic(trial, other)
    else:  # 4: lower but not flatter, nothing is bracketed
        step = high if trial.step > best.step else low

    if trial.value > best.value:
        return Bracket(best, trial, closed), step
    return Bracket(trial, best if turned else other, closed), step


def _cubic(a: Trial, b: Trial, beyond: float | None = None) -> float:
    """Return the minimiser of the cubic with these values and slopes (Nocedal & Wright, eq. 3.59).

    `beyond`: the limit of an extrapolation past b, returned if the cubic has no minimum there.
    """
    d = a.slope + b.slope - 3.0 * (b.value - a.value) / (b.step - a.step)
    scale = max(abs(d), abs(a.slope), abs(b.slope))
    square = (d / scale) ** 2 - (a.slope / scale) * (b.slope / scale)
    root = float(np.copysign(scale * np.sqrt(max(square, 0.0)), b.step - a.step))
    bottom = b.slope - a.slope + 2.0 * root
    fraction = (b.slope + root - d) / bottom if bottom != 0.0 else np.nan
    step = b.step - fraction * (b.step - a.step)
    if beyond is None:
        return step if np.isfinite(step) else 0.5 * (a.step + b.step)
    return step if root != 0.0 and fraction < 0.0 else beyond
