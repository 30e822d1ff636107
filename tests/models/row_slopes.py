"""Check the gradients of the rows' bound with fixed layers, by central differences."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gplvm_core.beliefs import Belief
from gplvm_core.prediction.row_bound import RowBound


def check_slopes(
    bound: RowBound, beliefs: Sequence[Belief], seed: int, step: float = 1e-3, close: float = 1e-3
) -> None:
    """Check the gradient for every row separately, in a random direction of the means and another
    one of the log variances of each node.
    """
    generator, every = np.random.default_rng(seed), np.arange(beliefs[0].n_points)
    _, slopes = bound.data(beliefs, every)
    for node, slope in enumerate(slopes):
        way, wider = 0.2 * generator.normal(size=(2, *slope.mean.shape))
        here = beliefs[node]

        def along(size: float, here=here, node=node, way=way, wider=wider) -> np.ndarray:
            wide = here.variance * np.exp(size * wider)
            there = replace(here, mean=here.mean + size * way, variance=wide)
            return bound.data([*beliefs[:node], there, *beliefs[node + 1 :]], every)[0]

        expected = (along(step) - along(-step)) / (2.0 * step)
        each = slope.mean * way + slope.variance * here.variance * wider
        tolerance = close * max(1.0, float(np.abs(expected).max()))
        np.testing.assert_allclose(each.sum(axis=1), expected, rtol=close, atol=tolerance)
