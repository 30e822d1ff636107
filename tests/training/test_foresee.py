"""Tests that the foreseen numbers of rows are exact, and that the foreseen time is nearly right."""

import numpy as np
import pytest

from gplvm_core import BayesianGPLVM
from gplvm_core.training.foresee import foreseen

ROWS = np.random.default_rng(0).standard_normal((1500, 3)) @ np.ones((3, 6))


@pytest.mark.parametrize(
    ("n_rows", "stored", "expected"),
    [
        (1000, False, (1000, 1000, 0, 0)),
        (1000, True, (1000, 1000, 0, 0)),
        (50_000, False, (10_000, 50_000, 40_000, 0)),
        (1_000_000, True, (10_000, 20_000, 10_000, 980_000)),
    ],
)
def test_every_row_has_its_part(n_rows, stored, expected):
    model = BayesianGPLVM(2, n_inducing=5, max_iter=20, random_state=0)
    found = foreseen(model, ROWS, n_rows, stored=stored)
    assert (found.trained, found.kept, found.placed, found.passed_by) == expected
    assert found.total == n_rows and found.seconds > 0
    assert found.bytes > 8 * found.kept * 6


def test_all_rows_train_a_map_without_a_known_factor():
    model = BayesianGPLVM(2, n_inducing=5, max_iter=20, random_state=0)
    found = foreseen(model, ROWS, 50_000, stored=False, known=True)
    assert (found.trained, found.kept, found.placed) == (50_000, 50_000, 0)


def test_more_rows_or_steps_take_longer_and_nothing_of_the_model_changes():
    model = BayesianGPLVM(2, n_inducing=5, max_iter=20, random_state=0)
    few = foreseen(model, ROWS, 30_000, stored=True)
    many = foreseen(model, ROWS, 3_000_000, stored=True)
    assert many.seconds > 5 * few.seconds
    assert many.bytes == few.bytes
    assert model.max_iter == 20 and not hasattr(model, "posterior_")
