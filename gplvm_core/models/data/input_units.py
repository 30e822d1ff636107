"""Units of a regression's inputs: what is subtracted and divided out, and variances in them."""

from typing import Literal

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.models.data.scaling import Scaling
from gplvm_core.numerics import Array

Variance = Float[Array, "N Q"] | Literal["learned"] | None


def input_scaling(points: Float[Array, "N Q"]) -> Scaling:
    """Each column's mean and standard deviation over its observed entries.

    A constant column keeps its units; one that is missing altogether is in internal units.
    """
    observed = ~np.isnan(points)
    count = np.maximum(observed.sum(axis=0), 1)
    center = np.where(observed, points, 0.0).sum(axis=0) / count
    deviation = np.where(observed, points - center, 0.0)
    spread = np.sqrt((deviation**2).sum(axis=0) / count)
    constant = spread <= 1e-12 * np.maximum(np.abs(center), np.finfo(float).tiny)
    n_constant = int((constant & observed.any(axis=0)).sum())
    notes: tuple[str, ...] = ()
    if n_constant:
        notes = (f"{n_constant} of {len(center)} input columns are constant: they tell nothing",)
    return Scaling(center, np.where(constant, 1.0, spread), notes)


def internal_variance(
    variance: ArrayLike | None, shape: tuple[int, int], scale: Float[Array, " Q"]
) -> Variance:
    """Variances of inputs in internal units, from a number, (Q,) or (N, Q) in the user's.

    "learned" and None stay as they are. Raises ValueError for anything else.
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
    given = np.asarray(variance, dtype=np.float64)
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
