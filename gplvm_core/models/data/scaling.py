"""Scaling of the outputs before training: centre and scale of each column."""

from dataclasses import dataclass
from typing import Literal, Self, get_args

import numpy as np
from jaxtyping import Bool, Float, Int

from gplvm_core.numerics import Array, BoolArray, IntArray
from gplvm_core.readers import DataError
from gplvm_core.readers.checks import refuse_overflow, units_differ
from gplvm_core.readers.errors import by_count, listed, plural
from gplvm_core.readers.limits import SMALLEST
from gplvm_core.readers.missing import varies
from gplvm_core.statistics import Patterns

How = Literal["auto", "global", "columns", "none"]
Noise = Literal["shared", "per_output"]
HOW, NOISES = get_args(How), get_args(Noise)
AUTO = "auto"


def units_for(scaling: str, noise: str) -> str:
    """The scaling inside a model: "columns" with noise="per_output", otherwise the given scaling.

    With one noise variance per output, each column's scale is learnt, and the scaling only changes
    the start of training. Raises ValueError for an unknown noise or scaling.
    """
    if noise not in (*NOISES, AUTO):
        raise ValueError(f"noise must be one of {', '.join((*NOISES, AUTO))}; got {noise!r}")
    if scaling not in HOW:
        raise ValueError(f"scaling must be one of {', '.join(HOW)}; got {scaling!r}")
    return "columns" if noise == "per_output" else scaling


@dataclass(frozen=True)
class Scaling:
    """Outputs = center + scale · internal, column by column."""

    center: Float[Array, " D"]
    scale: Float[Array, " D"]
    notes: tuple[str, ...] = ()
    differ: bool = False  # whether how="auto" found columns with different units

    @classmethod
    def none(cls, n_outputs: int) -> Self:
        """The identity: a scaling that changes nothing."""
        return cls(np.zeros(n_outputs), np.ones(n_outputs))

    @classmethod
    def of(
        cls,
        targets: Float[Array, "N D"],
        how: str,
        *,
        empty_rows: bool = False,
        all_constant: bool = False,
    ) -> Self:
        """Compute centre and scale from the observed entries (NaN = missing).

        how: "global" divides all columns by one scale, "columns" divides each column by its own
        scale, "none" only centres, and "auto" is "columns" if the columns seem to have different
        units (`units_differ`), otherwise "global". Raises DataError if values are too large to
        square, or if a column has no observed value; unless all_constant is set, also if all
        columns are constant; and unless empty_rows is set, also if a row has no observed value.
        """
        if how not in HOW:
            raise ValueError(f"scaling must be one of {', '.join(HOW)}; got {how!r}")
        observed = ~np.isnan(targets)
        refuse_empty(observed, "column")
        if not empty_rows:
            refuse_empty(observed, "row")
        refuse_overflow(targets)
        center, spread, constant = column_units(targets)
        if constant.all() and not all_constant:
            raise DataError(
                "every column of the targets is constant: there is nothing to learn; "
                "check that the right columns were chosen"
            )
        notes: tuple[str, ...] = ()
        if constant.any():
            count = int(constant.sum())
            notes = (f"{count} of {len(constant)} columns {by_count(count, 'is', 'are')} constant",)
        differ = how == AUTO and units_differ(spread[~constant])
        if how == "columns" or differ:
            scale = np.where(constant, 1.0, spread)
        else:
            level = 1.0 if how == "none" else np.sqrt(np.mean(spread**2))
            scale = np.full(len(center), level)
        return cls(center, scale, notes, differ)

    def apply(self, targets: Float[Array, "N D"]) -> Float[Array, "N D"]:
        """Outputs in the layer's internal units; missing entries remain missing."""
        return (targets - self.center) / self.scale

    def log_jacobian(self, observed: Int[IntArray, " D"]) -> float:
        """log p(data in original units) − log p(scaled data), in nats.

        observed: the number of observed entries of each column.
        """
        most, log_scale = int(np.max(observed)), np.log(self.scale)
        # −Σ_d observed_d log scale_d, in two terms; for complete data, the second term is exactly
        # 0.
        return -most * float(np.sum(log_scale)) + float((most - observed) @ log_scale)


def noise_for(noise: str, scaling: Scaling) -> Noise:
    """The noise of the outputs: "auto" is "per_output" if the columns' units differ."""
    if noise == AUTO:
        return "per_output" if scaling.differ else "shared"
    return "per_output" if noise == "per_output" else "shared"


def noise_in_words(noise: str, scaling: Scaling) -> tuple[str, ...]:
    """A note if the columns' units decided the scaling, or also the noise."""
    if not scaling.differ:
        return ()
    what = "scale and noise" if noise_for(noise, scaling) == "per_output" else "scale"
    return (f"the columns seem to have different units, so each column has its own {what}",)


def column_units(
    values: Float[Array, "N D"],
) -> tuple[Float[Array, " D"], Float[Array, " D"], Bool[BoolArray, " D"]]:
    """Mean and standard deviation of each column's observed entries, and whether it is constant.

    A column without observed entries has mean and standard deviation 0. A column is constant if
    its values differ only by rounding errors. Raises DataError for columns whose values differ, but
    by so little that the squares of the differences underflow.
    """
    observed = ~np.isnan(values)
    count = np.maximum(observed.sum(axis=0), 1)
    center = np.where(observed, values, 0.0).sum(axis=0) / count
    deviation = np.where(observed, values - center, 0.0)
    spread = np.sqrt((deviation**2).sum(axis=0) / count)
    # The mean of large numbers has a rounding error. Correct the mean if this error would change
    # the spread.
    left = deviation.sum(axis=0) / count
    shown = np.abs(left) > 1e-9 * spread
    center = np.where(shown, center + left, center)
    spread = np.where(shown, np.sqrt(np.maximum(spread**2 - left**2, 0.0)), spread)
    varied = varies(values)
    tiny = np.flatnonzero(varied & (spread < SMALLEST))
    if len(tiny):
        raise DataError(
            f"{plural(len(tiny), 'column')} of the data, the first column {tiny[0]} (counted from "
            f"0), spread by less than {SMALLEST:g}: the squares are too small to compute with. "
            "Change the units, or leave these columns out"
        )
    return center, spread, ~varied


def refuse_empty(observed: Bool[BoolArray, "N D"], name: Literal["row", "column"]) -> None:
    """Raise DataError if a row or column has no observed value."""
    empty = np.flatnonzero(~observed.any(axis=1 if name == "row" else 0))
    if len(empty):
        plural = "s" if len(empty) > 1 else ""
        raise DataError(
            f"nothing is observed in {name}{plural} {listed([str(n) for n in empty])} of the "
            f"targets (counted from 0), so nothing can be learnt there; leave out such {name}s"
        )


def observed_counts(targets: Float[Array, "N D"]) -> Int[IntArray, " D"]:
    """The number of observed entries (not NaN) of each column."""
    return np.asarray((~np.isnan(targets)).sum(axis=0))


def gaps_in_words(targets: Float[Array, "N D"]) -> tuple[str, ...]:
    """A note (not a warning) on how missing outputs are handled."""
    missing = np.isnan(targets)
    if not missing.any():
        return ()
    n_patterns = Patterns.of(~missing).rows.shape[1]
    return (
        f"{missing.mean():.1%} of the targets are missing: they are left out of the sums, not "
        f"filled in ({n_patterns} pattern{'s' * (n_patterns > 1)} of gaps in {targets.shape[1]} "
        "columns)",
    )
