"""Check user-given latent points, variances and dimensions."""

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import ArrayLike

from gplvm_core.beliefs import Belief
from gplvm_core.models.data.rows import as_floats
from gplvm_core.numerics import Array, IntArray
from gplvm_core.readers import DataError


def checked_points(points: ArrayLike, n_latent: int) -> Float[Array, "N Q"]:
    """Latent points as a finite matrix N × Q; raises DataError for anything else."""
    found = as_floats(points, "latent points")
    if found.ndim != 2 or found.shape[1] != n_latent:
        raise DataError(f"latent points must be N × {n_latent}; got shape {found.shape}")
    if not np.isfinite(found).all():
        raise DataError("latent points must be finite; got NaN or infinity")
    return found


def checked_variance(
    variance: ArrayLike | None, points: Float[Array, "N Q"]
) -> Float[Array, "N Q"] | None:
    """Variances broadcast to the points' shape (None: exact); raises ValueError if negative."""
    if variance is None:
        return None
    spread = np.broadcast_to(as_floats(variance, "X_variance"), points.shape)
    if not (spread >= 0).all():
        raise ValueError("X_variance holds variances: none may be negative or NaN")
    return spread


def checked_belief(points: ArrayLike, variance: ArrayLike | None, n_latent: int) -> Belief:
    """Latent points with their variances; without variances, the points are exact."""
    found = checked_points(points, n_latent)
    spread = checked_variance(variance, found)
    return Belief.certain(found) if spread is None else Belief(found, spread)


def checked_dimensions(dimensions: ArrayLike, n_latent: int) -> Int[IntArray, " K"]:
    """Indices of latent dimensions; raises ValueError unless they are whole numbers in range."""
    chosen = np.asarray(dimensions)
    whole = chosen.ndim == 1 and (chosen.dtype.kind in "iu" or chosen.size == 0)
    if not whole or not np.isin(chosen, np.arange(n_latent)).all():
        raise ValueError(
            f"dimensions must be a list of whole numbers among 0 … {n_latent - 1}; got "
            f"{dimensions!r}"
        )
    return chosen.astype(np.intp)


def checked_levels(quantiles: ArrayLike) -> Float[Array, " K"]:
    """Levels of quantiles as a vector; raises ValueError unless all are between 0 and 1."""
    levels = np.atleast_1d(as_floats(quantiles, "quantiles"))
    if levels.ndim != 1 or not ((levels > 0.0) & (levels < 1.0)).all():
        raise ValueError(f"quantiles must lie between 0 and 1; got {quantiles!r}")
    return levels
