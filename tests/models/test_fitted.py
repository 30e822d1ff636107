"""Tests of a fitted model as one value: its answers need no estimator."""

from copy import deepcopy
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from gplvm_core import BayesianGPLVM, DynamicalGPLVM, ManifoldRelevance, StateSpaceGPLVM
from gplvm_core.beliefs import Belief
from gplvm_core.prediction import DATA

SHORT = {"max_iter": 15, "random_state": 0}


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    generator, angle = np.random.default_rng(0), np.linspace(0.0, 6.0, 30)
    waves = np.column_stack([np.sin(angle), np.cos(angle), np.sin(2.0 * angle), angle / 6.0])
    return waves + 0.05 * generator.standard_normal(waves.shape)


def test_a_value_answers_after_its_estimator_is_gone(rows: np.ndarray) -> None:
    model = BayesianGPLVM(2, 8, **SHORT).fit(rows)
    gaps = np.where(np.arange(4) == 2, np.nan, rows[:5])
    filled, points = model.complete(gaps), model.transform(gaps)
    alone = deepcopy(model.fitted_)
    del model
    found = alone.reconstructed({DATA: gaps})[DATA][0]
    np.testing.assert_allclose(np.where(np.isnan(gaps), found, gaps), filled)
    np.testing.assert_allclose(alone.placed({DATA: gaps}).best.mean, points)
    with pytest.raises(FrozenInstanceError):
        alone.node = 1


def test_a_table_and_a_view_of_the_same_map_answer_alike(rows: np.ndarray) -> None:
    """The rows of one view, asked as a view of two and as the table of a model of its own."""
    words = np.where(rows[:, :1] > 0.0, "up", "down").astype(object)
    mixed = np.hstack([rows[:, 2:], words])
    kinds = {"second": ["number", "number", "category"]}
    both = ManifoldRelevance(2, 8, kinds=kinds, **SHORT).fit(
        {"first": rows[:, :2], "second": mixed}
    )
    at = {0: Belief.certain(both.latent_mean_[:6])}
    for name in ("first", "second"):
        views, table = both.fitted_.at(at)[name], both.of_view(name).fitted_.at(at)[DATA]
        np.testing.assert_array_equal(views[0], table[0])
        np.testing.assert_array_equal(views[1], table[1])


@pytest.mark.parametrize("kind", [DynamicalGPLVM, StateSpaceGPLVM])
def test_paths_and_states_answer_the_same_questions(kind: type, rows: np.ndarray) -> None:
    model = kind(2, 8, **SHORT).fit(rows)
    over, later = model.fitted_.over_time, [30.0, 31.0]
    mean, variance = over.moments(later, None)[DATA]
    found, std = model.forecast(later, return_std=True)
    np.testing.assert_array_equal(found, mean)
    np.testing.assert_allclose(std**2, variance)
    latent, spread = over.latent(later, None)
    assert latent.shape == spread.shape == (2, 2) and (spread > 0.0).all()
