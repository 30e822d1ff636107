"""Central differences, the independent test of every gradient."""

from collections.abc import Callable

import numpy as np
import pytest

Difference = Callable[[Callable[[np.ndarray], float], np.ndarray], np.ndarray]


@pytest.fixture(scope="session")
def central_difference() -> Difference:
    """Return a function that computes ∂f/∂x by central differences, entry by entry."""

    def difference(function: Callable[[np.ndarray], float], at: np.ndarray) -> np.ndarray:
        at = np.asarray(at, dtype=float)
        slope = np.empty(at.shape)
        for index in np.ndindex(at.shape):
            step = 1e-5 * max(1.0, abs(at[index]))
            up, down = at.copy(), at.copy()
            up[index] += step
            down[index] -= step
            slope[index] = (function(up) - function(down)) / (2.0 * step)
        return slope

    return difference
