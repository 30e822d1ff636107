"""Units: what is subtracted from the outputs and divided out before a layer sees them."""

from dataclasses import dataclass
from typing import Literal, Self, get_args

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray

from gplvm_core.numerics import Array
from gplvm_core.readers import DataError
from gplvm_core.readers.checks import refuse_overflow
from gplvm_core.readers.errors import listed
from gplvm_core.statistics import Patterns

How = Literal["global", "columns", "none"]
Noise = Literal["shared", "per_output"]
HOW, NOISES = get_args(How), get_args(Noise)
# Values that differ by less than this share of their size differ by rounding alone: 64 units in
# the last place, more than a few sums and products lose.
ROUNDING = 64 * float(np.finfo(float).eps)


def units_for(scaling: str, noise: str) -> str:
    """How outputs are scaled inside a model with one noise for all of them, or one for each.

    With its own noise a column's scale is learnt, so only where training starts could hang on it:
    each is given its own. Raises ValueError for a noise that there is not.
    """
    if noise not in NOISES:
        raise ValueError(f"noise must be one of {', '.join(NOISES)}; got {noise!r}")
    if scaling not in HOW:
        raise ValueError(f"scaling must be one of {', '.join(HOW)}; got {scaling!r}")
    return "columns" if noise == "per_output" else scaling


@dataclass(frozen=True)
class Scaling:
    """Outputs = center + scale · internal, column by column."""

    center: Float[Array, " D"]
    scale: Float[Array, " D"]
    notes: tuple[str, ...] = ()

    @classmethod
    def none(cls, n_outputs: int) -> Self:
        """Units that stay as they are."""
        return cls(np.zeros(n_outputs), np.ones(n_outputs))

    @classmethod
    def of(cls, targets: Float[Array, "N D"], how: str, *, empty_rows: bool = False) -> Self:
        """Centred per column, and divided by one scale ("global"), by each column's own
        ("columns"), or by nothing ("none"); both from the observed entries alone (NaN = missing).

        Raises DataError when nothing varies, when values are too large to be squared, and when a
        column or, unless empty_rows allows it, a row is missing altogether.
        """
        if how not in HOW:
            raise ValueError(f"scaling must be one of {', '.join(HOW)}; got {how!r}")
        observed = ~np.isnan(targets)
        refuse_empty(observed, "column")
        if not empty_rows:
            refuse_empty(observed, "row")
        refuse_overflow(targets)
        center, spread, constant = column_units(targets)
        if constant.all():
            raise DataError(
                "every column of the targets is constant: there is nothing to learn; "
                "check that the right columns were chosen"
            )
        notes: tuple[str, ...] = ()
        if constant.any():
            notes = (f"{int(constant.sum())} of {len(constant)} columns are constant",)
        if how == "columns":
            scale = np.where(constant, 1.0, spread)
        else:
            level = np.sqrt(np.mean(spread**2)) if how == "global" else 1.0
            scale = np.full(len(center), level)
        return cls(center, scale, notes)

    def apply(self, targets: Float[Array, "N D"]) -> Float[Array, "N D"]:
        """Outputs in the layer's internal units; missing entries stay missing."""
        return (targets - self.center) / self.scale

    def log_jacobian(self, observed: Int[NDArray[np.intp], " D"]) -> float:
        """log p of the data as given − log p of the scaled data, in nats.

        observed: how many entries of each column are observed.
        """
        most, log_scale = int(np.max(observed)), np.log(self.scale)
        # −Σ_d observed_d log scale_d, written so that complete data have one product only.
        return -most * float(np.sum(log_scale)) + float((most - observed) @ log_scale)


def column_units(
    values: Float[Array, "N D"],
) -> tuple[Float[Array, " D"], Float[Array, " D"], Bool[NDArray[np.bool_], " D"]]:
    """Mean and standard deviation of each column's observed entries (0, 0: it has none), and
    whether the column is constant.

    A column is constant when its values differ by no more than their own rounding. A large mean
    does not make it constant: the spread is judged after the mean is subtracted.
    """
    observed = ~np.isnan(values)
    count = np.maximum(observed.sum(axis=0), 1)
    center = np.where(observed, values, 0.0).sum(axis=0) / count
    deviation = np.where(observed, values - center, 0.0)
    spread = np.sqrt((deviation**2).sum(axis=0) / count)
    # The mean of large numbers is rounded. Where that shows beside the spread it is taken off.
    left = deviation.sum(axis=0) / count
    shown = np.abs(left) > 1e-9 * spread
    center = np.where(shown, center + left, center)
    spread = np.where(shown, np.sqrt(np.maximum(spread**2 - left**2, 0.0)), spread)
    lowest, highest = np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)
    varies = highest - lowest > ROUNDING * np.maximum(np.abs(lowest), np.abs(highest))
    return center, spread, ~varies


def refuse_empty(observed: Bool[NDArray[np.bool_], "N D"], name: Literal["row", "column"]) -> None:
    """Raise DataError when a row, or a column, is missing altogether."""
    empty = np.flatnonzero(~observed.any(axis=1 if name == "row" else 0))
    if len(empty):
        plural = "s" if len(empty) > 1 else ""
        raise DataError(
            f"nothing is observed in {name}{plural} {listed([str(n) for n in empty])} of the "
            f"targets (counted from 0), so nothing can be learnt there; leave out such {name}s"
        )


def observed_counts(targets: Float[Array, "N D"]) -> Int[NDArray[np.intp], " D"]:
    """How many entries of each column are observed (not NaN)."""
    return np.asarray((~np.isnan(targets)).sum(axis=0))


def gaps_in_words(targets: Float[Array, "N D"]) -> tuple[str, ...]:
    """What was done about missing outputs: a fact to show, not a decision to warn of."""
    missing = np.isnan(targets)
    if not missing.any():
        return ()
    n_patterns = Patterns.of(~missing).rows.shape[1]
    return (
        f"{missing.mean():.1%} of the targets are missing: left out of the sums, not filled in "
        f"({n_patterns} pattern{'s' * (n_patterns > 1)} of gaps in {targets.shape[1]} columns)",
    )
