"""Change some dimensions of latent points; private dimensions of a view change only that view."""

import numpy as np
from jaxtyping import Float, Int

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import Array, IntArray

Dimensions = Int[IntArray, " K"]


def vary(
    points: Float[Array, "N Q"],
    dimensions: Dimensions,
    training: Belief,
    n_samples: int,
    random_state: int | np.random.Generator | None = None,
) -> Float[Array, "S N Q"]:
    """Redraw some dimensions of points; the other dimensions do not change.

    The dimensions are drawn jointly from the average of the training points' posteriors, so that
    dependent dimensions remain consistent.
    """
    generator = np.random.default_rng(random_state)
    lenders = generator.integers(training.n_points, size=(n_samples, len(points)))
    noise = generator.standard_normal((*lenders.shape, training.n_latent))
    drawn = training.mean[lenders] + np.sqrt(training.variance[lenders]) * noise
    found = np.repeat(points[None], n_samples, axis=0)
    found[:, :, dimensions] = drawn[:, :, dimensions]
    return found


def interpolate(
    start: Float[Array, " Q"], end: Float[Array, " Q"], dimensions: Dimensions, steps: int
) -> Float[Array, "S Q"]:
    """Return a straight path from one point toward another that changes only some dimensions."""
    path = np.repeat(start[None], steps, axis=0)
    share = np.linspace(0.0, 1.0, steps)[:, None]
    path[:, dimensions] += share * (end - start)[dimensions]
    return path
