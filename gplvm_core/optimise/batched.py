"""Minimise many small independent problems together, one per row."""

from dataclasses import dataclass, fields
from typing import Protocol

import numpy as np
from jaxtyping import Bool, Float, Int

from gplvm_core.numerics import Array, BoolArray, IntArray
from gplvm_core.optimise.objective import check_settings, frozen

MEMORY = 10
SUFFICIENT_DECREASE = 1e-4
MOST_TRIALS = 20
# A step that was too long is shortened to a length between these fractions; a rejected step is
# shortened to PULL_BACK.
LEAST_KEPT, MOST_KEPT = 0.1, 0.5
PULL_BACK = 0.25
# After an iteration without positive curvature, the first trial step grows by this factor, up to
# this limit.
GROWTH, MOST_GROWN = 4.0, 1e6
EPS = float(np.finfo(np.float64).eps)
LARGEST = 1e150
# Slopes are useful even if the possible decrease is below the rounding error of the value. A row
# ends only if the decrease is below this fraction of that rounding error.
SPENT = 1e-6
# Values with a relative difference below VALUE_NOISE cannot rank steps. A step with such a
# difference is accepted only if the slope has decreased to the fraction FLATTENED.
VALUE_NOISE = 1e-13
FLATTENED = 0.9


class RowsObjective(Protocol):
    """Functions to minimise, one for each row of a matrix, with their gradients.

    The function takes some rows X (r, P) and their row numbers in X0 (r,). It returns values (r,)
    and gradients (r, P). A value or gradient that is not finite rejects the evaluation of that row
    only.
    """

    def __call__(
        self, X: Float[Array, "r P"], rows: Int[IntArray, " r"], /
    ) -> tuple[Float[Array, " r"], Float[Array, "r P"]]: ...


@dataclass(frozen=True, eq=False)
class RowsResult:
    """Where each row ended: `x` (R, P), `values` (R,) and accepted `iterations` (R,).

    `converged` (R,): the gradient is within the tolerance, or the possible decrease is below the
    rounding error of the value. The other rows reached `max_iter` or found no lower value.
    """

    x: Float[Array, "R P"]
    values: Float[Array, " R"]
    converged: Bool[BoolArray, " R"]
    iterations: Int[IntArray, " R"]


@dataclass(frozen=True, eq=False)
class _Batch:
    """The r rows whose optimisation has not ended: work arrays of one call, modified in place.

    `steps` and `changes` (r, memory, P) hold the latest differences, newest first. Unused entries,
    and their `inverse_curvatures` (r, memory), are zero and have no effect. The trial step of a row
    is its direction times its entry of `lengths`. `trials` counts the trial steps, and `grown` is
    the length of the first of them.
    """

    rows: IntArray
    x: Array
    values: Array
    gradients: Array
    iterations: IntArray
    trials: IntArray
    lengths: Array
    grown: Array
    steps: Array
    changes: Array
    inverse_curvatures: Array

    def only(self, kept: BoolArray) -> "_Batch":
        return _Batch(*(getattr(self, field.name)[kept] for field in fields(self)))


