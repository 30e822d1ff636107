"""Tests of missing values: their number, groups and names in messages."""

import numpy as np
import pytest

from gplvm_core.readers.missing import missing_entries, n_patterns, percent, unmasked


def test_complete_data_have_no_missing_entries():
    assert missing_entries(np.ones((3, 2))) is None
    assert missing_entries(np.ones((3, 2), np.uint8)) is None


def test_missing_entries_are_where_nan_is():
    targets = np.array([[1.0, np.nan], [2.0, 3.0]], np.float32)
    np.testing.assert_array_equal(missing_entries(targets), [[False, True], [False, False]])


@pytest.mark.parametrize("n_points", [5, 8, 19])
def test_patterns_are_the_distinct_columns_of_the_mask(n_points):
    rng = np.random.default_rng(0)
    kinds = rng.random((n_points, 6)) < 0.4
    missing = kinds[:, rng.integers(0, 6, 40)]
    assert n_patterns(missing) == len({tuple(column) for column in missing.T})


def test_masked_entries_become_nan_and_the_precision_stays():
    masked = np.ma.array(np.ones((2, 2), np.float32), mask=[[0, 1], [0, 0]])
    filled = unmasked(masked)
    assert filled.dtype == np.float32 and np.isnan(filled[0, 1]) and not np.isnan(filled[1]).any()
    assert masked.data[0, 1] == 1  # the caller's array is unchanged
    pixels = np.ma.array(np.ones((2, 2), np.uint8), mask=False)
    assert unmasked(pixels).dtype == np.uint8


@pytest.mark.parametrize(
    ("count", "words"), [(0, "0%"), (1, "less than 1%"), (9, "1%"), (999, "more than 99%")]
)
def test_percentages_are_0_or_100_only_if_exact(count, words):
    assert percent(count, 1000) == words
