"""Scaling of a regression's inputs and of their variances."""

from typing import Literal

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.models.data.rows import as_floats
from gplvm_core.models.data.scaling import Scaling, column_units
from gplvm_core.numerics import Array

Variance = Float[Array, "N Q"] | Literal["learned"] | None


def input_scaling(points: Float[Array, "N Q"]) -> Scaling:
    """Each column's mean and standard deviation over its observed entries.

    A constant column is only centred; a completely missing column has center 0 and scale 1.
    """
    center, spread, constant = column_units(points)
    n_constant = int((constant & ~np.isnan(points).all(axis=0)).sum())
    notes: tuple[str, ...] = ()
    if n_constant:
        notes = (f"{n_constant} of {len(center)} input columns are constant and have no effect",)
    return Scaling(center, np.where(constant, 1.0, spread), notes)


def internal_variance(
    variance: ArrayLike | None, shape: tuple[int, int], scale: Float[Array, " Q"]
) -> Variance:
    """Convert variances of inputs, a number, (Q,) or (N, Q), from user units to internal units.

    "learned" and None are returned unchanged. Raises ValueError for anything else.
    """
    if variance is None:
        return None
    if isinstance(variance, str):
        if variance == "learned":
            return "learned"
        raise ValueError(
            f"X_variance must be None, 'learned' or variances (a number, one for each of the "
            f"{shape[1]} columns, or one for each entry); got {variance!r}"
        )
    given = as_floats(variance, "X_variance")
    try:
        spread = np.broadcast_to(given, shape)
    except ValueError:
        raise ValueError(
            f"X_variance must be a number, of shape ({shape[1]},) or of X's shape {shape}; "
            f"got shape {given.shape}"
        ) from None
    if not (np.isfinite(spread) & (spread >= 0.0)).all():
        raise ValueError(
            "X_variance holds variances: none may be negative, infinite or NaN "
            "(0 = that entry is exact)"
        )
    return np.asarray(spread / scale**2)
