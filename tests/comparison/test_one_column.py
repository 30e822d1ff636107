"""Tests of the verdict that says whether a regression is worth it: known cases, missing inputs."""

import warnings

import numpy as np
import pytest

from gplvm_core import SparseGPRegression
from gplvm_core.comparison.one_column import (
    LINE,
    MEAN,
    TREES,
    Predicted,
    answers,
    predicted_by,
    simpler_predictions,
    task_of,
    worth_it,
)
from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.readers import ask_column


@pytest.fixture(scope="module")
def wave():
    """Return data with a curved function of the inputs, and a model trained on these data."""
    generator = np.random.default_rng(0)
    x = generator.uniform(-3, 3, (120, 2))
    y = np.sin(2 * x[:, 0]) + 0.1 * generator.standard_normal(120)
    data = Dataset(
        "wave", "Wave", np.column_stack([x, y]), Drawing.of_vector(3), column_names=("a", "b", "y")
    )
    asked = ask_column(data, "y", ["a", "b"])
    _, train, _ = task_of(asked)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SparseGPRegression(20, max_iter=80, random_state=0).fit(train.inputs, train.target)
    return asked, model


@pytest.mark.slow
def test_a_curved_function_is_worth_a_gaussian_process(wave):
    asked, model = wave
    found, others = predicted_by(model, task_of(asked)[2]), simpler_predictions(asked)
    assert [other.name for other in others] == [TREES, LINE, MEAN]
    assert found.error < 0.2 < min(other.error for other in others)
    assert found.log_density > max(other.log_density for other in others)
    assert found.inside.mean() > 0.8
    assert worth_it(found, others, "y").startswith("Worth it: on 24 rows kept aside")


def test_missing_inputs_widen_the_answer(wave):
    asked, model = wave
    rows = task_of(asked)[2].inputs[:5]
    gaps = rows.copy()
    gaps[:, 0] = np.nan
    gaps[3:] = rows[3:]
    mean, std = answers(model, gaps)
    exact_mean, exact_std = answers(model, rows)
    assert (std[:3] > 3 * exact_std[:3]).all()
    np.testing.assert_allclose(mean[3:], exact_mean[3:])


def predicted(name: str, errors: np.ndarray) -> Predicted:
    return Predicted(name, errors, np.ones(len(errors)), np.zeros(len(errors)))


@pytest.mark.parametrize(
    ("model", "trees", "line", "mean", "words"),
    [
        (1.0, 1.0, 1.0, 1.0, "Not worth it"),
        (1.0, 0.3, 1.0, 3.0, "Boosted trees predict better"),
        (1.0, 2.0, 0.3, 3.0, "A linear model predicts better"),
        (1.0, 2.0, 1.0, 3.0, "A linear model does as well"),
        (1.0, 1.0, 2.0, 3.0, "As good as boosted trees"),
        (1.0, 2.0, 2.0, 3.0, "Worth it"),
    ],
)
def test_the_verdict_says_who_predicts_best(model, trees, line, mean, words):
    base = np.random.default_rng(1).standard_normal(100)
    others = tuple(
        predicted(name, scale * base)
        for name, scale in ((TREES, trees), (LINE, line), (MEAN, mean))
    )
    assert worth_it(predicted("This model", model * base), others, "y").startswith(words)
