"""Fill the gaps of a sequence, and check how well: hide given values in the shape of its gaps."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import ArrayLike

from gplvm_core.models.estimators.back_test import MODEL, in_percent
from gplvm_core.models.estimators.forecaster import UNEVEN
from gplvm_core.numerics import Array, BoolArray
from gplvm_core.prediction.intervals import COVERED, NORMAL, Errors
from gplvm_core.prediction.paths import StepCallback
from gplvm_core.prediction.simple_forecasts import period_of
from gplvm_core.prediction.simple_gaps import across_gaps
from gplvm_core.readers.errors import plural

FEWEST = 20  # hidden values; with fewer, the share is not reliable
LEAST_TRIED = 8  # hidden values that choose between a rule and the model
SHIFTS = 80  # positions to which the gaps are moved for a trial
MOST_HIDDEN, MOST_SEVERAL = 0.5, 0.25  # shares of given values, for one and several positions

Cells = Bool[BoolArray, "n D"]


@dataclass(frozen=True)
class Checked:
    """The share of hidden values inside their 95 % intervals, and their number.

    factor: multiply the standard deviations by it, and 95 % of the values are inside; at least 1.
    """

    inside: float
    count: int
    factor: float = 1.0


def hidden_like_gaps(values: Float[Array, "n D"], fewest: int = FEWEST) -> Cells | None:
    """Given cells to hide for a check: the sequence's gaps, moved to other frames.

    values: rows in the order of time, NaN where missing. The function finds the positions at which
    the moved gaps hide the most given cells. It chooses the middle one, which is neither the
    nearest to the gaps nor the nearest to an end. It adds further positions if at least one frame
    stays visible between all hidden parts, and at most a quarter of the given cells are hidden.
    Returns None if fewer than `fewest` cells, or more than half of the given cells, would be
    hidden.
    """
    gaps, count = np.isnan(values), len(values)
    step = max(1, 2 * count // SHIFTS)
    shifts = [k for k in range(-count + 1, count, step) if k != 0]
    number = [int(np.sum(_moved(gaps, k) & ~gaps)) for k in shifts]
    most, given = max(number, default=0), int(np.sum(~gaps))
    if most < fewest or most > MOST_HIDDEN * given:
        return None
    best = [k for k, each in zip(shifts, number, strict=True) if each == most]
    middle = best[len(best) // 2]
    hidden = _moved(gaps, middle) & ~gaps
    for k in sorted(best, key=lambda each: abs(each - middle)):
        more = _moved(gaps, k) & ~gaps
        apart = not (_beside(np.asarray(more.any(axis=1))) & (hidden | gaps).any(axis=1)).any()
        if apart and hidden.sum() + most <= MOST_SEVERAL * given:
            hidden |= more
    return hidden


@dataclass(frozen=True)
class GapsByRule:
    """Who fills the empty rows of a series: a simple rule that was better on hidden gaps, or the
    model.

    reason: the choice and the errors, in words. mean, std: the rows that the rule fills, NaN
    elsewhere; None if the model fills all.
    """

    reason: str
    mean: Float[Array, "n D"] | None = None
    std: Float[Array, "n D"] | None = None


@dataclass(frozen=True, eq=False)
class FilledSequence:
    """A sequence with its gaps filled; observed values do not change.

    values, std: the rows and their standard deviations. path, path_std: where the model places the
    rows. by_rule: the rows that a simple rule filled. reason: who filled the empty rows, and why;
    "" if no rule forecasts the series, or no row is empty.
    """

    values: Any
    std: Float[Array, "n D"]
    path: Float[Array, "n Q"]
    path_std: Float[Array, "n Q"]
    by_rule: Bool[BoolArray, " n"]
    reason: str = ""


def fill_sequence(
    model: Any,
    Y: ArrayLike,
    times: ArrayLike,
    *,
    adapt: bool | None = None,
    callback: StepCallback | None = None,
) -> FilledSequence:
    """Fill the gaps of a sequence by the model, or its empty rows by the rule that forecasts it.

    If a simple rule, such as trend and season, forecasts the sequences of the model
    (`forecaster_`), hidden gaps of the same length decide whether the rule or the model fills the
    rows without any value. `complete` of the model fills all other gaps.

    Parameters
    ----------
    model : estimator
        A trained model over time.
    Y : array_like of shape (n, D)
        The rows in the order of time, with an empty row for every step that lacks; NaN marks
        missing values.
    times : array_like of shape (n,)
        The times of the rows. A rule needs equal steps; weekends may lack.
    adapt, callback
        As for `complete`.

    Returns
    -------
    FilledSequence
        The rows as arrays, or as `complete` returns them if columns have words or counts.
    """

    def fill(rows: ArrayLike) -> tuple[Any, ...]:
        whole, *others = model.complete(
            rows, times=times, adapt=adapt, callback=callback, return_std=True, return_latent=True
        )
        return whole, *(np.array(each, dtype=float) for each in others)

    whole, std, path, path_std = fill(Y)
    by_rule, chosen = np.zeros(len(std), dtype=bool), getattr(model, "forecaster_", None)
    reason = ""
    if chosen is not None and chosen.name != MODEL:
        whole, rows = np.array(whole, dtype=float), np.asarray(Y, dtype=float)
        empty = np.isnan(rows).all(axis=1).any()
        if empty and not _steady(np.ravel(np.asarray(times, dtype=float))):
            reason = f"Filled by the model: {UNEVEN}."
        elif empty:
            found = gaps_by_rule(chosen.name, rows, lambda seen: fill(seen)[:2])
            reason = found.reason
            if found.mean is not None and found.std is not None:
                by_rule = np.asarray(~np.isnan(found.mean).any(axis=1))
                whole[by_rule], std[by_rule] = found.mean[by_rule], found.std[by_rule]
                path[by_rule], path_std[by_rule] = model.transform(whole[by_rule], return_std=True)
    return FilledSequence(whole, std, path, path_std, by_rule, reason)


def _steady(times: Float[Array, " n"]) -> bool:
    """Whether rows are one step apart: equal steps, months, or days without weekends."""
    if len(times) < 2:
        return True
    steps = np.diff(times)
    steps = np.rint(steps / np.median(steps))
    far = np.flatnonzero(steps != 1.0)
    weeks = np.all(steps[far] == 3.0) and len(far) >= len(steps) // 5
    return not len(far) or bool(weeks and np.all(np.diff(far) == 5))


def gaps_by_rule(
    name: str,
    values: Float[Array, "n D"],
    fill: Callable[[Float[Array, "n D"]], tuple[Float[Array, "n D"], Float[Array, "n D"]]],
) -> GapsByRule:
    """Compare a rule of `simple_forecasts` with a model on hidden gaps, and fill by the better one.

    values: one row for each step, NaN where missing; only rows without any value are filled by the
    rule. fill: the model's means and standard deviations of rows with gaps. The rule's intervals
    are as wide as 95 % of the hidden values need.
    """
    empty = np.asarray(np.isnan(values).all(axis=1))
    shape = np.where(empty[:, None], np.nan, np.zeros_like(values))
    hidden, called = hidden_like_gaps(shape, fewest=1), name[0].lower() + name[1:]
    if not empty.any() or hidden is None:
        return GapsByRule(
            f"Filled by the model: no gap of this length can be hidden to test {called}."
        )
    period, seen = period_of(values), np.where(hidden, np.nan, values)
    own, other = fill(seen), across_gaps(seen, name, period)
    judged = hidden & ~np.isnan(values) & ~np.isnan(other[0])
    checked = share_inside(*other, values, judged)
    mean, std = across_gaps(values, name, period)
    filled = ~np.isnan(mean).any(axis=1)
    if not filled.any():
        return GapsByRule(
            f"Filled by the model: {called} needs more values of every column beside the gaps."
        )
    if checked is None or checked.count < LEAST_TRIED:
        return GapsByRule(f"Filled by the model: the other rows are too few to test {called}.")
    spread = np.nanstd(np.where(np.isnan(values).all(axis=0), 0.0, values), axis=0)
    # The model's map was trained on the hidden rows, too, so a rule that is better is truly better.
    sizes = [Errors.of(*each, values, spread, judged=judged).size for each in (own, other)]
    model, rule = map(in_percent, sizes)
    where = "in hidden gaps of the same length its error was"
    if sizes[0] <= sizes[1]:
        return GapsByRule(
            f"Filled by the model: {where} {model} of the data's spread, that of {called} {rule}."
        )
    rest = int(np.sum(empty & ~filled))
    others = f" The model fills {plural(rest, 'other row')}." if rest else ""
    return GapsByRule(
        f"Filled by {called}, from the rows before and after: {where} {rule} of the data's "
        f"spread, the model's {model}. At least 95\u00a0% of these {checked.count} hidden values "
        f"are inside its intervals.{others}",
        mean,
        checked.factor * std,
    )


def _beside(frames: Bool[BoolArray, " n"]) -> Bool[BoolArray, " n"]:
    """The frames that are marked, and their neighbours."""
    wider = frames.copy()
    wider[1:] |= frames[:-1]
    wider[:-1] |= frames[1:]
    return wider


def _moved(gaps: Cells, k: int) -> Cells:
    """Move the cells by k frames; cells that leave the sequence are lost."""
    moved = np.zeros_like(gaps)
    if k > 0:
        moved[k:] = gaps[:-k]
    else:
        moved[:k] = gaps[-k:]
    return moved


def share_inside(
    mean: Float[Array, "n D"], std: Float[Array, "n D"], truth: Float[Array, "n D"], hidden: Cells
) -> Checked | None:
    """The share of hidden values inside their intervals; None if no hidden value has a known truth.

    Cells without a standard deviation (NaN) do not count.
    """
    cells = hidden & ~np.isnan(truth) & ~np.isnan(std)
    if not cells.any():
        return None
    spread = np.where(np.isnan(truth), 0.0, truth).std(axis=0)
    unit = np.where(spread > 0.0, spread, 1.0)
    errors = Errors.of(mean, std, truth, unit, judged=cells)
    needed = float(np.quantile(errors.away, COVERED, method="higher")) / NORMAL
    return Checked(errors.inside(), int(cells.sum()), max(needed, 1.0))
