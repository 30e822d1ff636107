"""Tests that the declared capabilities of models match their methods."""

import inspect

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from gplvm_core import ManifoldRelevance, models
from gplvm_core.datasets import load_dataset
from gplvm_core.models import Capabilities, LatentVariableModel
from gplvm_core.prediction import predict_uncertain

ESTIMATORS = sorted(
    (kind for kind in vars(models).values() if isinstance(kind, type)
     and issubclass(kind, BaseEstimator) and kind is not LatentVariableModel),
    key=lambda kind: kind.__name__,
)  # fmt: skip
LATENT = [kind for kind in ESTIMATORS if "n_components" in inspect.signature(kind).parameters]


@pytest.mark.parametrize("kind", LATENT, ids=lambda kind: kind.__name__)
def test_capabilities_match_the_methods(kind):
    # These are the methods that pages call for one view over time, and for several views.
    can = kind().capabilities
    over_time = "time_kernel" in inspect.signature(kind).parameters and not can.views
    timed = kind(time_kernel="rbf").capabilities.timed if over_time else can.timed
    assert timed == all(
        hasattr(kind, name) for name in ("forecast_latent", "sample_sequence", "transform_sequence")
    )
    assert can.views == all(hasattr(kind, name) for name in ("transfer", "of_view", "segmentation"))


def test_a_model_of_views_knows_the_time_if_it_was_given_a_kernel():
    assert ManifoldRelevance().capabilities == Capabilities(views=True)
    timed = ManifoldRelevance(time_kernel="rbf")
    assert timed.capabilities == Capabilities(timed=True, views=True)


def test_a_view_of_a_timed_model_continues_along_the_paths_of_all():
    rows = np.r_[0:24, 300:316]
    poses = load_dataset("poses").values[rows]
    times, sequences = np.r_[0:24, 0:16] / 10.0, np.repeat(["up", "down"], [24, 16])
    model = ManifoldRelevance(
        3, n_inducing=12, time_kernel="matern32", max_iter=20, random_state=0
    ).fit({"left": poses[:, 3:15], "right": poses[:, 15:30]}, times=times, sequences=sequences)
    alone = model.of_view("right")
    assert alone.capabilities == Capabilities(timed=True)
    # All views share one path. Its mean is the prediction of a Gaussian process, k*ᵀ μ̄.
    later = np.array([2.4, 2.6, 3.0])
    own = sequences == "up"
    mean, variance = alone.forecast_latent(later, sequence="up")
    cross = model.time_kernel_.K(model.times_[own], later[:, None])
    np.testing.assert_allclose(mean, cross.T @ model.path_.dual[own], atol=1e-8)
    np.testing.assert_array_equal(
        mean, model.of_view("left").forecast_latent(later, sequence="up")[0]
    )
    outputs, std = alone.forecast(later, sequence="up", return_std=True)
    expected = predict_uncertain(model.posteriors_["right"], mean, variance, noise=True)
    np.testing.assert_allclose(outputs, expected[0])
    np.testing.assert_allclose(std**2, expected[1])
    assert alone.sample_sequence(later, random_state=0).shape == (1, 3, 15)
