"""Units: what is subtracted from the outputs and divided out before a layer sees them."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Float

from gplvm_core.datasets import DataError
from gplvm_core.numerics import Array

HOW = ("global", "columns", "none")


@dataclass(frozen=True)
class Scaling:
    """Outputs = center + scale · internal, column by column."""

    center: Float[Array, " D"]
    scale: Float[Array, " D"]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, targets: Float[Array, "N D"], how: str) -> Self:
        """Centred per column, and divided by one scale ("global"), by each column's own
        ("columns"), or by nothing ("none"). Raises DataError when nothing varies.
        """
        if how not in HOW:
            raise ValueError(f"scaling must be one of {', '.join(HOW)}; got {how!r}")
        center = targets.mean(axis=0)
        spread = np.sqrt(np.mean((targets - center) ** 2, axis=0))
        # A constant column's computed spread is the rounding error of its mean, not 0.
        constant = spread <= 1e-12 * np.maximum(np.abs(center), np.finfo(float).tiny)
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
        """Outputs in the layer's internal units."""
        return (targets - self.center) / self.scale

    def log_jacobian(self, n_points: int) -> float:
        """log p of the data as given − log p of the scaled data, in nats."""
        return -n_points * float(np.sum(np.log(self.scale)))
