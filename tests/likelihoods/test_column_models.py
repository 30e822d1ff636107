"""Tests of what models of single columns predict at the ends of their ranges."""

import numpy as np

from gplvm_core.likelihoods.column_models import Line, has_many_gaps
from gplvm_core.readers.kinds import TableColumn


def test_more_than_two_fifths_of_a_row_are_many_gaps():
    rows = np.zeros((2, 100))
    rows[0, :40] = rows[1, :41] = np.nan
    np.testing.assert_array_equal(has_many_gaps(rows), [False, True])


def test_a_mean_count_is_neither_zero_nor_without_limit():
    line, eggs = Line(np.zeros(1), np.ones((1, 1))), TableColumn("eggs", "count")
    found = line.at(np.array([[-900.0], [1.0], [900.0]]), eggs)
    np.testing.assert_allclose(found[:, 0], [0.001, np.e, np.exp(30.0)])
