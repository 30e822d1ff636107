"""Check the filling of a sequence on its own given values, which are hidden like its gaps."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray

from gplvm_core.comparison.one_column import INTERVAL
from gplvm_core.numerics import Array

FEWEST = 20  # hidden values, for a share that means something
SHIFTS = 80  # positions of the gaps that are tried
MOST_HIDDEN, MOST_SEVERAL = 0.5, 0.25  # of the given values, at one and at several positions

Cells = Bool[NDArray[np.bool_], "n D"]


@dataclass(frozen=True)
class Checked:
    """The share of hidden values inside their 95 % intervals, and their number.

    factor: at least 1; with standard deviations larger by it, 95 % of the values are inside.
    """

    inside: float
    count: int
    factor: float = 1.0


def hidden_like_gaps(values: Float[Array, "n D"], fewest: int = FEWEST) -> Cells | None:
    """Given cells to hide for a check: the sequence's gaps, moved to other frames.

    values: rows in the order of time, NaN where missing. Of the positions at which the moved gaps
    hide the most given cells, the middle one is chosen, because it is neither the nearest to the
    gaps nor the nearest to an end. Further positions are added if at least one frame stays
    visible between all hidden parts, and at most a quarter of the given cells are hidden.
    None if fewer than `fewest` cells, or more than half of the given ones, would be hidden.
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


def _beside(frames: Bool[NDArray[np.bool_], " n"]) -> Bool[NDArray[np.bool_], " n"]:
    """These frames and their neighbours."""
    wider = frames.copy()
    wider[1:] |= frames[:-1]
    wider[:-1] |= frames[1:]
    return wider


def _moved(gaps: Cells, k: int) -> Cells:
    """The cells k frames later; none come from before the start or after the end."""
    moved = np.zeros_like(gaps)
    if k > 0:
        moved[k:] = gaps[:-k]
    else:
        moved[:k] = gaps[-k:]
    return moved


def share_inside(
    mean: Float[Array, "n D"], std: Float[Array, "n D"], truth: Float[Array, "n D"], hidden: Cells
) -> Checked | None:
    """How many hidden values with a known truth are inside their intervals; None if there are none.

    Cells without a standard deviation (NaN) do not count.
    """
    cells = hidden & ~np.isnan(truth) & ~np.isnan(std)
    if not cells.any():
        return None
    # The error of each value as a share of half its interval.
    reach = np.abs(mean - truth)[cells] / np.maximum(INTERVAL * std[cells], 1e-300)
    needed = float(np.quantile(reach, 0.95, method="higher"))
    return Checked(float(np.mean(reach <= 1.0)), int(cells.sum()), max(needed, 1.0))
