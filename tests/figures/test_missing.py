"""Tests of the grid of missing values: its size, and that it shows every missing entry."""

import numpy as np
import pytest

from gplvm_core.figures.thumbnails import missing_grid


def test_a_small_table_is_shown_entry_by_entry():
    missing = np.random.default_rng(0).random((7, 4)) < 0.3
    np.testing.assert_array_equal(missing_grid(missing), missing)


@pytest.mark.parametrize("shape", [(1000, 3), (2, 5000), (301, 997), (120, 200)])
def test_a_large_table_is_reduced_to_shares(shape):
    missing = np.random.default_rng(1).random(shape) < 0.2
    grid = missing_grid(missing)
    assert grid.shape == (min(shape[0], 120), min(shape[1], 200))
    assert grid.min() >= 0 and grid.max() <= 1
    # The cells have nearly equal sizes, so their mean is the share of missing values.
    assert grid.mean() == pytest.approx(missing.mean(), abs=0.01)


def test_a_single_missing_value_is_not_lost():
    missing = np.zeros((5000, 3000), bool)
    missing[4321, 17] = True
    grid = missing_grid(missing)
    (cell,) = np.argwhere(grid)
    assert grid.sum() == pytest.approx(1 / (5000 / 120 * 3000 / 200), rel=0.03)
    np.testing.assert_allclose(cell / grid.shape, [4321 / 5000, 17 / 3000], atol=0.01)
