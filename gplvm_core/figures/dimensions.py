"""Find the latent dimensions in use, and their relevance for several views together."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Bool, Float
from numpy import ndarray as Array

from gplvm_core.models import ON as ON_NATS


def dimensions_on(information: Float[Array, " Q"]) -> Bool[Array, " Q"]:
    """Return which dimensions are on (KL per point above 0.05 nats): booleans (Q,)."""
    return np.asarray(information) > ON_NATS


def joint_relevance(
    relevance: Float[Array, " Q"] | Mapping[str, Float[Array, " Q"]],
) -> Float[Array, " Q"]:
    """Return each dimension's relevance; for several views, its largest relevance in any view."""
    views = list(relevance.values()) if isinstance(relevance, Mapping) else [relevance]
    return np.asarray(np.max([np.asarray(view, dtype=float) for view in views], axis=0))


def leading_pair(relevance: Float[Array, " Q"]) -> tuple[int, int]:
    """Return the two most relevant dimensions (a single dimension twice)."""
    order = np.argsort(-np.asarray(relevance, dtype=float), kind="stable")
    return int(order[0]), int(order[min(1, len(order) - 1)])