def minimise_rows(
    objective_rows: RowsObjective,
    X0: Array,
    max_iter: int = 200,
    tolerance: float = 1e-5,
) -> RowsResult:
    """Minimise R independent functions of P variables by L-BFGS, evaluating them together.

    X0 (R, P) holds the starts. A row leaves the batch if no entry of its gradient exceeds
    `tolerance` in size, or if no lower value is found. It also leaves after `max_iter` accepted
    iterations. Each row has its own memory and its own backtracking (Armijo's condition), so no row
    influences another. Raises ValueError for starts that are not finite or cannot be evaluated.
    """
    starts = frozen(X0)
    if starts.ndim != 2 or starts.shape[1] == 0:
        raise ValueError(f"The starts must form a matrix of rows (R, P), got {starts.shape}.")
    check_settings({"max_iter": (max_iter, 0), "tolerance": (tolerance, 0.0)})
    end_x, end_values = starts.copy(), np.empty(len(starts))
    converged = np.zeros(len(starts), dtype=np.bool_)
    iterations = np.zeros(len(starts), dtype=np.intp)
    if len(starts) == 0:
        return RowsResult(end_x, end_values, converged, iterations)

    batch = _started(objective_rows, starts)
    stuck = np.zeros(len(starts), dtype=np.bool_)
    while True:
        directions, slopes = _directions(batch)
        # Along a scaled direction, −slope is twice the possible decrease.
        spent = (
            (batch.trials == 0) & _remembers(batch) & (-slopes < SPENT * EPS * np.abs(batch.values))
        )
        solved = spent | (_largest(batch.gradients) <= tolerance)
        ended = solved | stuck | (batch.iterations >= max_iter)
        if ended.any():
            rows = batch.rows[ended]
            end_x[rows], end_values[rows] = batch.x[ended], batch.values[ended]
            converged[rows], iterations[rows] = solved[ended], batch.iterations[ended]
            batch = batch.only(~ended)
            directions, slopes = directions[~ended], slopes[~ended]
        if batch.rows.size == 0:
            return RowsResult(end_x, end_values, converged, iterations)
        stuck = _try(objective_rows, batch, directions, slopes)


def _started(objective_rows: RowsObjective, starts: Array) -> _Batch:
    count, size = starts.shape
    rows = np.arange(count)
    values, gradients, finite = _evaluated(objective_rows, starts, rows)
    failed = np.flatnonzero(~(finite & np.isfinite(starts).all(axis=1)))
    if failed.size:
        shown = ", ".join(str(row) for row in failed[:5])
        raise ValueError(
            f"At the start, {failed.size} of {count} rows, or their objectives, are not finite "
            f"(rows {shown}{', …' if failed.size > 5 else ''}); start each row where the objective "
            "can be evaluated."
        )
    return _Batch(
        rows=rows,
        x=starts.copy(),
        values=values,
        gradients=gradients,
        iterations=np.zeros(count, dtype=np.intp),
        trials=np.zeros(count, dtype=np.intp),
        lengths=np.zeros(count),
        grown=np.ones(count),
        steps=np.zeros((count, MEMORY, size)),
        changes=np.zeros((count, MEMORY, size)),
        inverse_curvatures=np.zeros((count, MEMORY)),
    )


def _evaluated(
    objective_rows: RowsObjective, x: Array, rows: IntArray
) -> tuple[Array, Array, BoolArray]:
    """Evaluate rows and check the shapes; return values (r,), gradients (r, P), and which rows are
    finite (r,).
    """
    values, gradients = (np.array(a, dtype=np.float64) for a in objective_rows(x, rows))
    if values.shape != rows.shape or gradients.shape != x.shape:
        raise ValueError(
            f"The objective of {x.shape[0]} rows of {x.shape[1]} variables gave values of shape "
            f"{values.shape} and gradients of shape {gradients.shape}; return one value and one "
            "gradient per row."
        )
    # A gradient whose square overflows counts as infinite.
    return values, gradients, np.isfinite(values) & (_largest(gradients) < LARGEST)


def _largest(gradients: Array) -> Array:
    return np.asarray(np.abs(gradients).max(axis=1))


def _dot(a: Array, b: Array) -> Array:
    # Not einsum: its last digits can depend on the arrays' alignment in memory.
    return np.asarray(np.sum(a * b, axis=1))


def _remembers(batch: _Batch) -> BoolArray:
    return batch.inverse_curvatures[:, 0] > 0.0


def _directions(batch: _Batch) -> tuple[Array, Array]:
    """Return each row's direction by the two-loop recursion, and the slope along it.

    Clears the memory of rows whose direction is uphill.
    """
    steps, changes, inverse = batch.steps, batch.changes, batch.inverse_curvatures
    depth = int(np.count_nonzero(inverse.any(axis=0)))
    directions = -batch.gradients
    weights = np.empty((depth, len(directions)))
    for age in range(depth):
        weights[age] = inverse[:, age] * _dot(steps[:, age], directions)
        directions -= weights[age, :, None] * changes[:, age]
    remembers = _remembers(batch)
    if depth:
        roughness = inverse[:, 0] * _dot(changes[:, 0], changes[:, 0])
        directions /= np.where(remembers, roughness, 1.0)[:, None]
    for age in reversed(range(depth)):
        correction = inverse[:, age] * _dot(changes[:, age], directions)
        directions += (weights[age] - correction)[:, None] * steps[:, age]
    slopes = _dot(batch.gradients, directions)
    uphill = remembers & ~(slopes < 0.0)
    if uphill.any():
        _forget(batch, uphill)
        directions[uphill] = -batch.gradients[uphill]
        slopes[uphill] = -_dot(batch.gradients[uphill], batch.gradients[uphill])
    return directions, slopes


