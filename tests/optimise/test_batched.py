"""Tests of rows that are minimised together: the same results as one by one, independent of other
rows.
"""

import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der

from gplvm_core.optimise import LBFGS, minimise_rows


@pytest.fixture
def wells():
    """Return a different skewed, ill-conditioned bowl with a known minimum for every row."""
    random = np.random.default_rng(0)
    bottoms = random.normal(size=(60, 6))
    stiffness = np.exp(random.uniform(-2.0, 5.0, size=(60, 6)))

    def objective(x, rows):
        apart = x - bottoms[rows]
        softened = np.sqrt(1.0 + apart**2)
        values = (stiffness[rows] * (softened - 1.0 + 0.05 * apart**2)).sum(axis=1)
        return values, stiffness[rows] * (apart / softened + 0.1 * apart)

    return objective, bottoms


def valleys(x, rows):
    return np.array([rosen(row) for row in x]), np.array([rosen_der(row) for row in x])


def test_every_row_finds_its_own_minimum(wells):
    objective, bottoms = wells
    result = minimise_rows(objective, np.zeros((60, 6)))
    assert result.converged.all()
    np.testing.assert_allclose(result.x, bottoms, atol=1e-4)
    values, gradients = objective(result.x, np.arange(60))
    np.testing.assert_array_equal(result.values, values)
    assert np.abs(gradients).max() <= 1e-5


def test_curved_valleys_at_a_cost_like_that_of_the_single_optimiser(run):
    starts = np.random.default_rng(1).uniform(-1.5, 1.5, size=(12, 8))
    evaluations = np.zeros(12, dtype=int)

    def counted(x, rows):
        evaluations[rows] += 1
        return valleys(x, rows)

    result = minimise_rows(counted, starts, max_iter=500)
    singles = [
        run(LBFGS(value_tolerance=0.0), lambda x: (float(rosen(x)), rosen_der(x)), start)
        for start in starts
    ]
    assert result.converged.all()
    assert evaluations.sum() <= 1.5 * sum(single.evaluations for single in singles)
    # Rosenbrock's function has a second, local minimum near (-1, 1, …, 1).
    _, gradients = valleys(result.x, np.arange(12))
    assert np.abs(gradients).max() <= 1e-5
    assert np.all((result.values < 1e-8) | (np.abs(result.values - 4.0) < 0.1))


def test_a_row_does_not_depend_on_its_company(wells):
    objective, _ = wells
    starts = np.random.default_rng(2).normal(size=(60, 6))
    together = minimise_rows(objective, starts)
    for row in (0, 17, 59):
        alone = minimise_rows(lambda x, rows, row=row: objective(x, rows + row), starts[[row]])
        np.testing.assert_allclose(alone.x[0], together.x[row], rtol=1e-10, atol=1e-12)
        assert alone.iterations[0] == together.iterations[row]


def test_finished_rows_are_not_evaluated_again(wells):
    objective, bottoms = wells
    starts = np.zeros((60, 6))
    starts[::2] = bottoms[::2]
    calls = []

    def watched(x, rows):
        calls.append(rows.copy())
        return objective(x, rows)

    result = minimise_rows(watched, starts)
    assert (result.iterations[::2] == 0).all()
    assert all((rows % 2 == 1).all() for rows in calls[1:])
    sizes = [len(rows) for rows in calls]
    assert sizes == sorted(sizes, reverse=True)
    assert sum(sizes) <= 1.6 * (result.iterations.sum() + 60)


def test_a_rejected_row_shortens_only_its_own_step():
    def logs(x, rows):
        """Compute x − c log x, which is undefined for x ≤ 0 and has its minimum at c."""
        least = 1.0 + rows[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            return (x - least * np.log(x)).sum(axis=1), 1.0 - least / x

    result = minimise_rows(logs, np.full((5, 2), 30.0))
    assert result.converged.all()
    np.testing.assert_allclose(result.x, np.repeat(np.arange(1.0, 6.0), 2).reshape(5, 2), rtol=1e-4)


def test_the_search_stops_at_the_limit_and_reports_it():
    starts = np.tile([-1.2, 1.0], (3, 1))
    result = minimise_rows(valleys, starts, max_iter=4)
    np.testing.assert_array_equal(result.iterations, 4)
    assert not result.converged.any()
    assert (result.values < valleys(starts, None)[0]).all()
    none = minimise_rows(valleys, starts, max_iter=0)
    np.testing.assert_array_equal(none.x, starts)


def test_constant_rows_have_converged_and_misled_rows_have_not():
    def objective(x, rows):
        wrong = rows == 1
        values = np.where(wrong, (x**2).sum(axis=1), 3.0)
        return values, np.where(wrong[:, None], -2.0 * x, 0.0)

    result = minimise_rows(objective, np.ones((3, 2)))
    np.testing.assert_array_equal(result.converged, [True, False, True])
    np.testing.assert_array_equal(result.x, np.ones((3, 2)))


def test_large_values_converge_in_spite_of_rounding():
    """If the tolerance is below the precision of the value, the slope decides."""

    def shifted(x, rows):
        scale = np.geomspace(1.0, 1e3, x.shape[1])
        apart = x - 1.0
        return 1e6 + 0.5 * (scale * apart**2).sum(axis=1), scale * apart

    result = minimise_rows(shifted, np.zeros((20, 6)), tolerance=1e-8)
    assert result.converged.all()
    np.testing.assert_allclose(result.x, 1.0, atol=1e-4)


def test_no_rows_and_one_variable():
    empty = minimise_rows(valleys, np.empty((0, 3)))
    assert empty.x.shape == (0, 3)
    assert empty.converged.shape == empty.values.shape == empty.iterations.shape == (0,)

    result = minimise_rows(
        lambda x, rows: (np.cosh(x[:, 0] - rows), np.sinh(x - rows[:, None])), np.zeros((4, 1))
    )
    np.testing.assert_allclose(result.x[:, 0], np.arange(4), atol=1e-4)


@pytest.mark.parametrize(
    ("starts", "objective", "message"),
    [
        (np.array([[0.0], [np.nan]]), lambda x, r: (x[:, 0] ** 2, 2 * x), r"1 of 2 .*rows 1\)"),
        (np.zeros((7, 1)), lambda x, r: (x[:, 0] + np.nan, x), r"rows 0, 1, 2, 3, 4, …\)"),
        (np.zeros(3), lambda x, r: (x, x), r"matrix of rows \(R, P\), got \(3,\)"),
        (np.zeros((3, 0)), lambda x, r: (x, x), r"got \(3, 0\)"),
        (np.zeros((3, 2)), lambda x, r: (x, x), r"values of shape \(3, 2\)"),
    ],
)
def test_starts_that_cannot_be_are_refused(starts, objective, message):
    with pytest.raises(ValueError, match=message):
        minimise_rows(objective, starts)
