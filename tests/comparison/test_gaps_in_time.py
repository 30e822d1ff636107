"""Tests of the check of a filled sequence: it hides known values in the shape of the gaps."""

import numpy as np
import pytest

from gplvm_core.comparison.gaps_in_time import hidden_like_gaps, share_inside


def gappy(frames: slice, columns: slice, count: int = 60, width: int = 6) -> np.ndarray:
    values = np.ones((count, width))
    values[frames, columns] = np.nan
    return values


def test_as_many_given_values_are_hidden_in_the_same_columns_away_from_the_gap():
    values = gappy(slice(10, 25), slice(0, 3))
    hidden = hidden_like_gaps(values)
    assert hidden is not None and hidden.sum() == 45
    assert not hidden[:, 3:].any()
    assert not (hidden & np.isnan(values)).any()
    rows = np.flatnonzero(hidden[:, 0])
    np.testing.assert_array_equal(rows, np.arange(rows[0], rows[0] + 15))
    assert rows[0] > 25 and rows[-1] < 59  # not beside the gap, not at the end


def test_short_gaps_are_hidden_at_several_places_with_a_frame_between_them():
    values = gappy(slice(20, 25), slice(0, 6))
    hidden = hidden_like_gaps(values)
    assert hidden is not None
    rows = hidden.any(axis=1)
    starts = np.flatnonzero(np.diff(rows.astype(int)) == 1) + 1
    assert rows.sum() == 10 and len(starts) == 2 - rows[0]  # a quarter of the given values
    assert not rows[19] and not rows[25]


def test_nothing_is_hidden_where_it_would_be_no_check():
    assert hidden_like_gaps(np.ones((60, 6))) is None
    assert hidden_like_gaps(gappy(slice(0, 60), slice(0, 3))) is None  # the whole column
    assert hidden_like_gaps(gappy(slice(10, 12), slice(0, 1))) is None  # too few
    assert hidden_like_gaps(gappy(slice(10, 12), slice(0, 1)), fewest=2) is not None


def test_the_share_counts_hidden_values_with_a_truth_and_an_interval():
    truth = np.array([[0.0, 0.0, np.nan, 0.0, 0.0]])
    std = np.array([[1.0, 1.0, 1.0, 1.0, np.nan]])
    mean = np.array([[1.9, 2.0, 0.0, 50.0, 0.0]])
    hidden = np.array([[True, True, True, False, True]])
    found = share_inside(mean, std, truth, hidden)
    assert found is not None and (found.inside, found.count) == (0.5, 2)
    assert share_inside(mean, std, truth, np.zeros((1, 5), bool)) is None


def test_intervals_of_gaussian_values_hold_95_percent():
    draws = np.random.default_rng(0).normal(size=(2000, 10))
    found = share_inside(np.zeros_like(draws), np.ones_like(draws), draws, draws == draws)
    assert found is not None and abs(found.inside - 0.95) < 0.005
    assert found.factor < 1.02
    narrow = share_inside(np.zeros_like(draws), np.full_like(draws, 0.4), draws, draws == draws)
    assert narrow is not None and narrow.factor == pytest.approx(2.5, abs=0.05)
    again = share_inside(
        np.zeros_like(draws), 0.4 * narrow.factor * draws**0, draws, draws == draws
    )
    assert again is not None and 0.95 <= again.inside < 0.951 and again.factor == 1.0
