"""Check how well a model fills a sequence: hide given values in the shape of its gaps."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from gplvm_core.numerics import Array, BoolArray
from gplvm_core.prediction.intervals import COVERED, NORMAL, Errors

FEWEST = 20  # hidden values; with fewer, the share is not reliable
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
