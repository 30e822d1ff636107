"""Check the gradients of the rows' bound with fixed layers, by central differences."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gplvm_core.beliefs import Belief
from gplvm_core.prediction.row_bound import RowBound


def check_slopes(bound: RowBound, beliefs: Sequence[Belief], seed: int) -> None:
    """Check the gradient for every row separately, in a random direction of the belief at each
    node.
    """
    generator, every = np.random.default_rng(seed), np.arange(beliefs[0].n_points)
    _, slopes = bound.data(beliefs, every)
    for node, slope in enumerate(slopes):
        way = 0.2 * generator.normal(size=slope.mean.shape)

        def along(size: float, node: int = node, way: np.ndarray = way) -> np.ndarray:
            moved = list(beliefs)
            mean, variance = beliefs[node].mean + size * way, beliefs[node].variance
            moved[node] = replace(beliefs[node], mean=mean, variance=variance * np.exp(size * way))
            return bound.data(moved, every)[0]

        expected = (along(1e-3) - along(-1e-3)) / 2e-3
        each = slope.mean * way + slope.variance * beliefs[node].variance * way
        tolerance = 1e-3 * max(1.0, float(np.abs(expected).max()))
        np.testing.assert_allclose(each.sum(axis=1), expected, rtol=1e-3, atol=tolerance)
