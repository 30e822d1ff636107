"""Tests that the pictures of sample paths over time match the kernels' names."""

import re

import numpy as np

from gplvm_core.figures.time_paths import longest_sequence, paths_svg
from gplvm_core.kernels import RBF, Kernel, time_kernel_named


def drawn_paths(name: str | Kernel) -> np.ndarray:
    """Return the points (3, n, 2) of the sample paths over three units of time."""
    kernel = time_kernel_named(name, 3.0) if isinstance(name, str) else name
    picture = paths_svg(kernel, np.linspace(2.0, 5.0, 40)).decode()
    lines = re.findall(r'points="([^"]*)"', picture)
    return np.array([[point.split(",") for point in line.split()] for line in lines], float)


def test_paths_over_time_match_their_kernels_names():
    corners = {}
    for name in ("rbf", "matern32", "matern12"):
        steps = np.diff(drawn_paths(name), axis=1)
        turns = np.diff(np.arctan2(steps[..., 1], steps[..., 0]), axis=1)
        corners[name] = np.abs(turns).mean()
    assert 4 * corners["rbf"] < 2 * corners["matern32"] < corners["matern12"]
    x, y = np.moveaxis(drawn_paths("periodic"), 2, 0)
    quarter = np.ptp(x[0]) / 4  # this is one period
    for path in y:
        there, later = (np.interp(x[0][:150] + lag, x[0], path) for lag in (0, quarter))
        assert np.abs(later - there).max() < 0.5 < np.ptp(path) / 10


def test_the_longest_sequence_is_the_one_that_lasts_longest():
    times = np.array([0.0, 1.0, 2.0, 10.0, 14.0])
    np.testing.assert_array_equal(longest_sequence(times, np.array([0, 0, 0, 1, 1])), [10, 14])
    np.testing.assert_array_equal(longest_sequence(times, None), times)


def test_every_part_of_a_sum_is_drawn():
    repeating = time_kernel_named("periodic", 3.0)
    changing = RBF(0.2, 0.3) + repeating
    alone, both = (drawn_paths(kernel)[..., 1] for kernel in (repeating, changing))
    period = alone.shape[1] // 4
    unlike = [np.abs(path[:, period:] - path[:, :-period]).mean() for path in (alone, both)]
    assert unlike[1] > 3 * unlike[0]