def _forget(batch: _Batch, forgetful: BoolArray) -> None:
    """Restart rows with steepest descent, with the length of the newest step as the scale."""
    batch.grown[forgetful] = np.linalg.norm(batch.steps[forgetful, 0], axis=1)
    batch.trials[forgetful] = 0
    for array in (batch.steps, batch.changes, batch.inverse_curvatures):
        array[forgetful] = 0.0


def _try(
    objective_rows: RowsObjective, batch: _Batch, directions: Array, slopes: Array
) -> BoolArray:
    """Evaluate a trial step of every row, and accept or shorten it. Returns which rows failed."""
    fresh = batch.trials == 0
    steepness = np.sqrt(_dot(batch.gradients, batch.gradients))
    first = np.where(_remembers(batch), batch.grown, batch.grown / steepness)
    batch.lengths[fresh] = first[fresh]
    x = batch.x + batch.lengths[:, None] * directions
    values, gradients, finite = _evaluated(objective_rows, x, batch.rows)
    batch.trials[:] += 1

    predicted = batch.lengths * slopes
    excess = np.where(finite, values, np.inf) - batch.values
    turned = _dot(np.where(finite[:, None], gradients, 0.0), directions)
    flat = np.abs(turned) <= -FLATTENED * slopes
    accepted = excess <= SUFFICIENT_DECREASE * predicted
    accepted |= flat & (excess <= VALUE_NOISE * np.abs(batch.values))
    _shorten(batch, ~accepted, predicted, excess)
    _move(batch, accepted, x, values, gradients)

    hopeless = -batch.lengths * slopes < EPS * np.abs(batch.values)
    failed = ~accepted & (hopeless | (batch.trials >= MOST_TRIALS))
    misled = failed & _remembers(batch)
    if misled.any():
        _forget(batch, misled)
    return failed & ~misled


def _shorten(batch: _Batch, too_long: BoolArray, predicted: Array, excess: Array) -> None:
    """Shorten steps to the safeguarded minimum of a parabola through value, slope and trial."""
    if not too_long.any():
        return
    rise = excess[too_long]
    slope = predicted[too_long]
    finite = np.isfinite(rise)
    bend = np.where(finite, rise - slope, 1.0)
    factor = np.where(finite, np.clip(-0.5 * slope / bend, LEAST_KEPT, MOST_KEPT), PULL_BACK)
    batch.lengths[too_long] *= factor


def _move(batch: _Batch, accepted: BoolArray, x: Array, values: Array, gradients: Array) -> None:
    """Apply the accepted steps, and store those with positive curvature in the memory."""
    rows = np.flatnonzero(accepted)
    moved = x[rows] - batch.x[rows]
    change = gradients[rows] - batch.gradients[rows]
    curvature = _dot(moved, change)
    curved = curvature > EPS * _dot(change, change)
    batch.x[rows] = x[rows]
    batch.values[rows] = values[rows]
    batch.gradients[rows] = gradients[rows]
    batch.iterations[rows] += 1
    batch.trials[rows] = 0
    batch.grown[rows] = np.where(curved, 1.0, np.minimum(GROWTH * batch.grown[rows], MOST_GROWN))
    kept = rows[curved]
    for array, newest in (
        (batch.steps, moved[curved]),
        (batch.changes, change[curved]),
        (batch.inverse_curvatures, 1.0 / curvature[curved]),
    ):
        array[kept, 1:] = array[kept, :-1]
        array[kept, 0] = newest
