"""Tests of Cholesky factors and solves against dense algebra."""

import numpy as np
import pytest

from gplvm_core.numerics import (
    NotPositiveDefiniteError,
    factorise,
    low_rank,
    mirror_upper,
    symmetrise,
)


@pytest.fixture
def matrix() -> np.ndarray:
    root = np.random.default_rng(0).normal(size=(5, 5))
    return root @ root.T + 0.1 * np.eye(5)


def test_solves_and_determinant(matrix: np.ndarray) -> None:
    factor = factorise(matrix, 0.3)
    shifted = matrix + 0.3 * np.eye(5)
    right = np.random.default_rng(1).normal(size=(5, 2))
    np.testing.assert_allclose(factor.lower @ factor.lower.T, shifted)
    np.testing.assert_allclose(factor.solve(right), np.linalg.solve(shifted, right))
    np.testing.assert_allclose(factor.inverse(), np.linalg.inv(shifted))
    assert factor.log_determinant == pytest.approx(np.linalg.slogdet(shifted)[1])
    assert factor.jitter == 0.3
    inner = np.linalg.inv(factor.lower)
    np.testing.assert_allclose(factor.whiten(matrix), inner @ matrix @ inner.T, atol=1e-12)
    np.testing.assert_allclose(factor.solve_lower_transposed(right), inner.T @ right)


@pytest.mark.parametrize("bad", [-np.eye(3), np.full((3, 3), np.nan), np.diag([1.0, np.inf, 1.0])])
def test_a_matrix_without_a_factor_is_an_error_not_a_repair(bad: np.ndarray) -> None:
    with pytest.raises(NotPositiveDefiniteError, match=r"3×3 .* with jitter 1\.0e-06"):
        factorise(bad, 1e-6)


def test_input_is_not_written_to(matrix: np.ndarray) -> None:
    before = matrix.copy()
    factorise(matrix, 0.5)
    np.testing.assert_array_equal(matrix, before)


def test_symmetric_helpers(matrix: np.ndarray) -> None:
    rows, columns = np.triu_indices(5)
    np.testing.assert_array_equal(mirror_upper(matrix[rows, columns], rows, columns, 5), matrix)
    lopsided = np.triu(matrix)
    np.testing.assert_allclose(symmetrise(lopsided), (lopsided + lopsided.T) / 2)


def test_a_factor_has_as_many_columns_as_the_matrix_has_rank() -> None:
    factor = np.random.default_rng(5).normal(size=(9, 4))
    found = low_rank(factor @ factor.T)
    assert found.shape == (9, 4)
    np.testing.assert_allclose(found @ found.T, factor @ factor.T, atol=1e-13)
    assert low_rank(np.zeros((3, 3))).shape == (3, 0)
    with pytest.raises(NotPositiveDefiniteError, match="not finite"):
        low_rank(np.full((2, 2), np.nan))
