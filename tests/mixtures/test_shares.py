"""Shares of Gaussians against SciPy's functions."""

import numpy as np
import pytest
from scipy.special import logsumexp, softmax

from gplvm_core.mixtures.gaussians import shares_of


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("level", [0.0, -2000.0, 2000.0])
def test_shares_are_a_softmax_at_any_level(axis, level):
    each = level + 50.0 * np.random.default_rng(0).standard_normal((7, 5))
    each[2, 3] = -np.inf  # a Gaussian of weight 0
    shares, log = shares_of(each, axis)
    np.testing.assert_allclose(shares, softmax(each, axis=axis), rtol=1e-13)
    np.testing.assert_allclose(log, logsumexp(each, axis=axis), rtol=1e-13)


def test_a_row_infinitely_far_from_all_has_no_density():
    assert shares_of(np.full((1, 3), -np.inf), 1)[1] == [-np.inf]
